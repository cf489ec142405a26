"""Systems that share item ids."""

import pytest

from steelyard import Crossed, DirectAssessment, Judgments, Steelyard
from steelyard.errors import BadSetting


@pytest.mark.parametrize("model", [Steelyard(), DirectAssessment(), Crossed()])
def test_systems_that_share_all_item_ids_are_named_as_the_cause(model):
    rows = [(rater, item, system) for rater in "abcd" for item in "123" for system in "xy"]
    columns = {
        "rater": [row[0] for row in rows],
        "item": [row[1] for row in rows],
        "system": [row[2] for row in rows],
        "score": [10.0 + 7.0 * at % 80 for at in range(len(rows))],
    }
    judgments = Judgments.from_columns("rating", columns, range=(0, 100))
    with pytest.raises(BadSetting, match="--item-key system,item"):
        model.fit(judgments).systems()
