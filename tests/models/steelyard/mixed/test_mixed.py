"""Several kinds of judgment on one scale."""

import numpy as np
import pytest

from steelyard import (
    BestWorst,
    BradleyTerry,
    Comparison,
    Judgments,
    Range,
    Ranking,
    Rating,
    Steelyard,
    Thurstone,
)
from steelyard.errors import BadSetting
from steelyard.models.steelyard.mixed.fitting import orders_by_kind, solve_unrated
from steelyard.models.steelyard.mixed.joint import Base, Sweeps
from steelyard.models.steelyard.mixed.learning import learn_widening
from steelyard.models.steelyard.mixed.model import fit_mixed
from steelyard.models.steelyard.mixed.tasks import Perceived, propagate

ITEMS, RATERS = 30, 8


class World:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.truth = self.rng.random(ITEMS)
        self.bias = 0.1 * self.rng.standard_normal(RATERS)

    def seen(self, items, noise=0.15):
        return self.truth[items] + noise * self.rng.standard_normal(len(items))

    def ratings(self, turns):
        return [
            Rating(f"r{who}", f"i{at:02d}", float(np.clip(score + self.bias[who], 0, 1)))
            for _ in range(turns)
            for at, score in enumerate(self.seen(np.arange(ITEMS)))
            for who in [int(self.rng.integers(RATERS))]
        ]

    def comparisons(self, count, truth=None):
        made = []
        for _ in range(count):
            one, other = self.rng.choice(ITEMS, 2, replace=False)
            z = self.truth if truth is None else truth
            gap = z[one] - z[other] + 0.2 * self.rng.standard_normal()
            outcome = "tie" if abs(gap) < 0.05 else "left" if gap > 0 else "right"
            made.append(Comparison(f"r{self.rng.integers(RATERS)}", f"i{one:02d}", f"i{other:02d}", outcome))
        return made

    def rankings(self, count):
        for at in range(count):
            items = self.rng.choice(ITEMS, 4, replace=False)
            ranks = 1 + np.argsort(np.argsort(-self.seen(items)))
            named = {f"i{item:02d}": int(rank) for item, rank in zip(items, ranks, strict=True)}
            yield Ranking(f"r{self.rng.integers(RATERS)}", f"k{at}", named)

    def choices(self, count):
        for at in range(count):
            items = self.rng.choice(ITEMS, 4, replace=False)
            order = items[np.argsort(-self.seen(items))]
            names = tuple(f"i{item:02d}" for item in items)
            yield BestWorst(
                f"r{self.rng.integers(RATERS)}", f"b{at}", names, f"i{order[0]:02d}", f"i{order[-1]:02d}"
            )

    def order(self, fit):
        at = [int(name[1:]) for name in fit.item]
        return float(np.corrcoef(self.truth[at], fit.posterior.position)[0, 1])


def unique(ratings):
    return list({(each.rater, each.item): each for each in ratings}.values())


def test_ratings_alone_have_the_positions_of_the_rating_model():
    judgments = Judgments.of(unique(World(1).ratings(4)), range=(0, 1))
    plain, joint = Steelyard().fit(judgments), fit_mixed(Steelyard(), judgments)
    assert joint.posterior.average.weights == plain.posterior.average.weights
    assert joint.posterior.position == pytest.approx(plain.posterior.position, abs=1e-6)
    assert joint.posterior.spread == pytest.approx(plain.posterior.spread, abs=1e-6)


def alone(judgments):
    judgments = judgments.canonical()
    solved = solve_unrated(
        len(judgments.items),
        orders_by_kind(judgments),
        len(judgments.raters),
        differ=False,
        sweeps=Sweeps(most=200, tolerance=1e-7, learn_links=False),
        link=1.0,
    )
    return solved.mean - solved.mean.mean()


def compared(per_item, seed):
    rng = np.random.default_rng(seed)
    position = 0.7 * rng.standard_normal(6)
    made = []
    for _ in range(per_item * 3):
        one, other = rng.choice(6, 2, replace=False)
        won = position[one] - position[other] + rng.standard_normal() > 0
        made.append(Comparison("ann", f"i{one}", f"i{other}", "left" if won else "right"))
    return Judgments.of(made)


def test_comparisons_alone_without_rater_terms_are_thurstone_s_model():
    judgments = compared(30, seed=2)
    other = Thurstone(prior_sd=1.0).fit(judgments).posterior.position
    assert alone(judgments) == pytest.approx(other - other.mean(), abs=1e-3)


def test_many_comparisons_without_rater_terms_agree_with_probit_bradley_terry():
    judgments = compared(1000, seed=3)
    fit = BradleyTerry(link="probit", penalty="ridge", prior_sd=1.0).fit(judgments)
    position = fit.posterior.position - fit.posterior.position.mean()
    assert np.max(np.abs(alone(judgments) - position) / fit.posterior.spread) < 0.1


def test_comparisons_improve_the_order_of_few_ratings():
    gains = []
    for seed in range(4):
        world = World(seed)
        ratings = Judgments.of(unique(world.ratings(1)), range=(0, 1))
        both = ratings + Judgments.of(world.comparisons(120))
        gains.append(world.order(Steelyard().fit(both)) - world.order(Steelyard().fit(ratings)))
    assert np.mean(gains) > 0.02


def test_every_kind_alone_recovers_the_order():
    world = World(5)
    widths = [(float(score), 0.1 * world.rng.random()) for score in world.seen(np.arange(ITEMS))]
    ranges = [
        Range(f"r{at % RATERS}", f"i{at:02d}", max(0.0, score - width), max(0.0, score) + width)
        for at, (score, width) in enumerate(widths)
    ]
    for answers in (world.comparisons(200), [*world.rankings(60)], [*world.choices(80)], ranges):
        fit = Steelyard().fit(Judgments.of(answers))
        assert world.order(fit) > 0.7
        assert fit.converged


def test_without_ratings_the_fit_says_that_there_is_no_unit():
    fit = Steelyard().fit(Judgments.of(World(6).comparisons(100)))
    assert any("no unit and no zero" in text for text in fit.remarks)
    assert fit.provenance.range is None
    assert float(np.mean(fit.posterior.position)) == pytest.approx(0.0, abs=1e-9)


def test_kinds_that_disagree_are_reported_with_items_and_remedy():
    world = World(7)
    ratings = Judgments.of(unique(world.ratings(6)), range=(0, 1))
    other = Judgments.of(world.comparisons(600, truth=world.rng.permutation(world.truth)))
    fit = Steelyard().fit(ratings + other)
    [warning] = [text for text in fit.remarks if "disagree" in text]
    assert "--kind comparison" in warning
    assert "i" in warning
    assert fit.kinds[0]["correlation"] < 0.8
    apart = Steelyard().fit_separately(ratings + other)
    assert list(apart) == ["rating", "comparison"]
    assert apart["rating"].posterior.position.tolist() == Steelyard().fit(ratings).posterior.position.tolist()


def _about_another_quality(world, correlation):
    """Truth of another quality, whose correlation with that of the world is exactly this."""
    own = world.truth - world.truth.mean()
    rest = world.rng.standard_normal(ITEMS)
    rest = rest - rest.mean() - own * ((rest - rest.mean()) @ own) / (own @ own)
    rest = rest * np.linalg.norm(own) / np.linalg.norm(rest)
    return world.truth.mean() + correlation * own + np.sqrt(1.0 - correlation**2) * rest


@pytest.mark.parametrize("correlation", [-0.9, 0.0, 0.6])
def test_the_correlation_of_kinds_is_that_of_their_qualities_and_may_be_negative(correlation):
    estimates = []
    for seed in range(4):
        world = World(seed)
        ratings = Judgments.of(unique(world.ratings(4)), range=(0, 1))
        other = world.comparisons(300, truth=_about_another_quality(world, correlation))
        fit = Steelyard().fit(ratings + Judgments.of(other))
        estimates.append(fit.kinds[0]["correlation"])
        assert any("disagree" in text for text in fit.remarks)
    assert np.mean(estimates) == pytest.approx(correlation, abs=0.1)


def test_the_gaussian_of_ratings_is_wider_if_comparisons_show_larger_errors():
    rng = np.random.default_rng(4)
    truth, claimed = rng.standard_normal(ITEMS), 0.2
    rows = []
    for at in range(600):
        one, other = rng.choice(ITEMS, 2, replace=False)
        won = truth[one] - truth[other] + 0.5 * rng.standard_normal() > 0
        rows.append(Comparison(f"r{at}", f"i{one:02d}", f"i{other:02d}", "left" if won else "right"))
    solution = solve_unrated(ITEMS, orders_by_kind(Judgments.of(rows).canonical()), len(rows), differ=False)
    z = rng.standard_normal(ITEMS)
    factors = [
        learn_widening(
            Base(truth + np.sqrt(actual) * z, np.eye(ITEMS) / claimed, 1.0, answers=1.5), solution.terms
        )
        for actual in (claimed, 3.0 * claimed)
    ]
    assert factors[0] < 1.4
    assert factors[1] > 1.6


def test_kinds_that_agree_give_no_warning():
    world = World(8)
    both = Judgments.of([*unique(world.ratings(4)), *world.comparisons(200)], range=(0, 1))
    fit = Steelyard().fit(both)
    assert not any("disagree" in text for text in fit.remarks)
    assert fit.kinds[0]["correlation"] > 0.9
    assert fit.kinds[0]["noise"] == pytest.approx(0.2, rel=0.5)


def test_a_rater_who_always_presses_left_is_a_spammer_of_all_kinds():
    world = World(9)
    left = [
        Comparison("lazy", f"i{one:02d}", f"i{other:02d}", "left")
        for one, other in (world.rng.choice(ITEMS, 2, replace=False) for _ in range(40))
    ]
    both = Judgments.of([*unique(world.ratings(3)), *world.comparisons(200), *left], range=(0, 1))
    spam = {row["rater"]: row["spam"] for row in Steelyard().fit(both).raters}
    assert spam["lazy"] > 0.9
    assert max(value for rater, value in spam.items() if rater != "lazy") < 0.5


def test_the_probability_of_a_ranking_is_that_of_simulated_perceptions():
    mean, covariance = np.array([[0.4, 0.1, -0.2]]), np.diag([0.5, 0.8, 0.6])[None]
    signs = np.array([[[1.0, -1.0, 0.0], [0.0, 1.0, -1.0]]])
    ranked = Perceived(mean, covariance, signs, np.zeros((1, 2), dtype=bool), np.zeros(1))
    log_probability = propagate(ranked, propagate(ranked, None)).log_probability[0]
    drawn = np.random.default_rng(1).multivariate_normal(mean[0], covariance[0], 200_000)
    share = np.mean((drawn[:, 0] > drawn[:, 1]) & (drawn[:, 1] > drawn[:, 2]))
    assert np.exp(log_probability) == pytest.approx(share, rel=0.03)


def test_several_kinds_have_no_scale_of_systems():
    both = Judgments.of([*unique(World(3).ratings(2)), *World(3).comparisons(20)], range=(0, 1))
    with pytest.raises(BadSetting, match="from ratings only"):
        Steelyard().fit(both).systems()


def _with_machine(judgments, scores=0.5):
    items = judgments.items.tolist()
    rows = {"rater": ["m"] * len(items), "item": items, "source": ["machine"] * len(items)}
    values = [scores + 0.01 * int(item[1:]) for item in items]
    return Judgments.concat([judgments, Judgments.from_columns("rating", {**rows, "score": values})])


def test_the_remarks_of_a_mixed_fit_report_the_use_of_machine_answers():
    both = Judgments.of([*unique(World(3).ratings(2)), *World(3).comparisons(20)], range=(0, 1))
    fit = Steelyard().fit(_with_machine(both))
    assert "features=judge m" in fit.signature
    assert any("30 answers of machine judges (m) determine the prior means" in each for each in fit.remarks)


def test_without_ratings_machine_answers_are_left_out_with_a_remark():
    compared = _with_machine(Judgments.of(World(3).comparisons(60)))
    fit = Steelyard().fit(compared)
    assert "judge m" not in fit.signature
    assert any("machine judge are left out" in each for each in fit.remarks)


def test_levels_are_in_the_signature_of_a_mixed_fit():
    ratings = [Rating(each.rater, each.item, round(4 * each.score)) for each in unique(World(3).ratings(2))]
    both = Judgments.of([*ratings, *World(3).comparisons(20)], range=(0, 4))
    assert "levels=5" in Steelyard(levels=5).fit(both).signature


def test_the_limit_of_items_is_stated_for_one_kind_and_for_several():
    compared = [Comparison("ann", f"i{at}", f"i{at + 1}", "left") for at in range(2000)]
    with pytest.raises(BadSetting, match=r"fits comparison judgments for at most 2,000 items.*bradley_terry"):
        Steelyard().fit(Judgments.of(compared))
    with pytest.raises(BadSetting, match=r"fits several kinds for at most 2,000 items.*--kind"):
        Steelyard().fit(Judgments.of([*compared, Rating("ann", "i0", 1.0)]))
