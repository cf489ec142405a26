"""The part of Prolific's API that a study needs. Fields: https://docs.prolific.com/api-reference."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from steelyard.errors import BadSetting, RequestRefused, ServerUnreachable
from steelyard.study.definition.definition import StudyDefinition
from steelyard.web.crowds import PROLIFIC, PROLIFIC_QUERY

ENDPOINT = "https://api.prolific.com"
TOKEN_VARIABLE = "PROLIFIC_TOKEN"
SECONDS = 60
SUBMISSIONS_AT_ONCE = 100
BONUSES_AT_ONCE = 200  # of one bulk payment
AWAITING = "AWAITING REVIEW"


@dataclass(frozen=True, slots=True)
class Submission:
    """One submission: its id, the person, and its status on Prolific."""

    id: str
    person: str
    status: str


class Prolific:
    """A client of Prolific's API.

    Parameters
    ----------
    token
        Token of the researcher.
    endpoint
        Address of the API.
    """

    def __init__(self, token: str, endpoint: str = ENDPOINT) -> None:
        self._token = token
        self._endpoint = endpoint.rstrip("/")

    def cost(self, reward: int, places: int) -> int:
        """Return the total cost of a study in cents, with Prolific's fee and VAT, as Prolific computes it."""
        body = {"reward": reward, "total_available_places": places}
        return round(float(self._send("POST", "study-cost-calculator/", body)["total_cost"]))

    def create(self, draft: dict[str, Any]) -> str:
        """Create a draft and return its id."""
        return str(self._send("POST", "studies/", draft)["id"])

    def start(self, study: str) -> None:
        """Publish a draft. From then on people take part, and are paid."""
        self._send("POST", f"studies/{study}/transition/", {"action": "PUBLISH"})

    def status(self, study: str) -> str:
        """Return the status of a study."""
        return str(self._send("GET", f"studies/{study}/")["status"])

    def submissions(self, study: str) -> list[Submission]:
        """Return all submissions of a study."""
        return [
            Submission(str(each["id"]), str(each["participant_id"]), str(each["status"]))
            for each in self._pages(study)
        ]

    def approve(self, study: str, submissions: Sequence[str]) -> None:
        """Approve submissions, which pays their rewards."""
        self._send(
            "POST", "submissions/bulk-approve/", {"study_id": study, "submission_ids": list(submissions)}
        )

    def set_up_bonuses(self, study: str, amounts: Sequence[tuple[str, int]]) -> tuple[str, int]:
        """Set up bonuses of people, in cents; return the id of the payment and its total with fees, in cents."""
        rows = "\n".join(f"{person},{cents / 100:.2f}" for person, cents in amounts)
        made = self._send("POST", "submissions/bonus-payments/", {"study_id": study, "csv_bonuses": rows})
        return str(made["id"]), round(float(made["total_amount"]))

    def pay_bonuses(self, payment: str) -> None:
        """Pay bonuses that were set up. Prolific pays again if this is sent again."""
        self._send("POST", f"bulk-bonus-payments/{payment}/pay/", {})

    def _pages(self, study: str) -> Iterator[dict[str, Any]]:
        page = 1
        while True:
            query = urlencode({"study": study, "page": page, "page_size": SUBMISSIONS_AT_ONCE})
            results = self._send("GET", f"submissions/?{query}")["results"]
            yield from results
            if len(results) < SUBMISSIONS_AT_ONCE:
                return
            page += 1

    def _send(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        address = f"{self._endpoint}/api/v1/{path}"
        headers = {"Authorization": f"Token {self._token}", "Content-Type": "application/json"}
        content = None if body is None else json.dumps(body).encode()
        try:
            with urlopen(Request(address, content, headers, method=method), timeout=SECONDS) as response:
                received = response.read()
            return dict(json.loads(received)) if received.strip() else {}
        except HTTPError as refusal:
            raise RequestRefused(
                refusal.code, f"Prolific refused {method} {path}: {_reason(refusal)}"
            ) from None
        except (URLError, TimeoutError, ValueError, OSError) as failure:
            raise ServerUnreachable(self._endpoint, f"{failure}.") from failure


def _reason(refusal: HTTPError) -> str:
    """The text of a refusal, with its status."""
    text = refusal.read().decode(errors="replace").strip()
    return f"{refusal.code} {text[:500]}"


@dataclass(frozen=True, slots=True)
class Offer:
    """What people read and get on Prolific.

    Attributes
    ----------
    description
        Description of the study on Prolific.
    reward
        Reward in cents of the account's currency.
    places
        Number of people.
    minutes
        Estimated time.
    """

    description: str
    reward: int
    places: int
    minutes: int


def draft_of(definition: StudyDefinition, address: str, offer: Offer, name: str) -> dict[str, Any]:
    """Return a study as Prolific's API takes it.

    Parameters
    ----------
    definition
        Settings of the study.
    address
        Public address of the study's server.
    offer
        What people read and get.
    name
        Name of the study on Prolific.

    Returns
    -------
    dict
        The body of the request.
    """
    return {
        "name": name,
        "internal_name": f"{definition.title} ({definition.settings_hash()})",
        "description": offer.description,
        "external_study_url": f"{address.rstrip('/')}{PROLIFIC.path}{PROLIFIC_QUERY}",
        "prolific_id_option": "url_parameters",
        "completion_codes": completion_codes(definition),
        "total_available_places": offer.places,
        "estimated_completion_time": offer.minutes,
        "reward": offer.reward,
    }


def completion_codes(definition: StudyDefinition) -> list[dict[str, Any]]:
    """Return the codes of study.toml with what Prolific does with each; raise BadSetting if one is unusable.

    People who completed the study or failed checks are reviewed. People without answers are asked to return their
    submission.
    """
    joining = definition.joining
    review = {"action": "MANUALLY_REVIEW"}
    returned = {"action": "REQUEST_RETURN", "return_reason": "The study had no tasks for you."}
    codes = [
        ("completion_code", joining.completion_code, "COMPLETED", review),
        ("full_code", joining.full_code, "OTHER", returned),
        ("screened_out_code", joining.screened_out_code, "OTHER", returned),
        ("failed_checks_code", joining.failed_checks_code, "FAILED_ATTENTION_CHECK", review),
    ]
    if not joining.prolific:
        raise BadSetting(
            "prolific", "is false. Set prolific = true in [joining], or nobody can join from there."
        )
    if not joining.completion_code:
        raise BadSetting("completion_code", "is missing. Set it in [joining].")
    used = [code for _, code, _, _ in codes if code]
    if len(set(used)) < len(used):
        raise BadSetting(
            "completion_code", "two outcomes have the same code, and Prolific needs different codes."
        )
    return [{"code": code, "code_type": kind, "actions": [action]} for _, code, kind, action in codes if code]
