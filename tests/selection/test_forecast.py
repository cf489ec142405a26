import pytest

from steelyard.selection.forecast import EXPONENT, forecast_judgments, reliability_after


def test_a_reached_target_needs_no_more_judgments():
    made = forecast_judgments(300, 0.96, 0.95)
    assert (made.more, made.low, made.high) == (0, 0, 0)


def test_the_forecast_grows_with_the_target_and_is_inside_its_interval():
    forecasts = [forecast_judgments(300, 0.9, target) for target in (0.91, 0.93, 0.95, 0.97)]
    more = [each.more for each in forecasts]
    assert more == sorted(more)
    assert all(0 < each.low < each.more < each.high for each in forecasts)
    widths = [each.high - each.low for each in forecasts]
    assert widths == sorted(widths)


def test_the_odds_of_the_squared_reliability_grow_as_a_power_of_the_judgments():
    # odds of 0.8**2 are 16/9; twice as many judgments multiply them by 2**EXPONENT
    odds = 16 / 9 * 2**EXPONENT
    assert reliability_after(100, 0.8, 200) == pytest.approx((odds / (1 + odds)) ** 0.5)


def test_forecast_and_later_reliability_agree():
    made = forecast_judgments(200, 0.85, 0.95)
    assert reliability_after(200, 0.85, 200 + made.more) == pytest.approx(0.95, abs=1e-3)


@pytest.mark.parametrize(
    ("judgments", "reliability", "target"), [(0, 0.9, 0.95), (50, 0.1, 0.95), (50, 0.4, 0.99), (50, 0.9, 1.0)]
)
def test_no_forecast_is_made_from_too_little_or_too_far(judgments, reliability, target):
    assert forecast_judgments(judgments, reliability, target) is None


def test_fewer_judgments_than_now_keep_the_reliability():
    assert reliability_after(100, 0.9, 80) == 0.9
    assert reliability_after(0, 0.0, 80) == 0.0
