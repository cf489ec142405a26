"""Answers of machine judges are set apart when judgments are read, and kept when they are written."""

import io

import pytest

from steelyard import BradleyTerry, DirectAssessment, Judgments, Rating, convert, read
from steelyard.errors import BadRows, NothingToFit
from steelyard.judgments.assumptions import assumptions
from steelyard.judgments.frames import to_columns
from steelyard.judgments.sources import together
from steelyard.quality.agreement import agreement_of

ROWS = """rater,item,score,source,family
ann,a,20,human,
bob,a,40,human,
ann,b,30,,
bob,b,70,,
llama,a,5.5,machine,meta
llama,b,7,,meta
llama,a,6.5,machine,meta
bleu,b,900,Machine,
"""


def sheet(more: str = "") -> io.BytesIO:
    return io.BytesIO((ROWS + more).encode())


@pytest.fixture
def judged() -> Judgments:
    return read(sheet(), range=(0, 100))


def test_machine_answers_are_in_no_table_or_list_of_raters(judged: Judgments) -> None:
    assert len(judged) == 4
    assert judged.raters.tolist() == ["ann", "bob"]
    assert judged.machine is not None
    assert judged.machine.raters.tolist() == ["llama", "bleu"]
    assert judged.machine.cells("rating", "family").tolist() == ["meta", "meta", "meta", None]


def test_an_empty_cell_has_the_source_of_the_other_rows_of_its_rater(judged: Judgments) -> None:
    assert judged.machine is not None
    assert judged.machine.cells("rating", "score").tolist() == [5.5, 7.0, 6.5, 900.0]


def test_models_and_agreement_do_not_change_when_machine_answers_are_added(judged: Judgments) -> None:
    people = "".join(
        line for line in ROWS.splitlines(keepends=True) if not line.startswith(("llama", "bleu"))
    )
    alone = read(io.BytesIO(people.encode()), range=(0, 100))
    positions = [DirectAssessment().fit(each).scale.position.tolist() for each in (judged, alone)]
    assert positions[0] == positions[1]
    assert agreement_of(judged).statistics == agreement_of(alone).statistics


def test_what_was_left_out_is_reported(judged: Judgments) -> None:
    sentences = [finding.sentence for finding in assumptions(judged)]
    assert "4 rows by 2 machine judges are left out. Only people's answers are used." in sentences
    assert not [each for each in assumptions(judged, uses_machine=True) if each.name == "machine answers"]


def test_writing_and_reading_again_keeps_the_source(judged: Judgments) -> None:
    again = read(to_columns(together(judged)), range=(0, 100))
    assert again.machine is not None
    assert judged.machine is not None
    assert to_columns(again) == {**to_columns(judged), "family": [None] * 4}
    assert to_columns(again.machine) == to_columns(judged.machine)


def test_another_word_and_a_rater_of_both_sources_are_mistakes() -> None:
    with pytest.raises(BadRows, match=r"line 10: source 'robot' is unknown. Allowed: human, machine"):
        read(sheet("cem,a,20,robot,\n"))
    with pytest.raises(BadRows, match="rater 'llama' is human here and a machine judge in other rows"):
        read(sheet("llama,c,3,human,\n"))
    assert read(sheet("cem,a,20,robot,\n"), bad_rows="drop").reading.left_out == {"with an unknown word": 1}


def test_a_column_source_of_another_meaning_is_a_covariate() -> None:
    judged = read({"rater": ["a", "m"], "item": ["x", "x"], "score": [1, 1], "source": ["wiki", "news"]})
    assert judged.machine is None
    assert judged.cells("rating", "source").tolist() == ["wiki", "news"]


def test_raters_may_be_named_as_machine_judges() -> None:
    rows = {"rater": ["ann", "bleu"], "item": ["x", "x"], "score": [1, 1]}
    judged = read(rows, machine_raters=["bleu"])
    assert judged.raters.tolist() == ["ann"]
    assert judged.machine is not None


def test_single_records_and_every_kind_are_set_apart() -> None:
    records = Judgments.of([Rating("ann", "a", 3), Rating("m", "a", 3, {"source": "machine"})])
    assert records.raters.tolist() == ["ann"]
    assert records.machine is not None
    ranked = {
        "rater": ["ann", "ann", "m", "m"],
        "task": ["1", "1", "2", "2"],
        "item": ["x", "y"] * 2,
        "rank": [1, 2, 2, 1],
        "source": ["human", "human", "machine", "machine"],
    }
    converted = convert(read(ranked))
    assert to_columns(together(converted))["outcome"] == ["left", "right"]
    assert to_columns(together(converted))["source"] == ["human", "machine"]


def test_a_file_of_machine_answers_only_is_not_fitted_as_people() -> None:
    votes = {"rater": ["m"], "left": ["x"], "right": ["y"], "outcome": ["left"], "source": ["machine"]}
    with pytest.raises(NothingToFit):
        BradleyTerry().fit(read(votes))
    ratings = {"rater": ["m"], "item": ["x"], "score": [3], "source": ["machine"]}
    with pytest.raises(NothingToFit, match="all answers are by machine judges"):
        DirectAssessment().fit(read(ratings))


def test_parts_have_their_own_machine_answers() -> None:
    rows = {
        "rater": ["ann", "m", "bob", "n"],
        "item": ["x"] * 4,
        "score": [1] * 4,
        "question": ["q", "q", "r", None],
        "source": ["human", "machine", "human", "machine"],
    }
    parts = dict(read(rows).by("question"))
    assert parts["q"].machine is not None
    assert parts["r"].machine is not None
    assert parts["q"].machine.raters.tolist() == ["m", "n"]
    assert parts["r"].machine.raters.tolist() == ["n"]


@pytest.mark.parametrize("kind", [None, "rating"])
def test_people_of_two_kinds_may_have_machine_scores_beside_them(kind: str | None) -> None:
    rows = """rater,item,score,left,right,outcome,source
ann,a,20,,,,human
ann,b,70,,,,human
ann,,,a,b,right,human
metric,a,.2,,,,machine
metric,b,.7,,,,machine
"""
    judged = read(io.BytesIO(rows.encode()), kind)
    assert judged.kinds == (("rating", "comparison") if kind is None else ("rating",))
    assert judged.machine is not None
    assert judged.machine.kinds == ("rating",)
    assert len(judged.machine) == 2
