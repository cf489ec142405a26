"""What a study keeps of a rater, in words for the rater."""

from __future__ import annotations

from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.log.interface import Source

ALWAYS = "Your answers, how long each took, and how you moved about on the page"


def kept_words(definition: StudyDefinition, source: Source) -> str:
    """The owner's own words, or what is kept of a rater who came this way."""
    if definition.joining.kept:
        return definition.joining.kept
    more = {
        "the name you chose": source == "open",
        "your Prolific ID": source == "prolific",
        "your answers to the survey": bool(definition.joining.survey),
        "your comments": definition.page.comment,
    }
    parts = [ALWAYS, *(words for words, is_kept in more.items() if is_kept)]
    return f"{', '.join(parts)}. Nothing else about you."
