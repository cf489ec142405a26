"""The HTML of a HIT: its answers can be imported for every protocol."""

import csv
import re

import pytest

from steelyard.cli.studies import open_session
from steelyard.crowds.hit_form import batch_form, task_question
from steelyard.kinds.known import PROTOCOLS
from tests.cli.test_commands import steelyard
from tests.serving import write_study

INPUT = re.compile(r'<input type="(radio|number)" name="([^"]+)"(?: value="([^"]*)")?(.*?)>')


def answers_of(form):
    """Fill in a form: the first choice of each group, a low number first, and ranks in the order of the items."""
    filled = {}
    for kind, name, value, limits in INPUT.findall(form):
        if kind == "radio":
            filled.setdefault(name, value)
            if name == "worst":
                filled[name] = value
        else:
            low, high = (re.search(rf'{each}="([^"]+)"', limits).group(1) for each in ("min", "max"))
            filled[name] = (
                name.removeprefix("rank") if name.startswith("rank") else low if "low" in name else high
            )
    return filled


def results_of(batch, form, path):
    answers = answers_of(form)
    with batch.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    columns = ["HITId", "AssignmentId", "WorkerId", "AssignmentStatus"]
    lines = [
        {
            **dict(zip(columns, (f"h{at}", f"a{at}", "w1", "Submitted"), strict=True)),
            **{f"Input.{name}": value for name, value in row.items()},
            **{f"Answer.{name}": value for name, value in answers.items()},
        }
        for at, row in enumerate(rows)
    ]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(lines[0]))
        writer.writeheader()
        writer.writerows(lines)
    return len(lines)


@pytest.mark.parametrize("protocol", [name for name in PROTOCOLS if name != "yes_no"])
def test_answers_to_the_form_of_any_protocol_are_imported(tmp_path, protocol):
    write_study(tmp_path / "study", protocol=protocol, extra="list_size = 4\ngroup_size = 4")
    batch, form, results = (tmp_path / name for name in ("batch.csv", "form.html", "results.csv"))
    steelyard(
        "next", tmp_path / "study", "--tasks", "2", "--format", "mturk-csv", "-o", batch, "--form", form
    )
    tasks = results_of(batch, form.read_text(encoding="utf-8"), results)
    imported = steelyard("import", tmp_path / "study", results)
    assert f"Imported {tasks} answer" in imported.stderr
    assert "can't judge" not in steelyard("export", tmp_path / "study", "--what", "answers").stdout


def test_no_answer_is_preselected_and_texts_of_items_are_escaped(tmp_path):
    write_study(tmp_path / "study", protocol="comparison", extra="both_bad = true\nstrength = true")
    study = open_session(tmp_path / "study").study
    page = task_question(study.definition, study.items, ("burger", "tea"))
    assert "checked" not in page
    assert "Double burger, &lt;b&gt;fries&lt;/b&gt; &amp; “sauce”" in page
    assert {"outcome2", "strength2", "na2"} <= set(re.findall(r'name="([^"]+)"', page))
    assert "https://www.mturk.com" in page
    assert "${text1}" in batch_form(study.definition, study.items, 2)


def test_a_form_is_in_the_language_of_the_study(tmp_path):
    extra = 'language = "ar"\nstrength = true'
    write_study(tmp_path / "study", protocol="comparison", items=[("a", "شاي"), ("b", "أرز")], extra=extra)
    study = open_session(tmp_path / "study").study
    page = task_question(study.definition, study.items, ("a", "b"))
    assert '<html lang="ar" dir="rtl">' in page
    shown = re.sub(r"<(style|script)>.*?</\1>", "", page, flags=re.DOTALL)
    texts = {text.strip() for text in re.findall(r">([^<>]+)<", shown)} - {study.definition.title, ""}
    question = study.definition.questions[0].text
    assert [text for text in texts - {question} if re.search("[A-Za-z]{3}", text) and "HIT" not in text] == []
    assert any("متساويان تقريبًا" in text for text in texts)
