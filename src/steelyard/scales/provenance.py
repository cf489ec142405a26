"""The signature of a fit: model, settings and size of the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from steelyard.version import VERSION

MODEL_ERRORS = "model-based"  # judgments are independent given the parameters of the model


def whole_or_short(number: float) -> str:
    """Return a count as text for signatures and remarks.

    >>> whole_or_short(18200), whole_or_short(0.00123456789)
    ('18200', '0.00123457')
    """
    return f"{number:.0f}" if float(number).is_integer() else f"{number:.6g}"


@dataclass(frozen=True, slots=True)
class Provenance:
    """Model, settings and size of the data of a fit: the contents of its signature.

    Attributes
    ----------
    model
        Name of the model.
    settings
        Settings that the signature names, by name.
    items
        Number of items.
    judgments
        Number of judgments; a whole number unless judgments have fractional counts.
    raters
        Number of raters.
    range
        Ends of the scale; None for scales without ends, such as those of comparisons.
    seed
        Seed of random draws.
    converged
        Whether the estimation converged.
    iterations
        Number of iterations.
    """

    model: str
    settings: Mapping[str, Any]
    items: int
    judgments: float  # a whole number unless judgments have fractional counts
    raters: int
    range: tuple[float, float] | None  # None for scales without ends, as from comparisons
    seed: int
    converged: bool = True
    iterations: int = 1

    @property
    def error_type(self) -> str:
        """How standard errors were computed, such as `clustered by rater (12)`."""
        return str(self.settings.get("errors", MODEL_ERRORS))

    @property
    def described(self) -> dict[str, str]:
        """Error type and, for systems, target of the estimates: columns of every table of estimates."""
        target = {"target": str(self.settings["target"])} if "target" in self.settings else {}
        return {"errors": self.error_type, **target}

    @property
    def described_in_words(self) -> str:
        """Error type and, for systems, target of the estimates, to show below a table."""
        target = f" Target: {self.settings['target']}." if "target" in self.settings else ""
        return f"Standard errors: {self.error_type}.{target}"

    def signature(self) -> str:
        """Return one line with everything needed to reproduce the fit."""
        settings = " ".join(f"{name}={value}" for name, value in self.settings.items())
        steps = "1 step" if self.iterations == 1 else f"{self.iterations} steps"
        done = f"converged in {steps}" if self.converged else f"NOT converged in {steps}"
        parts = [
            f"{self.model} {settings}".strip(),
            f"steelyard {VERSION}",
            f"{'systems' if self.settings.get('unit') == 'system' else 'items'} {self.items}",
            f"judgments {whole_or_short(self.judgments)}",
            f"raters {self.raters}",
            *([] if self.range is None else [f"range {self.range[0]:g} to {self.range[1]:g}"]),
            f"seed {self.seed}",
            done,
        ]
        return " | ".join(parts)
