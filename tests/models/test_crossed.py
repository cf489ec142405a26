"""The crossed model with incomplete ratings."""

from steelyard import Judgments
from steelyard.models.crossed import Crossed


def test_ratings_without_a_rater_are_assigned_to_one_additional_rater():
    columns = {"rater": [], "item": [], "system": [], "segment": [], "score": []}
    for rater in ("ann", "bob", None):
        for system in (0, 1):
            for segment in range(4):
                values = (rater, f"{system}-{segment}", f"s{system}", f"g{segment}", 10.0 * system + segment)
                for name, value in zip(columns, values, strict=True):
                    columns[name].append(value)
    named = {**columns, "rater": ["cat" if rater is None else rater for rater in columns["rater"]]}
    fit = Crossed().fit(Judgments.from_columns("rating", columns))
    whole = Crossed().fit(Judgments.from_columns("rating", named))
    assert fit.posterior.position.tolist() == whole.posterior.position.tolist()
    assert fit.remarks[0] == "8 ratings name no rater. They are assigned to one additional rater."
