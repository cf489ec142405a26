"""The meaning of the positions of a scale, in words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Quantity:
    """Name, definition and unit of the positions of a model.

    Parameters
    ----------
    name
        Short name, such as "mean rating".
    meaning
        Completion of the sentence "The position of an item is ...". `{unit}` is replaced by "item" or "system".
    measure
        Plural of the unit of measurement, as in "12 points wide". Empty if there is none.
    ends
        Ends of the scale if the model fixes them. None for models of ratings and ranges, which use the range of
        the study, and for scales without ends.
    caveat
        A sentence that readers of the intervals need. Empty if there is none.
    """

    name: str
    meaning: str
    measure: str
    ends: tuple[float, float] | None = None
    caveat: str = ""

    def sentence(self, unit: str) -> str:
        """Return the definition as a sentence about one item or one system.

        >>> Quantity("win rate", "the share of comparisons that the {unit} won", "").sentence("system")
        'The position of a system is the share of comparisons that the system won.'
        """
        article = "an" if unit[:1] in "aeiou" else "a"
        meaning = self.meaning.replace("{unit}", unit)
        return f"The position of {article} {unit} is {meaning}."
