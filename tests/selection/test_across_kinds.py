"""The kind of the next question."""

from steelyard.selection.across_kinds import FIRST_TASKS, WayToAsk, best_first, is_measured


def test_a_way_without_a_task_comes_last():
    assert best_first([WayToAsk(0.5, 50, 1.0, 0.0), WayToAsk(0.5, 50, 90.0, 0.1)], 0.1) == [1, 0]


def test_every_way_keeps_its_part_of_the_tasks():
    answered = [10, 10, 10]
    for _ in range(570):
        ways = [
            WayToAsk(0.5, answered[0], 10.0, 0.5),
            WayToAsk(0.3, answered[1], 10.0, 0.1),
            WayToAsk(0.2, answered[2], 10.0, 0.2),
        ]
        answered[best_first(ways, 0.2)[0]] += 1
    assert sum(answered) == 600
    assert 36 <= answered[1] <= 37  # .2 x .3 x 600
    assert 24 <= answered[2] <= 25
    assert answered[0] > 530


def test_nothing_is_kept_apart_without_exploration():
    assert best_first([WayToAsk(0.5, 500, 10.0, 0.5), WayToAsk(0.5, 0, 10.0, 0.1)], 0.0) == [0, 1]


def test_information_is_compared_when_every_way_was_answered():
    assert not is_measured([200, FIRST_TASKS - 1])
    assert is_measured([200, FIRST_TASKS])
