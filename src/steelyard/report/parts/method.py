"""How every number was made: signature, settings, seed, versions, definitions, and a command that makes it again."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version

from steelyard.models.known import seed_setting
from steelyard.report import words
from steelyard.report.source import ReportSource
from steelyard.version import VERSION

PACKAGES = ("numpy", "scipy")


@dataclass(frozen=True, slots=True)
class SignedFit:
    """The signature of a fit; `name` is the question or group, "" if there is only one."""

    name: str
    signature: str


@dataclass(frozen=True, slots=True)
class MethodPart:
    """How every number was made.

    Attributes
    ----------
    model
        Name of the model.
    selection
        Name of the selection; "" for a file.
    seed
        Random seed.
    settings_hash
        Hash of the settings of the study; "" for a file.
    log_position
        Log position of the study; None for a file.
    versions
        Names and versions of the software.
    signatures
        Signature of each fit.
    command
        A command that makes the report again.
    definitions
        Sentences that define the numbers of the report.
    """

    model: str
    selection: str
    seed: int
    settings_hash: str
    log_position: int | None
    versions: tuple[tuple[str, str], ...]
    signatures: tuple[SignedFit, ...]
    command: str
    definitions: tuple[str, ...]

    def facts(self) -> list[tuple[str, str]]:
        """Return settings and versions as pairs of name and text, without those that do not apply."""
        facts = [
            ("Model", self.model),
            ("Selection", self.selection),
            ("Seed", str(self.seed)),
            ("Settings", self.settings_hash),
            ("Log position", "" if self.log_position is None else words.whole(self.log_position)),
            ("Versions", ", ".join(f"{name} {number}" for name, number in self.versions)),
        ]
        return [(name, value) for name, value in facts if value]


def method_part(sources: Sequence[ReportSource], command: str) -> MethodPart:
    """Return how the numbers of a report were made; `command` makes it again."""
    source, overview = sources[0], sources[0].overview
    fits = [(each.name, each.fit) for each in sources if each.fit is not None]
    of_fit = fits[0][1].provenance.seed if fits else 0
    seed = (
        of_fit
        if overview is None or (fits and seed_setting(source.model.name, 0))
        else overview.definition.seed
    )
    return MethodPart(
        model=source.model.name,
        selection="" if overview is None else overview.definition.choosing.selection,
        seed=seed,
        settings_hash="" if overview is None else overview.definition.settings_hash(),
        log_position=None if overview is None else overview.log_position,
        versions=_versions(),
        signatures=tuple(SignedFit(name, fit.signature) for name, fit in fits),
        command=command,
        definitions=_definitions(source),
    )


def _versions() -> tuple[tuple[str, str], ...]:
    packages = ((name, version(name)) for name in PACKAGES)
    return (("steelyard", VERSION), ("python", platform.python_version()), *packages)


def _definitions(source: ReportSource) -> tuple[str, ...]:
    return (
        source.quantity.sentence(source.unit),
        "A 95% interval should contain the true position in 95% of cases.",
        "Every number in this report can be reproduced from the judgments, the settings and the seed.",
    )
