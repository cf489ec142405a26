"""Messages of commands about the files they read, and the options for reading."""

import json

import pytest

from steelyard.cli.fitting import named_values
from tests.cli.test_commands import steelyard, table_of
from tests.cli.test_refusals import refused

VOTES = "judge,model_a,model_b,winner,conversation_id\n" + "".join(
    f"u{at % 3},{'xyz'[at % 3]},{'yzx'[at % 3]},{('model_a', 'model_b')[at // 3 % 2]},c{at}\n"
    for at in range(36)
)
REPEATED = "rater,item,score\nann,tea,20\nann,tea,40\nbob,tea,50\nann,soup,70\nbob,soup,90\n"
HALVES = "rater,item,score,condition\n" + "".join(
    f"{rater},{item},{score},{condition}\n"
    for rater in ("ann", "bob")
    for condition, scores in (("day", (0, 50, 100)), ("night", (100, 50, 0)))
    for item, score in zip("abc", scores, strict=True)
)
SEGMENTS = "rater,segment,item,score\n" + "".join(
    f"{rater},{segment},{item},{score}\n"
    for rater in ("ann", "bob")
    for segment, scores in (("s1", (10, 90)), ("s2", (90, 10)))
    for item, score in zip("12", scores, strict=True)
)
DIRECT = ("--model", "direct_assessment", "--range", 0, 100)


def test_fit_keeps_repeated_comparisons_and_says_how_many():
    done = steelyard("fit", "-", input=VOTES)
    assert "33 comparisons repeat the same rater's comparison of the same pair. All are kept" in done.stderr
    assert sum(float(row["count"]) for row in table_of(done.stdout)) == 72


def test_check_says_how_many_comparisons_are_repeated_and_what_it_does_not_know():
    printed = steelyard("check", "-", input=VOTES).stdout
    assert "33 comparisons repeat" in printed
    assert "Columns without a known meaning: conversation_id." in printed


@pytest.mark.parametrize("command", ["fit", "check"])
def test_repeated_ratings_are_refused_with_the_option_that_decides(command):
    message = refused(command, "-", input=REPEATED)
    assert "line 3: rater 'ann' already answered 'tea' in line 2." in message
    assert "--repeats first, last, mean or keep" in message


@pytest.mark.parametrize(
    ("repeats", "position", "remark"),
    [
        ("first", 35, "Omitted 1 of 5 rows: 1 that repeat an answer"),
        ("last", 45, "Omitted 1 of 5 rows"),
        ("mean", 40, "1 repeated rating was averaged"),
        ("keep", 110 / 3, "1 rating repeats"),
    ],
)
def test_fit_treats_repeated_ratings_as_told_and_says_so(repeats, position, remark):
    done = steelyard("fit", "-", *DIRECT, "--repeats", repeats, input=REPEATED)
    assert {row["item"]: float(row["position"]) for row in table_of(done.stdout)}["tea"] == pytest.approx(
        position
    )
    assert remark in done.stderr
    assert remark in steelyard("check", "-", "--repeats", repeats, input=REPEATED).stdout


def test_an_unknown_way_to_treat_repeats_is_answered_with_the_closest():
    assert "Did you mean 'first'?" in refused("fit", "-", "--repeats", "frist", input=REPEATED)


def test_dropped_rows_are_counted_where_the_scale_is_written():
    text = REPEATED + "cat,tea,x\ncat\n"
    done = steelyard("fit", "-", *DIRECT, "--drop-bad-rows", input=text)
    assert "Omitted 3 of 7 rows:" in done.stderr
    assert "1 with text where a number is needed" in done.stderr
    assert "1 that repeat an answer of the same rater" in done.stderr
    assert "Omitted 3 of 7 rows:" in steelyard("check", "-", "--drop-bad-rows", input=text).stdout


def test_a_missing_rater_column_is_reported_by_fit_and_check():
    text = "item,score,turker\ntea,20,ann\nsoup,40,bob\n"
    for remarks in (
        steelyard("fit", "-", *DIRECT, input=text).stderr,
        steelyard("check", "-", input=text).stdout,
    ):
        assert "There is no rater column, so all answers are treated as independent." in remarks
        assert "rename it to rater: turker." in remarks
    named = text.replace("turker", "worker_id")
    assert "rater column" not in steelyard("fit", "-", *DIRECT, input=named).stderr


def test_conditions_that_are_pooled_are_reported_until_each_is_fitted_apart():
    pooled = steelyard("fit", "-", *DIRECT, input=HALVES)
    assert {float(row["position"]) for row in table_of(pooled.stdout)} == {50}
    sentence = "The file has 2 conditions (day, night), which are pooled into one scale. "
    sentence += "To fit each separately: steelyard fit --by condition."
    assert sentence in pooled.stderr
    assert sentence in steelyard("check", "-", input=HALVES).stdout
    apart = steelyard("fit", "-", *DIRECT, "--by", "condition", input=HALVES)
    assert "pooled into one scale" not in apart.stderr


def test_items_of_several_segments_can_be_told_apart():
    pooled = steelyard("fit", "-", *DIRECT, input=SEGMENTS)
    assert "2 items occur in several segments, and equal ids count as one item." in pooled.stderr
    assert "2 items occur in several segments" in steelyard("check", "-", input=SEGMENTS).stdout
    apart = steelyard("fit", "-", *DIRECT, "--item-key", "segment,item", input=SEGMENTS)
    assert {row["item"]: float(row["position"]) for row in table_of(apart.stdout)} == {
        "s1/1": 10,
        "s1/2": 90,
        "s2/1": 90,
        "s2/2": 10,
    }
    assert "several segments" not in apart.stderr
    assert "--item-key" in refused("fit", "-", "--item-key", "segment,", input=SEGMENTS)


def test_systems_of_several_segments_are_what_a_scale_of_systems_is_about():
    rows = [line.split(",") for line in SEGMENTS.splitlines()[1:]]
    text = "rater,segment,system,item,score\n" + "".join(
        f"{r},{s},{i},{i},{score}\n" for r, s, i, score in rows
    )
    assert "several segments" not in steelyard("fit", "-", *DIRECT, "--unit", "system", input=text).stderr


def test_a_file_of_two_kinds_is_fitted_on_one_scale_unless_a_kind_is_named():
    text = "rater,item,score,left,right,outcome\nann,a,20,,,\nann,b,30,,,\nann,,,a,b,left\n"
    assert "2 kinds (2 rating rows, 1 comparison row)" in steelyard("fit", "-", input=text).stderr
    done = steelyard("fit", "-", *DIRECT, "--kind", "rating", input=text)
    assert len(table_of(done.stdout)) == 2
    assert "Omitted 1 of 3 rows: 1 of another kind (comparison)." in done.stderr


def test_rankings_without_raters_are_separated_with_a_remark():
    text = "task,item,rank\nt,a,1\nt,b,2\nt,a,2\nt,b,1\n"
    done = steelyard("fit", "-", input=text)
    assert "1 task with several ranking answers was separated by the order of the rows" in done.stderr
    assert "cannot be separated" in refused("fit", "-", input=text + "t,c,3\n")


@pytest.mark.parametrize("command", ["prefer", "convert", "report"])
def test_every_command_that_reads_judgments_reports_what_it_left_out(command, tmp_path):
    rows = "".join(f"u{at},t{at},a,{1 + at % 2}\nu{at},t{at},b,{2 - at % 2}\n" for at in range(6))
    text = "rater,task,item,rank\n" + rows + "u9,t9,a,x\nu9,t9,b,2\n"
    if command == "prefer":
        text = "rater,left,right,outcome\n" + "".join(f"u{at},a,b,left\n" for at in range(6)) + "u9,a,b,?\n"
    out = ("-o", tmp_path / "report.html") if command == "report" else ()
    done = steelyard(command, "-", "--drop-bad-rows", *out, input=text)
    assert "Omitted 1 of " in done.stderr


def test_check_writes_findings_about_columns_as_json():
    report = json.loads(steelyard("check", "-", "--json", input=VOTES).stdout)
    ids_by_name = {finding["name"]: finding["ids"] for finding in report["findings"]}
    assert ids_by_name["unrecognised columns"] == ["conversation_id"]


@pytest.fixture
def pairs(tmp_path):
    (tmp_path / "items.csv").write_text("id,text\na,A\nb,B\nc,C\n")
    steelyard("new", tmp_path / "study", "--items", tmp_path / "items.csv", "--protocol", "comparison")
    results = tmp_path / "results.csv"
    results.write_text("rater,left,right,outcome\nann,a,b,left\nann,b,a,left\n")
    return tmp_path / "study", results


@pytest.mark.parametrize("options", [(), ("--repeats", "keep")])
def test_an_import_keeps_repeated_comparisons_as_answers_of_their_own(pairs, options):
    done = steelyard("import", *pairs, *options)
    assert "Imported 2 answers of 1 rater;" in done.stderr
    assert "Imported 0 answers of 1 rater; 2 were already in the study" in steelyard("import", *pairs).stderr


def test_an_import_can_refuse_or_leave_out_repeated_answers(pairs):
    assert "already answered" in refused("import", *pairs, "--repeats", "refuse")
    done = steelyard("import", *pairs, "--repeats", "first")
    assert "Imported 1 answer of 1 rater;" in done.stderr
    assert "Omitted 1 of 2 rows" in done.stderr


@pytest.fixture
def ratings(tmp_path):
    (tmp_path / "items.csv").write_text("id,text\ns1/a,A\ns1/b,B\ns2/a,C\n")
    steelyard("new", tmp_path / "study", "--items", tmp_path / "items.csv", "--protocol", "rating")
    return tmp_path / "study", tmp_path / "results.csv"


def test_an_import_refuses_repeated_ratings_unless_an_option_decides(ratings):
    ratings[1].write_text("rater,item,score\nann,s1/a,20\nann,s1/a,40\nann,s1/b,60\n")
    assert "--repeats first, last, mean or keep" in refused("import", *ratings)
    done = steelyard("import", *ratings, "--repeats", "mean")
    assert "Imported 2 answers of 1 rater;" in done.stderr
    assert "1 repeated rating was averaged" in done.stderr
    rows = table_of(steelyard("export", ratings[0]).stdout)
    assert {row["item"]: float(row["score"]) for row in rows} == {"s1/a": 30, "s1/b": 60}


def test_an_import_leaves_bad_rows_out_and_joins_item_keys_where_options_say_so(ratings):
    ratings[1].write_text(
        "rater,segment,item,score,cannot_judge\nann,s1,a,20,\nann,s1,soup,20,\nbob,s2,a,,yes\nbob,s9,a,,yes\n"
        "cat,s1,b,lots,\ndan\n"
    )
    assert "item 'a' is not in the items file" in refused("import", *ratings)
    done = steelyard("import", *ratings, "--item-key", "segment,item", "--drop-bad-rows")
    assert "Imported 2 answers of 2 raters;" in done.stderr
    assert "Omitted 4 of 6 rows:" in done.stderr
    rows = table_of(steelyard("export", ratings[0], "--what", "answers").stdout)
    assert [(row["item"], row["cannot_judge"]) for row in rows] == [("s1/a", "False"), ("s2/a", "True")]


def test_a_file_of_two_kinds_is_checked_by_one_of_them(tmp_path):
    path = tmp_path / "mixed.csv"
    path.write_text("rater,item,score,left,right,outcome\nann,a,10,,,\nbob,a,20,,,\nann,,,a,b,left\n")
    assert "1 of another kind (comparison)" in steelyard("check", path, "--kind", "rating").stdout


def test_the_folder_of_a_study_is_refused_with_the_commands_that_take_it(tmp_path):
    (tmp_path / "items.csv").write_text("id,text\na,A\nb,B\n")
    steelyard("new", tmp_path / "study", "--items", tmp_path / "items.csv")
    message = refused("fit", tmp_path / "study")
    assert (
        f"this is the folder of a study. First export its judgments (steelyard export {tmp_path}" in message
    )
    assert f"steelyard report {tmp_path / 'study'}" in message
    assert "this is a folder. Choose a file in it." in refused("fit", tmp_path)


def test_a_range_of_judgments_without_scores_is_remarked():
    done = steelyard("fit", "-", "--range", 0, 100, input=VOTES)
    assert "--range has no effect: comparison judgments have no scores." in done.stderr


def test_an_unknown_treatment_of_repeats_is_named_by_its_option():
    assert "--repeats: unknown value 'drop'. Known: keep, first, last, mean, refuse." in refused(
        "fit", "-", "--repeats", "drop", input=REPEATED
    )
    assert "Known: keep, first, last, refuse." in refused("prefer", "-", "--repeats", "mean", input=VOTES)


def test_an_item_key_of_comparisons_is_explained():
    message = refused("fit", "-", "--item-key", "segment,item", input=VOTES)
    assert "item_key (--item-key): unknown column 'segment'. Known: item, rater, left, right" in message
    assert "segment,item makes the ids segment/left and segment/right" in message


@pytest.mark.parametrize("kind", [(), ("--kind", "rating")])
def test_a_misspelt_column_is_recognised(kind):
    message = refused("fit", "-", *kind, input="rater,itm,score\nann,tea,20\n")
    assert "Is the column 'itm' meant to be 'item'?" in message


def test_votes_without_both_bad_can_be_filtered_by_it():
    done = steelyard("fit", "-", "--where", "both_bad=no", input=VOTES)
    assert "0 rows of 36 are left out by --where both_bad=no." in done.stderr


@pytest.mark.parametrize("text", ["[" * 5_000, "9" * 5_000])
def test_a_setting_that_cannot_be_read_as_toml_is_text(text):
    assert named_values([f"noise={text}"]) == {"noise": text}
