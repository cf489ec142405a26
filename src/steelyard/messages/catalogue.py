"""Reads the message files: one per language beside this module, and those that a kind of another package brings."""

from __future__ import annotations

import gettext
import string
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any

from steelyard.errors import BadSetting

FOLDER = Path(__file__).parent
OWNER_FOLDER = FOLDER / "owner"  # the words of the owner's page and of reports
SOURCE = "en"
AUTO = "auto"  # in study.toml: the language of each rater's browser
HEADER = "language"
SENTENCES = ("sentences", "names")  # sections with messages that pages find by their English text
OTHER = "other"  # the plural form that every language has
ALL_KEYS = 'The guide "Run a study in another language" lists all keys.'
Message = str | Mapping[str, str]  # a text, or a text for each plural form


@dataclass(frozen=True, slots=True)
class Language:
    """What the pages need to know about a language: its direction, plural forms and numbers.

    Attributes
    ----------
    code
        Code of the language, which is the name of its file.
    name
        Its own name for itself.
    direction
        "ltr" or "rtl".
    reviewed
        Whether a native speaker has reviewed the messages.
    plurals
        Its plural forms for whole numbers, by the names of Unicode CLDR.
    plural
        Returns the index of the plural form of a whole number.
    separator, groups, separated_from
        How whole numbers are written: the separator of thousands, the sizes of the groups from the right (the last is
        repeated), and the smallest number that is separated.
    decimal
        Decimal mark.
    percentage
        How a percentage is written, with braces in place of its number.
    gap
        What comes between two sentences.
    """

    code: str
    name: str
    direction: str
    reviewed: bool
    plurals: tuple[str, ...]
    plural: Callable[[int], int]
    separator: str
    groups: tuple[int, ...]
    separated_from: int
    decimal: str
    percentage: str
    gap: str

    def form(self, count: float) -> str:
        """Return the name of the plural form of a number; fractions have the form "other"."""
        return self.plurals[self.plural(int(count))] if count == int(count) else OTHER

    def decimals(self, value: float, digits: int) -> str:
        """Return a number with this many decimals and the decimal mark of this language.

        >>> language_of("fr").decimals(0.925, 1)
        '0,9'
        """
        return f"{value:.{digits}f}".replace(".", self.decimal)

    def percent(self, share: float) -> str:
        """Return a share as a percentage.

        >>> language_of("en").percent(0.934)
        '93%'
        """
        return self.percentage.format(f"{100 * share:.0f}")

    def number(self, value: float) -> str:
        """Return a number as it is written in this language, in Latin digits.

        >>> language_of("de").number(12345), language_of("de").number(0.5), language_of("hi").number(1234567)
        ('12.345', '0,5', '12,34,567')
        """
        if value != int(value) or abs(value) < self.separated_from:
            return f"{value:g}".replace(".", self.decimal)
        parts: list[str] = []
        digits, sizes = str(abs(int(value))), list(self.groups)
        while len(digits) > sizes[0]:
            digits, part = digits[: -sizes[0]], digits[-sizes[0] :]
            parts.insert(0, part)
            sizes = sizes[1:] or sizes
        return ("-" if value < 0 else "") + self.separator.join([digits, *parts])


@dataclass(frozen=True, slots=True)
class MessageFile:
    """The content of a message file.

    Attributes
    ----------
    header
        The table [language], empty in a file of another package.
    messages
        All messages by their key.
    sentences
        Keys of the messages that pages find by their English text.
    """

    header: Mapping[str, Any]
    messages: Mapping[str, Message]
    sentences: tuple[str, ...]


def read_messages(path: Path) -> MessageFile:
    """Read a message file; a key that occurs in two sections is an error."""
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    header = content.pop(HEADER, {})
    messages: dict[str, Message] = {}
    for section, table in content.items():
        for key, message in table.items():
            if key in messages:
                raise BadSetting(f"{path.name}, [{section}], {key}", "is also in another section.")
            messages[key] = message
    sentences = tuple(key for name in SENTENCES for key in content.get(name, {}))
    return MessageFile(header, messages, sentences)


@lru_cache(maxsize=64)
def file_of(code: str, folder: Path = FOLDER) -> MessageFile:
    """Return the messages of a language in a folder; empty if the folder has no file for it."""
    path = folder / f"{code}.toml"
    return read_messages(path) if path.is_file() else MessageFile({}, {}, ())


@lru_cache(maxsize=1)
def languages() -> tuple[str, ...]:
    """Return the codes of all languages that have a message file, English first."""
    codes = sorted(path.stem for path in FOLDER.glob("*.toml"))
    return (SOURCE, *(code for code in codes if code != SOURCE))


@lru_cache(maxsize=64)
def language_of(code: str) -> Language:
    """Return what is known about the language of a message file."""
    header = dict(file_of(code).header)
    rule = gettext.c2py(header.pop("plural"))  # the parser of plural rules in the standard library
    plurals, groups = tuple(header.pop("plurals")), tuple(header.pop("groups"))
    return Language(code=code, plural=rule, plurals=plurals, groups=groups, **header)


def matching(tag: str) -> str | None:
    """Return the code of the message file for a language tag, without its region if necessary.

    >>> matching("pt-BR"), matching("nl")
    ('pt', None)
    """
    parts = tag.replace("_", "-").split("-")
    tags = ("-".join(parts[:size]).lower() for size in range(len(parts), 0, -1))
    by_tag = {code.lower(): code for code in languages()}
    return next((by_tag[each] for each in tags if each in by_tag), None)


def lacks_messages(setting: str) -> bool:
    """Whether a language of study.toml has no message file, so that its pages have English words.

    >>> lacks_messages("nl"), lacks_messages("pt-BR"), lacks_messages("auto")
    (True, False, False)
    """
    return setting != AUTO and matching(setting) is None


def placeholders(message: Message) -> frozenset[str]:
    """Return the names in braces in a message.

    >>> sorted(placeholders("{kept} of {size}"))
    ['kept', 'size']
    """
    texts = [message] if isinstance(message, str) else list(message.values())
    return frozenset(name for text in texts for _, name, _, _ in string.Formatter().parse(text) if name)


def check_words(words: Mapping[str, Any], known: Mapping[str, Message], where: str) -> None:
    """Raise BadSetting if the words that a study replaces are not messages, or use other placeholders.

    Parameters
    ----------
    words
        The table [words] of study.toml: texts by key, and tables of texts by the code of a language.
    known
        The English messages.
    where
        Name of the table in error messages.
    """
    for key, word in words.items():
        if key in languages() and isinstance(word, Mapping):
            check_words(word, known, f"{where}, {key}")
        elif key not in known:
            close = get_close_matches(key, known, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise BadSetting(where, f"unknown key {key!r}.{hint} {ALL_KEYS}")
        else:
            _check_word(word, known[key], f"{where}, {key}")


def _check_word(word: Any, source: Message, where: str) -> None:
    texts = list(word.values()) if isinstance(word, Mapping) else [word]
    if not texts or not all(isinstance(text, str) for text in texts):
        raise BadSetting(where, 'is not text. Write text in quotes, such as "Next".')
    if isinstance(word, Mapping) and (isinstance(source, str) or OTHER not in word):
        raise BadSetting(
            where, f"needs {'one text' if isinstance(source, str) else 'the plural form other'}."
        )
    try:
        unknown = placeholders(word) - placeholders(source)
    except ValueError as error:
        raise BadSetting(
            where, f"has a brace without its partner ({error}). Write {{{{ for a brace."
        ) from None
    if unknown:
        names = ", ".join(f"{{{name}}}" for name in sorted(placeholders(source))) or "none"
        raise BadSetting(where, f"has {{{min(unknown)}}}, which this message does not have. It has: {names}.")
