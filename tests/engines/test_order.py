"""Models that depend on the order of comparisons read a log in the order of its times."""

import numpy as np
import pytest

from steelyard import BetaRanking, Elo, Judgments, TrueSkill, connect
from steelyard.errors import BadSetting
from tests.engines.logs import columns_of, votes, write_csv, write_parquet

pytest.importorskip("ibis")
VOTES = [{**vote, "tstamp": 1_700_000_000 + 7 * at} for at, vote in enumerate(votes())]


@pytest.mark.parametrize("model", [Elo(k=32), TrueSkill(), BetaRanking()], ids=lambda model: model.name)
def test_a_shuffled_log_gives_the_fit_of_the_judgments_in_order(model, tmp_path):
    exact = model.fit(Judgments.from_columns("comparison", columns_of(VOTES)))
    order = np.random.default_rng(5).permutation(len(VOTES))
    with connect(write_parquet([VOTES[at] for at in order], tmp_path / "votes.parquet")) as log:
        fit = model.fit(log)
    one, other = fit.scale.ordered(), exact.scale.ordered()
    assert one.item.tolist() == other.item.tolist()
    for name in ("position", "spread", "count"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-12)
    assert fit.signature == exact.signature


def test_a_log_without_times_is_refused_by_models_that_depend_on_the_order(tmp_path):
    with connect(write_csv(votes(), tmp_path / "votes.csv")) as log, pytest.raises(BadSetting, match="times"):
        Elo().fit(log)


def test_comparisons_without_a_time_are_refused(tmp_path):
    rows = [{**vote, "tstamp": "" if at == 3 else vote["tstamp"]} for at, vote in enumerate(VOTES)]
    with connect(write_csv(rows, tmp_path / "votes.csv")) as log, pytest.raises(BadSetting, match="no time"):
        Elo().fit(log)


@pytest.mark.parametrize("settings", [{"passes": 2}, {"shuffle": True}])
def test_several_passes_through_a_log_are_refused(settings, tmp_path):
    with connect(write_csv(VOTES, tmp_path / "votes.csv")) as log, pytest.raises(BadSetting, match="once"):
        Elo(**settings).fit(log)
