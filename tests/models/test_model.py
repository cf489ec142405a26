import pytest

from steelyard import BestWorst, Comparison, Judgments, Range, Ranking, Rating, errors
from steelyard.models.known import item_models, model_named

RECORDS = {
    "rating": [Rating(rater, item, at) for rater in ("ann", "bob") for at, item in enumerate("abc")],
    "comparison": [
        Comparison(rater, *pair, "left") for rater in ("ann", "bob") for pair in ("ab", "bc", "ca")
    ],
    "ranking": [Ranking("ann", "t", {"a": 1, "b": 2, "c": 3}), Ranking("bob", "t", {"c": 1, "b": 2, "a": 3})],
    "best_worst": [
        BestWorst("ann", "t", ("a", "b", "c"), "a", "c"),
        BestWorst("bob", "t", ("a", "b", "c"), "c", "b"),
    ],
    "range": [Range(rater, item, at, at + 2) for rater in ("ann", "bob") for at, item in enumerate("abc")],
}


def judged(*kinds):
    return Judgments.of([record for kind in kinds for record in RECORDS[kind]], range=(0, 10))


def refused(model):
    taken = (*model.kinds, *model.capabilities.also_fits)
    return next((kind for kind in ("range", "rating") if kind not in taken), None)


@pytest.mark.parametrize("name", [name for name, model in item_models().items() if refused(model)])
def test_no_model_ignores_judgments_of_another_kind(name):
    model = model_named(name)
    other = refused(model)
    mixed = judged(model.kinds[0], other)
    with pytest.raises(errors.MixedKinds) as caught:
        model.fit(mixed)
    message = str(caught.value)
    for kind, table in mixed.tables.items():
        assert f"{len(table)} {kind} rows" in message
    assert f"judgments.only('{model.kinds[0]}')" in message
    assert f"--kind {model.kinds[0]}" in message
    assert len(model.fit(mixed.only(model.kinds[0])).scale) == 3


@pytest.mark.parametrize("name", [name for name, model in item_models().items() if not refused(model)])
def test_a_model_of_all_kinds_counts_the_judgments_of_each(name):
    fit = model_named(name).fit(judged(*RECORDS))
    assert fit.provenance.judgments == 6 + 6 + 2 + 2 + 6
    assert set(fit.item) == {"a", "b", "c"}


def test_a_model_of_two_kinds_takes_both():
    fit = model_named("plackett_luce").fit(judged("ranking", "comparison"))
    assert fit.provenance.judgments == 8
