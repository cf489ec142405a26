"""The language of each page: that of the study, or with `language = "auto"` that of the rater's browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import Request
from fastapi.templating import Jinja2Templates
from starlette.responses import Response

from steelyard.messages.catalogue import AUTO
from steelyard.messages.words import Words, accepted, words_of
from steelyard.study.definition.definition import StudyDefinition


class Languages:
    """The words of the pages of one study, by arm and language."""

    def __init__(self) -> None:
        self._words: dict[tuple[str, str], Words] = {}

    def words(self, request: Request, definition: StudyDefinition) -> Words:
        """Return the words of a page."""
        return self.words_in(self.tag(request, definition), definition)

    def words_in(self, tag: str, definition: StudyDefinition) -> Words:
        """Return the words of a page in the language with this tag."""
        key = (definition.condition, tag)
        if key not in self._words:
            self._words[key] = words_of(tag, definition.words, message_folders(definition))
        return self._words[key]

    def tag(self, request: Request, definition: StudyDefinition) -> str:
        """Return the language tag of a page."""
        setting = definition.page.language
        return accepted(request.headers.get("accept-language", "")) if setting == AUTO else setting

    def of_page(self, request: Request, definition: StudyDefinition) -> dict[str, Any]:
        """Return what every template needs: the words, and the language and direction of the page."""
        words = self.words(request, definition)
        direction = definition.page.direction
        return {
            "messages": words,
            "page_language": self.tag(request, definition),
            "page_direction": words.language.direction if direction == AUTO else direction,
        }


class PageTemplates(Jinja2Templates):
    """Templates with the words of the study in `context["study"]`.

    Parameters
    ----------
    folders
        Folders with templates.
    languages
        The words of the study.
    """

    def __init__(self, folders: list[Path], languages: Languages) -> None:
        super().__init__(folders)
        # Letters of other alphabets as they are, at half the size of their escapes.
        self.env.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "sort_keys": True}
        self.languages = languages

    def page(self, request: Request, name: str, context: dict[str, Any], **response: Any) -> Response:
        """Return a page in its language.

        Parameters
        ----------
        request
            The request.
        name
            Name of the template.
        context
            Values for the template, with the definition of the study under `study`.
        **response
            Status and headers of the response.

        Returns
        -------
        Response
            The page.
        """
        spoken = self.languages.of_page(request, context["study"])
        return self.TemplateResponse(request, name, {**spoken, **context}, **response)


def message_folders(definition: StudyDefinition) -> tuple[Path, ...]:
    """Return the folders with the messages of kinds from other packages."""
    return definition.asking.message_folders
