import json

import numpy as np
import pytest

from steelyard.cli.output import write_explained
from tests.cli.test_commands import steelyard, table_of

HEAD = "rater,item,score,question\n"


@pytest.fixture
def ratings(tmp_path):
    rng = np.random.default_rng(1)
    quality = rng.normal(50, 20, 40)
    lines = [
        f"r{rater},i{item},{np.clip(quality[item] + rng.normal(0, 10), 0, 100):.1f},warm"
        for item in range(40)
        for rater in range(4)
    ]
    path = tmp_path / "ratings.csv"
    path.write_text(HEAD + "\n".join(lines) + "\n")
    return path


def test_agreement_writes_a_table_with_intervals(ratings):
    done = steelyard("agreement", ratings, "--bootstrap", 200)
    rows = table_of(done.stdout)
    assert list(rows[0]) == ["statistic", "value", "low", "high", "of", "interval", "meaning"]
    assert rows[0]["statistic"] == "Krippendorff's alpha (interval)"
    assert rows[0]["interval"] == "bootstrap over items, 200 samples"
    for row in rows:
        assert float(row["low"]) <= float(row["value"]) <= float(row["high"])


def test_statistics_and_levels_can_be_chosen_and_written_as_json(ratings, tmp_path):
    output = tmp_path / "agreement.json"
    steelyard(
        *("agreement", ratings, "--statistic", "alpha", "--statistic", "kendall_w"),
        *("--level", "ordinal", "--level", "ratio", "--json", "-o", output),
    )
    names = [row["statistic"] for row in json.loads(output.read_text())]
    assert names == ["Krippendorff's alpha (ordinal)", "Krippendorff's alpha (ratio)", "Kendall's W"]


def test_the_seed_is_the_only_source_of_randomness(ratings):
    outputs = [steelyard("agreement", ratings, "--seed", seed).stdout for seed in (1, 1, 2)]
    assert outputs[0] == outputs[1] != outputs[2]


def test_several_questions_are_reported_separately(ratings):
    text = ratings.read_text() + ratings.read_text().removeprefix(HEAD).replace(",warm", ",sweet")
    rows = table_of(steelyard("agreement", "-", "--statistic", "icc", input=text).stdout)
    assert [row["question"] for row in rows] == ["warm"] * 6 + ["sweet"] * 6
    assert rows[0]["value"] == rows[6]["value"]
    chosen = steelyard("agreement", "-", "--statistic", "icc", "--question", "sweet", input=text)
    assert "question" not in table_of(chosen.stdout)[0]
    refused = steelyard("agreement", "-", "--question", "sour", input=text, code=2)
    assert "Known: warm, sweet" in refused.stderr


def test_groups_come_from_a_column_and_empty_groups_say_why(ratings):
    text = ratings.read_text().replace("question", "arm") + "r9,alone,5,other\n"
    done = steelyard("agreement", "-", "--statistic", "alpha", "--by", "arm", input=text)
    rows = table_of(done.stdout)
    assert [row["arm"] for row in rows] == ["warm", "other"]
    assert rows[1]["value"] == ""
    assert rows[1]["meaning"].startswith("Undefined")


def test_unknown_names_are_refused(ratings):
    assert "Did you mean 'alpha'" in steelyard("agreement", ratings, "--statistic", "alph", code=2).stderr
    assert "nominal, ordinal" in steelyard("agreement", ratings, "--level", "metric", code=2).stderr
    assert "does not suit rating" in steelyard("agreement", ratings, "--statistic", "triads", code=2).stderr
    refused = steelyard("agreement", ratings, "--alpha-interval", "nothing", code=2).stderr
    assert "items, raters, pairs" in refused


def test_a_study_is_reported_on_its_audit_slice(tmp_path):
    items = tmp_path / "items.csv"
    items.write_text("id,text\n" + "".join(f"i{at},Item {at}\n" for at in range(20)))
    folder = tmp_path / "study"
    steelyard(
        *("new", folder, "--items", items, "--protocol", "list", "--selection", "information"),
        *("--redundancy", 8, "--seed", 3),
    )
    steelyard("simulate", folder, "--raters", 12, "--seed", 2)
    done = steelyard("agreement", folder, "--statistic", "alpha")
    (row,) = table_of(done.stdout)
    assert row["of"].startswith(("audit slice: ", "adaptively chosen tasks: "))
    assert "The tasks were chosen adaptively" in done.stderr
    refused = steelyard("agreement", folder, "--by", "rater", code=2)
    assert "by question" in refused.stderr


def test_pooled_conditions_are_named(ratings):
    text = ratings.read_text().replace("question", "condition") + "r0,i90,5,cold\nr1,i90,7,cold\n"
    done = steelyard("agreement", "-", "--statistic", "alpha", input=text)
    assert "several values of condition, which are pooled. To separate them: --by condition." in done.stderr
    apart = steelyard("agreement", "-", "--statistic", "alpha", "--by", "condition", input=text)
    assert "pooled" not in apart.stderr


def test_sentences_follow_the_table_in_latex_and_in_a_terminal(ratings, tmp_path, monkeypatch, capsys):
    output = tmp_path / "agreement.tex"
    steelyard("agreement", ratings, "--statistic", "pairwise", "-o", output)
    table, _, comments = output.read_text().partition("\\end{tabular}\n")
    assert "statistic & value & low & high & of \\\\" in table
    assert comments.strip().startswith("% Mean pairwise Spearman: Mean rank correlation of two raters")
    assert comments.strip().endswith("Interval: jackknife over raters and items.")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    write_explained(
        {"statistic": ["a", "b"], "value": [1.0, 2.0], "meaning": ["Same."] * 2}, ("meaning",), None
    )
    assert capsys.readouterr().out.split() == ["statistic", "value", "a", "1", "b", "2", "a;", "b:", "Same."]


@pytest.mark.parametrize(
    ("rows", "causes"),
    [
        (
            "r1,a,3\nr2,a,40\nr3,a,20\n",
            {"ICC": "there is only 1 item.", "Mean": "only 1 item has two ratings"},
        ),
        (
            "r1,a,3\nr2,b,40\n",
            {"Krippendorff": "no item has two ratings.", "Split": "no item has two ratings."},
        ),
        (
            "".join(f"{rater},{item},7\n" for rater in ("r1", "r2") for item in "abc"),
            {"Krippendorff": "are equal.", "Split": "are equal.", "Mean": "are equal.", "Each": "are equal."},
        ),
        (
            "r1,a,3\nr2,a,4\nr1,b,5\nr3,b,9\nr2,c,1\nr3,c,2\n",
            {
                "Mean": "no two raters rated more than 1 item in common.",
                "Each": "no rater rated more than 2 items",
            },
        ),
    ],
)
def test_the_true_cause_of_an_undefined_statistic_is_named(rows, causes):
    table = table_of(steelyard("agreement", "-", input=f"rater,item,score\n{rows}").stdout)
    for start, cause in causes.items():
        meanings = [row["meaning"] for row in table if row["statistic"].startswith(start)]
        assert meanings
        assert all(each.startswith("Undefined: ") and cause in each for each in meanings)
    assert "0 splits" not in str(table)
