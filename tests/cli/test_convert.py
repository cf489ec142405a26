import pytest

from tests.cli.test_commands import anew, steelyard, table_of

RANKINGS = "rater,task,item,rank\nann,t1,tea,1\nann,t1,milk,2\nann,t1,soup,2\n"


def test_convert_writes_comparisons_to_stdout_and_what_is_lost_to_stderr():
    done = anew("convert", "-", "--to", "comparison", input=RANKINGS)
    rows = [(row["left"], row["right"], row["outcome"]) for row in table_of(done.stdout)]
    assert rows == [("milk", "tea", "right"), ("soup", "tea", "right"), ("milk", "soup", "tie")]
    assert "Converted 3 rows to 3 comparison rows." in done.stderr
    assert "Lost, ranking to comparison:" in done.stderr
    assert "dependent" in done.stderr


def test_scores_closer_than_the_tie_width_tie_and_the_file_can_be_fitted(tmp_path):
    path, out = tmp_path / "r.csv", tmp_path / "out.csv"
    path.write_text("rater,task,item,score\nann,t,tea,60\nann,t,milk,63\nann,t,soup,20\n")
    steelyard("convert", path, "--tie-width", 5, "-o", out)
    assert [row["outcome"] for row in table_of(out.read_text())] == ["tie", "right", "left"]
    scale = table_of(steelyard("fit", out, "--model", "plackett_luce").stdout)
    assert {row["item"] for row in scale} == {"tea", "milk", "soup"}


@pytest.mark.parametrize("model", ["plackett_luce", "best_worst"])
def test_fit_knows_the_models_of_orders(tmp_path, model):
    path = tmp_path / "j.csv"
    choices = "rater,task,item,choice\nann,t1,tea,best\nann,t1,milk,none\nann,t1,soup,worst\n"
    path.write_text(RANKINGS if model == "plackett_luce" else choices)
    done = steelyard("fit", path, "--model", model)
    assert table_of(done.stdout)[0]["item"] == "tea"
    assert f"{model} " in done.stderr


def test_a_file_that_cannot_be_converted_is_one_message(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("rater,item,score\nann,tea,1\nann,milk,2\n")
    assert "task column" in steelyard("convert", path, code=2).stderr
    assert "Known: comparison, ranking" in steelyard("convert", path, "--to", "rating", code=2).stderr
