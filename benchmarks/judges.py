"""Machine judges beside people: accuracy, harm, coverage, prediction-powered intervals and choice of items.

    python benchmarks/judges.py --repetitions 100 --seed 1 > judges.md
    python benchmarks/judges.py --only ppi --repetitions 400

People answer in balanced lists of five, from the raters of the scenario `full` (or another). A judge has one score per
item, with the stated correlation with the true positions. Prints Markdown. Intervals are 95% over repetitions
(bootstrap or t); differences are paired on the same answers.
"""

import argparse
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat

import numpy as np
from efficiency import collect, mean_scores, until
from scipy.stats import spearmanr, t

from steelyard import Judgments
from steelyard.models.steelyard.model import Steelyard
from steelyard.quality.machine import JudgeSettings, machine_judges
from steelyard.selection.information import Information
from steelyard.selection.pool import Pool
from steelyard.simulation.scenarios import SCENARIOS, draw_raters, draw_truth, expected_answers

LEVELS = (1, 2, 3, 5)
SYSTEMS = 5


def scores_of(truth, correlation, rng):
    """Scores with this correlation with the truth, in expectation."""
    standard = (truth - truth.mean()) / truth.std()
    return correlation * standard + np.sqrt(1.0 - correlation**2) * rng.standard_normal(len(truth))


def beside(people, scores):
    """The judgments with one row per judge and item, for judges of a dict by name: (family, scores of i0, i1, ...)."""
    columns = {name: [] for name in ("rater", "item", "score", "source", "family")}
    for judge, (family, values) in scores.items():
        columns["rater"] += [judge] * len(values)
        columns["item"] += [f"i{at}" for at in range(len(values))]
        columns["score"] += list(values)
        columns["source"] += ["machine"] * len(values)
        columns["family"] += [family] * len(values)
    return Judgments.concat([people, Judgments.from_columns("rating", columns)])


def judges_of(truth, rng):
    """The judges that are compared: none, one of some quality, a useless one, and a family of three."""
    shared = scores_of(truth, 0.8, rng)
    family = {f"f{at}": ("f", shared + 0.3 * rng.standard_normal(len(truth))) for at in range(3)}
    useless = {f"u{at}": (None, rng.standard_normal(len(truth))) for at in range(5)}
    return {
        "people only": {},
        "judge, r = .8": {"j": (None, shared)},
        "useless judge": {"j": (None, useless["u0"][1])},
        "five useless judges": useless,
        "family of three, r = .77": family,
    }


def accuracy_once(arguments, repetition):
    rng = np.random.default_rng([arguments.seed, repetition])
    scenario, truth = SCENARIOS[arguments.scenario], draw_truth("uniform", arguments.items, rng)
    people = draw_raters(scenario, arguments.raters, rng)
    singles = until(collect(scenario, truth, people, 1, rng), 5)
    lists = collect(scenario, truth, people, 5, rng)
    expected = expected_answers(scenario, truth, rng)
    places = [int(label[1:]) for label in singles.items]
    row = {"direct assessment": spearmanr(mean_scores(singles), truth[places]).statistic}
    for name, judges in judges_of(truth, rng).items():
        for level in LEVELS:
            some = until(lists, level)
            posterior = Steelyard().posterior((beside(some, judges) if judges else some).canonical())
            order = [int(label[1:]) for label in some.canonical().items]
            low, high = posterior.interval(0.95)
            inside = (low <= expected[order]) & (expected[order] <= high)
            row[name, level] = spearmanr(posterior.position, truth[order]).statistic, inside.mean()
    return row


def accuracy(arguments):
    rows = run(accuracy_once, arguments)
    names = list(dict.fromkeys(key[0] for key in rows[0] if isinstance(key, tuple)))
    goal = np.mean([row["direct assessment"] for row in rows])
    print(f"\nSpearman of direct assessment with 5 single answers: {goal:.4f}. {len(rows)} repetitions.\n")
    print(
        "| judges |"
        + "".join(f" {level} answers |" for level in LEVELS)
        + " answers for the same | coverage |"
    )
    print("|---|" + "---|" * (len(LEVELS) + 2))
    for name in names:
        curve = np.array([[row[name, level][0] for level in LEVELS] for row in rows])
        inside = np.array([[row[name, level][1] for level in LEVELS] for row in rows])
        alone = np.array([[row["people only", level][0] for level in LEVELS] for row in rows])
        cells = []
        for at in range(len(LEVELS)):
            gain = mean_and_half(curve[:, at] - alone[:, at])
            cells.append(f"{curve[:, at].mean():.4f} ({gain[0]:+.4f} ± {gain[1]:.4f})")
        count = interpolated(curve.mean(axis=0), goal)
        ends = bootstrapped_needed(
            curve, np.array([row["direct assessment"] for row in rows]), arguments.seed
        )
        cover = ", ".join(f"{each:.3f}" for each in inside.mean(axis=0))
        print(f"| {name} | {' | '.join(cells)} | {count:.2f} [{ends[0]:.2f}, {ends[1]:.2f}] | {cover} |")


def interpolated(curve, goal):
    """Answers at which a curve over LEVELS reaches the goal, linear in between; below the first level, its value."""
    if curve[0] >= goal:
        return float(LEVELS[0])
    above = np.flatnonzero(curve >= goal)
    if not len(above):
        return np.inf
    at = above[0]
    share = (goal - curve[at - 1]) / (curve[at] - curve[at - 1])
    return LEVELS[at - 1] + share * (LEVELS[at] - LEVELS[at - 1])


def bootstrapped_needed(curve, goals, seed):
    rng = np.random.default_rng(seed)
    drawn = rng.integers(len(curve), size=(1000, len(curve)))
    values = [interpolated(curve[rows].mean(axis=0), goals[rows].mean()) for rows in drawn]
    return np.quantile(values, [0.025, 0.975])


def systems_once(arguments, repetition):
    """How far a judge that favours one system by half the scale moves its difference to the others."""
    rng = np.random.default_rng([arguments.seed, 1, repetition])
    scenario = SCENARIOS[arguments.scenario]
    truth = np.clip(
        draw_truth("uniform", arguments.items, rng) * 0.8 + 0.1 * rng.standard_normal(1), 0.0, 1.0
    )
    system = np.arange(arguments.items) % SYSTEMS
    people = draw_raters(scenario, arguments.raters, rng)
    lists = with_systems(until(collect(scenario, truth, people, 5, rng), 3), system)
    fair = scores_of(truth, 0.8, rng)
    row = {}
    fits = {}
    for name, judges in {
        "people only": {},
        "fair": {"j": (None, fair)},
        "biased": {"j": (None, fair + 3.0 * (system == 0))},
        "anti": {"j": (None, scores_of(truth, 0.8, rng) - 3.0 * (system == 0))},
    }.items():
        fit = Steelyard().fit(beside(lists, judges) if judges else lists)
        labels = fit.scale.item.tolist()
        at = np.array([int(label[1:]) % SYSTEMS == 0 for label in labels])
        fits[name] = (
            fit.systems().differences(),
            fit.scale.position[at].mean() - fit.scale.position[~at].mean(),
        )
    for name in ("fair", "biased", "anti"):
        first = rows_by_pair(fits[name][0])
        alone = rows_by_pair(fits["people only"][0])
        moved = [
            abs(first[pair][0] - value) / error for pair, (value, error) in alone.items() if "s0" in pair
        ]
        error = np.mean([error for pair, (_, error) in alone.items() if "s0" in pair])
        row[name] = max(moved), abs(fits[name][1] - fits["people only"][1]) / error
    return row


def with_systems(judgments, system):
    items = judgments.cells("rating", "item")
    columns = {name: judgments.cells("rating", name) for name in judgments.table("rating").columns}
    columns["system"] = [f"s{system[int(item[1:])]}" for item in items]
    return Judgments.from_columns("rating", columns, judgments.range)


def rows_by_pair(differences):
    return {(row["left"], row["right"]): (row["estimate"], row["error"]) for row in differences.rows()}


def systems(arguments):
    rows = run(systems_once, arguments)
    print(
        "\nHow far a judge (r = .8) that favours one system by 3 of its standard deviations moves that system's"
    )
    print(
        f"differences, in standard errors without the judge. 3 answers per item, {len(rows)} repetitions.\n"
    )
    print(
        "| judge | largest move of a system difference: mean, 95th percentile, largest | same, of the mean position |"
    )
    print("|---|---|---|")
    for name in rows[0]:
        one, other = (np.array([row[name][at] for row in rows]) for at in (0, 1))
        cells = [
            f"{each.mean():.3f}, {np.quantile(each, 0.95):.3f}, {each.max():.3f}" for each in (one, other)
        ]
        print(f"| {name} | {cells[0]} | {cells[1]} |")


def ppi_once(arguments, repetition):
    rng = np.random.default_rng([arguments.seed, 2, repetition])
    return {name: ppi_world(rng, **world) for name, world in PPI_WORLDS.items()}


PPI_WORLDS = {
    "good judge": {},
    "biased for a system": {"favour": 0.5},
    "biased by a feature that people ignore": {"feature": 1.0},
    "reversed": {"slope": -1.0},
    "useless": {"slope": 0.0},
    "three judges of a family": {"judges": 3},
    "raters with biases": {"rater_sd": 0.1},
    "chosen by the judge, with probabilities": {"feature": 0.5, "by_score": True},
}


def ppi_world(rng, favour=0.0, feature=0.0, slope=1.0, judges=1, rater_sd=0.0, by_score=False):
    """Four systems, 200 segments; people answer about 40 segments, 20 raters; coverage of means and differences."""
    size, chosen, raters = 200, 40, 20
    quality = np.array([0.0, 0.05, 0.1, 0.3])
    truth = 0.4 + quality[:, None] + 0.1 * rng.standard_normal(size) + 0.1 * rng.standard_normal((4, size))
    length = rng.standard_normal(size)
    machine = slope * truth + feature * length + favour * (np.arange(4) == 0)[:, None]
    scored = [machine + 0.08 * rng.standard_normal((4, size)) for _ in range(judges)]
    chance = np.full(size, chosen / size)
    if by_score:
        chance = np.clip(np.exp(machine.mean(axis=0) - machine.mean()), 0.2, 5.0)
        chance = np.minimum(chance * chosen / chance.sum(), 1.0)
    picked = rng.random(size) < chance if by_score else rng.permutation(size) < chosen
    bias = rater_sd * rng.standard_normal(raters)
    columns = {name: [] for name in ("rater", "item", "system", "segment", "score", "source", "chance")}
    for segment in range(size):
        for system in range(4):
            rows = [(f"m{at}", each[system, segment], "machine") for at, each in enumerate(scored)]
            if picked[segment]:
                who = int(rng.integers(raters))
                answer = truth[system, segment] + bias[who] + 0.1 * rng.standard_normal()
                rows.append((f"r{who}", answer, "human"))
            for rater, score, source in rows:
                place = (
                    rater,
                    f"{segment}-{system}",
                    f"s{system}",
                    f"g{segment}",
                    score,
                    source,
                    chance[segment],
                )
                for name, value in zip(columns, place, strict=True):
                    columns[name].append(value)
    settings = JudgeSettings(probability="chance" if by_score else None, draws=100)
    result = machine_judges(Judgments.from_columns("rating", columns), settings, rng)
    means = {f"s{at}": 0.4 + value for at, value in enumerate(quality)}
    inside = [row["low"] <= means[row["system"]] <= row["high"] for row in result.estimates]
    apart = [
        row["low"] <= means[row["first"]] - means[row["second"]] <= row["high"] for row in result.differences
    ]
    saved = [row["saved"] / row["answers"] for row in result.differences]
    miss = [row["estimate"] - means[row["system"]] for row in result.estimates]
    return np.mean(inside), np.mean(apart), np.median(saved), np.mean(miss)


def ppi(arguments):
    rows = run(ppi_once, arguments)
    print(
        "\nPrediction-powered estimates: 4 systems, 200 segments of which people see 40 (one answer each, 20 raters)."
    )
    print(f"{len(rows)} repetitions.\n")
    print("| judge | coverage of means | of differences | saved, of the answers | bias |")
    print("|---|---|---|---|---|")
    for name in PPI_WORLDS:
        values = [mean_and_half(np.array([row[name][at] for row in rows])) for at in range(4)]
        (one, a), (two, b), (saved, c), (miss, d) = values
        print(
            f"| {name} | {one:.3f} ± {a:.3f} | {two:.3f} ± {b:.3f} | {saved:+.2f} ± {c:.2f} | {miss:+.4f} ± {d:.4f} |"
        )


def choice_once(arguments, repetition):
    """Shares of the items that judges disagree about: among items asked next, with and without the judges."""
    rng = np.random.default_rng([arguments.seed, 3, repetition])
    scenario, truth = SCENARIOS[arguments.scenario], draw_truth("uniform", arguments.items, rng)
    people = until(collect(scenario, truth, draw_raters(scenario, arguments.raters, rng), 5, rng), 2)
    unsure = np.arange(len(truth)) < len(truth) // 3
    noise = np.where(unsure, 1.5, 0.3)
    standard = (truth - truth.mean()) / truth.std()
    judges = {f"j{at}": (None, standard + noise * rng.standard_normal(len(truth))) for at in range(3)}
    items = np.array([f"i{at}" for at in range(len(truth))], dtype=object)
    row = {}
    for name, judgments in {"people only": people, "with judges": beside(people, judges)}.items():
        belief = Steelyard().believe(items, judgments)
        zeros = np.zeros(len(items), dtype=np.int64)
        pool = Pool(zeros + 2, zeros, 10, zeros, zeros, np.ones(len(items), dtype=bool))
        choices = Information(5).choose(pool, belief, len(items) // 15, np.random.default_rng(repetition))
        asked = [item for choice in choices for item in choice.items]
        ratio = np.sqrt(belief.variance[unsure].mean() / belief.variance[~unsure].mean())
        row[name] = np.mean(unsure[asked]), ratio
    return row


def choice(arguments):
    rows = run(choice_once, arguments)
    print(
        "\nThree judges disagree about a third of the items (noise 1.5 against .3). The next third of the items that"
    )
    print(f"`information` asks, after 2 answers per item. {len(rows)} repetitions.\n")
    print("| belief | share of these items among those asked | their spread, relative to the others |")
    print("|---|---|---|")
    for name in rows[0]:
        (share, a), (ratio, b) = (mean_and_half(np.array([row[name][at] for row in rows])) for at in (0, 1))
        print(f"| {name} | {share:.3f} ± {a:.3f} | {ratio:.3f} ± {b:.3f} |")


def mean_and_half(values):
    error = values.std(ddof=1) / np.sqrt(len(values))
    return values.mean(), t.ppf(0.975, len(values) - 1) * error


def run(once, arguments):
    with ProcessPoolExecutor(arguments.workers) as pool:
        return list(pool.map(once, repeat(arguments), range(arguments.repetitions)))


PARTS = {"accuracy": accuracy, "systems": systems, "ppi": ppi, "choice": choice}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--repetitions", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scenario", choices=SCENARIOS, default="full")
    parser.add_argument("--items", type=int, default=150)
    parser.add_argument("--raters", type=int, default=40)
    parser.add_argument("--workers", type=int, default=1)
    arguments = parser.parse_args()
    for name, part in PARTS.items():
        if arguments.only in (None, name):
            part(arguments)


if __name__ == "__main__":
    main()
