"""Comparison of the arms of a study, from their ledgers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from steelyard.quality.arms import ArmsComparison, ArmsSettings, arm_answers, compare_arms
from steelyard.study.log.ledger import Ledger
from steelyard.study.results.agreement import ADAPTIVE, AUDIT_SLICE, agreement_basis
from steelyard.study.results.renewal import Renewal

ON_AUDIT = "Tasks were chosen adaptively, so the arms are compared on the tasks that were chosen at random."
ON_ALL = (
    "Tasks were chosen adaptively, and too few were chosen at random to compare the arms on them. The comparison uses "
    "all answers and may favour an arm. Set explore to collect more answers to random tasks."
)
PERMUTATIONS = 500  # for the owner's page; a report uses more


def compare_ledgers(
    ledgers: Mapping[str, Ledger],
    question: int,
    settings: ArmsSettings | None = None,
    pay: Mapping[str, float] | None = None,
) -> ArmsComparison:
    """Compare the arms of a study by their answers to one question.

    Parameters
    ----------
    ledgers
        State of each arm, by the name of its condition.
    question
        Index of the question.
    settings
        Number of permutations, gold values and seed. Default: those of `compare_arms`.
    pay
        Pay of each rater. Default: the cost is left out.

    Returns
    -------
    ArmsComparison
        The comparison, with notes about the answers that were used.
    """
    answers, notes = [], []
    for name, ledger in ledgers.items():
        basis = agreement_basis(ledger, question)
        notes += [note for part, note in ((AUDIT_SLICE, ON_AUDIT), (ADAPTIVE, ON_ALL)) if basis.part == part]
        strata = {rater: repr(record.stratum) for rater, record in ledger.raters.items()}
        answers.append(arm_answers(name, basis.judgments, strata=strata, pay=pay))
    compared = compare_arms(answers, settings)
    return replace(compared, notes=(*dict.fromkeys(notes), *compared.notes))


@dataclass
class KeptComparison:
    """The comparison for the owner's page, which is computed again when an arm has grown by 20%."""

    def __post_init__(self) -> None:
        self._renewals: dict[str, Renewal] = {}
        self._made: tuple[ArmsComparison, ...] = ()

    def by_question(
        self, ledgers: Mapping[str, Ledger], questions: int, pay: Mapping[str, float] | None = None
    ) -> Sequence[ArmsComparison]:
        """Return the comparison by index of the question, which may lack the newest answers.

        Parameters
        ----------
        ledgers
            State of each arm, by the name of its condition.
        questions
            Number of questions.
        pay
            Pay of each rater. Default: the cost is left out.

        Returns
        -------
        sequence of ArmsComparison
            One comparison per question; empty before the first answer.
        """
        due = [self._renewals.setdefault(name, Renewal()).is_due(each) for name, each in ledgers.items()]
        if any(due):
            settings = ArmsSettings(PERMUTATIONS)
            self._made = tuple(compare_ledgers(ledgers, at, settings, pay) for at in range(questions))
        return self._made
