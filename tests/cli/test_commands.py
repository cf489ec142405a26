import csv
import io
import json
import re

import numpy as np
import pytest

from tests.commands import finish, fork, launch

ITEMS = "id,text\n" + "".join(f"i{at},Item number {at}\n" for at in range(10))
RATINGS = "rater,item,score,question\nann,tea,20,warm\nbob,tea,40,warm\nann,soup,70,warm\nann,tea,90,sweet\n"


def steelyard(*arguments, input=None, code=0, start=fork):
    done = finish(*map(str, arguments), input=input, start=start)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done


def anew(*arguments, **more):
    """Run a command in a new Python, where nothing is imported but what the command itself imports."""
    return steelyard(*arguments, start=launch, **more)


def table_of(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture
def items(tmp_path):
    path = tmp_path / "items.csv"
    path.write_text(ITEMS)
    return path


@pytest.fixture
def ratings(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text(RATINGS)
    return path


def test_it_says_its_version():
    assert anew("--version").stdout.startswith("steelyard ")


@pytest.mark.parametrize("start", [launch, fork])
def test_a_forked_command_is_like_one_in_a_new_python(start):
    text = "rater,item,score\nann,tea,20\nann,soup,70\n"
    done = steelyard("fit", "-", "--range", 0, 100, input=text, start=start)
    assert [row["item"] for row in table_of(done.stdout)] == ["soup", "tea"]
    assert done.stderr.startswith("steelyard | ")
    refused = steelyard("fit", "-", input=text + "ann,soup,70\n", code=2, start=start)
    assert refused.stdout == ""
    assert refused.stderr.startswith("<stdin>, line 4: rater 'ann' already answered 'soup' in line 3.")


def test_fit_writes_the_scale_to_stdout_and_its_signature_to_stderr(ratings):
    done = steelyard("fit", ratings, "--model", "direct_assessment", "--by", "question")
    rows = table_of(done.stdout)
    columns = "question item position spread low high rank rank_low rank_high count errors"
    assert list(rows[0]) == columns.split()
    assert {(row["question"], row["item"]): float(row["position"]) for row in rows} == {
        ("warm", "soup"): 70,
        ("warm", "tea"): 30,
        ("sweet", "tea"): 90,
    }
    assert "question=warm | direct_assessment" in done.stderr


def test_fit_reads_stdin_and_writes_json():
    text = "rater,item,score\nann,tea,20\nbob,tea,40\n"
    rows = json.loads(
        steelyard("fit", "-", "--model", "easl", "--range", 0, 100, "--json", input=text).stdout
    )
    assert rows[0]["item"] == "tea"
    assert rows[0]["position"] == pytest.approx(30)


def test_fit_scales_systems(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("rater,item,score,system\na,x1,20,X\na,x2,40,X\na,y1,90,Y\n")
    rows = table_of(steelyard("fit", path, "--unit", "system", "--model", "easl", "--range", 0, 100).stdout)
    assert [(row["item"], round(float(row["position"]))) for row in rows] == [("Y", 90), ("X", 30)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rater,item,score\nann,tea,140\n", "line 2: score 140 is outside 0 to 100"),
        ("rater,item\nann,tea\n", "line 1"),
        ("rater,item,score\nann,tea,many\n", "line 2: score 'many' is not a number"),
        ("rater,item,score\nann,tea,1\nann,tea,2\n", "line 3: rater 'ann' already answered"),
        ("rater,left,right,outcome\nann,a,a,left\n", "line 2: item 'a' is compared with itself"),
        ("rater,left,right,outcome\nann,a,b,draw!\n", "line 2: outcome 'draw!' is unknown"),
        ("rater,item,score\nann,tea\n", "line 2: 2 fields, but the header has 3"),
        ("", "the file is empty"),
        ("rater,item,score\n", "line 1: there is only a header line. Add at least one row."),
    ],
)
def test_bad_input_is_one_message_with_file_line_and_remedy(tmp_path, text, message):
    path = tmp_path / "judgments.csv"
    path.write_text(text)
    done = steelyard("fit", path, "--range", 0, 100, code=2)
    assert message in done.stderr
    assert "judgments.csv" in done.stderr
    assert done.stdout == ""


def test_an_unknown_model_is_answered_with_the_closest(ratings):
    assert "Did you mean 'easl'" in steelyard("fit", ratings, "--model", "eals", code=2).stderr


def test_check_reports_what_is_worth_a_look(tmp_path):
    path = tmp_path / "r.csv"
    rows = "".join(f"stuck,i{at},50\nann,i{at},{at * 9}\n" for at in range(8))
    path.write_text("rater,item,score\n" + rows + "lone,other,3\n")
    printed = anew("check", path).stdout
    assert "stuck" in printed
    assert "other" in printed
    assert "lone" in printed


def test_a_study_from_new_to_report(tmp_path, items):
    folder = tmp_path / "study"
    made = anew("new", folder, "--items", items, "--protocol", "list", "--seed", 4)
    assert "Owner key, to sign in on the owner's page (shown only once):" in made.stderr
    answered = anew("simulate", folder, "--raters", 8).stderr
    assert re.search(r"answered by (\d of )?8 raters \| scenario full", answered)
    judgments = table_of(anew("export", folder).stdout)
    assert len(judgments) == 30
    assert set(judgments[0]) >= {"rater", "item", "score", "question", "task", "condition", "round", "at"}
    scale = table_of(anew("export", folder, "--what", "scale").stdout)
    assert scale[0]["rank"] == "1"
    raters = table_of(steelyard("export", folder, "--what", "raters").stdout)
    assert sum(int(row["tasks"]) for row in raters) == len({row["task"] for row in judgments})
    parquet = tmp_path / "j.parquet"
    anew("export", folder, "--format", "parquet", "-o", parquet)
    refit = table_of(anew("fit", parquet, "--seed", 4, "--range", 0, 100).stdout)
    positions = [{row["item"]: float(row["position"]) for row in rows} for rows in (refit, scale)]
    assert positions[0] == pytest.approx(positions[1], rel=1e-9)
    report = tmp_path / "report.html"
    anew("report", folder, "-o", report)
    text = report.read_text()
    assert "<svg" in text
    assert "steelyard" in text
    assert "://" not in text.replace("http://www.w3.org", "")
    assert "<script" not in text


def test_distributions_of_a_study_are_exported_as_quantiles_or_draws(tmp_path, items):
    folder = tmp_path / "study"
    steelyard("new", folder, "--items", items, "--protocol", "list")
    steelyard("simulate", folder, "--raters", 8)
    export = ("export", folder, "--what", "distributions")
    few = steelyard(*export, "--quantiles", "0.1,0.9")
    assert list(table_of(few.stdout)[0])[-2:] == ["q0.1", "q0.9"]
    assert few.stderr.startswith("steelyard")
    draws = table_of(steelyard(*export, "--draws", 3).stdout)
    assert [row["draw"] for row in draws[:4]] == ["1", "2", "3", "1"]
    assert "0.05,0.5,0.95" in steelyard(*export, "--quantiles", "low", code=2).stderr
    assert "not between 0 and 1" in steelyard(*export, "--quantiles", "2", code=2).stderr
    assert "exclude each other" in steelyard(*export, "--quantiles", "0.5", "--draws", 3, code=2).stderr
    assert "needs --what distributions" in steelyard("export", folder, "--draws", 3, code=2).stderr


def test_next_and_import_close_the_loop(tmp_path, items):
    folder = tmp_path / "study"
    steelyard("new", folder, "--items", items, "--protocol", "list", "--model", "easl", "--selection", "easl")
    batch = table_of(anew("next", folder, "--tasks", 2, "--format", "mturk-csv").stdout)
    assert list(batch[0]) == ([f"id{n}" for n in range(1, 6)] + [f"text{n}" for n in range(1, 6)] + ["task"])
    results = tmp_path / "results.csv"
    with results.open("w", newline="") as file:
        names = [f"Input.{name}" for name in batch[0]] + [f"Answer.range{n}" for n in range(1, 6)]
        writer = csv.writer(file)
        writer.writerow(["HITId", "WorkerId", *names])
        for at, row in enumerate(batch):
            writer.writerow([f"H{at}", "W1", *row.values(), 10, 30, 50, 70, 90])
    assert (
        "Imported 2 answers of 1 rater; 0 were already in the study."
        in anew("import", folder, results).stderr
    )
    assert "Imported 0 answers of 1 rater; 2 were already" in steelyard("import", folder, results).stderr
    assert len(table_of(steelyard("export", folder).stdout)) == 10


def test_names_of_raters_do_not_begin_a_formula_in_csv(tmp_path, items):
    folder, path = tmp_path / "study", tmp_path / "r.csv"
    steelyard("new", folder, "--items", items)
    path.write_text("rater,item,score\n=1+1,i1,20\n@ann,i1,30\n")
    steelyard("import", folder, path)
    arguments = ["export", folder, "--what", "raters", "--identities"]
    assert [row["name"] for row in table_of(steelyard(*arguments).stdout)] == ["'=1+1", "'@ann"]
    lines = steelyard(*arguments, "--format", "jsonl").stdout.splitlines()
    assert [json.loads(line)["name"] for line in lines] == ["=1+1", "@ann"]


def test_import_refuses_items_that_the_study_does_not_have(tmp_path, items):
    folder = tmp_path / "study"
    steelyard("new", folder, "--items", items)
    path = tmp_path / "r.csv"
    path.write_text("rater,item,score\nann,i1,20\nann,soup,20\n")
    assert "line 3: item 'soup' is not in the items file" in steelyard("import", folder, path, code=2).stderr
    assert steelyard("export", folder).stdout.count("\n") <= 1


@pytest.mark.parametrize(
    "arguments",
    [("serve",), ("export",), ("next",), ("simulate",), ("report",)],
)
def test_a_folder_without_a_study_says_how_to_make_one(tmp_path, arguments):
    done = steelyard(*arguments, tmp_path, code=2)
    assert "steelyard new" in done.stderr


def test_an_unknown_key_in_study_toml_is_answered_with_the_closest(tmp_path, items):
    folder = tmp_path / "study"
    steelyard("new", folder, "--items", items)
    text = (folder / "study.toml").read_text()
    (folder / "study.toml").write_text(text.replace("redundancy", "redundency"))
    assert "Did you mean 'redundancy'" in steelyard("serve", folder, code=2).stderr


def test_a_study_is_not_made_over_another(tmp_path, items):
    steelyard("new", tmp_path / "study", "--items", items)
    assert "already holds a study" in steelyard("new", tmp_path / "study", "--items", items, code=2).stderr


def test_fit_says_what_it_learnt_of_each_rater(ratings):
    rows = table_of(steelyard("fit", ratings, "--raters", "--range", 0, 100).stdout)
    assert [row["rater"] for row in rows] == ["ann", "bob"]
    assert {"bias", "bias_low", "bias_high", "slope", "noise", "spam", "information"} <= set(rows[0])
    refused = steelyard("fit", ratings, "--raters", "--model", "easl", code=2)
    assert "steelyard" in refused.stderr


def test_fit_takes_a_machines_score_as_a_feature(tmp_path):
    path = tmp_path / "r.csv"
    rows = [f"r{r},i{i},{10 * i + r},{i / 10}" for r in range(3) for i in range(10)]
    path.write_text("rater,item,score,metric\n" + "\n".join(rows) + "\n")
    done = steelyard("fit", path, "--feature", "metric", "--range", 0, 100)
    assert "features=metric" in done.stderr
    assert "Did you mean 'metric'" in steelyard("fit", path, "--feature", "metrik", code=2).stderr


COMPARISONS = "rater,left,right,outcome\n" + "".join(
    f"{rater},{left},{right},{outcome}\n"
    for rater, outcomes in (("ann", ("left", "left", "left")), ("bob", ("left", "left", "tie")))
    for (left, right), outcome in zip(
        (("tea", "soup"), ("soup", "egg"), ("egg", "tea")), outcomes, strict=True
    )
)


def test_fit_takes_the_model_that_suits_the_judgments():
    assert "bradley_terry" in steelyard("fit", "-", input=COMPARISONS).stderr


def test_fit_takes_any_setting_of_a_model():
    arguments = ["--set", "passes=4", "--set", "score=mean"]
    done = steelyard("fit", "-", "--model", "beta_ranking", *arguments, input=COMPARISONS)
    assert "passes=4" in done.stderr
    assert "score=mean" in done.stderr
    assert "NAME=VALUE" in steelyard("fit", "-", "--set", "passes", input=COMPARISONS, code=2).stderr
    assert "seed 3" in steelyard("fit", "-", "--set", "seed=3", input=COMPARISONS).stderr


def test_fit_says_why_positions_are_uncertain():
    rows = table_of(steelyard("fit", "-", "--items", input=RATINGS).stdout)
    assert {"item", "disagreement", "too_few_answers"} <= set(rows[0])
    refused = steelyard("fit", "-", "--model", "easl", "--items", input=RATINGS, code=2)
    assert "this model has no such output" in refused.stderr


def test_an_unknown_outcome_is_an_error_that_lists_the_known_ones():
    done = steelyard("fit", "-", input=COMPARISONS.replace(",tie", ",draw?"), code=2)
    assert "left, right or tie" in done.stderr
    assert not done.stdout


def test_fit_leaves_probes_out_and_says_how_many():
    text = "rater,item,score,task,probe\nann,tea,20,1,no\nann,soup,70,2,no\nann,tea,90,3,yes\n"
    done = steelyard("fit", "-", "--model", "direct_assessment", "--range", 0, 100, input=text)
    assert [float(row["position"]) for row in table_of(done.stdout)] == [70.0, 20.0]
    assert "1 row marked as probe is left out of the fit." in done.stderr


@pytest.fixture
def study(items, tmp_path):
    steelyard("new", tmp_path / "study", "--items", items, "--redundancy", 2, "--seed", 1)
    return tmp_path / "study"


def test_next_says_why_it_gives_fewer_tasks_than_asked_for(study):
    done = steelyard("next", study, "--tasks", 50)
    assert len(table_of(done.stdout)) == 20
    assert (
        "20 of 50 tasks. The study needs 20 answers: 0 were given and 20 are pending in open tasks."
        in done.stderr
    )
    again = steelyard("next", study, "--tasks", 5)
    assert "No tasks are left. The study needs 20 answers" in again.stderr
    assert "increase redundancy" in again.stderr


def test_next_says_when_the_budget_is_used_up(study):
    with (study / "study.toml").open("a") as file:
        file.write("\n[stop]\nbudget = 7\n")
    done = steelyard("next", study, "--tasks", 50)
    assert len(table_of(done.stdout)) == 7
    assert "7 of 50 tasks: the budget of 7 ([stop] in study.toml) is used up" in done.stderr


def test_next_for_several_raters_stays_within_what_is_wanted(study):
    done = steelyard("next", study, "--tasks", 50, "--assignments", 2)
    assert len(table_of(done.stdout)) == 10
    assert "10 of 50 tasks" in done.stderr


def test_next_counts_checks_apart_from_the_tasks_that_were_asked_for(study):
    settings = study / "study.toml"
    first = table_of((study / "items.csv").read_text(encoding="utf-8"))[0]["id"]
    check = f'[checks]\nrate = 0.5\n[[checks.tasks]]\nitem = "{first}"\nanswer = 50\ntolerance = 5\n'
    settings.write_text(f"{settings.read_text(encoding='utf-8')}\n{check}", encoding="utf-8")
    done = steelyard("next", study, "--tasks", 3)
    assert "3 checks with a known answer are among them." in done.stderr
    assert "Sequences" not in done.stderr


def test_next_plans_sequences_once_and_whole(items, tmp_path):
    study = tmp_path / "study"
    steelyard("new", study, "--items", items, "--selection", "sequences", "--redundancy", 2, "--seed", 1)
    done = steelyard("next", study, "--tasks", 3)
    assert len(table_of(done.stdout)) == 10
    assert "Sequences cannot be split, so there are 10 tasks instead of 3." in done.stderr
    assert table_of(steelyard("next", study).stdout) == []


def test_simulate_says_who_failed_the_training(study):
    with (study / "study.toml").open("a") as file:
        file.write("\n[training]\n")
    done = steelyard("simulate", study, "--raters", 4, "--seed", 1)
    assert "did not pass the training" in done.stderr


def test_a_fit_writes_flags_of_raters_in_words(tmp_path):
    rng = np.random.default_rng(11)
    truth = np.linspace(5, 95, 30)
    lines = ["rater,item,score"]
    for rater in range(6):
        scores = rng.uniform(0, 100, 30) if rater == 5 else np.clip(truth + rng.normal(0, 8, 30), 0, 100)
        lines += [f"r{rater},i{at},{score:.0f}" for at, score in enumerate(scores)]
    file = tmp_path / "ratings.csv"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    rows = table_of(steelyard("fit", file, "--raters", "--range", 0, 100).stdout)
    flags = {row["rater"]: row["flags"] for row in rows}
    assert "Looks like random answers (spam probability 1.00)" in flags.pop("r5")
    assert set(flags.values()) == {""}
