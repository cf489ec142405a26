from dataclasses import fields

import pytest

from steelyard.storage import schema
from steelyard.storage.database import create_database
from steelyard.storage.statements import ADD_EVENT, FREE, FREE_IN, HELD, LEASED, PLACE, Statements
from steelyard.study.log.entries import Chosen, Task
from steelyard.study.log.interface import Lease


@pytest.fixture
def connection(tmp_path):
    """A transaction on a log with free, held and abandoned places, some of a sequence."""
    database, _ = create_database(tmp_path)
    with database.writing() as writer:
        for at in range(6):
            chosen = Chosen("balanced", 0, (1,))
            sequence = at % 2 or None
            writer.append(Task(f"t{at}", ("a",), ("q",), "list", chosen, assignments=2, sequence=sequence))
        for at, place in enumerate(writer.free(0.0, 4)):
            writer.take(place, f"r-{at}", f"x{at}", 10.0 * at)
    with database.engine.connect() as connection, connection.begin():
        yield connection


@pytest.mark.parametrize(
    ("statement", "values"),
    [
        (HELD, {"wanted": "r-1"}),
        (HELD, {"wanted": "nobody"}),
        (LEASED, {"wanted": "x2"}),
        (PLACE, {"of_task": "t4", "wanted": ""}),
        (FREE, {"now": 15.0, "most": 5}),
        (FREE_IN, {"now": 15.0, "wanted": 1}),
    ],
)
def test_the_driver_and_sqlalchemy_return_the_same_rows(connection, statement, values):
    cursor = connection.connection.cursor()
    Statements(connection.dialect).run(cursor, statement, **values)
    assert cursor.fetchall() == [tuple(row) for row in connection.execute(statement, values)]


def test_a_statement_can_be_executed_again_with_other_values(connection):
    cursor, statements = connection.connection.cursor(), Statements(connection.dialect)
    found = []
    for rater in ("r-1", "r-2", "r-1"):
        statements.run(cursor, HELD, wanted=rater)
        found.append(cursor.fetchone()[4])
    assert found == ["x1", "x2", "x1"]


def test_sqlalchemy_reads_json_that_the_driver_has_stored(connection):
    facts = {"reason": "é 🍝 ' \" :now", "at": [1, 2.5, None, True]}
    row = {"position": 99, "kind": "joined", "rater": "", "content": facts, "at": 1.0}
    Statements(connection.dialect).run(connection.connection.cursor(), ADD_EVENT, **row)
    (stored,) = connection.execute(schema.event.select().where(schema.event.c.position == 99))
    assert dict(stored._mapping) == row


def test_a_place_is_stored_in_the_order_of_its_fields():
    assert [column.name for column in schema.lease.c] == [each.name for each in fields(Lease)]
