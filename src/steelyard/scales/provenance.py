"""The signature of a fit: model, settings and size of the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from steelyard.version import VERSION


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

    def signature(self) -> str:
        """Return one line with everything needed to reproduce the fit."""
        settings = " ".join(f"{name}={value}" for name, value in self.settings.items())
        done = f"converged in {self.iterations}" if self.converged else f"NOT converged in {self.iterations}"
        parts = [
            f"{self.model} {settings}".strip(),
            f"steelyard {VERSION}",
            f"items {self.items}",
            f"judgments {whole_or_short(self.judgments)}",
            f"raters {self.raters}",
            *([] if self.range is None else [f"range {self.range[0]:g} to {self.range[1]:g}"]),
            f"seed {self.seed}",
            done,
        ]
        return " | ".join(parts)
