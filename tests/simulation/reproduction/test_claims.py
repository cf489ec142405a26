import math

import pytest

from steelyard.simulation.reproduction.claims import (
    Check,
    Claim,
    count_verdicts,
    near,
    printed_claim,
    rounded,
)


def claim(*checks, **more):
    return Claim("Table 1", "A number.", "1", "1", checks, **more)


def test_a_claim_without_checks_needs_people():
    assert claim().verdict == "people"


def test_a_claim_is_reproduced_only_if_every_check_holds():
    assert claim(Check(1.0, 0.0, 2.0), near(3.0, 3.1, 0.2)).verdict == "reproduced"
    assert claim(Check(1.0, 0.0, 2.0), near(3.0, 3.1, 0.05)).verdict == "differs"


def test_a_number_that_was_not_computed_never_holds():
    assert claim(Check(math.nan)).verdict == "differs"


def test_what_was_planted_is_recovered_and_not_reproduced():
    assert claim(Check(1.0, 0.0), planted="an effect.").verdict == "planted"
    assert claim(Check(-1.0, 0.0), planted="an effect.").verdict == "differs"


def test_a_difference_states_its_reason_or_that_there_is_none():
    assert claim(Check(2.0, high=1.0), because="The scale differs.").reason == "The scale differs."
    assert claim(Check(2.0, high=1.0)).reason == "The cause is not known."
    assert claim(Check(0.0, high=1.0), because="The scale differs.").reason == ""


@pytest.mark.parametrize(
    ("value", "holds"), [(0.30264, True), (0.2966, False), (0.3035, True), (0.30351, False)]
)
def test_printed_digits_are_the_tolerance(value, holds):
    assert rounded(value, "0.303").holds is holds
    assert (printed_claim("", "", "0.303", value).verdict == "reproduced") is holds


def test_verdicts_are_counted_in_a_fixed_order():
    counts = count_verdicts([claim(), claim(Check(1.0)), claim(Check(1.0))])
    assert counts == {"reproduced": 2, "differs": 0, "planted": 0, "people": 1}
