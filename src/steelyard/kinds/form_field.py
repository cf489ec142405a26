"""The fields of an HTML form that asks for a kind of judgment outside Steelyard's pages, such as on MTurk."""

from __future__ import annotations

from dataclasses import dataclass

from steelyard.kinds.asked import AnswerScale

Choice = tuple[str, str]  # value and label


@dataclass(frozen=True, slots=True)
class FormField:
    """One field of the form.

    Attributes
    ----------
    name
        Name of the field without the number of the item, as in `BatchFields`.
    label
        Text next to the field, a sentence of the message files. Forms add the limits of a number.
    choices
        Values to choose from, with their labels. Without choices, the field is a number.
    low, high, step
        Limits of a number.
    first
        Number of the first item that has this field.
    is_item
        Whether the field belongs to the whole page, and the number of an item is its value.
    required
        Whether an answer needs this field, unless the rater can't judge.
    """

    name: str
    label: str
    choices: tuple[Choice, ...] = ()
    low: float | None = None
    high: float | None = None
    step: float | None = None
    first: int = 1
    is_item: bool = False
    required: bool = True


def scale_field(name: str, label: str, scale: AnswerScale) -> FormField:
    """Return a field for a position on a scale: its levels, or a number between its ends.

    Parameters
    ----------
    name
        Name of the field.
    label
        Text next to the field.
    scale
        Scale of the question.

    Returns
    -------
    FormField
        The field.
    """
    if scale.levels:
        values = [f"{value:g}" for value in scale.level_values()]
        return FormField(name, label, choices=tuple((value, value) for value in values))
    return FormField(name, label, low=scale.low, high=scale.high, step=scale.slider_step)
