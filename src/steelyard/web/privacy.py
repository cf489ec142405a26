"""What a study stores about a rater, as a text for raters."""

from __future__ import annotations

from steelyard.messages.words import Words
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.log.interface import Source


def kept_words(definition: StudyDefinition, source: Source, words: Words) -> str:
    """Return the text from study.toml, or a list of what is stored about a rater from this source.

    Parameters
    ----------
    definition
        The study definition.
    source
        Where the rater comes from.
    words
        The words of the page.

    Returns
    -------
    str
        The text.
    """
    if definition.joining.kept:
        return definition.joining.kept
    parts = {
        words["stored_answers"]: True,
        words["stored_times"]: True,
        words["stored_actions"]: True,
        words["stored_name"]: source == "open",
        words["stored_prolific"]: source == "prolific",
        words["stored_mturk"]: source == "mturk",
        words["stored_panel"]: source == "panel",
        words["stored_survey"]: bool(definition.joining.survey),
        words["stored_comments"]: definition.page.comment,
    }
    listed = words.listed([part for part, is_stored in parts.items() if is_stored])
    return str(words.messages["stored"]).format(parts=listed)
