"""Coverage of intervals and level of tests of preference, with few raters whose answers are correlated.

Simulated raters compare every pair of three or five close items several times. Each rater has tastes of their own:
log-worths are normal around common ones with a standard deviation of 0, .5 or 1. For every number of raters and every
standard deviation the table shows

- coverage of 95% intervals of the difference of the first two items: Wald, profile likelihood, clustered by rater,
  and from random effects of raters on items (`rater_items="random"`). The first three are compared with the
  log-odds of the population, the last with the common log-worths;
- rejection rates at the 5% level of hypotheses that are true: equal worths (likelihood ratio, and corrected for
  raters), equal groups of raters (the same two tests), and sd = 0 (only if it is 0).

    python benchmarks/preference_coverage.py --repetitions 400 --seed 1000
"""

import argparse
from dataclasses import dataclass, field

import numpy as np

from steelyard import BradleyTerry, Judgments
from steelyard.errors import SteelyardError

RATERS = (4, 8, 20)
TASTES = (0.0, 0.5, 1.0)
CLOSE = {3: (0.3, 0.0, -0.3), 5: (0.3, 0.15, 0.0, -0.15, -0.3)}
REPEATS = 4
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(40)
FITTED = BradleyTerry(penalty="auto", cluster="none")


@dataclass
class Rates:
    """How often each statement was true."""

    hits: dict[str, list[bool]] = field(default_factory=dict)

    def add(self, name, hit):
        """Count one repetition."""
        self.hits.setdefault(name, []).append(bool(hit))

    def shown(self, name):
        """As a share, or a dash."""
        found = self.hits.get(name)
        return "-" if not found else f"{np.mean(found):.3f}"


def simulate(worth, raters, taste, rng):
    """Comparisons with counts; the first half of the raters are group x, the others y."""
    rows = []
    for rater in range(raters):
        own = np.asarray(worth) + taste * rng.standard_normal(len(worth))
        group = "x" if rater < raters // 2 else "y"
        for one in range(len(worth)):
            for other in range(one + 1, len(worth)):
                wins = rng.binomial(REPEATS, 1.0 / (1.0 + np.exp(own[other] - own[one])))
                for outcome, count in (("left", wins), ("right", REPEATS - wins)):
                    if count:
                        rows.append((f"r{rater:02d}", group, f"i{one}", f"i{other}", outcome, int(count)))
    names = ("rater", "group", "left", "right", "outcome", "count")
    return Judgments.from_columns(
        "comparison", {name: [row[at] for row in rows] for at, name in enumerate(names)}
    )


def population_gap(worth, taste):
    """The difference of the first two items in a Bradley-Terry model of unlimited raters."""
    rows = []
    for one in range(len(worth)):
        for other in range(one + 1, len(worth)):
            gaps = worth[one] - worth[other] + np.sqrt(2.0) * taste * NODES
            share = float(WEIGHTS @ (1.0 / (1.0 + np.exp(-gaps))) / WEIGHTS.sum())
            rows += [(f"i{one}", f"i{other}", "left", share), (f"i{one}", f"i{other}", "right", 1.0 - share)]
    names = ("left", "right", "outcome", "count")
    table = {name: [row[at] for row in rows] for at, name in enumerate(names)}
    table["count"] = [round(1e7 * count) for count in table["count"]]
    return BradleyTerry().fit(Judgments.from_columns("comparison", table)).difference("i0", "i1").estimate


def cover(rates, judgments, truth, random_effects, worth):
    """Intervals of one data set."""
    fit = FITTED.fit(judgments)
    for interval in ("wald", "profile", "clustered"):
        found = fit.difference("i0", "i1", interval)
        rates.add(interval, found.low <= truth <= found.high)
        if interval == "clustered":
            rates.hits.setdefault("width", []).append(found.high - found.low)
    if random_effects:
        cover_random(rates, judgments, worth)


def cover_random(rates, judgments, worth):
    """The interval from random effects of raters on items, which is about the common log-worths."""
    try:
        found = BradleyTerry(rater_items="random").fit(judgments).difference("i0", "i1")
    except SteelyardError:
        return
    rates.add("random", found.low <= worth[0] - worth[1] <= found.high)


def reject(rates, judgments, random_effects, taste):
    """Tests of hypotheses that hold, on one data set of equal items."""
    fit = FITTED.fit(judgments)
    items = len(fit.item)
    rows = np.eye(len(fit.design.names))[: items - 1] - np.eye(len(fit.design.names))[items - 1]
    chi_square = fit.null_deviance - fit.deviance
    from scipy.special import chdtrc

    rates.add("equal", chdtrc(items - 1, chi_square) < 0.05)
    rates.add("equal clustered", fit.clustered.joint(rows, chi_square).p < 0.05)
    try:
        own = BradleyTerry(rater_covariates=["group"]).fit(judgments)
        shared = BradleyTerry(rater_covariates={"group": []}).fit(judgments)
    except SteelyardError:
        pass
    else:
        ratio = own.compare(shared)
        rates.add("group", ratio.p < 0.05)
        rates.add("group clustered", ratio.clustered.p < 0.05)
    if random_effects and not taste:
        rates.add("sd = 0", BradleyTerry(rater_items="random").fit(judgments).random_effect_test().p < 0.05)


HEADINGS = (
    "wald",
    "profile",
    "clustered",
    "random",
    "equal",
    "equal clustered",
    "group",
    "group clustered",
    "sd = 0",
)


def main():
    """One line of a Markdown table for every number of raters and every sd."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repetitions", type=int, default=200)
    parser.add_argument("--random-repetitions", type=int, default=100, help="of those with random effects")
    parser.add_argument("--seed", type=int, default=1000)
    parser.add_argument("--only-random", action="store_true", help="only the intervals from random effects")
    parser.add_argument("--items", type=int, default=3, choices=tuple(CLOSE))
    arguments = parser.parse_args()
    worth = CLOSE[arguments.items]
    print(f"| raters | taste sd | {' | '.join(HEADINGS)} | clustered width |")
    print("|---" * (len(HEADINGS) + 3) + "|")
    for raters in RATERS:
        for taste in TASTES:
            rates, truth = Rates(), population_gap(worth, taste)
            for at in range(arguments.repetitions):
                rng = np.random.default_rng([arguments.seed, raters, int(10 * taste), at])
                random_effects = at < arguments.random_repetitions
                if arguments.only_random:
                    cover_random(rates, simulate(worth, raters, taste, rng), worth)
                    continue
                cover(rates, simulate(worth, raters, taste, rng), truth, random_effects, worth)
                reject(rates, simulate(np.zeros(arguments.items), raters, taste, rng), random_effects, taste)
            numbers = " | ".join(rates.shown(name) for name in HEADINGS)
            width = np.mean(rates.hits["width"]) if "width" in rates.hits else np.nan
            print(f"| {raters} | {taste:g} | {numbers} | {width:.2f} |", flush=True)


if __name__ == "__main__":
    main()
