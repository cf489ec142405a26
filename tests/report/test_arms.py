import json
import re

from steelyard.quality.arms import ArmsComparison, ArmValue, ComparedMeasure, Contrast
from steelyard.quality.arms.measures import DISAGREEMENT, NEEDED
from steelyard.report.contents import Cover, report_of_watch
from steelyard.report.json_document import report_json
from steelyard.report.markdown import report_markdown
from steelyard.report.page import render_report
from steelyard.report.parts.arms import arms_part, verdict_of
from tests.study.results.test_arms import watch  # noqa: F401  a fixture


def compared(p, effect=0.5, names=("old", "new")):
    values = (ArmValue(names[0], 8.0, 6.0, 10.0, 20), ArmValue(names[1], 8.0 * effect, 3.0, 5.0, 20))
    contrast = Contrast(*names, effect, 0.4, 0.7, p, p)
    measures = tuple(ComparedMeasure(each, values, (contrast,)) for each in (DISAGREEMENT, NEEDED))
    return ArmsComparison(names, 30, measures, (), ())


def test_the_verdict_names_the_better_arm_with_its_test():
    assert verdict_of(compared(0.004)) == (
        "On these data, “new” works better. For a reliability of 0.9, “old” needs 8 and “new” needs 4 answers per item "
        "(ratio 0.5, 95% interval 0.4 to 0.7, p = 0.004)."
    )


def test_the_verdict_states_that_nothing_can_be_determined():
    assert verdict_of(compared(0.3)).startswith("The data do not determine which way of asking works better.")
    empty = ArmsComparison(("a", "b"), 0, (), (), ())
    assert verdict_of(empty).startswith("It cannot be determined yet")


def test_only_clear_differences_are_findings():
    (clear,), (unclear,) = (arms_part([("", compared(p))]).questions for p in (0.01, 0.5))
    assert clear.findings[0].startswith("Raters disagree 50% less about an item in “new” than in “old”")
    assert unclear.findings == ()


def test_the_report_of_a_study_compares_its_arms_and_has_a_section_for_each(watch):  # noqa: F811
    report = report_of_watch(watch, Cover("", 0.0))
    assert [section.name for section in report.sections] == ["slider", "range"]
    assert report.collection.judgments == 144
    assert report.collection.task.startswith("slider: ")
    for text in (render_report(report), report_markdown(report)):
        assert "Conditions compared" in text
        assert "Answers per item for reliability 0.9" in text
    arms = json.loads(report_json(report))["arms"]
    assert arms["questions"][0]["conditions"] == ["slider", "range"]
    assert re.search(r"\| Disagreement about an item \| [\d.]+ \(", report_markdown(report))


def test_the_report_of_one_arm_has_no_comparison(watch):  # noqa: F811
    report = report_of_watch(watch, Cover("", 0.0), condition="range")
    assert report.arms is None
    assert len(report.sections) == 1
