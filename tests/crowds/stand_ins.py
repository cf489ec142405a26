"""Servers on this machine that stand in for the APIs of crowds: they check every request and keep a log of it."""

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree

from botocore import xform_name
from botocore.session import Session
from botocore.validate import ParamValidator

TOKEN = "secret-token"


class Refusal(Exception):
    """A request that the real API would refuse."""


class StandIn:
    """A server with a log of requests; `answer(method, path, query, headers, body)` returns the response."""

    def __init__(self):
        self.log = []
        self.address = ""

    def answer(self, method, path, query, headers, body):
        raise NotImplementedError

    def written(self):
        """The log, one line per request."""
        return "\n".join(f"{name} {json.dumps(body, sort_keys=True)}" for name, body in self.log)


@contextmanager
def serving(stand_in):
    class Handler(BaseHTTPRequestHandler):
        def handle_one(self):
            parts = urlsplit(self.path)
            content = self.rfile.read(int(self.headers.get("content-length", 0)))
            body = json.loads(content) if content else None
            try:
                status, answer = (
                    200,
                    stand_in.answer(self.command, parts.path, parse_qs(parts.query), self.headers, body),
                )
            except Refusal as reason:
                status, answer = 400, {"__type": "RequestError", "Message": str(reason), "error": str(reason)}
            sent = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("content-type", "application/x-amz-json-1.1")
            self.send_header("content-length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        do_GET = handle_one  # noqa: N815 - the name that http.server calls
        do_POST = handle_one  # noqa: N815

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    stand_in.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield stand_in
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def need(condition, reason):
    if not condition:
        raise Refusal(reason)


FIELDS = {
    "name": str,
    "internal_name": str,
    "description": str,
    "external_study_url": str,
    "prolific_id_option": str,
    "completion_codes": list,
    "total_available_places": int,
    "estimated_completion_time": int,
    "reward": int,
}


class ProlificStandIn(StandIn):
    """Checks requests against the fields that Prolific's API reference lists."""

    KINDS = ("COMPLETED", "FAILED_ATTENTION_CHECK", "NO_CONSENT", "OTHER", "FIXED_SCREENOUT")
    ACTIONS = ("AUTOMATICALLY_APPROVE", "MANUALLY_REVIEW", "REQUEST_RETURN")

    def __init__(self):
        super().__init__()
        self.state = "UNPUBLISHED"
        self.submissions = []
        self.bonuses = {}
        self.paid = []

    def answer(self, method, path, query, headers, body):
        need(headers["authorization"] == f"Token {TOKEN}", "no valid token")
        need(path.startswith("/api/v1/"), "no such address")
        name = f"{method} {path.removeprefix('/api/v1/')}"
        self.log.append((name, body))
        return self._routes().get(name, self._unknown)(query, body)

    def _routes(self):
        return {
            "POST study-cost-calculator/": self._cost,
            "POST studies/": self._create,
            "POST studies/st1/transition/": self._publish,
            "GET studies/st1/": self._study,
            "GET submissions/": self._list,
            "POST submissions/bulk-approve/": self._approve,
            "POST submissions/bonus-payments/": self._set_up,
            "POST bulk-bonus-payments/b1/pay/": self._pay,
        }

    def _unknown(self, query, body):
        raise Refusal("no such address")

    def _cost(self, query, body):
        need(set(body) == {"reward", "total_available_places"}, "fields")
        return {"total_cost": 1.4 * body["reward"] * body["total_available_places"]}

    def _publish(self, query, body):
        need(body == {"action": "PUBLISH"} and self.state == "UNPUBLISHED", "transition")
        self.state = "ACTIVE"
        return {"id": "st1", "status": self.state}

    def _study(self, query, body):
        return {"id": "st1", "status": self.state}

    def _list(self, query, body):
        need(query["study"] == ["st1"], "study")
        size, page = int(query["page_size"][0]), int(query["page"][0])
        return {"results": self.submissions[size * (page - 1) : size * page]}

    def _approve(self, query, body):
        need(set(body) == {"study_id", "submission_ids"} and body["study_id"] == "st1", "fields")
        for each in self.submissions:
            if each["id"] in body["submission_ids"]:
                need(each["status"] == "AWAITING REVIEW", "status")
                each["status"] = "APPROVED"
        return {}

    def _pay(self, query, body):
        self.paid.append(dict(self.bonuses))
        return {}

    def _create(self, query, body):
        need(set(body) == set(FIELDS), f"fields {sorted(set(body) ^ set(FIELDS))}")
        need(all(isinstance(body[name], kind) for name, kind in FIELDS.items()), "types")
        need(body["external_study_url"].startswith("https://"), "address")
        need("PROLIFIC_PID={{%PROLIFIC_PID%}}" in body["external_study_url"], "parameters")
        need(body["prolific_id_option"] == "url_parameters", "prolific_id_option")
        for code in body["completion_codes"]:
            need(code["code_type"] in self.KINDS, "code_type")
            need(all(each["action"] in self.ACTIONS for each in code["actions"]), "actions")
        return {"id": "st1", "status": self.state}

    def _set_up(self, query, body):
        need(set(body) == {"study_id", "csv_bonuses"}, "fields")
        took_part = {each["participant_id"] for each in self.submissions}
        self.bonuses = dict(row.split(",") for row in body["csv_bonuses"].splitlines())
        need(set(self.bonuses) <= took_part, "participants who did not take part")
        total = sum(100 * float(amount) for amount in self.bonuses.values())
        return {"id": "b1", "total_amount": 1.3 * total}


class MTurkStandIn(StandIn):
    """Checks requests of the protocol JSON 1.1 against the model of MTurk's API that comes with botocore."""

    TARGET = "MTurkRequesterServiceV20170117."

    def __init__(self):
        super().__init__()
        self.model = Session().get_service_model("mturk")
        self.hits = {}
        self.assignments = []
        self.qualifications = {}
        self.holders = []
        self.bonuses = []

    def answer(self, method, path, query, headers, body):
        need(method == "POST" and path == "/", "not a request of JSON 1.1")
        need(headers["content-type"] == "application/x-amz-json-1.1", "content type")
        need(headers["authorization"].startswith("AWS4-HMAC-SHA256 Credential="), "not signed")
        target = headers["x-amz-target"]
        need(target.startswith(self.TARGET), "target")
        name = target.removeprefix(self.TARGET)
        report = ParamValidator().validate(body, self.model.operation_model(name).input_shape)
        need(not report.has_errors(), report.generate_report())
        self.log.append((name, body))
        return getattr(self, f"_{xform_name(name)}")(body)

    def submit(self, hit, worker, answers):
        """A worker submits an assignment."""
        rows = "".join(
            f"<Answer><QuestionIdentifier>{name}</QuestionIdentifier><FreeText>{text}</FreeText></Answer>"
            for name, text in answers.items()
        )
        at = len(self.assignments)
        self.assignments.append(
            {
                "AssignmentId": f"3A{at}",
                "WorkerId": worker,
                "HITId": hit,
                "AssignmentStatus": "Submitted",
                "AcceptTime": 1_700_000_000.0,
                "SubmitTime": 1_700_000_060.0,
                "Answer": f'<QuestionFormAnswers xmlns="http://x.example/a.xsd">{rows}</QuestionFormAnswers>',
            }
        )

    def _create_hit(self, body):
        need(body["UniqueRequestToken"] not in self.hits.values(), "token")
        for each in body["QualificationRequirements"]:
            places = [place["Country"] for place in each.get("LocaleValues", ())]
            need(all(len(place) == 2 and place.isupper() for place in places), f"no such country: {places}")
        root = ElementTree.fromstring(body["Question"])
        need(root.tag.endswith(("}ExternalQuestion", "}HTMLQuestion")), "question")
        need(len(body["Question"].encode()) <= 65_535, "question")
        hit = f"3H{len(self.hits)}"
        self.hits[hit] = body["UniqueRequestToken"]
        return {"HIT": {"HITId": hit}}

    def _list_qualification_types(self, body):
        types = [{"Name": name, "QualificationTypeId": each} for name, each in self.qualifications.items()]
        return {"QualificationTypes": types, "NumResults": len(types)}

    def _create_qualification_type(self, body):
        need(body["Name"] not in self.qualifications, "name")
        self.qualifications[body["Name"]] = f"3Q{len(self.qualifications)}"
        return {"QualificationType": {"QualificationTypeId": self.qualifications[body["Name"]]}}

    def _associate_qualification_with_worker(self, body):
        need(body["QualificationTypeId"] in self.qualifications.values(), "qualification")
        self.holders.append(body["WorkerId"])
        return {}

    def _list_assignments_for_hit(self, body):
        found = [each for each in self.assignments if each["HITId"] == body["HITId"]]
        start = int(body.get("NextToken", 0))
        more = {"NextToken": str(start + 1)} if start + 1 < len(found) else {}  # one assignment per page
        return {"Assignments": found[start : start + 1], "NumResults": 1, **more}

    def _approve_assignment(self, body):
        (found,) = [each for each in self.assignments if each["AssignmentId"] == body["AssignmentId"]]
        need(found["AssignmentStatus"] == "Submitted", "status")
        found["AssignmentStatus"] = "Approved"
        return {}

    def _list_bonus_payments(self, body):
        paid = [each for each in self.bonuses if each["AssignmentId"] == body["AssignmentId"]]
        return {"BonusPayments": [{"WorkerId": each["WorkerId"]} for each in paid], "NumResults": len(paid)}

    def _send_bonus(self, body):
        self.bonuses.append(body)
        return {}
