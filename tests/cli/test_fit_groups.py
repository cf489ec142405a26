"""`steelyard fit --by` and `--where`: every result names its group, and no group stops the others."""

import csv
import io
import json

import pytest

from steelyard import Judgments, Rating, read
from steelyard.cli.fit_groups import groups_by, rows_where
from steelyard.errors import BadSetting, UnknownName
from tests.commands import finish

RATINGS = """rater,item,score,question,round
ann,tea,20,warm,1
bob,tea,30,warm,1
ann,soup,70,warm,2
bob,soup,80,warm,2
ann,tea,90,sweet,1
ann,soup,10,sweet,1
bob,soup,15,sweet,2
"""
COMPARISONS = """rater,left,right,outcome,question
ann,a,b,left,good
bob,a,b,right,good
ann,c,d,left,split
bob,c,d,right,split
ann,e,f,left,split
bob,e,f,right,split
ann,g,h,left,one
"""


def fit(text, *options, code=0):
    done = finish("fit", "-", "--range", "0", "100", *map(str, options), input=text)
    assert done.returncode == code, done.stderr
    return done


def compare(*options, code=0):
    done = finish("fit", "-", *map(str, options), input=COMPARISONS)
    assert done.returncode == code, done.stderr
    return done


def table_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_every_summary_stands_under_the_name_of_its_group():
    printed = fit(RATINGS, "--by", "question", "--summary").stdout
    warm, sweet = printed.index("question=warm\n============="), printed.index("question=sweet\n")
    assert warm < printed.index("steelyard |") < sweet


def test_several_columns_make_a_group_of_each_combination():
    done = fit(RATINGS, "--by", "question,round", "--model", "direct_assessment")
    rows = table_of(done.stdout)
    assert list(rows[0])[:3] == ["question", "round", "item"]
    groups = {(row["question"], row["round"], row["item"]) for row in rows}
    assert groups == {
        ("warm", "1", "tea"),
        ("warm", "2", "soup"),
        ("sweet", "1", "tea"),
        ("sweet", "1", "soup"),
        ("sweet", "2", "soup"),
    }
    assert "question=sweet, round=2 | direct_assessment" in done.stderr


def test_a_group_that_cannot_be_fitted_is_named_and_the_others_go_on():
    done = compare("--by", "question")
    assert {row["question"] for row in table_of(done.stdout)} == {"good"}
    assert "question=split | not fitted: bradley_terry: no judgment connects" in done.stderr
    assert "question=one | not fitted: " in done.stderr
    assert "2 of 3 groups could not be fitted" in done.stderr
    assert "question=good | bradley_terry" in done.stderr


def test_no_group_at_all_is_an_error_with_every_reason():
    done = compare("--by", "question", "--where", "question=split", "--where", "question=one", code=2)
    assert done.stdout == ""
    assert done.stderr.count("not fitted:") == 2
    assert "No group by question could be fitted (2 tried)" in done.stderr


def test_remarks_of_a_fit_name_its_group():
    done = compare("--by", "question", "--model", "elo")
    assert "question=split | No judgment links these 2 parts of the items: c, d (2); e, f (2)." in done.stderr
    assert "question=good | No judgment" not in done.stderr


def test_where_keeps_rows_and_says_how_many_it_leaves_out():
    done = fit(RATINGS, "--where", "question=warm", "--where", "round=1", "--model", "direct_assessment")
    assert [row["item"] for row in table_of(done.stdout)] == ["tea"]
    assert "5 rows of 7 are left out by --where question=warm --where round=1." in done.stderr
    assert "judgments 2 " in done.stderr


def test_several_values_of_one_column_keep_rows_with_any_of_them():
    done = fit(RATINGS, "--where", "rater=ann", "--where", "rater=bob", "--model", "direct_assessment")
    assert "0 rows of 7 are left out" in done.stderr


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("question=wram", "column question: unknown value 'wram'. Did you mean 'warm'?"),
        ("quest=warm", "--where: unknown column 'quest'"),
        ("question", "does not have the form COLUMN=VALUE"),
    ],
)
def test_a_condition_that_no_row_can_meet_is_refused(condition, message):
    done = fit(RATINGS, "--where", condition, code=2)
    assert message in done.stderr


def test_conditions_that_no_row_meets_together_are_refused():
    judgments = Judgments.of([Rating("ann", "tea", 1), Rating("bob", "soup", 2)])
    with pytest.raises(BadSetting, match="no row meets all"):
        rows_where(judgments, ["rater=ann", "item=soup"])


def test_rows_left_out_do_not_change_the_range_of_the_scale():
    judgments = read(
        {"rater": ["a", "a", "b"], "item": ["x", "y", "x"], "score": [0.5, 90, 1], "set": [1, 2, 1]}
    )
    kept, left_out = rows_where(judgments, ["set=1"])
    assert left_out == 1
    assert kept.score_range == judgments.score_range == (0.0, 100.0)


@pytest.mark.parametrize("side", ["--raters", "--items"])
def test_tables_of_raters_and_items_name_their_group_in_every_format(side, tmp_path):
    rows = table_of(fit(RATINGS, "--by", "question", side).stdout)
    assert next(iter(rows[0])) == "question"
    assert {row["question"] for row in rows} == {"warm", "sweet"}
    report = json.loads(fit(RATINGS, "--by", "question", side, "--json").stdout)
    assert [row["question"] for row in report] == [row["question"] for row in rows]
    path = tmp_path / "table.csv"
    fit(RATINGS, "--by", "question", side, "-o", path)
    assert table_of(path.read_text()) == rows


def test_a_column_that_the_scale_has_too_keeps_both():
    rows = table_of(fit(RATINGS, "--by", "item", "--model", "direct_assessment").stdout)
    assert [(row["by_item"], row["item"]) for row in rows] == [("tea", "tea"), ("soup", "soup")]


def test_groups_of_one_item_or_one_rater_are_fitted():
    done = fit(RATINGS, "--by", "rater,item")
    assert len(table_of(done.stdout)) == 4
    assert "rater=ann, item=tea | steelyard" in done.stderr


def test_a_cell_without_a_value_is_named_empty():
    columns = {"rater": ["a", "b"], "item": ["x", "x"], "score": [1, 2], "part": ["p", None]}
    groups = groups_by(read(columns), "part")
    assert [group.label for group in groups] == ["part=p", "part=(empty)"]


def test_an_unknown_column_is_refused():
    with pytest.raises(UnknownName, match="column 'quest'"):
        groups_by(Judgments.of([Rating("a", "x", 1)]), "quest,rater")


def test_rows_that_say_nothing_of_systems_are_counted():
    text = "rater,item,score,system\nann,a,10,s\nann,b,20,t\nbob,a,15,s\nbob,b,30,t\nann,c,30,\n"
    done = fit(text, "--unit", "system", "--model", "direct_assessment")
    assert "1 item names no system and cannot be used to estimate systems." in done.stderr


def test_a_setting_that_is_a_list_or_a_table_is_written_as_in_toml():
    rows = "".join(
        f"r{at},{pair},{'left' if at % 3 else 'right'},{'old' if at % 2 else 'young'}\n"
        for at in range(12)
        for pair in ("a,b", "b,c", "c,a")
    )
    text = "rater,left,right,outcome,group\n" + rows
    options = ["--set", 'rater_covariates=["group"]', "--set", 'reference_levels={group = "young"}']
    done = finish("fit", "-", *options, input=text)
    assert done.returncode == 0, done.stderr
    assert "rater_covariates=group" in done.stderr


def test_a_column_is_found_by_the_name_that_it_has_in_the_file():
    votes = "Judge,prompt_id,model_a,model_b,winner\n" + "".join(
        f"u{at % 3},p{at % 2},x,y,{('model_a', 'model_b')[at // 2 % 2]}\n" for at in range(12)
    )

    def fitted(*options):
        done = finish("fit", "-", *options, input=votes)
        assert done.returncode == 0, done.stderr
        return done

    assert fitted("--by", "prompt_id").stdout.startswith("segment,item,")
    assert "6 rows of 12 are left out" in fitted("--where", "prompt_id=p1").stderr
    assert "4 rows of 12" in fitted("--where", "Judge=u1", "--where", "judge=u2").stderr


def test_a_report_states_which_rows_it_uses_and_their_question(tmp_path):
    output = tmp_path / "report.json"
    finish("report", "-", "--range", "0", "100", "--where", "question=warm", "-o", str(output), input=RATINGS)
    collection = json.loads(output.read_text())["collection"]
    assert "3 rows of 7 are left out by --where question=warm." in collection["remarks"]
    assert collection["questions"] == ["warm"]
