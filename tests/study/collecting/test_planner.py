"""Planned tasks: full lists, and comparisons that link all items."""

import itertools

import numpy as np
import pytest

from steelyard.errors import BadSetting
from steelyard.judgments.linked import linked_groups
from steelyard.selection.known import SELECTIONS
from steelyard.simulation.crowd_at_work import Crowd, simulate
from steelyard.simulation.scenarios import SCENARIOS
from steelyard.study.collecting.fitting import judgments_to_learn
from steelyard.study.definition.items import Item
from steelyard.study.definition.study_file import define
from tests.study.making import make_session

COMPARED = ("list", "comparison", "comparison_list", "ranking", "best_worst")


def comparing(model):
    """Every protocol and selection with which this model of comparisons can be used."""
    for protocol, selection in itertools.product(COMPARED, SELECTIONS):
        settings = {"protocol": protocol, "model": model, "selection": selection}
        try:
            define({"title": "t", "items": {"file": "f"}, "questions": [{"text": "q"}], **settings})
        except BadSetting:
            continue
        yield settings


def outputs(systems, segments):
    places = itertools.product(range(systems), range(segments))
    return [Item(f"{s}.{at}", "text", "words", system=f"sys{s}", segment=f"seg{at}") for s, at in places]


def crowd_works(session, raters=8, seed=2):
    rng = np.random.default_rng(seed)
    crowd = Crowd.draw(session, SCENARIOS["iid"], raters, "uniform", rng)
    return simulate(session, crowd, rng)


def parts_of(session):
    """The number of unlinked parts in the judgments that the model is fitted to."""
    return len(
        set(linked_groups(judgments_to_learn(session.ledger, session.ledger.judgments(0)).compact()).tolist())
    )


BOTH = [
    *comparing("beta_ranking"),
    *comparing("plackett_luce"),
    {"protocol": "best_worst", "selection": "sequences"},
]


@pytest.mark.parametrize("settings", BOTH, ids=lambda each: "-".join(each.values()))
@pytest.mark.parametrize("seed", range(3))
def test_two_answers_an_item_link_all_items(settings, seed, tmp_path, clock):
    if settings["protocol"] == "list" and settings["selection"] == "sequences":
        pytest.skip("a rater sees no item twice, so tasks of one sequence cannot share any")
    session = make_session(
        tmp_path / "study", clock, 26, True, redundancy=2, group_size=6, seed=seed, **settings
    )
    crowd_works(session, seed=seed)
    assert session.ledger.answered.min() > 0
    assert parts_of(session) == 1


@pytest.mark.parametrize("settings", BOTH, ids=lambda each: "-".join(each.values()))
@pytest.mark.parametrize("seed", range(3))
def test_systems_are_linked_by_their_outputs(settings, seed, tmp_path, clock):
    session = make_session(
        tmp_path / "study", clock, outputs(6, 2), True, redundancy=2, unit="system", seed=seed, **settings
    )
    crowd_works(session, seed=seed)
    assert len(judgments_to_learn(session.ledger, session.ledger.judgments(0)).compact().items) == 6
    assert parts_of(session) == 1


def test_a_task_that_was_withdrawn_no_longer_links_its_items(make):
    session = make(4, protocol="comparison", redundancy=2)
    session.batch(2)
    assert len(set(session.ledger.linked().tolist())) == 2
    session.release_batches()
    assert len(set(session.ledger.linked().tolist())) == 4


def test_comparison_lists_of_separate_groups_are_on_one_scale(make):
    session = make(20, protocol="comparison_list", redundancy=1, group_size=5)
    crowd_works(session, raters=3)
    assert parts_of(session) == 1
    assert set(session.ledger.paired.values()) == {1}
    assert session.ledger.answered.tolist() == session.ledger.wanted.tolist()


def test_easl_gives_full_lists_of_systems_wherever_a_segment_has_enough(tmp_path, clock):
    session = make_session(
        tmp_path / "study", clock, outputs(10, 40), True, protocol="list", list_size=5, model="easl",
        selection="easl", unit="system", redundancy=2,
    )  # fmt: skip
    crowd_works(session, raters=12)
    sizes = [len(task.items) for task in session.ledger.tasks.values()]
    assert len(sizes) >= 120
    assert set(sizes) == {5}
    for task in session.ledger.tasks.values():
        shown = [session.study.items[at] for at in session.ledger.indices(task)]
        assert len({item.system for item in shown}) == 5
        assert len({item.segment for item in shown}) == 1


def test_a_segment_with_few_systems_gives_shorter_lists(tmp_path, clock):
    items = [*outputs(6, 2), *(Item(f"{s}.few", "text", "words", f"sys{s}", "few") for s in range(2))]
    session = make_session(
        tmp_path / "study", clock, items, True, protocol="list", list_size=4, model="easl",
        selection="easl", unit="system", redundancy=2,
    )  # fmt: skip
    crowd_works(session, raters=6)
    for task in session.ledger.tasks.values():
        segment = session.study.items[session.ledger.indices(task)[0]].segment
        assert len(task.items) == (2 if segment == "few" else 4)
