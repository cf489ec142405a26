"""Time Bradley-Terry fits from string columns: Steelyard, evalica, arena-rank, choix and statsmodels.

    python benchmarks/bradley_terry.py --sizes a c > speed.md
    python benchmarks/bradley_terry.py --sizes a --peer-python PATH    # an environment that has arena-rank

Every library starts from the same object arrays of strings (left, right, outcome) and runs in a separate process. The
table shows the smallest CPU time of several runs and the peak memory of the process, with the memory of the data and of
imports in separate columns. Data: log-worths ~ N(0, 1), Davidson ties with nu = .6, left effect .1, uniform pairs, one
seed. Libraries that are not installed are reported. Every library has one BLAS thread unless --threads is set, because
threads that wait for each other count as CPU time on a busy machine.

Sizes: a 100 items x 1M comparisons, b 300 x 10M, c 10k x 1M, d 100k x 5M; s is a small size for testing the script.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time

import numpy as np

SIZES = {
    "s": (50, 20_000),
    "a": (100, 1_000_000),
    "b": (300, 10_000_000),
    "c": (10_000, 1_000_000),
    "d": (100_000, 5_000_000),
}
RATERS = 1000
WORDS = np.array(["left", "tie", "right"], dtype=object)


def draw(size, seed=0):
    """The columns of one size, and the rater of each row."""
    items, rows = SIZES[size]
    rng = np.random.default_rng(seed)
    worth = rng.normal(size=items)
    left = rng.integers(0, items, rows)
    right = (left + rng.integers(1, items, rows)) % items
    half = 0.5 * (worth[left] - worth[right] + 0.1)
    first, second = np.exp(half), np.exp(-half)
    total = first + second + 0.6
    drawn = rng.random(rows) * total
    outcome = np.where(drawn < first, 0, np.where(drawn < first + 0.6, 1, 2))
    names = np.array([f"model-{at:06d}" for at in range(items)], dtype=object)
    return names[left], names[right], WORDS[outcome], rng.integers(0, RATERS, rows)


def steelyard_davidson(left, right, outcome, size):
    """Fit a tie effect and standard errors: of all items, or of the leading 100 if there are very many."""
    from steelyard import BradleyTerry, Judgments

    judgments = Judgments.from_columns("comparison", {"left": left, "right": right, "outcome": outcome})
    fit = BradleyTerry(ties="davidson").fit(judgments)
    fit.standard_errors(leading=100)
    return f"{fit.provenance.iterations} Newton steps, gradient norm {fit.gradient_norm:.0e}"


def steelyard_counting(left, right, outcome, size):
    from steelyard import Judgments
    from steelyard.judgments.counts import PairCounts

    judgments = Judgments.from_columns("comparison", {"left": left, "right": right, "outcome": outcome})
    return f"{len(PairCounts.of(judgments, ordered=False)):,} pairs"


def pandas_factorize(left, right, outcome, size):
    import pandas as pd

    return f"{len(pd.factorize(left)[1])} and {len(pd.factorize(right)[1])} labels"


def evalica_bradley_terry(left, right, outcome, size):
    import evalica

    meaning = {"left": evalica.Winner.X, "tie": evalica.Winner.Draw, "right": evalica.Winner.Y}
    found = evalica.bradley_terry(left.tolist(), right.tolist(), [meaning[word] for word in outcome])
    return f"{found.iterations} iterations"


def evalica_newman(left, right, outcome, size):
    import evalica

    meaning = {"left": evalica.Winner.X, "tie": evalica.Winner.Draw, "right": evalica.Winner.Y}
    found = evalica.newman(left.tolist(), right.tolist(), [meaning[word] for word in outcome])
    return f"{found.iterations} iterations, with a tie parameter"


def arena_rank(left, right, outcome, size):
    import pandas as pd
    from arena_rank.models.bradley_terry import BradleyTerry
    from arena_rank.utils.data_utils import PairDataset

    words = {"left": "model_a", "tie": "tie", "right": "model_b"}
    frame = pd.DataFrame({"model_a": left, "model_b": right, "winner": [words[word] for word in outcome]})
    data = PairDataset.from_pandas(frame)
    model = BradleyTerry(n_competitors=data.n_competitors)
    model.compute_ratings_and_cis(data)
    return "with sandwich intervals"


def choix_ilsr(left, right, outcome, size):
    import choix
    import pandas as pd

    codes, labels = pd.factorize(np.concatenate([left, right]))
    first, second = codes[: len(left)], codes[len(left) :]
    won = outcome != "right"
    lost = outcome != "left"
    pairs = list(zip(first[won].tolist(), second[won].tolist(), strict=True))
    pairs += list(zip(second[lost].tolist(), first[lost].tolist(), strict=True))
    choix.ilsr_pairwise(len(labels), pairs)
    return "ties as a win for each: another likelihood"


def statsmodels_glm(left, right, outcome, size):
    import pandas as pd
    import statsmodels.api as sm

    frame = pd.DataFrame({"left": left, "right": right, "outcome": outcome})
    counts = frame.groupby(["left", "right", "outcome"], observed=True).size().unstack(fill_value=0)
    names = sorted(set(left) | set(right))
    place = {name: at for at, name in enumerate(names)}
    design = np.zeros((len(counts), len(names)))
    rows = np.arange(len(counts))
    design[rows, [place[pair[0]] for pair in counts.index]] = 1.0
    design[rows, [place[pair[1]] for pair in counts.index]] -= 1.0
    wins = counts["left"].to_numpy() + 0.5 * counts["tie"].to_numpy()
    losses = counts["right"].to_numpy() + 0.5 * counts["tie"].to_numpy()
    sm.GLM(np.column_stack([wins, losses]), design[:, 1:], family=sm.families.Binomial()).fit()
    return "ties as half wins, standard errors"


LIBRARIES = {
    "pandas factorize of both id columns": pandas_factorize,
    "steelyard: read and count": steelyard_counting,
    "steelyard: ties, standard errors": steelyard_davidson,
    "evalica: Bradley-Terry": evalica_bradley_terry,
    "evalica: Newman (ties)": evalica_newman,
    "arena-rank": arena_rank,
    "choix: ilsr": choix_ilsr,
    "statsmodels: GLM": statsmodels_glm,
}
TOO_LARGE = {
    "evalica: Bradley-Terry": {"d": "aborts the interpreter (an items x items matrix)"},
    "evalica: Newman (ties)": {"c": "not run", "d": "not run"},
    "choix: ilsr": {"b": "not run", "c": "not run", "d": "not run"},
    "statsmodels: GLM": {"b": "not run", "c": "dense design of 10k columns", "d": "not run"},
    "arena-rank": {"b": "not run", "c": "not run", "d": "not run"},
}


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def work(library, size, runs):
    """Run one library in this process: smallest CPU seconds, memory of the data, and peak memory."""
    left, right, outcome, _ = draw(size)
    before = peak()
    times, remark = [], ""
    for _ in range(runs):
        start = time.process_time()
        remark = LIBRARIES[library](left, right, outcome, size)
        times.append(time.process_time() - start)
    print(json.dumps({"cpu": min(times), "data": before, "peak": peak(), "remark": remark}))


def bootstrap(replicates):
    """Time one fit from counts and bootstrap replicates by rater, on size a, with a progress bar."""
    from rich.console import Console
    from rich.progress import track

    from steelyard import BradleyTerry, Judgments
    from steelyard.judgments.counts import PairCounts

    left, right, outcome, rater = draw("a")
    names = np.array([f"r{at:04d}" for at in range(RATERS)], dtype=object)
    columns = {"rater": names[rater], "left": left, "right": right, "outcome": outcome}
    judgments = Judgments.from_columns("comparison", columns)
    counts = PairCounts.of(judgments, ordered=False)
    times = []
    for _ in range(5):
        start = time.process_time()
        fit = BradleyTerry(ties="davidson").fit(counts)
        times.append(time.process_time() - start)
    whole = BradleyTerry(ties="davidson").fit(judgments)
    bar = iter(track(range(replicates), "Drawing raters", console=Console(stderr=True)))
    start = time.process_time()
    drawn = whole.bootstrapped(replicates, np.random.default_rng(0), lambda done: next(bar, None))
    each = (time.process_time() - start) / replicates
    timings = {
        "fit": min(times),
        "each": each,
        "failed": drawn.posterior.failed,
        "steps": fit.provenance.iterations,
    }
    print(json.dumps(timings))


def tighter():
    """Size d: gradient norm of the fit, and distance of its positions from those of a tighter fit."""
    from steelyard import BradleyTerry, Judgments
    from steelyard.maths.newton import minimise
    from steelyard.models.bradley_terry.penalties import ridge_weights
    from steelyard.models.bradley_terry.solve import Objective

    left, right, outcome, _ = draw("d")
    before = peak()
    start = time.process_time()
    fit = BradleyTerry(ties="davidson").fit(
        Judgments.from_columns("comparison", {"left": left, "right": right, "outcome": outcome})
    )
    spent, at_peak = time.process_time() - start, peak()
    objective = Objective(fit.design, fit.likelihood, ridge_weights(fit.design, fit.settings))
    best = minimise(objective, fit.theta, 1e-11, 20)
    count = len(fit.item)
    gap = (best.place[:count] - best.place[:count].mean()) - fit.posterior.position
    measured = {
        "cpu": spent,
        "data": before,
        "peak": at_peak,
        "norm": fit.gradient_norm,
        "converged": fit.converged,
    }
    print(
        json.dumps(
            {
                **measured,
                "error": float(np.abs(gap).max()),
                "tighter": best.norm,
                "steps": fit.provenance.iterations,
            }
        )
    )


def ask(python, *options, patience=900):
    """Return a worker's answer, or its error in a few words."""
    done = subprocess.run(
        [python, __file__, *options], capture_output=True, text=True, timeout=patience, check=False
    )
    if done.returncode:
        last = [line for line in done.stderr.splitlines() if line.strip()]
        return last[-1][:100] if last else f"exit code {done.returncode}"
    return json.loads(done.stdout.splitlines()[-1])


def ratio_line(found, size, peer, most, memory=None):
    ours, theirs = found.get("steelyard: ties, standard errors"), found.get(peer)
    if not isinstance(ours, dict) or not isinstance(theirs, dict):
        return f"- {size}: beside {peer}: not measured"
    share = ours["cpu"] / theirs["cpu"]
    good = share <= most and (memory is None or ours["peak"] <= memory)
    room = "" if memory is None else f", peak {ours['peak']:.0f} MB of {memory} allowed"
    return f"- {size}: {share:.3f} of {peer} (at most {most:.3f}){room}: {said(good)}"


TARGETS = {
    "a": (("evalica: Bradley-Terry", 1 / 3, None), ("arena-rank", 1 / 20, None)),
    "b": (("evalica: Bradley-Terry", 1 / 3, None),),
    "c": (("evalica: Bradley-Terry", 1 / 10, 500),),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sizes", nargs="+", default=["a", "c"], choices=list(SIZES))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument(
        "--peer-python", default=sys.executable, help="interpreter of an environment with arena-rank"
    )
    parser.add_argument("--threads", default="1", help="number of BLAS threads of every library")
    parser.add_argument("--only", default="", help="run only libraries whose name contains this text")
    parser.add_argument(
        "--bootstrap", type=int, default=0, help="number of bootstrap replicates by rater on size a"
    )
    parser.add_argument("--work", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--bootstrap-work", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--tighter-work", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.work:
        return work(arguments.work[0], arguments.work[1], int(arguments.work[2]))
    if arguments.bootstrap_work:
        return bootstrap(arguments.bootstrap_work)
    if arguments.tighter_work:
        return tighter()
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = arguments.threads
    lines = []
    for size in arguments.sizes:
        items, rows = SIZES[size]
        print(f"\n## {size}: {items:,} items, {rows:,} comparisons\n")
        lines += large(size) if size == "d" else side_by_side(size, arguments)
    if arguments.bootstrap:
        lines.append(bootstrap_line(arguments.bootstrap))
    print("\n## Targets\n\n" + "\n".join(lines))
    return None


def side_by_side(size, arguments):
    """Print a table of all libraries on one size; return the lines about its targets."""
    print("| library | CPU s | data MB | peak MB | notes |\n|---|---|---|---|---|")
    found = {}
    for library in LIBRARIES:
        if arguments.only not in library:
            continue
        python = arguments.peer_python if library == "arena-rank" else sys.executable
        limit = TOO_LARGE.get(library, {}).get(size)
        found[library] = answer = (
            limit if limit else ask(python, "--work", library, size, str(arguments.runs))
        )
        shown = f" | | | {answer}"
        if isinstance(answer, dict):
            shown = f"{answer['cpu']:.3f} | {answer['data']:.0f} | {answer['peak']:.0f} | {answer['remark']}"
        print(f"| {library} | {shown} |", flush=True)
    lines = [ratio_line(found, size, *target) for target in TARGETS.get(size, ())]
    count, plain = found.get("steelyard: read and count"), found.get("pandas factorize of both id columns")
    if isinstance(count, dict) and isinstance(plain, dict):
        share = count["cpu"] / plain["cpu"]
        sentence = f"reading and counting take {share:.2f} of pandas.factorize (at most 4)"
        lines.append(f"- {size}: {sentence}: {said(share <= 4)}")
    return lines


def large(size):
    """Size d, which no other library completes."""
    answer = ask(sys.executable, "--tighter-work")
    print(f"steelyard, ties: {answer}", flush=True)
    if not isinstance(answer, dict):
        return [f"- {size}: {answer}"]
    good = answer["norm"] <= 1e-8 and answer["error"] < 1e-6 and answer["peak"] < 2048
    sentence = f"gradient norm {answer['norm']:.0e}, error {answer['error']:.0e}, peak {answer['peak']:.0f} MB of 2048"
    return [f"- {size}: {sentence}: {said(good)}"]


def bootstrap_line(replicates):
    answer = ask(sys.executable, "--bootstrap-work", str(replicates))
    if not isinstance(answer, dict):
        return f"- bootstrap: {answer}"
    share = answer["each"] / answer["fit"]
    sentence = f"{answer['each']:.4f} CPU s each, {share:.2f} of a fit from counts (at most 3)"
    return f"- bootstrap by rater, {replicates} replicates: {sentence}: {said(share <= 3)}"


def said(good):
    return "met" if good else "MISSED"


if __name__ == "__main__":
    main()
