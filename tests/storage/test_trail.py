"""The audit trail is stored with the study, in the order of the acts, on every store."""

import pytest

from steelyard.storage.copying import copy_database
from steelyard.storage.database import migrate_database, open_database
from steelyard.storage.forgetting import forget_rater
from steelyard.storage.location import Location
from steelyard.storage.memory import Memory
from steelyard.storage.schema import act, study
from steelyard.study.log.acts import Act
from tests.commands import finish
from tests.serving import write_study
from tests.stores import STORES, create_store

ACTS = [
    Act("paused", "owner", at=5.0),
    Act("excluded", "lab", "r-01", at=4.0),
    Act("exported", "command line (ann)", facts={"table": "raters"}, at=6.0),
]


@pytest.fixture(params=("memory", *STORES))
def trail(request, tmp_path):
    return Memory() if request.param == "memory" else create_store(tmp_path, request.param)[0]


def test_acts_come_back_in_the_order_in_which_they_were_recorded(trail):
    trail.record(ACTS[0])
    with trail.writing() as writer:
        writer.record(ACTS[1])
    trail.record(ACTS[2])
    assert list(trail.acts()) == ACTS


def test_an_act_of_a_transaction_that_fails_is_not_recorded(trail):
    with pytest.raises(ZeroDivisionError), trail.writing() as writer:
        writer.record(ACTS[0])
        raise ZeroDivisionError
    assert not trail.acts()


def test_a_simulation_is_recorded(tmp_path):
    write_study(tmp_path / "study", extra="redundancy = 1")
    done = finish("simulate", str(tmp_path / "study"), "--raters", "2", "--seed", "3", "--tasks", "1")
    assert done.returncode == 0, done.stderr
    (simulated,) = open_database(tmp_path / "study").acts()
    assert simulated.words == "Added answers of simulated raters"
    assert dict(simulated.facts) == {"raters": 2, "scenario": "full", "seed": 3}


@pytest.mark.parametrize("store", STORES)
def test_a_copy_of_a_study_has_its_trail_and_continues_it(tmp_path, store):
    original = create_store(tmp_path, store)[0]
    for each in ACTS:
        original.record(each)
    (tmp_path / "copy").mkdir()
    copy = copy_database(original, Location(tmp_path / "copy"), hold=True)
    copy.record(ACTS[0])
    assert list(copy.acts()) == [*ACTS, ACTS[0]]


@pytest.mark.parametrize("store", STORES)
def test_a_study_of_an_earlier_version_gets_an_empty_trail(tmp_path, store):
    database = create_store(tmp_path, store)[0]
    with database.locking() as connection:
        act.drop(connection)
        connection.execute(study.update().values(schema_version=4))
    assert migrate_database(tmp_path)[0] == 4
    opened = open_database(tmp_path)
    opened.record(ACTS[0])
    assert list(opened.acts()) == ACTS[:1]


@pytest.mark.parametrize("store", STORES)
def test_acts_about_a_forgotten_rater_stay_under_the_pseudonym(tmp_path, store):
    database = create_store(tmp_path, store)[0]
    rater = database.add("Ann", "prolific", "token", "secret-id study", 1.0)
    database.record(Act("excluded", "owner", rater.id, at=2.0))
    forget_rater(database, rater.id, 3.0)
    assert [(each.what, each.rater) for each in database.acts()] == [("excluded", rater.id)]
