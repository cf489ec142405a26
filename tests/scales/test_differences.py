import numpy as np
import pytest

from steelyard.errors import UnknownName
from steelyard.scales.differences import adjusted, clusters_of, differences_of
from steelyard.scales.joint import Joint

LABELS = np.array(["a", "b", "c"], dtype=object)


def joint(position, variance=0.01, freedom=None):
    size = len(position)
    table = None if freedom is None else np.full((size, size), freedom)
    return Joint(np.array(position, dtype=float), variance * np.eye(size), table)


def test_a_difference_has_the_error_of_both_positions():
    differences = differences_of(LABELS, joint([3.0, 2.0, 0.0], 0.02))
    assert differences.estimate.tolist() == [1.0, 3.0, 2.0]
    assert differences.error == pytest.approx([0.2, 0.2, 0.2])
    assert differences.low == pytest.approx(differences.estimate - 1.959964 * 0.2, abs=1e-6)
    assert differences.detectable == pytest.approx((1.959964 + 0.841621) * 0.2 * np.ones(3), abs=1e-6)


def test_few_degrees_of_freedom_widen_intervals_and_raise_p_values():
    differences, estimated = (
        differences_of(LABELS, joint([3.0, 2.7, 0.0], 0.02, each)) for each in (None, 3.0)
    )
    assert (estimated.high - estimated.low > differences.high - differences.low).all()
    assert estimated.p[0] > differences.p[0]


def test_an_interval_excludes_zero_exactly_when_its_test_rejects():
    for gap in np.linspace(0.0, 1.0, 41):
        differences = differences_of(LABELS[:2], joint([gap, 0.0], 0.02, 7.0))
        assert (differences.p[0] < 0.05) == bool(differences.low[0] > 0.0 or differences.high[0] < 0.0)


def test_shared_errors_cancel_in_differences():
    shared = Joint(np.array([1.0, 0.9]), np.array([[1.0, 0.999], [0.999, 1.0]]))
    assert differences_of(LABELS[:2], shared).error[0] == pytest.approx(np.sqrt(0.002))


def test_items_of_unlinked_parts_have_no_difference():
    differences = differences_of(LABELS, joint([3.0, 2.0, 0.0]), part=np.array([0, 0, 1]))
    assert np.isnan(differences.p).tolist() == [False, True, True]


def test_bonferroni_holm_and_bh_agree_with_r():
    # R 4.2.2: p.adjust(c(0.01, 0.02, 0.03, 0.005), "holm") and "BH"
    p = np.array([0.01, 0.02, 0.03, 0.005])
    assert adjusted(p, "bonferroni") == pytest.approx([0.04, 0.08, 0.12, 0.02])
    assert adjusted(p, "holm") == pytest.approx([0.03, 0.04, 0.04, 0.02])
    assert adjusted(p, "bh") == pytest.approx([0.02, 0.02 * 4 / 3, 0.03, 0.02])


def test_single_step_of_equal_independent_items_is_that_of_the_studentised_range():
    # P(max |T| > t) over all pairs of 5 independent means is ptukey(sqrt(2) t, 5, Inf, lower = FALSE).
    from scipy.stats import studentized_range

    position = np.array([0.0, 0.1, 0.2, 0.3, 0.45])
    labels = np.array(list("abcde"), dtype=object)
    differences = differences_of(labels, joint(position, 0.01), "single_step")
    reach = np.abs(differences.estimate / differences.error) * np.sqrt(2.0)
    exact = studentized_range.sf(reach, 5, 100_000)
    assert differences.p == pytest.approx(exact, abs=2e-3)


def test_a_singular_covariance_is_adjusted_by_holm_with_a_note():
    singular = Joint(np.array([1.0, 0.5, 0.0]), np.ones((3, 3)) + np.diag([1.0, 0.0, 0.0]))
    differences = differences_of(LABELS, singular, "single_step")
    assert differences.adjust == "holm"
    assert "singular" in differences.notes[0]
    assert differences.p.tolist() == differences_of(LABELS, singular, "holm").p.tolist()


def test_an_unknown_adjustment_is_refused_with_the_closest_name():
    with pytest.raises(UnknownName, match="holm"):
        differences_of(LABELS, joint([1.0, 2.0, 3.0]), "hollm")


def clusters(position, variance=0.01, **settings):
    labels = np.array([f"i{at}" for at in range(len(position))], dtype=object)
    tested = differences_of(labels, joint(position, variance), settings.pop("adjust", "none"))
    return clusters_of(
        labels, np.array(position, dtype=float), tested, 0.05, settings.pop("one_sided", False)
    )


def test_a_line_is_drawn_exactly_where_every_pair_across_it_is_rejected():
    assert clusters([5.0, 4.9, 2.0, 1.9]) == (("i0", "i1"), ("i2", "i3"))
    # 1 and 3 are not separated, so no line may fall between them, though 2 and 3 are neighbours of both
    assert clusters([1.0, 0.9, 0.8]) == (("i0", "i1", "i2"),)
    assert clusters([0.0, 5.0]) == (("i1",), ("i0",))


def test_a_chain_of_close_items_is_one_cluster_although_its_ends_differ():
    position = [0.9, 0.7, 0.5, 0.3, 0.1]
    assert clusters(position) == (("i0", "i1", "i2", "i3", "i4"),)


def test_one_sided_tests_separate_more():
    position = [0.25, 0.0]  # z = 1.77
    assert clusters(position) == (("i0", "i1"),)
    assert clusters(position, one_sided=True) == (("i0",), ("i1",))


def test_one_item_and_no_item_have_clusters_too():
    assert clusters([1.0]) == (("i0",),)
    assert clusters([]) == ()
