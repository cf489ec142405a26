"""Answers of machine judges in a study: imported beside people's, and never counted as theirs."""

from tests.cli.test_results import exported, make_study, steelyard, write_rows


def judged(judge, scores, **more):
    return [{"rater": judge, "item": f"i{at}", "score": score, **more} for at, score in enumerate(scores)]


def study_with_people(tmp_path):
    folder = make_study(tmp_path / "study", "rating", "[scale]", "low = 0", "high = 100", items=12)
    rows = [
        row for rater in ("ann", "bob") for row in judged(rater, [5 * at + len(rater) for at in range(10)])
    ]
    people = write_rows(tmp_path / "people.csv", rows)
    steelyard("import", folder, people)
    return folder


def counts(folder, what):
    """The rows of a table, without estimates of raters, which depend on the fit."""
    estimates = ("bias", "slope", "noise", "spam", "information", "flags")
    return [
        {name: cell for name, cell in row.items() if not name.startswith(estimates)}
        for row in exported(folder, what)
    ]


def test_machine_answers_are_no_answers_raters_or_tasks(tmp_path):
    folder = study_with_people(tmp_path)
    before = {what: counts(folder, what) for what in ("answers", "raters", "pay")}
    metric = write_rows(tmp_path / "metric.csv", judged("metric", [900 + at for at in range(12)]))
    done = steelyard("import", folder, metric, "--source", "machine")
    assert "Imported 12 rows of 1 machine judge; 0 were already in the study." in done.stderr
    assert {what: counts(folder, what) for what in before} == before
    again = steelyard("import", folder, metric, "--source", "machine")
    assert "Imported 0 rows of 1 machine judge; 12 were already in the study." in again.stderr


def test_exports_mark_them_and_reading_keeps_them_apart(tmp_path):
    folder = study_with_people(tmp_path)
    metric = write_rows(tmp_path / "metric.csv", judged("metric", range(12), family="f", source="machine"))
    steelyard("import", folder, metric)
    rows = exported(folder, "judgments")
    assert [row["source"] for row in rows] == ["human"] * 20 + ["machine"] * 12
    assert {row["family"] for row in rows} == {"", "f"}
    done = steelyard("trust", folder, "--what", "judges")
    assert done.stdout.splitlines()[1].startswith("metric,f")


def test_the_scale_uses_them_as_features_and_gives_every_item_that_people_judged(tmp_path):
    folder = study_with_people(tmp_path)
    before = exported(folder, "scale")
    metric = write_rows(tmp_path / "metric.csv", judged("metric", [at * 7.0 for at in range(12)]))
    steelyard("import", folder, metric, "--source", "machine")
    after = exported(folder, "scale")
    assert [row["item"] for row in after] == [row["item"] for row in before]
    assert [row["count"] for row in after] == [row["count"] for row in before]


def test_a_mixed_file_imports_each_row_by_its_source(tmp_path):
    folder = study_with_people(tmp_path)
    rows = [*judged("cem", range(10, 22), source="human"), *judged("metric", range(12), source="machine")]
    done = steelyard("import", folder, write_rows(tmp_path / "both.csv", rows))
    assert "Imported 12 rows of 1 machine judge" in done.stderr
    assert "Imported 12 answers of 1 rater" in done.stderr


def test_an_item_that_is_not_in_the_study_is_a_mistake(tmp_path):
    folder = study_with_people(tmp_path)
    metric = write_rows(tmp_path / "metric.csv", judged("metric", range(13)))
    done = steelyard("import", folder, metric, "--source", "machine", code=2)
    assert "i12" in done.stderr


def test_rows_have_the_system_and_segment_of_their_item(tmp_path):
    folder = make_study(tmp_path / "study", "rating", "[scale]", "low = 0", "high = 100", items=24)
    lines = [f"i{at},Item {at},{'ab'[at % 2]},s{at // 2},{at * 3}\n" for at in range(24)]
    (folder / "items.csv").write_text("id,text,system,segment,truth\n" + "".join(lines))
    toml = (folder / "study.toml").read_text()
    columns = 'file = "items.csv"\nsystem = "system"\nsegment = "segment"'
    (folder / "study.toml").write_text(toml.replace('file = "items.csv"', columns))
    people = judged("ann", [(at * 37) % 90 for at in range(12)])
    steelyard("import", folder, write_rows(tmp_path / "people.csv", people))
    metric = judged("metric", [(at * 37) % 90 + at % 3 for at in range(24)])
    steelyard("import", folder, write_rows(tmp_path / "metric.csv", metric), "--source", "machine")
    machine = [row for row in exported(folder, "judgments") if row["source"] == "machine"]
    assert [(row["system"], row["segment"]) for row in machine] == [
        ("ab"[at % 2], f"s{at // 2}") for at in range(24)
    ]
    rows = steelyard("trust", folder, "--all-answers").stdout.splitlines()
    assert [row.split(",")[0] for row in rows] == ["system", "a", "b"]
    assert float(rows[1].split(",")[-1]) > 1.0
    biases = steelyard("trust", folder, "--what", "biases", "--feature", "truth", "--all-answers").stdout
    assert "metric,truth,per sd" in biases
    refused = steelyard("trust", folder, "--feature", "length", code=2)
    assert "length" in refused.stderr
    assert "truth" in refused.stderr
