"""[panel] of study.toml: a panel that sends people to the study, and the links that lead back to it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from string import Formatter
from urllib.parse import quote, urlsplit

from steelyard.errors import BadSetting

PARAMETER = re.compile(r"[A-Za-z0-9_.-]{1,60}")
OUTCOMES = ("completed", "full", "screened_out", "failed_checks")
IN_LINKS = ("person", "session", "code")


@dataclass(frozen=True, slots=True)
class PanelSettings:
    """A panel that sends people to `/panel`. In links, `{person}`, `{session}` and `{code}` are filled in.

    Parameters
    ----------
    person
        Name of the parameter with the id of the person, such as `rid` for `/panel?rid=...`. It turns the entry on.
    name
        Name of the panel, shown to raters.
    session
        Name of the parameter with the id of the visit, which only the person and the panel know. With it, the id of a
        person alone does not open their session.
    completed
        Link back to the panel for a rater who has finished.
    full
        Link for a person who comes when the study needs no more answers.
    screened_out
        Link for a rater whom the survey screened out, or who has taken part in a study of `exclude_raters_of`.
    failed_checks
        Link for a rater whose session ended because of failed checks.
    """

    person: str = ""
    name: str = ""
    session: str = ""
    completed: str = ""
    full: str = ""
    screened_out: str = ""
    failed_checks: str = ""

    def __post_init__(self) -> None:
        for key in ("person", "session"):
            value = getattr(self, key)
            if value and not PARAMETER.fullmatch(value):
                raise BadSetting(
                    f"panel, {key}", f"{value!r} is not the name of a parameter. Write a name such as rid."
                )
        if not self.person and any((self.session, self.name, *(getattr(self, each) for each in OUTCOMES))):
            raise BadSetting(
                "panel, person", "is missing. Write the name of the parameter with the person's id."
            )
        if self.person and self.person == self.session:
            raise BadSetting("panel, session", "is the parameter of the person. Write another name.")
        for outcome in OUTCOMES:
            self._check_link(outcome)

    def _check_link(self, outcome: str) -> None:
        """Raise BadSetting if a link is not an address on the web, or has an unknown field."""
        link, where = getattr(self, outcome), f"panel, {outcome}"
        if not link:
            return
        try:
            names = [name for _, name, _, _ in Formatter().parse(link) if name is not None]
            parts = urlsplit(link)
        except ValueError:
            raise BadSetting(where, f"{link!r} is not an address. Check its braces.") from None
        if parts.scheme not in ("http", "https") or not parts.hostname or "{" in parts.netloc:
            raise BadSetting(where, f"{link!r} is not an address that begins with https://.")
        for name in names:
            if name not in IN_LINKS:
                raise BadSetting(
                    where, f"{{{name}}} is not a field. Use {{person}}, {{session}} or {{code}}."
                )
        if "session" in names and not self.session:
            raise BadSetting(where, "{session} needs the name of a parameter in session.")

    def link(self, outcome: str, person: str, session: str, code: str) -> str:
        """Return the link back to the panel, or "" if there is none.

        Parameters
        ----------
        outcome
            One of completed, full, screened_out and failed_checks; any other has no link.
        person
            Id of the person on the panel.
        session
            Id of the visit.
        code
            Completion code for this outcome, or "".

        Returns
        -------
        str
            The address, with the values quoted.
        """
        link: str = getattr(self, outcome) if outcome in OUTCOMES else ""
        values = {"person": person, "session": session, "code": code}
        return link.format(**{name: quote(value, safe="") for name, value in values.items()})
