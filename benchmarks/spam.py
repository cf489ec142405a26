"""Spam probability of raters with a small slope and of spammers, among twelve honest raters.

    python benchmarks/spam.py --studies 24 --seed 100

Honest raters give 40 answers each to 60 items, in lists of five. Their bias has sd 0.05 and their noise sd 0.12.
Slopes are 1 in one half of the studies and have sd 0.25 (in logarithms) in the other half. One further rater has a
slope of 0.3 to 0.5, or does not look at the items. Prints Markdown: the share of studies in which this rater's
spam probability is at least 0.5, and at least 0.9.
"""

import argparse

import numpy as np

from steelyard import Judgments, Steelyard

ITEMS, RATERS, LISTS, LIST_SIZE = 60, 12, 8, 5
SLOPES, NOISES, ANSWERS = (0.3, 0.4, 0.5), (0.06, 0.12), (20, 40, 120)
SPAMMERS = {
    "uniform": lambda rng, size: rng.random(size),
    "always 0.5": lambda _, size: np.full(size, 0.5),
    "about 0.7 (sd 0.03)": lambda rng, size: rng.normal(0.7, 0.03, size),
    "top of the scale in 80%": lambda rng, size: np.where(rng.random(size) < 0.8, 1.0, 0.9),
}


def line(slope, bias, noise, truth):
    """Answers along a rater's own line."""
    return lambda rng, page: 0.5 + bias + slope * (truth[page] - 0.5) + noise * rng.standard_normal(len(page))


def study(respond, answers, slope_sd, rng):
    """Ratings of twelve honest raters and of rater `x`, who answers by `respond(truth)`."""
    truth, rows = rng.uniform(0.1, 0.9, ITEMS), []
    for who in range(RATERS):
        honest = line(np.exp(slope_sd * rng.standard_normal()), 0.05 * rng.standard_normal(), 0.12, truth)
        for page in rng.permutation(ITEMS).reshape(-1, LIST_SIZE)[:LISTS]:
            rows += [
                (f"r{who}", item, f"{who}-{page[0]}", y)
                for item, y in zip(page, honest(rng, page), strict=True)
            ]
    order = np.concatenate([rng.permutation(ITEMS) for _ in range(-(-answers // ITEMS))])[:answers]
    suspect = respond(truth)
    for at, page in enumerate(order.reshape(-1, LIST_SIZE)):
        rows += [("x", item, f"x-{at}", y) for item, y in zip(page, suspect(rng, page), strict=True)]
    rater, item, task, score = zip(*rows, strict=True)
    score = np.clip(np.round(score, 2), 0.0, 1.0).tolist()
    columns = {"rater": rater, "item": [f"i{each}" for each in item], "task": task, "score": score}
    return Judgments.from_columns("rating", columns, (0.0, 1.0))


def spam_of_x(judgments):
    return next(row["spam"] for row in Steelyard().fit(judgments).raters if row["rater"] == "x")


def print_row(name, respond, answers, arguments):
    spam = []
    for number in range(arguments.studies):
        rng = np.random.default_rng([arguments.seed, number])
        spam.append(spam_of_x(study(respond, answers, 0.25 * (number % 2), rng)))
    spam = np.array(spam)
    print(f"| {name} | {answers} | {np.mean(spam >= 0.5):.2f} | {np.mean(spam >= 0.9):.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=24)
    parser.add_argument("--seed", type=int, default=100)
    arguments = parser.parse_args()
    print("| rater | answers | spam >= 0.5 | spam >= 0.9 |\n|---|---|---|---|")
    for slope in SLOPES:
        for noise in NOISES:
            for answers in ANSWERS:
                name = f"slope {slope}, noise sd {noise}"
                print_row(name, lambda truth, s=slope, n=noise: line(s, 0.0, n, truth), answers, arguments)
    for name, draw in SPAMMERS.items():
        for answers in ANSWERS:
            print_row(name, lambda _, d=draw: lambda rng, page: d(rng, len(page)), answers, arguments)


if __name__ == "__main__":
    main()
