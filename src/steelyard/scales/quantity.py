"""What the numbers of a scale mean, in the words of the model that made it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Quantity:
    """What a position is: its name, its definition and its unit.

    `meaning` completes the sentence "The position of an item is ..."; `{unit}` in it stands for what is on the
    scale (item or system). `measure` is the plural of the unit of measurement, as in "12 points wide". `ends` are
    the ends of the scale where the model fixes them; ratings and ranges have those of the study instead. `caveat`
    is a full sentence that a reader of the intervals needs, or "".
    """

    name: str
    meaning: str
    measure: str
    ends: tuple[float, float] | None = None
    caveat: str = ""

    def sentence(self, unit: str) -> str:
        """The definition as a sentence about one item or one system.

        >>> Quantity("win rate", "the share of comparisons that the {unit} won", "").sentence("system")
        'The position of a system is the share of comparisons that the system won.'
        """
        article = "an" if unit[:1] in "aeiou" else "a"
        meaning = self.meaning.replace("{unit}", unit)
        return f"The position of {article} {unit} is {meaning}."
