"""What a study stores about a rater, as a text for raters."""

from __future__ import annotations

from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.log.interface import Source

ALWAYS = ("Your answers", "the time each answer took", "your actions on the task pages")


def kept_words(definition: StudyDefinition, source: Source) -> str:
    """Return the text from study.toml, or a list of what is stored about a rater from this source."""
    if definition.joining.kept:
        return definition.joining.kept
    more = {
        "the name you chose": source == "open",
        "your Prolific ID": source == "prolific",
        "your answers to the survey": bool(definition.joining.survey),
        "your comments": definition.page.comment,
    }
    *parts, last = [*ALWAYS, *(words for words, is_stored in more.items() if is_stored)]
    return f"{', '.join(parts)} and {last}. Nothing else about you is stored."
