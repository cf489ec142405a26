"""Judgments that were read but cannot be fitted, tested or converted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from steelyard.errors.base import LISTED, BadInput


class NothingToFit(BadInput):
    """A model received no judgments of a kind that it can use."""

    def __init__(self, model: str, kinds: Sequence[str], instead: str) -> None:
        super().__init__(
            f"{model} needs {' or '.join(kinds)} judgments, but {instead}. Choose another model, or leave out "
            "--model to use the default of these judgments."
        )

    @staticmethod
    def among(model: str, kinds: Sequence[str], present: Sequence[str]) -> NothingToFit:
        """Return the error for judgments that are all of other kinds, or for no judgments.

        Parameters
        ----------
        model
            Name of the model.
        kinds
            Kinds of judgment that the model takes.
        present
            Kinds of judgment in the input.

        Returns
        -------
        NothingToFit
            The error, ready to raise.
        """
        instead = f"the input has only {' and '.join(present)} judgments" if present else "the input has none"
        return NothingToFit(model, kinds, instead)


class MixedKinds(BadInput):
    """A model received judgments of a kind that it cannot use, together with judgments that it can use."""

    def __init__(self, model: str, counts: Mapping[str, int], usable: Sequence[str]) -> None:
        named = ", ".join(
            f"{rows:,} {kind} {'row' if rows == 1 else 'rows'}" for kind, rows in counts.items()
        )
        super().__init__(
            f"{model} needs {' or '.join(usable)} judgments, but the input has several kinds: {named}. "
            f"Select one kind: judgments.only({usable[0]!r}) in Python, --kind {usable[0]} on the command line."
        )


class LogOfOtherKind(NothingToFit):
    """A model received a log of a kind that it cannot use; `models` names those that can."""

    def __init__(self, model: str, kinds: Sequence[str], kind: str, models: Sequence[str] = ()) -> None:
        remedy = f"Models that fit these: {', '.join(models)}" if models else "Use a model of these judgments"
        BadInput.__init__(
            self, f"{model} needs {' or '.join(kinds)} judgments, but the log has {kind} judgments. {remedy}."
        )


class TooFewRatings(NothingToFit):
    """There are too few ratings per system to estimate the error of a scale of systems."""

    def __init__(self, ratings: int, systems: int) -> None:
        BadInput.__init__(
            self,
            f"{ratings} ratings are too few for a scale of {systems} systems. Collect more ratings.",
        )


class NothingCounted(NothingToFit):
    """Every row has a count of 0."""

    def __init__(self, model: str) -> None:
        BadInput.__init__(
            self,
            f"{model}: every row has a count of 0, so there are no judgments. Correct the count column, or remove "
            "it if each row is one judgment.",
        )


class NoGroupFitted(BadInput):
    """No group of a fit by group could be fitted."""

    def __init__(self, groups: int, by: str) -> None:
        super().__init__(f"No group by {by} could be fitted ({groups:,} tried). See the reasons above.")


class TooFewItems(BadInput):
    """The comparisons name fewer than two items."""

    def __init__(self, items: int) -> None:
        super().__init__(
            f"bradley_terry needs at least 2 items, but the comparisons name {items}. Add comparisons."
        )


class TooFewLevels(BadInput):
    """An effect was requested by rater, or by another column, that has a single value."""

    def __init__(self, column: str, level: str) -> None:
        what = "rater" if column == "rater" else "value"
        super().__init__(
            f"{column}: the judgments have only one {what} ({level!r}), so an effect cannot differ by {column}. "
            f"Remove {column} from the model, or add judgments with other values."
        )


class NoTies(BadInput):
    """A tie effect was requested, but no judgment is a tie."""

    def __init__(self, ties: str) -> None:
        super().__init__(
            f"ties={ties!r} estimates the probability of ties, but no comparison is a tie. "
            "Use ties='drop' (--ties drop on the command line), which omits the tie effect."
        )


class OnlyTies(BadInput):
    """Every comparison, or every ranking, is a tie."""

    def __init__(self, kind: str = "comparison", remedy: str = "") -> None:
        fact = f"Every {kind} is a tie, so the items cannot be distinguished."
        super().__init__(f"{fact} Collect judgments in which one item is preferred{remedy}.")


class Unconnected(BadInput):
    """Some items are not connected with the others by any chain of judgments, so no common scale exists."""

    def __init__(self, model: str, groups: Sequence[Sequence[str]], remedy: str) -> None:
        listed = "; ".join(_some_ids(group) for group in groups[:LISTED])
        more = f"; and {len(groups) - LISTED:,} more" if len(groups) > LISTED else ""
        self.fact = f"{model}: no judgment connects these {len(groups):,} groups of items: {listed}{more}."
        super().__init__(f"{self.fact} {remedy}")


class Separated(BadInput):
    """Some estimates would be infinite, because items or effects decide judgments without exception.

    `fact` names the items or effects.
    """

    def __init__(self, fact: str, remedy: str) -> None:
        self.fact = fact
        super().__init__(f"{fact} {remedy}")

    @classmethod
    def by_items(cls, never_below: Sequence[str], never_above: Sequence[str], remedy: str) -> Separated:
        """Return the error for items that never lose, or never win, against the other items.

        Parameters
        ----------
        never_below
            Items that are never below the others.
        never_above
            Items that are never above the others.
        remedy
            Sentence that says what to do.

        Returns
        -------
        Separated
            The error, ready to raise.
        """
        sides = (("never lost", never_below), ("never won", never_above))
        sentences = [
            _infinite(names, f"it {side} a comparison", f"they {side} a comparison with the other items")
            for side, names in sides
            if names
        ]
        return cls(" ".join(sentences), remedy)

    @classmethod
    def by_effects(cls, names: Sequence[str], remedy: str) -> Separated:
        """Return the error for effects that together decide every judgment in which they occur."""
        decides = "the outcome of every judgment in which"
        one, several = f"it determines {decides} it occurs", f"together they determine {decides} they occur"
        return cls(_infinite(names, one, several), remedy)


def _infinite(names: Sequence[str], one: str, several: str) -> str:
    """Return that estimates would be infinite, with the reason for one name or for several."""
    if len(names) == 1:
        return f"The estimate of {names[0]} would be infinite, because {one}."
    return f"The estimates of {_some_ids(names)} would be infinite, because {several}."


class NothingToTest(BadInput):
    """The judgments do not allow this test."""

    def __init__(self, test: str, reason: str, remedy: str) -> None:
        super().__init__(f"{test}: {reason} {remedy}")


class NothingToConvert(BadInput):
    """No judgment can be converted to the requested kind."""

    def __init__(self, kinds: Sequence[str], to: str, conversions: Sequence[str]) -> None:
        present = ", ".join(kinds) if kinds else "none"
        super().__init__(
            f"No judgment can be converted to the kind {to}. Kinds in the input: {present}. "
            f"Known conversions: {', '.join(conversions)}. "
            "Ratings need a task column that shows which of them were made together."
        )


def _some_ids(ids: Sequence[str]) -> str:
    """Return the first ids as text, and the number of the remaining ones."""
    left = len(ids) - LISTED
    return ", ".join(map(str, ids[:LISTED])) + (f" and {left:,} more" if left > 0 else "")


class TooManyCells(BadInput):
    """A large log has more distinct judgments than fit into memory."""

    def __init__(self, source: str, most: int, remedy: str) -> None:
        super().__init__(
            f"{source}: there are more than {most:,} distinct judgments. {remedy}, or select fewer judgments."
        )
