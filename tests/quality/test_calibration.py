import numpy as np
import pytest

from steelyard.quality.calibration import PredictedAnswer, Share, calibration_of, clustered_mean


def test_shares_are_counted_by_level_and_by_region():
    answers = [
        PredictedAnswer("a", 0.1, 0.1, (True, True, True, True)),
        PredictedAnswer("b", 0.5, 0.5, (False, True, True, True)),
        PredictedAnswer("c", 0.9, 0.9, (False, False, False, False)),
    ]
    calibration = calibration_of(answers)
    assert [share.held for _, share in calibration.by_level] == [1, 2, 2, 2]
    assert [(share.held, share.of) for _, share in calibration.by_region] == [(1, 1), (1, 1), (0, 1)]


def test_no_answers_give_no_shares():
    assert calibration_of([]).answers == 0
    assert Share(0, 0).interval() == (0.0, 1.0)


def test_the_interval_of_a_share_is_wilsons():
    # 81 of 263: Newcombe (1998), method 3, prints 0.2553 to 0.3662.
    low, high = Share(81, 263).interval()
    assert (round(low, 4), round(high, 4)) == (0.2553, 0.3662)


def test_errors_grow_when_answers_of_a_rater_hang_together():
    rng = np.random.default_rng(0)
    rater = np.repeat(np.arange(20), 10)
    score = rng.normal(0, 1, 20)[rater] + rng.normal(0, 0.1, 200)
    _, clustered = clustered_mean(score, [rater.tolist()])
    _, single = clustered_mean(score, [np.arange(200).tolist()])
    assert clustered > 2.5 * single


def test_the_clustered_error_is_the_spread_of_the_mean():
    rng = np.random.default_rng(1)
    means, errors = [], []
    for _ in range(300):
        rater, segment = np.repeat(np.arange(15), 8), np.tile(np.arange(8), 15)
        score = rng.normal(0, 1, 15)[rater] + rng.normal(0, 1, 8)[segment] + rng.normal(0, 1, 120)
        mean, error = clustered_mean(score, [rater.tolist(), segment.tolist()])
        means.append(mean)
        errors.append(error)
    assert np.mean(errors) == pytest.approx(np.std(means), rel=0.15)
