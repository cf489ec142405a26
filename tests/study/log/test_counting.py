"""One number of judgments on the owner's page, in the report, in the fit and in the exported file."""

import numpy as np
import pytest

from steelyard.judgments.counting import count_judgments
from steelyard.kinds.best_worst import Pick
from steelyard.kinds.ranking import Rank
from steelyard.kinds.rating import Score
from steelyard.report.contents import Cover, report_of_study
from steelyard.simulation.crowd_at_work import Crowd, simulate
from steelyard.simulation.scenarios import SCENARIOS
from steelyard.study.log.counting import declined, judged
from steelyard.study.results.watch import Watch
from tests.study.making import make_session

PROTOCOLS = [
    ("rating", {}, 36),
    ("list", {"list_size": 4}, 36),
    ("comparison", {}, 18),
    ("comparison_list", {"group_size": 4, "list_size": 4, "redundancy": 1}, None),
    ("ranking", {"list_size": 4}, 9),
    ("ranking", {"list_size": 4, "model": "trueskill"}, 9),
    ("best_worst", {"list_size": 4}, 9),
    ("best_worst", {"list_size": 4, "model": "trueskill"}, 9),
    ("range", {}, 36),
]


def finished(tmp_path, clock, **settings):
    session = make_session(tmp_path / "s", clock, 12, True, **{"redundancy": 3, **settings})
    rng = np.random.default_rng(3)
    simulate(session, Crowd.draw(session, SCENARIOS["full"], 8, "uniform", rng), rng)
    return session, Watch(session.study, session.log, session.roster).overview()


@pytest.mark.parametrize(("protocol", "settings", "wanted"), PROTOCOLS)
def test_every_place_counts_the_same_judgments(tmp_path, clock, protocol, settings, wanted):
    session, overview = finished(tmp_path, clock, protocol=protocol, **settings)
    given = count_judgments(session.ledger.judgments())
    assert given > 0
    assert overview.judgments == given
    assert sum(line.answers for line in overview.raters) == given
    assert sum(line.habits.answers for line in overview.raters if line.habits) == given
    assert overview.views[0].fit.provenance.judgments == given
    facts = dict(report_of_study(overview, Cover("", 0.0)).collection.facts())
    assert facts["Judgments"].startswith(f"{given},")
    if wanted is not None:
        assert overview.wanted == given == wanted


def test_a_fit_of_converted_judgments_reports_the_conversion(tmp_path, clock):
    _, overview = finished(tmp_path, clock, protocol="ranking", list_size=4, model="trueskill")
    assert "9 ranking judgments were converted to 54 comparisons." in overview.views[0].fit.remarks


def test_a_ranking_answered_with_cannot_judge_is_declined_once():
    ranked = [Rank(at, 0, at + 1) for at in range(4)]
    refused = [Rank(at, 1, None) for at in range(4)]
    assert (judged([*ranked, *refused]), declined([*ranked, *refused])) == (1, 1)
    picked = [Pick(0, 0, "best"), Pick(1, 0, "none"), Pick(2, 0, "worst")]
    assert (judged(picked), declined(picked)) == (1, 0)
    assert (
        judged([Score(0, 0, 5.0), Score(1, 0, None)]),
        declined([Score(0, 0, 5.0), Score(1, 0, None)]),
    ) == (1, 1)
