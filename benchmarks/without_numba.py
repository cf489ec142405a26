"""Time of fits with numba, and without it, as on a small installation.

python benchmarks/without_numba.py; python benchmarks/without_numba.py plain
"""

import sys
import time

if sys.argv[1:] == ["plain"]:
    sys.modules["numba"] = None

import numpy as np

import steelyard as sy
from steelyard.maths.compiling import IS_COMPILED

RNG = np.random.default_rng(1)
ITEMS, RATERS, LIST = 200, 40, 5


def ratings(number):
    truth, item = RNG.uniform(20, 80, ITEMS), RNG.integers(ITEMS, size=number)
    score = np.clip(truth[item] + RNG.normal(0, 12, number), 0, 100)
    return sy.Judgments.of(
        sy.Rating(f"r{at // LIST % RATERS}", f"i{item[at]}", float(score[at]), {"task": f"t{at // LIST}"})
        for at in range(number)
    )


def comparisons(number):
    truth, left = RNG.normal(size=ITEMS), RNG.integers(ITEMS, size=number)
    right = (left + RNG.integers(1, ITEMS, size=number)) % ITEMS
    wins = truth[left] + RNG.normal(size=number) > truth[right]
    return sy.Judgments.of(
        sy.Comparison(f"r{at % RATERS}", f"i{left[at]}", f"i{right[at]}", "left" if wins[at] else "right")
        for at in range(number)
    )


def main():
    print("compiled" if IS_COMPILED else "plain Python")
    for model, make, numbers in (
        (sy.Steelyard, ratings, (1_000, 5_000)),
        (sy.TrueSkill, comparisons, (1_000, 10_000)),
        (sy.Elo, comparisons, (1_000, 10_000)),
    ):
        model().fit(make(50))  # loads or compiles the loops
        for number in numbers:
            judged, start = make(number), time.process_time()
            model().fit(judged)
            print(f"{model.__name__} {number:,}: {time.process_time() - start:.3f} s of CPU", flush=True)


if __name__ == "__main__":
    main()
