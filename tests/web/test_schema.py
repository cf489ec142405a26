import pytest
from pydantic import TypeAdapter

from steelyard.kinds.known import PROTOCOLS
from steelyard.web.schema import ColdStartOut, StateOut, TrainingOut
from steelyard.web.widgets import STATIC
from tests.browser.grounding import MEALS, grounded
from tests.web.conftest import start_rating
from tests.web.typescript import declarations

TRAINING = "[training]\ninterface = true\n"
COLD_START = '[cold_start]\nby = "raters"\nsize = 5\n'


def fetched(make_app, visit, address, protocol, sections=""):
    """What the server sends to a rater of a new study."""
    change = grounded(sections=sections)
    app, _ = make_app(protocol=protocol, items=MEALS, change=change, extra="open_link = true")
    with visit(app) as client:
        start_rating(client)
        return client.get(address).json(), app.openapi()


def test_scripts_know_the_same_types_as_the_server():
    assert (STATIC / "types.d.ts").read_text(encoding="utf-8") == declarations()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_task_is_as_its_types_say(make_app, visit, protocol):
    state, _ = fetched(make_app, visit, "/api/task", protocol)
    TypeAdapter(StateOut, config={"extra": "forbid"}).validate_python(state, strict=True)
    assert state["state"] == "task"


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_exercise_is_a_task_of_the_same_type(make_app, visit, protocol):
    state, _ = fetched(make_app, visit, "/api/training", protocol, TRAINING)
    TypeAdapter(TrainingOut).validate_python(state, strict=True)
    task = state["task"]
    assert (task["protocol"], task["cannot_judge"], task["comment"]) == (protocol, False, False)


def test_the_cold_start_is_as_its_type_says(make_app, visit):
    state, _ = fetched(make_app, visit, "/api/cold-start", "range", COLD_START)
    TypeAdapter(ColdStartOut).validate_python(state, strict=True)


def test_openapi_describes_what_is_sent(make_app, visit):
    _, described = fetched(make_app, visit, "/api/training", "rating", TRAINING)
    assert set(described["components"]["schemas"]) >= {"TaskOut", "TaskStateOut", "ExerciseStateOut"}
    task = described["components"]["schemas"]["TaskOut"]
    assert set(task["required"]) >= {"widget", "ground", "questions", "items", "anchors"}
