"""The sites that send people to a study: Prolific, MTurk, and the panel of study.toml."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

from steelyard.study.collecting.raters import person_of
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.log.interface import Rater, Source

Outcome = Literal["completed", "full", "screened_out", "failed_checks", "none"]
PROLIFIC_RETURN = "https://app.prolific.com/submissions/complete?cc="
# The worker's page is on worker.mturk.com, and its answers go to www.mturk.com; the sandbox has one host for both.
MTURK_FRAMES = ("https://worker.mturk.com", "https://www.mturk.com", "https://workersandbox.mturk.com")
MTURK_RECEIVERS = ("https://www.mturk.com", "https://workersandbox.mturk.com")
MTURK_SUBMIT = "/mturk/externalSubmit"
NO_ASSIGNMENT = "ASSIGNMENT_ID_NOT_AVAILABLE"
# Pages that a worker sees inside the frame; the owner's pages are never framed.
FRAMED_PAGES = (
    "/mturk",
    "/welcome",
    "/survey",
    "/training",
    "/instructions",
    "/cold-start",
    "/task",
    "/no-tasks",
    "/thanks",
)
LONGEST_ID = 200


@dataclass(frozen=True, slots=True)
class Visit:
    """A person who comes from a crowd.

    Attributes
    ----------
    person
        Id of the person on the site.
    key
        Key of the rater in the table of access: the person, and on some sites the study.
    submission
        What identifies this submission, as it is stored with the rater.
    fields
        The parameters of the address, for the form that joins.
    """

    person: str
    key: str
    submission: str
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Whence:
    """Where a person comes from: the source, and for crowds the id of the person and of the submission there."""

    source: Source = "open"
    person: str = ""
    submission: str = ""


@dataclass(frozen=True, slots=True)
class Crowd:
    """A site that sends people to a study.

    Attributes
    ----------
    source
        Source of its raters.
    name
        Name of the site, shown to raters.
    path
        Address at which people arrive.
    parameters
        Names of the parameters of the address: the person, and then what identifies the study or the submission.
    read
        Returns the visit for the values of the parameters, or None if they are not valid.
    query
        Query of the link that owners publish, with the site's placeholders; "" if the site adds the parameters.
    again
        Whether a person may continue with another submission, if they are signed in or have not answered.
    """

    source: Source
    name: str
    path: str
    parameters: tuple[str, ...]
    read: Callable[[Mapping[str, str]], Visit | None]
    query: str = ""
    again: bool = False

    def whence(self, visit: Visit) -> Whence:
        """Return where a person comes from who has not joined."""
        return Whence(self.source, visit.person, visit.submission)

    def visit(self, sent: Mapping[str, str]) -> Visit | None:
        """Return the visit with these parameters, or None if an id is missing or cannot be one."""
        fields = {name: sent.get(name, "").strip() for name in self.parameters}
        can_be_ids = all(len(each) <= LONGEST_ID and each.isprintable() for each in fields.values())
        person = fields[self.parameters[0]]
        if not person or not can_be_ids or "%" in person or " " in person:
            return None
        return self.read(fields)


def crowds_of(definition: StudyDefinition) -> tuple[Crowd, ...]:
    """Return the crowds whose people may join a study."""
    joining, panel = definition.joining, definition.panel
    is_used_by = {
        PROLIFIC: joining.prolific,
        MTURK: joining.mturk,
        _panel(panel.name, panel.person, panel.session): bool(panel.person),
    }
    return tuple(crowd for crowd, is_used in is_used_by.items() if is_used)


def entry_links(definition: StudyDefinition) -> list[tuple[Crowd, str]]:
    """Return the crowds of a study with the part of the link, after the address of the server, that owners publish."""
    return [(crowd, crowd.path.removeprefix("/") + crowd.query) for crowd in crowds_of(definition)]


def came_from(rater: Rater) -> Whence:
    """Return where a rater comes from."""
    return Whence(rater.source, person_of(rater), rater.submission)


def return_link(definition: StudyDefinition, whence: Whence, outcome: Outcome) -> str:
    """Return the address that leads a person back to their site, or "" if there is none.

    Parameters
    ----------
    definition
        Settings of the study, or of the arm of the rater.
    whence
        Where the person comes from.
    outcome
        How their participation ended.

    Returns
    -------
    str
        The address, with the code of the outcome.
    """
    code = code_of(definition, outcome)
    if whence.source == PROLIFIC.source:
        return f"{PROLIFIC_RETURN}{quote(code, safe='')}" if code else ""
    if whence.source == PANEL:
        return definition.panel.link(outcome, whence.person, whence.submission, code)
    return ""


def code_of(definition: StudyDefinition, outcome: Outcome) -> str:
    """Return the completion code for an outcome, or ""."""
    joining = definition.joining
    codes = {
        "completed": joining.completion_code,
        "full": joining.full_code,
        "screened_out": joining.screened_out_code,
        "failed_checks": joining.failed_checks_code,
    }
    return codes.get(outcome, "")


def framing_sites(definition: StudyDefinition, path: str) -> tuple[str, ...]:
    """Return the sites that may show a page of the study in a frame: none, or those of MTurk for pages of raters."""
    is_framed = path in FRAMED_PAGES or path.startswith(("/mturk/", "/media/"))
    return MTURK_FRAMES if definition.joining.mturk and is_framed else ()


def submit_form(whence: Whence) -> tuple[str, str] | None:
    """Return where the form of a worker goes, and the id of the assignment; None for anyone else."""
    assignment, _, host = whence.submission.partition(" ")
    is_allowed = whence.source == MTURK.source and host in MTURK_RECEIVERS
    return (host + MTURK_SUBMIT, assignment) if is_allowed else None


def _of_prolific(fields: Mapping[str, str]) -> Visit:
    person, study, submission = fields.values()
    # Prolific IDs are known to other researchers. Only the participant knows the id of their submission.
    return Visit(person, f"{person} {study}", hashlib.sha256(submission.encode()).hexdigest(), fields)


def _of_mturk(fields: Mapping[str, str]) -> Visit | None:
    worker, assignment, host = fields.values()
    if not assignment or " " in assignment or host.rstrip("/") not in MTURK_RECEIVERS:
        return None
    return Visit(worker, worker, f"{assignment} {host.rstrip('/')}", fields)


def _of_panel(fields: Mapping[str, str]) -> Visit | None:
    person, *session = fields.values()
    return None if "" in session else Visit(person, person, "".join(session), fields)


PROLIFIC_QUERY = "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
PROLIFIC = Crowd(
    "prolific", "Prolific", "/p", ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"), _of_prolific, PROLIFIC_QUERY
)
MTURK = Crowd("mturk", "MTurk", "/mturk", ("workerId", "assignmentId", "turkSubmitTo"), _of_mturk, again=True)
PANEL: Source = "panel"
PATHS: dict[Source, str] = {PROLIFIC.source: PROLIFIC.path, MTURK.source: MTURK.path, PANEL: "/panel"}


def _panel(name: str, person: str, session: str) -> Crowd:
    parameters = (person, session) if session else (person,)
    query = "?" + "&".join(f"{each}=..." for each in parameters)
    return Crowd(PANEL, name or "the panel", PATHS[PANEL], parameters, _of_panel, query)
