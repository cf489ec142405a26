"""The cold start draws items spread over a column, and offers items found by a search."""

import pytest

from steelyard.errors import BadAnswer, BadSetting
from steelyard.storage.memory import Memory
from steelyard.study.collecting.session import Session
from steelyard.study.definition.items import Item, Items
from steelyard.study.definition.study import study_with
from steelyard.study.definition.study_file import define
from steelyard.study.grounding.cold_start import OWNER, agree, cold_start_of, draw, find
from tests.study.making import make_study

ITEMS = [
    Item(f"i{at}", "text", f"Dish {at}{' with rice' if at < 3 else ''}", covariates=(("kcal", float(at)),))
    for at in range(40)
]
TABLE = {
    "title": "Test",
    "items": {"file": "items.csv", "covariates": ["kcal"]},
    "questions": [{"text": "How much?"}],
    "cold_start": {"size": 4, "spread": "kcal"},
}


@pytest.fixture
def session(tmp_path, clock):
    log = Memory()
    return Session(study_with(tmp_path, define(TABLE), Items(tuple(ITEMS))), log, log, clock)


def drawn(session):
    with session.transaction() as transaction:
        draw(transaction, OWNER, [])
    return [int(session.study.items[at].id[1:]) for at in cold_start_of(session.ledger, OWNER).items]


def test_draws_are_spread_over_the_column(session):
    quarters = sorted(number // 10 for number in drawn(session))
    assert quarters == [0, 1, 2, 3]


def test_found_items_can_be_taken_into_the_set(session):
    drawn(session)
    kept = list(cold_start_of(session.ledger, OWNER).items)
    with session.transaction() as transaction:
        find(transaction, OWNER, kept[:3], "RICE dish")
    offered = cold_start_of(session.ledger, OWNER).dropped
    rice = [at for at in range(3) if at not in kept]
    assert set(rice) <= set(offered)
    with session.transaction() as transaction:
        agree(transaction, OWNER, [*kept[:3], rice[0]])
    assert rice[0] in cold_start_of(session.ledger, OWNER).items


def test_a_search_without_results_is_reported(session):
    drawn(session)
    with pytest.raises(BadAnswer, match="No other item"), session.transaction() as transaction:
        find(transaction, OWNER, [], "unicorn")


def test_the_column_must_be_read(tmp_path):
    with pytest.raises(BadSetting, match="Add it to covariates"):
        make_study(tmp_path, ITEMS, cold_start={"size": 4, "spread": "kcal"})
