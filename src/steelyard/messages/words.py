"""`Words`: the messages of one language, with the words that a study replaces."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, reduce
from pathlib import Path
from types import MappingProxyType
from typing import Any

from steelyard.messages.catalogue import (
    FOLDER,
    OTHER,
    OWNER_FOLDER,
    SOURCE,
    Language,
    Message,
    file_of,
    language_of,
    languages,
    matching,
)

ISOLATED = "\u2068{}\u2069"  # keeps a value from changing the order of the text around it
RANGE = re.compile(r"\s*([\w-]+|\*)\s*(?:;\s*q=([01](?:\.\d{0,3})?))?\s*")


class Figure(str):
    """A number as text with the marks of English, which take those of the language in a message."""


class Share(float):
    """A share, which a message has as a percentage."""


class Term(str):
    """A text of the code that is in `[sentences]`, as a value of a message: its translation is inserted."""


class Said(str):
    """A sentence in English with the key and the values of its message, so that pages say it in another language.

    Where it is not translated, such as in JSON, it is an ordinary text.
    """

    key: str = ""
    values: Mapping[str, Any] = MappingProxyType({})


def said(key: str, **values: Any) -> Said:
    """Return a message of the owner's page and of reports in English, which `Words.translated` translates.

    >>> said("n_items", count=2), owner_words("de").translated(said("reason_is", reason="x"))
    ('2 items', 'Grund: x.')

    Parameters
    ----------
    key
        Key of the message.
    **values
        Values of its placeholders: text, whole numbers, `Figure` for other numbers, `Share`, `Term`, and sentences.

    Returns
    -------
    Said
        The sentence.
    """
    sentence = Said(owner_words(SOURCE).say(key, **values))
    sentence.key, sentence.values = key, values
    return sentence


def said_in_row(parts: Sequence[str]) -> str:
    """Return parts one after another, such as "a, b", of which some may be sentences."""
    return reduce(lambda first, second: said("list_middle", first=first, second=second), parts)


def said_list(parts: Sequence[str]) -> str:
    """Return a list in words, such as "a, b and c", of which some may be sentences."""
    *others, last = parts
    return said("list_end", first=said_in_row(others), second=last) if others else last


@dataclass(frozen=True)
class Words:
    """The messages of one language. `words["next"]` is a text, `words.say(key, ...)` fills in values.

    Attributes
    ----------
    language
        Direction, plural forms and numbers.
    messages
        All messages by their key. Those that a language lacks are in English.
    """

    language: Language
    messages: Mapping[str, Message]
    _folders: tuple[Path, ...] = field(default=(FOLDER,))

    def __getitem__(self, key: str) -> str:
        message = self.messages[key]
        return message if isinstance(message, str) else message[OTHER]

    def say(self, key: str, **values: Any) -> str:
        """Return a message with values for its placeholders.

        `count` chooses the plural form. Numbers are written as in the language. On right-to-left pages, other values
        are isolated from the text around them.

        Parameters
        ----------
        key
            Key of the message.
        **values
            Values of the placeholders.

        Returns
        -------
        str
            The text.
        """
        message = self.messages[key]
        if not isinstance(message, str):
            message = message.get(self.language.form(values["count"]), message[OTHER])
        return message.format_map({name: self._written(value) for name, value in values.items()})

    def _written(self, value: Any) -> str:
        if isinstance(value, Share):
            return self.language.percent(value)
        if isinstance(value, int | float):
            return self.language.number(value)
        text = self.in_language(str(value) if not isinstance(value, str) else value)
        is_isolated = self.language.direction == "rtl" and not isinstance(value, Figure)
        return ISOLATED.format(text) if is_isolated else text

    def in_language(self, text: str) -> str:
        """Return a sentence, a figure or a term in this language; other text unchanged."""
        if isinstance(text, Figure):
            return self.local(text)
        return self.translated(text) if isinstance(text, Said | Term) else text

    def local(self, number: str) -> str:
        """Return a number, as it is written in English, with the marks of this language."""
        marks = str.maketrans({",": self.language.separator, ".": self.language.decimal})
        text = number.translate(marks)
        # On a right-to-left page, the minus of an isolated number stays before its digits.
        return ISOLATED.format(text) if self.language.direction == "rtl" else text

    def translated(self, text: str) -> str:
        """Return a sentence of the code or a default of study.toml in this language; other text unchanged."""
        if isinstance(text, Said):
            return self.say(text.key, **text.values)
        key = self._sentences.get(text)
        return text if key is None else self[key]

    def of_error(self, error: Exception) -> str:
        """Return the text of an error in this language.

        An error with values has the key of its message in `message` and the values in `values`. Other texts are
        sentences, or stay in English.
        """
        key = getattr(error, "message", None)
        return self.translated(str(error)) if key is None else self.say(key, **getattr(error, "values", {}))

    @cached_property
    def _sentences(self) -> dict[str, str]:
        """Keys of the sentences, by their English text."""
        sources = [file_of(SOURCE, folder) for folder in self._folders]
        return {str(each.messages[key]): key for each in sources for key in each.sentences}

    def listed(self, parts: Sequence[str]) -> str:
        """Return a list in words, such as "a, b and c"."""
        *others, last = parts
        if not others:
            return last
        return str(self.messages["list_end"]).format(first=self.in_row(others), second=last)

    def in_row(self, parts: Sequence[str]) -> str:
        """Return parts one after another, such as "a, b"."""
        row, *more = parts
        for each in more:
            row = str(self.messages["list_middle"]).format(first=row, second=each)
        return row

    def joined(self, *sentences: str) -> str:
        """Return sentences as one text."""
        return self.language.gap.join(sentences)

    def chosen(self, keys: Iterable[str]) -> dict[str, Message]:
        """Return the messages with these keys, for a page; unknown keys are left out."""
        return {key: self.messages[key] for key in sorted(keys) if key in self.messages}


def words_of(code: str, replaced: Mapping[str, Any] | None = None, folders: Iterable[Path] = ()) -> Words:
    """Return the messages of a language.

    Parameters
    ----------
    code
        A language tag. A tag without a message file has the messages of English.
    replaced
        The table [words] of study.toml: texts by key, and tables of texts by the code of a language.
    folders
        Further folders with message files, of kinds from other packages.

    Returns
    -------
    Words
        The messages.
    """
    used = matching(code) or SOURCE
    places = (FOLDER, *folders)
    messages: dict[str, Message] = {}
    for folder in places:
        messages |= {**file_of(SOURCE, folder).messages, **file_of(used, folder).messages}
    own = dict(replaced or {})
    by_language = own.pop(used, {})
    own = {key: word for key, word in own.items() if key not in languages()}
    return Words(language_of(used), {**messages, **own, **by_language}, places)


@lru_cache(maxsize=32)
def owner_words(code: str) -> Words:
    """Return the messages of the owner's page and of reports in a language; English if it has no message file."""
    return words_of(code, folders=(OWNER_FOLDER,))


@lru_cache(maxsize=256)
def accepted(header: str) -> str:
    """Return the code of the language that a browser prefers, from its Accept-Language; English if it names none.

    >>> accepted("nl, pt-BR;q=0.8, en;q=0.5")
    'pt'
    """
    return next((code for tag in _preferred(header) if (code := matching(tag)) is not None), SOURCE)


def _preferred(header: str) -> Iterator[str]:
    """Yield the language tags of an Accept-Language header, the preferred one first."""
    ranges = [match for part in header.split(",") if (match := RANGE.fullmatch(part)) is not None]
    weights = [float(match[2]) if match[2] is not None else 1.0 for match in ranges]
    for at in sorted(range(len(ranges)), key=lambda at: -weights[at]):
        if weights[at] > 0:
            yield ranges[at][1]
