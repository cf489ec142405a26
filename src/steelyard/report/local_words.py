"""Numbers, times and states as text in the language of a page, with the functions of `words`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from steelyard.messages.catalogue import SOURCE
from steelyard.messages.words import Words
from steelyard.report import words
from steelyard.selection.forecast import decimals_beside
from steelyard.study.results.advice import translated_flag

LEFT_TO_RIGHT = "\u2066{}\u2069"  # keeps year, month and day in this order
MINUTE, HOUR, DAY = 60, 3_600, 86_400


class LocalWords:
    """The functions of `words` with the decimal mark, separators and words of one language. Templates use it.

    Parameters
    ----------
    messages
        The messages of the language.
    """

    NONE, NUMBERED = words.NONE, words.NUMBERED
    kinds_combined = staticmethod(words.kinds_combined)  # in English, like the remarks of models
    iso, clock, moment = staticmethod(words.iso), staticmethod(words.clock), staticmethod(words.moment)

    def __init__(self, messages: Words) -> None:
        self._messages = messages

    def local(self, number: str) -> str:
        """Return a number, as `words` writes it, with the marks of the language."""
        return self._messages.local(number)

    def whole(self, value: float) -> str:
        """Return a number without decimals."""
        return self._messages.language.number(round(value))

    def tenth(self, value: float) -> str:
        """Return a number with one decimal."""
        return self.local(f"{value:.1f}")

    def money(self, value: float) -> str:
        """Return an amount with two decimals and separators."""
        return self.local(f"{value:,.2f}")

    def decimal(self, value: float | None) -> str:
        """Return a number with two decimals."""
        return self.local(words.decimal(value))

    def beside(self, value: float, target: float) -> str:
        """Return a number with enough decimals to be compared with a target; two without a target (0)."""
        return self.local(f"{value:.{decimals_beside(value, target)}f}")

    def percent(self, share: float | None) -> str:
        """Return a share as a percentage."""
        return words.NONE if share is None else self._messages.language.percent(share)

    def position(self, value: float, width: float) -> str:
        """Return a position on a scale of this width."""
        return self.local(words.position(value, width))

    def exact_position(self, value: float, width: float) -> str:
        """Return a position for a table."""
        return self.local(words.exact_position(value, width))

    def points(self, value: float | None, width: float = 100.0) -> str:
        """Return a difference in points of the scale, with its sign."""
        return self.local(words.points(value, width))

    def p_value(self, p: float | None) -> str:
        """Return a p value for a table."""
        return self.local(words.p_value(p))

    def signed(self, text: str) -> str:
        """Return a number with the typographic minus sign."""
        return self.local(words.signed(text))

    def duration(self, milliseconds: float | None) -> str:
        """Return a duration with its unit."""
        return self.local(words.duration(milliseconds))

    def answer(self, value: float | str | None) -> str:
        """Return an answer as text: a score, a rank, an outcome or a choice."""
        text = self._messages.translated(words.answer(value))
        return text if isinstance(value, str) else self.local(text)

    def adjustment(self, name: str) -> str:
        """Return the name of an adjustment of p values."""
        return self._messages.translated(words.adjustment(name))

    def unit(self, name: str) -> str:
        """Return the heading of a column of items or systems."""
        return self._messages["item_one" if name == "item" else "system_one"]

    def units(self, count: float, name: str) -> str:
        """Return a number of items or systems."""
        return self._messages.say("n_items" if name == "item" else "n_systems", count=count)

    def flag(self, flag: str) -> str:
        """Return a flag of a rater, whose number, if it has one, stays."""
        return translated_flag(flag, self._messages)

    def flags(self, raised: Sequence[str]) -> str:
        """Return the flags of a rater in one line."""
        if self._messages.language.code == SOURCE:
            return words.flags(raised)
        return self._messages.in_row([self.flag(each) for each in raised]) if raised else ""

    def note(self, flags: Sequence[str], status: str) -> str:
        """Return the flags and the status of a rater in one text."""
        text, gap, because = status.partition(": ")
        parts = (self.flags(flags), self._messages.translated(text) + gap + because)
        return ". ".join(each for each in parts if each)

    def status(self, excluded: bool, reason: str, stopped: bool) -> str:
        """Return the status of a rater who is excluded or was stopped early, or "" for other raters.

        Parameters
        ----------
        excluded
            Whether the rater is excluded.
        reason
            Why the rater is excluded.
        stopped
            Whether the rater was stopped early.

        Returns
        -------
        str
            The status in the language of the report.
        """
        text, gap, because = words.status(excluded, reason, stopped).partition(": ")
        return self._messages.translated(text) + gap + because

    def capitalised(self, text: str) -> str:
        """Return a text with a large first letter."""
        return text[:1].upper() + text[1:]

    def ago(self, seconds: float) -> str:
        """Return a time in the past relative to now."""
        units = (("ago_days", DAY, 2 * DAY), ("ago_hours", HOUR, HOUR), ("ago_minutes", MINUTE, MINUTE))
        key, size = next(((key, size) for key, size, least in units if seconds >= least), ("ago_seconds", 1))
        return self._messages.say(key, count=int(max(seconds, 0) // size))

    def day(self, at: float | None) -> str:
        """Return a day: day and month in English, the ISO date in other languages."""
        return self._dated(words.day, at)

    def date(self, at: float) -> str:
        """Return a full date, in other languages than English the ISO date."""
        return self._dated(words.date, at)

    def _dated(self, written: Callable[[float], str], at: float | None) -> str:
        if at is None:
            return words.NONE
        language = self._messages.language
        text = written(at) if language.code == SOURCE else words.iso(at)[:10]
        return LEFT_TO_RIGHT.format(text) if language.direction == "rtl" else text
