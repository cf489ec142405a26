"""Models without numba: the same results, from plain Python."""

import json
import subprocess
import sys
import warnings

import pytest

from steelyard.maths import compiling

WITHOUT = "import sys; sys.modules['numba'] = None\n"
FITS = """
import json, warnings
from steelyard.maths import compiling
warnings.simplefilter("error")
warnings.simplefilter("ignore", compiling.NotCompiled)
import steelyard as sy
ratings = sy.Judgments.of(
    sy.Rating(f"r{r}", f"i{i}", float((37 * r + 11 * i * i) % 60 + 5 * i), {"task": f"t{r}"})
    for r in range(4) for i in range(6)
)
comparisons = sy.Judgments.of(
    sy.Comparison(f"r{a % 3}", f"i{a}", f"i{b}", "left" if (a * b) % 3 else "right")
    for a in range(6) for b in range(6) if a != b
)
rankings = sy.convert(ratings, "ranking")
made = {
    name: model().fit(judged).scale.position.tolist()
    for name, model, judged in (
        ("steelyard", sy.Steelyard, ratings),
        ("trueskill", sy.TrueSkill, comparisons),
        ("elo", sy.Elo, comparisons),
        ("beta_ranking", sy.BetaRanking, comparisons),
        ("plackett_luce", sy.PlackettLuce, rankings),
    )
}
print(json.dumps([compiling.IS_COMPILED, made]))
"""


def fitted(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_fits_without_numba_equal_compiled_fits():
    (compiled, fast), (plain, slow) = fitted(FITS), fitted(WITHOUT + FITS)
    assert (compiled, plain) == (True, False)
    for model, positions in fast.items():
        assert slow[model] == pytest.approx(positions, rel=1e-9, abs=1e-9)


def test_python_warns_once_that_loops_are_not_compiled(monkeypatch):
    monkeypatch.setattr(compiling, "IS_COMPILED", False)
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("default")
        assert [compiling.njit(cache=True)(abs)(-each) for each in (1, 2)] == [1, 2]
    assert [each.category for each in shown] == [compiling.NotCompiled]
    assert "pip install 'steelyard[fast]'" in str(shown[0].message)
