"""Judgments that were read, but that cannot be fitted, tested or converted as asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from steelyard.errors.base import LISTED, BadInput


class NothingToFit(BadInput):
    """A model was given no judgments of a kind that it can use."""

    def __init__(self, model: str, kinds: Sequence[str], instead: str) -> None:
        super().__init__(
            f"{model} needs {' or '.join(kinds)} judgments; {instead}. Choose another model or file."
        )

    @staticmethod
    def among(model: str, kinds: Sequence[str], present: Sequence[str]) -> NothingToFit:
        """Where there are judgments of other kinds only, or none at all."""
        return NothingToFit(model, kinds, f"these are {', '.join(present)}" if present else "there are none")


class MixedKinds(BadInput):
    """A model was given judgments of a kind that it would have to ignore, beside those that it can use."""

    def __init__(self, model: str, counts: Mapping[str, int], usable: Sequence[str]) -> None:
        named = ", ".join(
            f"{rows:,} {kind} {'row' if rows == 1 else 'rows'}" for kind, rows in counts.items()
        )
        super().__init__(
            f"{model} needs {' or '.join(usable)} judgments, and these are of several kinds: {named}. "
            f"Choose one: judgments.only({usable[0]!r}) in Python, --kind {usable[0]} on the command line."
        )


class TooFewRatings(NothingToFit):
    """There are hardly more ratings than systems, so nothing shows how far they are off."""

    def __init__(self, ratings: int, systems: int) -> None:
        BadInput.__init__(
            self,
            f"{ratings} ratings of {systems} systems are too few for a scale of systems. Collect more ratings.",
        )


class NothingCounted(NothingToFit):
    """Every row has a count of 0."""

    def __init__(self, model: str) -> None:
        BadInput.__init__(
            self,
            f"{model}: every row has a count of 0, so nothing was judged. Correct the count column, or remove it "
            "if each row is one judgment.",
        )


class NoGroupFitted(BadInput):
    """Every group that was to be fitted by itself was refused."""

    def __init__(self, groups: int, by: str) -> None:
        super().__init__(
            f"None of the {groups:,} groups of --by {by} could be fitted; the reasons are above."
        )


class TooFewItems(BadInput):
    """Comparisons of fewer than two items."""

    def __init__(self, items: int) -> None:
        super().__init__(
            f"bradley_terry compares items, and there are {items}. Give comparisons of at least two."
        )


class TooFewLevels(BadInput):
    """An effect was to differ between groups of raters, and there is only one."""

    def __init__(self, column: str, level: str) -> None:
        what = "rater" if column == "rater" else "value"
        super().__init__(
            f"{column}: there is only one {what} ({level!r}), so no effect can differ by {column}. "
            f"Leave {column} out of the model, or add judgments of others."
        )


class NoTies(BadInput):
    """A tie effect was asked for, and nobody answered a tie."""

    def __init__(self, ties: str) -> None:
        super().__init__(
            f"ties={ties!r} estimates how likely ties are, and there is no tie among these comparisons. "
            "Use ties='drop' (--ties drop on the command line), which leaves the tie effect out."
        )


class OnlyTies(BadInput):
    """Every comparison, or every ranking, is a tie."""

    def __init__(self, kind: str = "comparison", remedy: str = "") -> None:
        fact = f"Every {kind} is a tie, so nothing distinguishes the items."
        super().__init__(f"{fact} Collect judgments in which one item is preferred{remedy}.")


class Unconnected(BadInput):
    """No judgment connects some items with the others, directly or through a chain: one scale cannot hold them."""

    def __init__(self, model: str, groups: Sequence[Sequence[str]], remedy: str) -> None:
        listed = "; ".join(_some_ids(group) for group in groups[:LISTED])
        more = f"; and {len(groups) - LISTED:,} more" if len(groups) > LISTED else ""
        super().__init__(
            f"{model}: no judgment connects these {len(groups):,} groups of items: {listed}{more}. {remedy}"
        )


class Separated(BadInput):
    """Estimates would be infinite: some items or effects decide judgments without exception.

    `fact` goes on from there: who they are.
    """

    def __init__(self, model: str, fact: str, remedy: str) -> None:
        super().__init__(f"{model}: some estimates would be infinite: {fact}. {remedy}")

    @classmethod
    def by_items(
        cls, model: str, never_below: Sequence[str], never_above: Sequence[str], remedy: str
    ) -> Separated:
        """Some items are never below, or never above, those on the other side."""
        sides = (("never below", never_below), ("never above", never_above))
        sentences = [f"{side} the others: {_some_ids(names)}" for side, names in sides if names]
        return cls(model, "; ".join(sentences), remedy)

    @classmethod
    def by_effects(cls, model: str, names: Sequence[str], remedy: str) -> Separated:
        """Some effects, together, decide every judgment that they are about."""
        return cls(model, f"these decide without exception: {_some_ids(names)}", remedy)


class NothingToTest(BadInput):
    """Comparisons from which a test of preference cannot be made."""

    def __init__(self, test: str, reason: str, remedy: str) -> None:
        super().__init__(f"{test}: {reason} {remedy}")


class NothingToConvert(BadInput):
    """No judgment can be converted to the other kind."""

    def __init__(self, kinds: Sequence[str], to: str, conversions: Sequence[str]) -> None:
        present = ", ".join(kinds) if kinds else "none"
        super().__init__(
            f"Nothing here can be converted to {to}: the judgments are {present}. "
            f"Known conversions: {', '.join(conversions)}; "
            "ratings need a task column that says which were made together."
        )


def _some_ids(ids: Sequence[str]) -> str:
    """The first few ids, and how many more there are."""
    left = len(ids) - LISTED
    return ", ".join(map(str, ids[:LISTED])) + (f" and {left:,} more" if left > 0 else "")
