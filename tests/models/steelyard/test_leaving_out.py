from __future__ import annotations

import numpy as np

from steelyard import Judgments
from steelyard.models.steelyard.answers import answer_of
from steelyard.models.steelyard.inference import Schedule, infer
from steelyard.models.steelyard.layout import lay_out
from steelyard.models.steelyard.leaving_out import Refit, folds_of, predictions_without
from steelyard.models.steelyard.model import Steelyard
from steelyard.models.steelyard.parameters import Parts

LONG = Schedule(quiet=0, spam_after=99, least=60, most=60)


def test_every_rater_is_in_one_fold_and_folds_have_similar_numbers_of_answers(simulated):
    layout = lay_out(simulated("full", 5, seed=71)[0])
    fold = folds_of(layout, 8)
    answers = np.bincount(layout.rater, minlength=layout.raters)
    assert set(fold[answers > 0].tolist()) == set(range(8))
    load = np.bincount(fold[layout.rater])
    assert load.max() <= max(answers.max(), 1.5 * load.mean())


def test_few_raters_are_left_out_one_at_a_time(table):
    layout = lay_out(table([(f"r{a}", f"i{i}", "", (a + i) / 10) for a in range(3) for i in range(4)]))
    assert sorted(folds_of(layout, 8).tolist()) == [0, 1, 2]


def test_folds_do_not_depend_on_the_order_of_rows(simulated):
    judgments = simulated("full", 3, seed=72)[0]
    backwards = judgments.where(lambda table: np.arange(len(table))[::-1])
    one, other = (folds_of(lay_out(each), 8) for each in (judgments, backwards))
    np.testing.assert_array_equal(one, other)


def test_ratings_without_a_rater_are_never_left_out():
    columns = {"item": ["x", "y", "x", "y"], "score": [0.1, 0.9, 0.2, 0.7]}
    layout = lay_out(Judgments.from_columns("rating", columns, (0.0, 1.0)))
    assert layout.unnamed
    assert folds_of(layout, 8).tolist() == [-1]


def test_predictions_are_those_of_a_fit_that_never_saw_the_rater(simulated):
    judgments = simulated("full", 4, seed=73, items=50, raters=8)[0]
    layout, parts = lay_out(judgments), Parts(slope=False, noise=False, spam=False, offset=True)
    features = Steelyard().features_of(judgments)
    whole = infer(layout, features, parts, LONG)
    fold = np.where(np.arange(layout.raters) == 2, 0, -1)
    (predicted,) = predictions_without([Refit(whole, LONG)], layout, features, fold)
    others = lay_out(judgments.where(lambda table: table.codes["rater"] != 2))
    without = infer(others, features, parts, LONG)
    rows = layout.rater == 2
    expected = answer_of(without, without.latent)[layout.ratings.item[rows]]
    np.testing.assert_allclose(predicted[rows], expected, atol=2e-3)
    assert np.isnan(predicted[~rows]).all()


def test_slopes_and_noise_do_not_depend_on_the_predicted_answers(simulated):
    """A refit that starts from another refit has never seen the answers of the raters who are left out."""
    judgments = simulated("full", 4, seed=74, items=50, raters=8)[0]
    out = judgments.table("rating").codes["rater"] == 2
    turned = judgments.table("rating").numbers["score"]
    changed = {name: judgments.cells("rating", name).tolist() for name in ("rater", "item", "task")}
    changed["score"] = np.where(out, 1.0 - turned, turned).tolist()
    found = []
    for each in (judgments, Judgments.from_columns("rating", changed, (0.0, 1.0))):
        layout, features = lay_out(each), Steelyard().features_of(each)
        _, bias_only, rich, *_ = Steelyard().posterior(each).average.variants
        fold = np.where(np.arange(layout.raters) == 2, 0, -1)
        refits = [
            Refit(bias_only, LONG),
            Refit(rich, Schedule(quiet=0, spam_after=0, least=5, most=5), after=0),
        ]
        found.append(predictions_without(refits, layout, features, fold)[1][layout.rater == 2])
    np.testing.assert_allclose(*found, atol=5e-3)
