"""Do the sections of study.toml go together?"""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.errors import BadSetting
from steelyard.models.known import MODELS
from steelyard.quality.raters import PLACED
from steelyard.study.definition.sections.asking import AskingSettings
from steelyard.study.definition.sections.choosing import ChoosingSettings
from steelyard.study.definition.sections.grounding import GroundingSettings
from steelyard.study.definition.sections.learning import LearningSettings

# The models whose belief a selection looks at.
SELECTION_NEEDS = {
    "easl": ("easl", "beta_ranking"),
    "information": ("steelyard",),
    "match_quality": ("trueskill", "beta_ranking"),
}
ALL_PAIRS = "all_pairs"


def check_protocol(asking: AskingSettings, learning: LearningSettings, choosing: ChoosingSettings) -> None:
    """Refuse a model or a selection that does not go with how the study asks."""
    way = asking.way
    if not set(way.kinds) & set(learning.kinds):
        fitting = ", ".join(name for name, model in MODELS.items() if set(way.kinds) & set(model.kinds))
        raise BadSetting("model", f"{learning.model!r} takes no {way.kind} judgments; use one of {fitting}.")
    if choosing.selection == ALL_PAIRS and asking.protocol != "comparison_list":
        raise BadSetting("selection", f'{ALL_PAIRS!r} is for protocol = "comparison_list".')
    if asking.protocol == "comparison_list" and choosing.selection != ALL_PAIRS:
        raise BadSetting("selection", f'comparison_list asks every pair; set selection = "{ALL_PAIRS}".')


def check_belief(learning: LearningSettings, choosing: ChoosingSettings) -> None:
    """Refuse a model without the belief that the selection, the rest of raters or a stopping rule looks at."""
    needed = SELECTION_NEEDS.get(choosing.selection, (learning.model,))
    if learning.model not in needed:
        fitting = " or ".join(f'model = "{name}"' for name in needed)
        raise BadSetting(
            "selection", f"{choosing.selection!r} chooses by the belief of another model; set {fitting}."
        )
    if choosing.least_worth and learning.model != "steelyard":
        raise BadSetting("least_worth", 'what answers are worth needs model = "steelyard".')
    if choosing.stop.looks_at_belief and learning.model != "steelyard":
        raise BadSetting("stop", 'reliability and interval_width need model = "steelyard".')


def check_examples(
    asking: AskingSettings, grounding: GroundingSettings, shows: Sequence[str], questions: int
) -> None:
    """Refuse examples along the scale where answers are no positions under one question."""
    shown = grounding.anchors is not None and tuple(shows) != ("labels",)
    if not (shown or grounding.is_grounded) or (asking.way.kind in PLACED and questions == 1):
        return
    part = "anchors" if shown or grounding.cold_start is not None else "rounds"
    raise BadSetting(part, "anchors are positions under one question: ask one, by rating, list or range.")


def check_beyond(asking: AskingSettings, choosing: ChoosingSettings, questions: int) -> None:
    """Refuse positions past the ends of a scale where a belief would be about the scale alone."""
    believes = choosing.selection in SELECTION_NEEDS or choosing.stop.looks_at_belief
    if questions > 1 or asking.way.kind not in PLACED or believes:
        raise BadSetting(
            "scale, beyond", "needs one question and a selection that does not look at a belief."
        )


def check_rounds(
    asking: AskingSettings,
    learning: LearningSettings,
    choosing: ChoosingSettings,
    grounding: GroundingSettings,
) -> None:
    """Refuse rounds and probes that do not go with how tasks are chosen."""
    if grounding.rounds.number > 1 and learning.update == "round":
        raise BadSetting("rounds", 'update = "round" makes rounds of its own; set update = "answer".')
    if grounding.probes is not None and (choosing.selection != "sequences" or asking.way.against):
        raise BadSetting("probes", 'repeat an item of a sequence: set selection = "sequences".')
