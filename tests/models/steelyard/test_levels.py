"""Levels of parts that no rater links."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from steelyard.models.steelyard.answers import answer_of
from steelyard.models.steelyard.averaging import FIRST, average_variants
from steelyard.models.steelyard.inference import infer
from steelyard.models.steelyard.layout import lay_out
from steelyard.models.steelyard.levels import level_errors, with_levels_of
from steelyard.models.steelyard.model import Steelyard
from steelyard.models.steelyard.parameters import Parts


def rows_of_two_parts(raters, linked=False, apart=0.4, seed=5):
    """Two parts of ten items, the second higher by `apart`; without links, each rater rates one part."""
    rng = np.random.default_rng(seed)
    truth = np.concatenate([np.linspace(0.2, 0.4, 10), apart + np.linspace(0.2, 0.4, 10)])
    rows = []
    for who in range(2 * raters):
        bias = rng.normal(0.0, 0.05)
        items = range(20) if linked else range(10 * (who % 2), 10 * (who % 2) + 10)
        rows += [
            (f"r{who}", f"i{at:02}", "", float(np.clip(truth[at] + bias + rng.normal(0.0, 0.1), 0.0, 1.0)))
            for at in items
        ]
    return rows


def variants_of(judgments):
    """Layout, the variant without rater effects, and bias only before and after its levels are set."""
    layout, features = lay_out(judgments), Steelyard().features_of(judgments)
    nothing = Parts(slope=False, noise=False, spam=False, offset=False, bias=False)
    mean = infer(layout, features, nothing, FIRST)
    before = infer(layout, features, replace(nothing, bias=True, offset=layout.shared_tasks), FIRST)
    return layout, mean, before, with_levels_of(mean, before, layout)


def distance(solution):
    low, high = answer_of(solution, solution.latent).reshape(2, 10).mean(axis=1)
    return high - low


def test_levels_of_parts_that_differ_are_nearly_those_without_rater_effects(table):
    _, mean, before, after = variants_of(table(rows_of_two_parts(raters=5)))
    assert distance(before) < 0.9 * distance(mean)
    assert abs(distance(after) - distance(mean)) < 0.5 * abs(distance(before) - distance(mean))


def test_levels_of_parts_that_do_not_differ_stay(table):
    _, _, before, after = variants_of(table(rows_of_two_parts(raters=5, apart=0.0)))
    assert after is before


def test_a_shift_of_levels_keeps_distances_inside_a_part_and_moves_biases_the_other_way(table):
    judgments = table(rows_of_two_parts(raters=5))
    _, _, before, after = variants_of(judgments)
    inside = (after.latent - before.latent).reshape(2, 10)
    np.testing.assert_allclose(inside, inside[:, :1] * np.ones(10), atol=1e-9)
    change = after.messages.rater_pull - before.messages.rater_pull
    part = np.array([int(label[1:]) % 2 for label in judgments.raters])
    assert inside[0, 0] < 0.0 < inside[1, 0]
    assert np.all(change[part == 0] > 0.0)
    assert np.all(change[part == 1] < 0.0)


def test_linked_items_keep_their_levels(table):
    _, _, before, after = variants_of(table(rows_of_two_parts(raters=3, linked=True)))
    assert after is before


def test_parts_of_few_raters_keep_their_levels(table):
    _, _, before, after = variants_of(table(rows_of_two_parts(raters=2)))
    assert after is before


def test_the_average_has_the_levels(table):
    judgments = table(rows_of_two_parts(raters=5))
    _, _, _, after = variants_of(judgments)
    average = average_variants(lay_out(judgments), Steelyard().features_of(judgments))
    np.testing.assert_allclose(average.bias_only.latent, after.latent, atol=1e-9)


def test_items_of_parts_that_differ_share_an_error_of_their_level(table):
    layout, _, before, _ = variants_of(table(rows_of_two_parts(raters=5)))
    errors = level_errors(before, layout)
    learnt = before.learnt
    prior, error = learnt.item_variance / 10, learnt.bias_variance / 5 + learnt.noise_variance / 50
    assert np.all(errors.variance > 0.0)
    assert np.all(errors.variance < error - prior * error / (prior + error))
    drawn = errors.draws(50, np.random.default_rng(1)).reshape(50, 2, 10)
    np.testing.assert_array_equal(drawn, drawn[:, :, :1] * np.ones(10))


def test_differences_between_parts_are_wider_and_those_inside_a_part_are_not(table):
    posterior = Steelyard().posterior(table(rows_of_two_parts(raters=3)))
    without = replace(posterior)
    without.__dict__["levels"] = None
    inside, across = (
        [
            np.std(np.subtract(*one.draws(4000, np.random.default_rng(2)).T[pair]))
            for one in (posterior, without)
        ]
        for pair in ([0, 1], [0, 19])
    )
    assert abs(inside[0] / inside[1] - 1.0) < 0.05
    assert across[0] > 1.05 * across[1]
    assert np.all(posterior.spread > without.spread)


def test_linked_items_and_parts_that_do_not_differ_have_no_error_of_levels(table):
    for rows in (rows_of_two_parts(raters=3, linked=True), rows_of_two_parts(raters=5, apart=0.0)):
        layout, _, before, _ = variants_of(table(rows))
        assert level_errors(before, layout) is None
