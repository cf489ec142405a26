"""Schemathesis sends requests to every route: none fails in the server, and every response is as OpenAPI says.

`make fuzz` sends many more: STEELYARD_FUZZ_EXAMPLES is the number of requests per operation and person.
"""

import os

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from starlette.testclient import TestClient

from steelyard.storage.server_keys import ServerKeys
from steelyard.web.api.studies_routes import studies_app
from steelyard.web.app import create_study_app
from steelyard.web.service import Creating
from tests.serving import write_study
from tests.web.api.page_document import with_pages
from tests.web.conftest import csrf_of, start_rating

EXAMPLES = int(os.environ.get("STEELYARD_FUZZ_EXAMPLES", "2"))
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
SECTIONS = """
[cold_start]
size = 4
by = "raters"
[joining]
prolific = true
open_link = true
joins_per_minute = 1000000
[[survey]]
id = "age"
text = "How old are you?"
kind = "number"
required = false
[training]
"""
GENERATED = (
    "authorization",
    "x-csrf-token",
    "cookie",
)  # headers of the person are not replaced by generated ones


class Person:
    """Someone who calls the routes: headers, cookies, and the tokens that forms of each path must contain."""

    def __init__(self, client, token="", csrf=None):
        self.client, self.token, self.csrf = client, token, csrf or {}

    def call(self, case):
        for name in [name for name in case.headers if name.lower() in GENERATED]:
            del case.headers[name]
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        form = self.csrf.get("/owner" if case.path.startswith("/owner") else "", "")
        if form:
            headers["X-CSRF-Token"] = form
            if isinstance(case.body, dict) and "csrf" in case.body:
                case.body["csrf"] = form
        response = case.call(headers=headers, cookies=dict(self.client.cookies), allow_redirects=False)
        case.validate_response(response, checks=CHECKS)


def send_requests(app, document, person):
    """Send requests to every operation of a document, check the responses, and return how many were sent."""
    schema = schemathesis.openapi.from_dict(document)
    schema.app = app
    schema.config.update(base_url="http://testserver")
    sent = 0
    for result in schema.get_all_operations():
        operation = result.ok()
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):

            @settings(
                max_examples=EXAMPLES,
                database=None,
                derandomize=EXAMPLES < 20,
                suppress_health_check=list(HealthCheck),
            )
            @given(operation.as_strategy(generation_mode=mode))
            def ask(case):
                nonlocal sent
                person.call(case)
                sent += 1

            try:
                ask()
            except Unsatisfiable:
                # Every request to an operation without parameters is valid.
                assert mode is GenerationMode.NEGATIVE, operation.label
    return sent


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """The application of a study that has every route, and the owner key."""
    folder = tmp_path_factory.mktemp("fuzz") / "study"
    key = write_study(folder, protocol="range", extra=SECTIONS)
    return create_study_app(folder).app, key


def test_a_rater_and_owner_with_a_token_gets_only_documented_responses_from_every_route(study):
    app, key = study
    client = TestClient(app, follow_redirects=False)
    rater = start_rating(client)
    client.get("/owner/enter", params={"key": key})
    owner = csrf_of(client.get("/owner"))
    document = with_pages(app)
    operations = sum(map(len, document["paths"].values()))
    assert operations > 60
    assert send_requests(app, document, Person(client, key, {"": rater, "/owner": owner})) > operations


def test_someone_without_any_right_gets_only_documented_responses(study):
    app, _ = study
    assert send_requests(app, app.openapi(), Person(TestClient(app))) > 20


def test_the_routes_that_create_studies_send_only_documented_responses(tmp_path):
    token = ServerKeys(tmp_path).add_key("pipeline", 0.0)
    creating = Creating(tmp_path, (8001, 8002))
    app = studies_app(creating.folder, creating.address)
    document = TestClient(app).get("/api/studies/openapi.json").json()
    assert set(document["paths"]) == {"/api/studies"}
    assert send_requests(app, document, Person(TestClient(app), token)) > 2
