import csv
import io
import random
import re

import pytest

from steelyard.kinds.known import PROTOCOLS, kind_of
from steelyard.storage.database import open_database
from tests.commands import finish

PROTOCOL_NAMES = tuple(PROTOCOLS)
VALUES = ("score", "outcome", "strength", "both_bad", "rank", "choice", "low", "high")
ABOUT = ("item", "left", "right", "question")
METADATA = ("HITTypeId", "Title", "Reward", "RequesterFeedback", "AcceptTime", "LifetimeApprovalRate")


def steelyard(*arguments, code=0):
    done = finish(*map(str, arguments))
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done


def make_study(folder, protocol, *settings, items=8, questions=("question",), after=""):
    """A study's folder, written by hand; its log begins with the first command."""
    folder.mkdir()
    asks = PROTOCOLS[protocol]
    (folder / "items.csv").write_text("id,text\n" + "".join(f"i{at},Item {at}\n" for at in range(items)))
    asked = "".join(f'[[questions]]\nid = "{each}"\ntext = "How {each}?"\n' for each in questions)
    lines = [
        'title = "T"',
        f'protocol = "{protocol}"',
        f'model = "{kind_of(protocol).default_model}"',
        f'selection = "{asks.selection}"',
        "list_size = 4",
        "group_size = 4",
        "seed = 3",
        *settings,
        '[items]\nfile = "items.csv"',
    ]
    (folder / "study.toml").write_text("\n".join(lines) + "\n" + asked + after)
    return folder


def write_rows(path, rows):
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, names, restval="")
        writer.writeheader()
        writer.writerows(rows)
    return path


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def exported(folder, what="answers", *options):
    return rows_of(steelyard("export", folder, "--what", what, *options).stdout)


def batch_of(folder, *options):
    return rows_of(steelyard("next", folder, "--format", "mturk-csv", *options).stdout)


def assignment(task, worker, number, **fields):
    """A row as MTurk writes it."""
    return {
        **dict.fromkeys(METADATA, "x"),
        "HITId": f"H{task['task']}",
        "AssignmentId": f"A{number}",
        "WorkerId": worker,
        "AssignmentStatus": "Approved",
        "SubmitTime": "Wed Mar 13 08:03:24 PDT 2019",
        "WorkTimeInSeconds": "12",
        **{f"Input.{name}": cell for name, cell in task.items()},
        **{f"Answer.{name}": cell for name, cell in fields.items()},
    }


def slots(task):
    return [at for at in range(1, 20) if task.get(f"id{at}")]


def answered(protocol, task, rng, question="", strength=False, both_bad=False):
    """Fields that a worker fills in, and what the export should then say, by item."""
    kind, mark = PROTOCOLS[protocol].kind, f"{question}_" if question else ""
    cells, fields = {}, {}
    shown = slots(task)
    if kind == "best_worst":
        best, worst = rng.sample(shown, 2)
        fields = {f"{mark}best": best, f"{mark}worst": worst}
        choices = {best: "best", worst: "worst"}
        cells = {task[f"id{at}"]: {"choice": choices.get(at, "none")} for at in shown}
    ranks = rng.sample(shown, len(shown))
    for at, rank in zip(shown, ranks, strict=True):
        item = task[f"id{at}"]
        if kind == "rating":
            fields[f"{mark}score{at}"] = score = rng.randrange(101)
            cells[item] = {"score": float(score)}
        elif kind == "range":
            low, high = sorted(rng.sample(range(101), 2))
            fields |= {f"{mark}low{at}": low, f"{mark}high{at}": high}
            cells[item] = {"low": float(low), "high": float(high)}
        elif kind == "ranking":
            fields[f"{mark}rank{at}"] = rank
            cells[item] = {"rank": float(rank)}
        elif kind == "comparison" and at > 1:
            outcome = rng.choice(("left", "right", "tie", *(("both_bad",) if both_bad else ())))
            fields[f"{mark}outcome{at}"] = outcome
            cells[item] = {"outcome": "tie" if outcome == "both_bad" else outcome}
            if both_bad:
                cells[item]["both_bad"] = str(outcome == "both_bad")
            if strength and outcome in ("left", "right"):
                fields[f"{mark}strength{at}"] = degree = rng.choice((1, 2, 3))
                cells[item]["strength"] = float(degree)
    return fields, cells


def as_said(rows):
    """What an export says of each item, by task, worker's number and question, blanks left out."""
    return {
        (row["task"], row.get("item", row.get("right")), row["question"]): {
            name: _plain(row[name]) for name in VALUES if row.get(name)
        }
        for row in rows
    }


def _plain(cell):
    try:
        return float(cell)
    except ValueError:
        return cell


@pytest.mark.parametrize("protocol", PROTOCOL_NAMES)
def test_mturk_results_of_every_protocol_come_back_as_they_were_answered(tmp_path, protocol):
    rng = random.Random(1)
    questions = ("question",) if protocol == "range" else ("warm", "very_sweet")
    compared = protocol == "comparison"
    settings = ["comment = true", *(["strength = true", "both_bad = true"] if compared else [])]
    folder = make_study(tmp_path / "study", protocol, *settings, questions=questions)
    rows, expected = [], {}
    for number, task in enumerate(batch_of(folder, "--tasks", 3)):
        fields = {"comment": f"No. {number}, “quoted”"}
        for question in questions:
            some, answers = answered(
                protocol, task, rng, question if len(questions) > 1 else "", compared, compared
            )
            fields |= some
            expected |= {(task["task"], item, question): values for item, values in answers.items()}
        rows.append(assignment(task, f"W{number}", number, **fields))
    done = steelyard("import", folder, write_rows(tmp_path / "results.csv", rows))
    assert f"Imported {len(rows)} answers of {len(rows)} raters; 0 were already in the study" in done.stderr
    assert "RequesterFeedback" in done.stderr  # what is not imported is named
    back = exported(folder)
    assert as_said(back) == expected
    assert {row["comment"] for row in back} == {f"No. {at}, “quoted”" for at in range(len(rows))}
    assert {float(row["milliseconds"]) for row in back} == {12_000}
    assert {float(row["at"]) for row in back} == {1552489404}


@pytest.mark.parametrize("protocol", PROTOCOL_NAMES)
def test_what_a_worker_left_empty_is_stored_as_cannot_judge(tmp_path, protocol):
    folder = make_study(tmp_path / "study", protocol)
    first, second = batch_of(folder, "--tasks", 2)
    fields, _ = answered(protocol, first, random.Random(2))
    empty = {name: "" for name in fields}
    rows = [assignment(first, "W1", 1, **fields), assignment(second, "W1", 2, **empty, na="on")]
    steelyard("import", folder, write_rows(tmp_path / "results.csv", rows))
    skipped = {row["task"]: row["cannot_judge"] for row in exported(folder)}
    assert skipped == {first["task"]: "False", second["task"]: "True"}


@pytest.mark.parametrize("protocol", ["list", "comparison_list"])
def test_one_slot_without_an_answer_leaves_the_others(tmp_path, protocol):
    folder = make_study(tmp_path / "study", protocol)
    (task,) = batch_of(folder, "--tasks", 1)
    fields, answers = answered(protocol, task, random.Random(2))
    gone = list(fields)[-1]
    del fields[gone]
    steelyard("import", folder, write_rows(tmp_path / "results.csv", [assignment(task, "W1", 1, **fields)]))
    back = exported(folder)
    assert [row["cannot_judge"] for row in back] == ["False"] * (len(answers) - 1) + ["True"]


def test_a_form_that_gives_a_column_per_option_is_read(tmp_path):
    folder = make_study(tmp_path / "study", "comparison")
    (task,) = batch_of(folder, "--tasks", 1)
    options = {"outcome2.left": "false", "outcome2.right": "true", "outcome2.tie": "false"}
    steelyard("import", folder, write_rows(tmp_path / "r.csv", [assignment(task, "W1", 1, **options)]))
    assert [row["outcome"] for row in exported(folder)] == ["right"]


def test_a_half_ranked_list_refuses_the_file_and_names_the_line(tmp_path):
    folder = make_study(tmp_path / "study", "ranking")
    one, other = batch_of(folder, "--tasks", 2)
    whole, half = {f"rank{at}": at for at in slots(one)}, {f"rank{at}": at for at in slots(other)[:2]}
    rows = [assignment(one, "W1", 1, **whole), assignment(other, "W2", 2, **half)]
    done = steelyard("import", folder, write_rows(tmp_path / "r.csv", rows), code=2)
    assert "r.csv, line 3: Rank every item, or no item." in done.stderr
    assert exported(folder) == []
    assert exported(folder, "raters", "--identities") == []


def test_rejected_assignments_are_counted_and_can_be_included(tmp_path):
    folder = make_study(tmp_path / "study", "list")
    one, other = batch_of(folder, "--tasks", 2)
    rows = [
        assignment(task, f"W{at}", at, **answered("list", task, random.Random(at))[0])
        for at, task in enumerate((one, other))
    ]
    rows[1]["AssignmentStatus"] = "Rejected"
    path = write_rows(tmp_path / "results.csv", rows)
    done = steelyard("import", folder, path)
    assert "Imported 1 answer of 1 rater" in done.stderr
    assert "Rejected assignments left out: 1. Use --include-rejected" in done.stderr
    done = steelyard("import", folder, path, "--include-rejected")
    assert "Imported 1 answer of 2 raters; 1 was already in the study" in done.stderr
    assert "Rejected assignments imported: 1." in done.stderr


def test_answers_to_tasks_of_another_study_are_counted(tmp_path):
    folder = make_study(tmp_path / "study", "rating")
    task = {"id1": "i3", "text1": "Item 3", "task": "t77"}
    done = steelyard("import", folder, write_rows(tmp_path / "r.csv", [assignment(task, "W1", 1, score1=40)]))
    assert "that have other items here: 1 (first: task 't77', line 2)" in done.stderr
    assert [row["item"] for row in exported(folder)] == ["i3"]


def test_unknown_items_refuse_the_file_with_their_lines(tmp_path):
    folder = make_study(tmp_path / "study", "comparison")
    (task,) = batch_of(folder, "--tasks", 1)
    rows = [
        assignment(task, "W1", 1, outcome2="left"),
        assignment({**task, "id2": "soup"}, "W2", 2, outcome2="left"),
        assignment({**task, "id2": "soup"}, "W3", 3, na="on"),
    ]
    path = write_rows(tmp_path / "r.csv", rows)
    assert (
        "r.csv, line 3: item 'soup' is not in the items file"
        in steelyard("import", folder, path, code=2).stderr
    )
    del rows[1]
    write_rows(path, rows)
    assert (
        "r.csv, line 3: item 'soup' is not in the items file"
        in steelyard("import", folder, path, code=2).stderr
    )
    assert exported(folder, "raters", "--identities") == []


def test_the_same_file_twice_changes_nothing_and_a_longer_one_adds_the_rest(tmp_path):
    folder = make_study(tmp_path / "study", "best_worst")
    rng = random.Random(4)
    rows = [
        assignment(task, "W1", at, **answered("best_worst", task, rng)[0])
        for at, task in enumerate(batch_of(folder, "--tasks", 3))
    ]
    path = tmp_path / "results.csv"
    steelyard("import", folder, write_rows(path, rows[:2]))
    before = exported(folder)
    assert (
        "Imported 0 answers of 1 rater; 2 were already in the study"
        in steelyard("import", folder, path).stderr
    )
    assert exported(folder) == before
    done = steelyard("import", folder, write_rows(path, rows))
    assert "Imported 1 answer of 1 rater; 2 were already in the study" in done.stderr
    assert exported(folder)[: len(before)] == before
    assert "differ" not in done.stderr


def test_a_corrected_file_is_named_and_the_first_answers_are_kept(tmp_path):
    folder = make_study(tmp_path / "study", "rating")
    path = tmp_path / "r.csv"
    path.write_text("rater,item,score\n" + "".join(f"ann,i{at},20\n" for at in range(5)))
    steelyard("import", folder, path)
    path.write_text("rater,item,score\n" + "".join(f"ann,i{at},{20 + (at > 0)}\n" for at in range(5)))
    done = steelyard("import", folder, path)
    assert "Answers that differ from those imported before: 4. The earlier answers were kept." in done.stderr
    assert "rater 'ann', task t2 (line 3); rater 'ann', task t3 (line 4)" in done.stderr
    assert "; and 1 more. To use the new answers" in done.stderr
    assert {row["score"] for row in exported(folder)} == {"20.0"}


def test_a_slot_filled_later_is_a_changed_answer_and_no_second_one(tmp_path):
    folder = make_study(tmp_path / "study", "list")
    (task,) = batch_of(folder, "--tasks", 1)
    fields, _ = answered("list", task, random.Random(2))
    part = dict(list(fields.items())[:-1])
    for number, some in enumerate((part, fields)):
        row = assignment(task, "W1", 1, **some)
        del row["AssignmentId"]
        done = steelyard("import", folder, write_rows(tmp_path / "r.csv", [row]))
        assert ("differ from those imported before: 1." in done.stderr) == bool(number)
    assert len(exported(folder)) == len(fields)


def test_a_study_takes_its_own_export_for_what_it_is(tmp_path):
    folder = make_study(tmp_path / "study", "list")
    steelyard("simulate", folder, "--raters", 3, "--tasks", 4)
    before = exported(folder)
    for what in ("judgments", "answers"):
        path = write_rows(tmp_path / f"{what}.csv", exported(folder, what))
        assert "Imported 0 answers of 3 raters; 4 were already" in steelyard("import", folder, path).stderr
    assert exported(folder) == before


STUDIES = {
    **{protocol: (protocol, ()) for protocol in PROTOCOL_NAMES},
    "strength": ("comparison", ("strength = true", "both_bad = true", "comment = true")),
    "rounds": ("list", ('update = "round"', 'selection = "easl"', 'model = "easl"')),
    "beyond": ("rating", ()),
    "probes": ("rating", ('selection = "sequences"', "sequence_length = 4")),
}
AFTER = {"beyond": "[scale]\nbeyond = true\n", "probes": "[probes]\nevery = 2\n"}


@pytest.mark.parametrize("what", ["judgments", "answers"])
@pytest.mark.parametrize("name", STUDIES)
def test_an_export_into_a_fresh_study_gives_the_same_judgments(tmp_path, name, what):
    protocol, settings = STUDIES[name]
    first, second = (
        make_written(tmp_path / place, protocol, settings, AFTER.get(name, "")) for place in ("one", "two")
    )
    steelyard("simulate", first, "--raters", 4, "--tasks", 9, "--seed", 2)
    rows_exported = exported(first, what)
    random.Random(5).shuffle(rows_exported)
    steelyard("import", second, write_rows(tmp_path / "file.csv", rows_exported))
    named = {row["rater"]: row["external_id"] for row in exported(second, "raters", "--identities")}
    back = [{**row, "rater": named[row["rater"]]} for row in exported(second, "judgments")]
    assert relabelled(back) == relabelled(exported(first, "judgments"))


def make_written(folder, protocol, settings, after):
    names = {each.split(" = ")[0] for each in settings}
    made = make_study(folder, protocol, after=after)
    path = made / "study.toml"
    lines = [line for line in path.read_text().split("\n") if line.split(" = ")[0] not in names]
    path.write_text("\n".join([*settings, *lines]))
    return made


def relabelled(rows):
    """Rows as a sorted list, each task named by its items and its answers, since a new study numbers its own."""
    pages = {}
    for row in rows:
        pages.setdefault((row["rater"], row["task"]), []).append(row)
    return sorted(
        sorted(tuple((name, cell) for name, cell in row.items() if name != "task") for row in page)
        for page in pages.values()
    )


def test_the_order_of_imports_does_not_matter_for_what_is_exported(tmp_path):
    rng = random.Random(3)
    planned = make_study(tmp_path / "planned", "comparison_list")
    rows = [
        assignment(task, f"W{worker}", f"{at}-{worker}", **answered("comparison_list", task, rng)[0])
        for at, task in enumerate(batch_of(planned, "--tasks", 3))
        for worker in range(2)
    ]
    seen = []
    for number in range(2):
        folder = make_study(tmp_path / f"study{number}", "comparison_list")
        batch_of(folder, "--tasks", 3)
        parts = [rows[:3], rows[3:]]
        for part in parts[::-1] if number else parts:
            steelyard("import", folder, write_rows(tmp_path / "part.csv", part[::-1] if number else part))
        names = {row["rater"]: row["external_id"] for row in exported(folder, "raters", "--identities")}
        rows_exported = [{**row, "rater": names[row["rater"]]} for row in exported(folder)]
        seen.append(sorted(tuple(row.items()) for row in rows_exported))
    assert seen[0] == seen[1]


def test_counts_become_so_many_answers(tmp_path):
    folder = make_study(tmp_path / "study", "comparison")
    path = tmp_path / "counts.csv"
    path.write_text("left,right,outcome,count\ni0,i1,left,30\ni0,i1,right,10\ni1,i2,tie,0\n")
    done = steelyard("import", folder, path)
    assert "Imported 40 answers of 1 rater" in done.stderr
    assert "Answers without a rater: 40. They are stored under one rater, called 'unknown'." in done.stderr
    assert "Rows with a count of 0: 1. They contain no answer." in done.stderr
    outcomes = [row["outcome"] for row in exported(folder, "judgments")]
    assert (outcomes.count("left"), outcomes.count("right")) == (30, 10)
    assert "Imported 0 answers of 1 rater; 40 were already" in steelyard("import", folder, path).stderr


def test_a_fraction_of_an_answer_refuses_the_file(tmp_path):
    folder = make_study(tmp_path / "study", "comparison")
    path = tmp_path / "counts.csv"
    path.write_text("left,right,outcome,count\ni0,i1,left,30\ni0,i1,right,2.5\n")
    done = steelyard("import", folder, path, code=2)
    assert "counts.csv, line 3: count 2.5 is not a whole number. A study stores whole answers" in done.stderr
    assert "`steelyard fit` accepts fractions" in done.stderr


def test_an_answer_that_the_study_does_not_take_leaves_no_rater_behind(tmp_path):
    folder = make_study(tmp_path / "study", "comparison", "ties = false")
    path = tmp_path / "pairs.csv"
    path.write_text("rater,left,right,outcome\nann,i0,i1,left\nbob,i0,i1,tie\ncat,i0,i2,tie\n")
    done = steelyard("import", folder, path, code=2)
    assert "pairs.csv, line 3: This study does not allow ties.\n" in done.stderr
    assert "pairs.csv, line 4: This study does not allow ties.\n" in done.stderr
    assert exported(folder, "raters", "--identities") == []


def test_comments_are_kept_as_they_were_typed_even_where_pages_do_not_ask_for_any(tmp_path):
    folder = make_study(tmp_path / "study", "rating")
    path = tmp_path / "r.csv"
    path.write_text("rater,item,score,comment\nann,i0,20,007\nann,i1,30,1e3\n")
    steelyard("import", folder, path)
    assert [row["comment"] for row in exported(folder)] == ["007", "1e3"]


def test_an_excluded_raters_answers_are_stored_and_said(tmp_path):
    folder = make_study(tmp_path / "study", "rating")
    path = tmp_path / "r.csv"
    path.write_text("rater,item,score,excluded\nann,i0,20,True\nbob,i0,30,False\n")
    done = steelyard("import", folder, path)
    assert "Raters excluded because the file marks them as excluded: 1." in done.stderr
    assert [row["excluded"] for row in exported(folder)] == ["True", "False"]
    assert len(exported(folder, "judgments")) == 1
    path.write_text("rater,item,score\nann,i1,20\n")
    assert "Answers of excluded raters: 1." in steelyard("import", folder, path).stderr


def test_an_answer_beside_cannot_judge_is_a_mistake(tmp_path):
    folder = make_study(tmp_path / "study", "rating")
    path = tmp_path / "r.csv"
    path.write_text("rater,item,score,cannot_judge\nann,i0,20,yes\n")
    done = steelyard("import", folder, path, code=2)
    assert "line 2: cannot_judge is yes, but the row has an answer." in done.stderr


def test_a_round_that_has_not_begun_is_refused_where_rounds_show_other_anchors(tmp_path):
    folder = make_study(tmp_path / "study", "rating", after="[rounds]\nnumber = 2\n")
    path = tmp_path / "r.csv"
    path.write_text("rater,item,score,round\nann,i0,20,1\nann,i1,20,2\n")
    done = steelyard("import", folder, path, code=2)
    assert "line 3: round 2 has not started; the study is in round 1" in done.stderr


def test_systems_of_the_file_that_differ_from_the_items_are_counted(tmp_path):
    folder = make_study(tmp_path / "study", "rating")
    (folder / "items.csv").write_text("id,text,system\ni0,A,x\ni1,B,y\n")
    path = tmp_path / "r.csv"
    path.write_text("rater,item,score,system\nann,i0,20,x\nann,i1,20,x\n")
    assert "Rows whose system differs from the items file: 1." in steelyard("import", folder, path).stderr


def test_mistakes_are_listed_in_the_order_of_the_file(tmp_path):
    make_study(tmp_path / "study", "rating")
    path = tmp_path / "r.csv"
    path.write_text("rater,item,score\nann,i1,140\nann,zz,20\nbob,i1,\nbob,i2,abc\n")
    lines = re.findall(r"line (\d)", steelyard("import", tmp_path / "study", path, code=2).stderr)
    assert lines == ["2", "3", "4", "5"]


def test_worker_ids_of_a_results_file_are_only_in_the_access_table(tmp_path):
    folder = make_study(tmp_path / "study", "comparison_list")
    rng = random.Random(3)
    rows = [
        assignment(task, "AWORKER77", f"x{at}", **answered("comparison_list", task, rng)[0])
        for at, task in enumerate(batch_of(folder, "--tasks", 2))
    ]
    steelyard("import", folder, write_rows(tmp_path / "file.csv", rows))
    database = open_database(folder)
    assert "AWORKER77" not in repr(list(database.since(0)))
    for what in ("judgments", "answers", "raters", "scale", "acts"):
        assert "AWORKER77" not in steelyard("export", folder, "--what", what).stdout
    assert exported(folder, "raters", "--identities")[0]["external_id"] == "AWORKER77"
    assert exported(folder, "pay")[0]["external_id"] == "AWORKER77"


def test_identities_are_refused_where_they_do_not_apply(tmp_path):
    folder = make_study(tmp_path / "study", "comparison_list")
    refused = steelyard("export", folder, "--what", "judgments", "--identities", code=2)
    assert "--what raters" in refused.stderr


def test_commands_are_in_the_audit_trail(tmp_path):
    folder = make_study(tmp_path / "study", "comparison_list")
    steelyard("export", folder)
    steelyard("keys", folder, "--add", "lab", "--role", "viewer")
    steelyard("keys", folder, "--revoke", "lab")
    steelyard("export", folder, "--what", "raters", "--identities")
    steelyard("backup", folder, "-o", tmp_path / "copy.tar.gz")
    rows = exported(folder, "acts")
    assert [(row["act"], row["details"]) for row in rows] == [
        ("exported", "table: judgments"),
        ("key_added", "key: lab, role: viewer"),
        ("key_revoked", "key: lab"),
        ("exported", "table: raters, identities: yes"),
        ("backed_up", "file: copy.tar.gz"),
    ]
    assert all(row["who"].startswith("command line") for row in rows)
