"""The part of MTurk's API that a study needs, by boto3 (extra `crowd`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import Any
from xml.etree import ElementTree

import boto3
from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError

from steelyard.errors import BadSetting, RequestRefused, ServerUnreachable

SANDBOX = "https://mturk-requester-sandbox.us-east-1.amazonaws.com"
PRODUCTION = "https://mturk-requester.us-east-1.amazonaws.com"
SCHEMAS = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/"
EXTERNAL_SCHEMA = f"{SCHEMAS}2006-07-14/ExternalQuestion.xsd"
HTML_SCHEMA = f"{SCHEMAS}2011-11-11/HTMLQuestion.xsd"
LARGEST_QUESTION = 65_535  # bytes
COUNTRY, APPROVAL_RATE, APPROVED_HITS = "00000000000000000071", "000000000000000000L0", "00000000000000000040"
GUARDED = "DiscoverPreviewAndAccept"
FRAME_HEIGHT = 800
AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Offer:
    """What workers read and get.

    Attributes
    ----------
    title, description, keywords
        Texts of the HIT.
    reward
        Reward of an assignment, in cents.
    assignments
        Number of workers of each HIT.
    minutes
        Time that a worker has.
    days
        Time for which a HIT is offered, and after which submitted work is approved by MTurk itself.
    """

    title: str
    description: str
    keywords: str
    reward: int
    assignments: int
    minutes: int
    days: int


@dataclass(frozen=True, slots=True)
class Screening:
    """Who may take part.

    Attributes
    ----------
    countries
        Codes of countries, such as US; empty for all.
    approval_rate
        Smallest percentage of approved assignments, or None.
    approved_hits
        Smallest number of approved HITs, or None.
    keep_out
        Id of a qualification whose holders may not take part, or "".
    """

    countries: tuple[str, ...] = ()
    approval_rate: int | None = None
    approved_hits: int | None = None
    keep_out: str = ""

    def requirements(self) -> list[dict[str, Any]]:
        """Return the requirements as MTurk's API takes them."""
        wanted: list[dict[str, Any]] = []
        if self.countries:
            places = [{"Country": each.upper()} for each in self.countries]
            wanted.append({"QualificationTypeId": COUNTRY, "Comparator": "In", "LocaleValues": places})
        for kind, least in ((APPROVAL_RATE, self.approval_rate), (APPROVED_HITS, self.approved_hits)):
            if least is not None:
                wanted.append(
                    {
                        "QualificationTypeId": kind,
                        "Comparator": "GreaterThanOrEqualTo",
                        "IntegerValues": [least],
                    }
                )
        if self.keep_out:
            wanted.append({"QualificationTypeId": self.keep_out, "Comparator": "DoesNotExist"})
        return [{**each, "ActionsGuarded": GUARDED} for each in wanted]


@dataclass(frozen=True, slots=True)
class Assignment:
    """Submitted work: its ids, its status, the answers by field, and when it was accepted and submitted."""

    id: str
    worker: str
    hit: str
    status: str
    answers: dict[str, str]
    accepted: datetime
    submitted: datetime


class MTurk:
    """A client of MTurk's API. Credentials come from the environment or the files of AWS, as for every AWS client.

    Parameters
    ----------
    endpoint
        Address of the API.
    """

    def __init__(self, endpoint: str = SANDBOX) -> None:
        self._client = boto3.client("mturk", endpoint_url=endpoint, region_name="us-east-1")
        self._endpoint = endpoint

    def create(self, offer: Offer, screening: Screening, question: str, token: str) -> str:
        """Create a HIT and return its id.

        Parameters
        ----------
        offer
            What workers read and get.
        screening
            Who may take part.
        question
            XML of the question.
        token
            Text that identifies this request: the same token does not create a second HIT.

        Returns
        -------
        str
            Id of the HIT.
        """
        days = offer.days * 24 * 3600
        made = self._call(
            "create_hit",
            Title=offer.title,
            Description=offer.description,
            Keywords=offer.keywords,
            Reward=f"{offer.reward / 100:.2f}",
            MaxAssignments=offer.assignments,
            AssignmentDurationInSeconds=offer.minutes * 60,
            LifetimeInSeconds=days,
            AutoApprovalDelayInSeconds=days,
            QualificationRequirements=screening.requirements(),
            Question=question,
            UniqueRequestToken=token,
        )
        return str(made["HIT"]["HITId"])

    def qualification(self, name: str, description: str) -> str:
        """Return the id of our qualification with this name, and create it if there is none.

        Parameters
        ----------
        name
            Name of the qualification.
        description
            Description, shown to workers.

        Returns
        -------
        str
            Id of the qualification.
        """
        existing = self._call(
            "list_qualification_types", Query=name, MustBeRequestable=False, MustBeOwnedByCaller=True
        )
        for each in existing["QualificationTypes"]:
            if each["Name"] == name:
                return str(each["QualificationTypeId"])
        made = self._call(
            "create_qualification_type", Name=name, Description=description, QualificationTypeStatus="Active"
        )
        return str(made["QualificationType"]["QualificationTypeId"])

    def mark(self, qualification: str, worker: str) -> None:
        """Give a worker our qualification, which keeps them out of later HITs."""
        self._call(
            "associate_qualification_with_worker",
            QualificationTypeId=qualification,
            WorkerId=worker,
            IntegerValue=1,
            SendNotification=False,
        )

    def assignments(self, hit: str) -> list[Assignment]:
        """Return the submitted, approved and rejected assignments of a HIT."""
        return [
            _assignment(each) for each in self._pages("list_assignments_for_hit", "Assignments", HITId=hit)
        ]

    def approve(self, assignment: str) -> None:
        """Approve an assignment, which pays its reward."""
        self._call("approve_assignment", AssignmentId=assignment)

    def has_bonus(self, assignment: str) -> bool:
        """Whether a bonus was paid for an assignment."""
        paid = self._call("list_bonus_payments", AssignmentId=assignment)
        return bool(paid["BonusPayments"])

    def pay(self, assignment: Assignment, cents: int, reason: str) -> None:
        """Pay a bonus.

        Parameters
        ----------
        assignment
            Work for which it is paid.
        cents
            The amount.
        reason
            Text for the worker.
        """
        self._call(
            "send_bonus",
            WorkerId=assignment.worker,
            AssignmentId=assignment.id,
            BonusAmount=f"{cents / 100:.2f}",
            Reason=reason,
            UniqueRequestToken=f"{assignment.id}-bonus",
        )

    def _pages(self, name: str, key: str, **parameters: Any) -> Iterator[dict[str, Any]]:
        token: dict[str, str] = {}
        while True:
            page = self._call(name, **parameters, MaxResults=AT_ONCE, **token)
            yield from page[key]
            if not page.get("NextToken"):
                return
            token = {"NextToken": page["NextToken"]}

    def _call(self, name: str, **parameters: Any) -> dict[str, Any]:
        try:
            return dict(getattr(self._client, name)(**parameters))
        except ClientError as refusal:
            error, status = refusal.response["Error"], refusal.response["ResponseMetadata"]["HTTPStatusCode"]
            text = f"MTurk refused {name}: {error.get('Message', '')} ({error.get('Code', '')})"
            raise RequestRefused(status, text) from None
        except NoCredentialsError:
            reason = "there are none. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."
            raise BadSetting("credentials of AWS", reason) from None
        except BotoCoreError as failure:
            raise ServerUnreachable(self._endpoint, f"{failure}.") from failure


def external_question(address: str) -> str:
    """Return the question of a HIT that shows a study in a frame.

    >>> "<ExternalURL>https://x.example/mturk</ExternalURL>" in external_question("https://x.example/mturk")
    True
    """
    return (
        f'<ExternalQuestion xmlns="{EXTERNAL_SCHEMA}"><ExternalURL>{escape(address)}</ExternalURL>'
        f"<FrameHeight>{FRAME_HEIGHT}</FrameHeight></ExternalQuestion>"
    )


def html_question(page: str) -> str:
    """Return the question of a HIT that has its own page; raise BadSetting if the page is too long for MTurk."""
    whole = page.replace("]]>", "]]]]><![CDATA[>")
    question = (
        f'<HTMLQuestion xmlns="{HTML_SCHEMA}"><HTMLContent><![CDATA[{whole}]]></HTMLContent>'
        f"<FrameHeight>{FRAME_HEIGHT}</FrameHeight></HTMLQuestion>"
    )
    if len(question.encode()) > LARGEST_QUESTION:
        reason = f"a task is longer than {LARGEST_QUESTION:,} bytes. Serve the study, and use --url."
        raise BadSetting("items", reason)
    return question


def results_columns(
    hits: Sequence[tuple[str, Sequence[str], Sequence[Assignment]]],
) -> dict[str, list[str | None]]:
    """Return assignments as the columns of a results file, which `steelyard import` reads.

    Parameters
    ----------
    hits
        Task of each HIT, its items, and its assignments.

    Returns
    -------
    dict
        One row per assignment.
    """
    rows: list[dict[str, str]] = []
    for task, items, assignments in hits:
        inputs = {f"Input.id{at}": item for at, item in enumerate(items, 1)} | {"Input.task": task}
        for each in assignments:
            seconds = f"{(each.submitted - each.accepted).total_seconds():g}"
            own = {"HITId": each.hit, "AssignmentId": each.id, "WorkerId": each.worker}
            own |= {"AssignmentStatus": each.status, "SubmitTime": each.submitted.isoformat()}
            own |= {"WorkTimeInSeconds": seconds}
            rows.append(own | inputs | {f"Answer.{name}": text for name, text in each.answers.items()})
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def _assignment(fields: dict[str, Any]) -> Assignment:
    return Assignment(
        fields["AssignmentId"],
        fields["WorkerId"],
        fields["HITId"],
        fields["AssignmentStatus"],
        _answers(fields.get("Answer", "")),
        fields["AcceptTime"],
        fields["SubmitTime"],
    )


def _answers(text: str) -> dict[str, str]:
    """Return the answers of a QuestionFormAnswers document by field; the fields of our pages are free text."""
    if not text or "<!DOCTYPE" in text:  # no document of MTurk has one
        return {}
    answers = {}
    for answer in ElementTree.fromstring(text).iter():
        if answer.tag.endswith("}Answer") or answer.tag == "Answer":
            values = {each.tag.rpartition("}")[2]: each.text or "" for each in answer}
            answers[values.get("QuestionIdentifier", "")] = values.get("FreeText", "")
    return {name: value for name, value in answers.items() if value}
