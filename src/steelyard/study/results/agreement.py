"""Agreement of the raters of a study, on tasks that were chosen without looking at estimates."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from steelyard.judgments.linked import only_raters_link
from steelyard.judgments.probes import without_probes
from steelyard.judgments.table import Judgments
from steelyard.kinds.known import KINDS
from steelyard.maths.arrays import Labels
from steelyard.quality.agreement import Agreement, AgreementSettings, agreement_of
from steelyard.quality.agreement.rows import AgreementRow
from steelyard.study.log.ledger import Ledger
from steelyard.study.results.audit import is_fair

FEWEST_SHARED = 10  # items, or pairs, that two raters must have judged for a slice to be used
AUDIT_SLICE = "audit slice"
ADAPTIVE = "adaptively chosen tasks"


def agreement_of_study(
    ledger: Ledger,
    question: int,
    settings: AgreementSettings | None = None,
    rng: np.random.Generator | None = None,
) -> Agreement:
    """Return how well the raters of a study agree about one question.

    A selection that uses estimates asks more often about items that are hard to place, so that its answers agree less,
    or more, than answers about random items. The statistics are therefore computed on the tasks that were chosen at
    random (the audit slice), if these are enough, and are labelled otherwise.

    Parameters
    ----------
    ledger
        State of the study.
    question
        Index of the question.
    settings
        Which statistics, and how. Default: those that suit the kind of judgment.
    rng
        Source of randomness. Default: a generator with the seed of the study.

    Returns
    -------
    Agreement
        The table. Its remarks state which tasks were used.
    """
    chosen = AgreementSettings() if settings is None else settings
    basis = agreement_basis(ledger, question)
    generator = np.random.default_rng(ledger.definition.seed) if rng is None else rng
    return basis.agreement(with_points(ledger, question, chosen), generator)


def with_points(ledger: Ledger, question: int, settings: AgreementSettings) -> AgreementSettings:
    """Return the settings with the points of the scale, if raters choose one of several levels.

    Parameters
    ----------
    ledger
        State of the study.
    question
        Index of the question.
    settings
        The settings.

    Returns
    -------
    AgreementSettings
        The settings, unchanged if they name points or if answers are continuous.
    """
    scale = ledger.definition.scale_of(ledger.definition.questions[question])
    if not scale.levels or settings.points:
        return settings
    return replace(settings, points=tuple(np.linspace(scale.low, scale.high, scale.levels).tolist()))


@dataclass(frozen=True, eq=False)
class AgreementBasis:
    """Judgments that agreement is computed on.

    Attributes
    ----------
    judgments
        The judgments.
    part
        What they are a part of, in words; "" if they are all judgments.
    remarks
        Sentences about what was left out.
    repeated
        Judgments with repeats and probes, from which self-consistency is computed; None if these are `judgments`.
    """

    judgments: Judgments
    part: str = ""
    remarks: tuple[str, ...] = ()
    repeated: Judgments | None = None

    def agreement(self, settings: AgreementSettings, rng: np.random.Generator | None = None) -> Agreement:
        """Return the agreement of these judgments, kind by kind, with the remarks about what was left out.

        Raises NothingToTest if no statistic can be computed for any kind.
        """
        kinds = [kind for kind, table in self.judgments.tables.items() if len(table)]
        if len(kinds) < 2:
            agreement = agreement_of(self.judgments, replace(settings, part=self.part), rng, self.repeated)
            return replace(agreement, remarks=(*self.remarks, *agreement.remarks))
        rows: list[AgreementRow] = []
        heads, remarks = [], dict.fromkeys(self.remarks)
        for kind in kinds:
            repeated = None if self.repeated is None else self.repeated.only(kind).compact()
            only = AgreementBasis(self.judgments.only(kind).compact(), self.part, repeated=repeated)
            agreement = only.agreement(settings, rng)
            heads += [len(rows)] if agreement.statistics else []
            words = KINDS[kind].words
            rows += [
                replace(row, statistic=f"{row.statistic}, {words} judgments") for row in agreement.statistics
            ]
            remarks |= dict.fromkeys(agreement.remarks)
        return Agreement(tuple(rows), tuple(remarks), tuple(heads))

    def sampled(self, most: int, rng: np.random.Generator) -> AgreementBasis:
        """Return the judgments of a random sample of items, if there are more than `most` judgments of single items.

        Parameters
        ----------
        most
            Number of judgments that is not exceeded by much.
        rng
            Source of randomness.

        Returns
        -------
        AgreementBasis
            The sample, with a remark; or all judgments. Comparisons, rankings and best-worst choices are not sampled.
        """
        if len(self.judgments) <= most or not only_raters_link(self.judgments):
            return self
        items = len(self.judgments.items)
        size = max(-(-items * most // len(self.judgments)), FEWEST_SHARED)
        chosen = self.judgments.items[np.sort(rng.permutation(items)[:size])]
        remark = f"Computed on a random sample of {size:,} of {items:,} items, with all their judgments."
        return replace(
            self,
            judgments=_about(self.judgments, chosen),
            remarks=(*self.remarks, remark),
            repeated=None if self.repeated is None else _about(self.repeated, chosen),
        )


def agreement_basis(ledger: Ledger, question: int) -> AgreementBasis:
    """Return the judgments on which agreement about a question is computed: the audit slice if it is large enough."""
    answers = ledger.counted_answers()
    fair = [answer for answer in answers if is_fair(ledger.tasks[answer.task])]
    # Probes and repeats are drawn from answered tasks. They count for self-consistency only, with the answers that they
    # repeat, and do not make a study adaptive.
    everything = ledger.judgments_in(ledger.counted_answers(probes=True), question).compact()
    if len(fair) == len(answers):
        return AgreementBasis(everything)
    random_tasks = ledger.judgments_in(fair, question).compact()
    if _shared(random_tasks) >= FEWEST_SHARED:
        remark = (
            f"The tasks were chosen adaptively. Agreement is computed on the audit slice: the {len(fair):,} of "
            f"{len(answers):,} answers to tasks that were chosen at random. Self-consistency is computed on all "
            "repeated answers."
        )
        return AgreementBasis(random_tasks, AUDIT_SLICE, (remark,), everything)
    remark = (
        f"The tasks were chosen adaptively, and the audit slice has fewer than {FEWEST_SHARED} items that two "
        "raters judged. Agreement is computed on all answers, and may differ from that of random items. Set "
        "explore to collect more answers to random tasks."
    )
    return AgreementBasis(everything, ADAPTIVE, (remark,))


def _about(judgments: Judgments, items: Labels) -> Judgments:
    """Return the judgments about these items only."""
    chosen = np.isin(judgments.items, items)
    tables = {name: table.where(chosen[table.codes["item"]]) for name, table in judgments.tables.items()}
    return replace(judgments, tables=tables).compact()


def _shared(judgments: Judgments) -> int:
    """Return the number of items that at least two raters judged, probes apart."""
    shared = 0
    for table in without_probes(judgments)[0].tables.values():
        for column in table.kind.items:
            pairs = np.unique(np.column_stack([table.codes[column], table.codes["rater"]]), axis=0)
            shared = max(shared, int(np.sum(np.bincount(pairs[:, 0]) > 1)) if len(pairs) else 0)
    return shared
