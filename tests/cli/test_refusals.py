"""What commands refuse, in words that say what to do; `test_commands.py` has what they do."""

import pytest

from steelyard.kinds.known import PROTOCOLS
from tests.cli.test_commands import COMPARISONS, RATINGS, steelyard, table_of

SCALE_COLUMNS = ["item", "position", "spread", "low", "high", "rank", "rank_low", "rank_high", "count"]


@pytest.fixture
def study(tmp_path):
    (tmp_path / "items.csv").write_text("id,text\na,A\nb,B\n")
    steelyard("new", tmp_path / "study", "--items", tmp_path / "items.csv")
    return tmp_path / "study"


def refused(*arguments, **more):
    """What a command says on stderr that ends with code 2 and writes nothing."""
    done = steelyard(*arguments, code=2, **more)
    assert done.stdout == ""
    return " ".join(done.stderr.replace("│", " ").split())


def test_the_seed_of_the_bootstrap_is_the_one_that_is_told():
    def drawn(*arguments):
        done = steelyard("fit", "-", "--bootstrap", 5, *arguments, input=COMPARISONS)
        return [row["low"] for row in table_of(done.stdout)]

    assert drawn("--set", "seed=3") == drawn("--seed", 3) != drawn()
    assert drawn("--seed", 0) == drawn()


@pytest.mark.parametrize(
    ("option", "assignment", "names"),
    [
        (("--seed", 0), "seed=0", "--seed and --set seed"),
        (("--ties", "half"), "ties=drop", "--ties and --set ties"),
        (
            ("--rater-covariate", "rater"),
            'rater_covariates=["rater"]',
            "--rater-covariate and --set rater_covariates",
        ),
    ],
)
def test_a_setting_given_by_its_option_and_by_set_is_refused(option, assignment, names):
    assert f"{names}: both set the same setting" in refused(
        "fit", "-", *option, "--set", assignment, input=COMPARISONS
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("seed=-1", "seed: -1 is not at least 0"),
        ("features=3", "use --feature COLUMN instead"),
        ("features={a={tea=1}}", "use --feature COLUMN instead"),
        ("name=3", "model steelyard: unknown setting 'name'. Known: features, seed"),
    ],
)
def test_a_setting_that_cannot_be_used_is_one_message(arguments, message):
    assert message in refused("fit", "-", "--set", arguments, input=RATINGS)


@pytest.mark.parametrize(
    ("model", "settings"),
    [
        ("elo", "start_rating=nan"),
        ("elo", "k=1e300"),
        ("trueskill", "prior_mean=inf"),
        ("beta_ranking", "epsilon=800"),
        ("bradley_terry", "prior_sd=1e-300"),
        ("bradley_terry", "tie_by=3"),
    ],
)
def test_no_setting_of_a_model_leaves_cells_empty(model, settings):
    message = refused("fit", "-", "--model", model, "--set", settings, input=COMPARISONS)
    assert message.startswith(f"{settings.partition('=')[0]}: ")


@pytest.mark.parametrize("command", ["fit", "prefer"])
def test_a_seed_below_0_is_refused(command):
    assert "--seed" in refused(command, "-", "--seed", -4, input=COMPARISONS)


@pytest.mark.parametrize(
    ("command", "option"),
    [("simulate", "--seed"), ("simulate", "--tasks"), ("next", "--tasks"), ("next", "--assignments")],
)
def test_a_number_below_the_least_is_refused(study, command, option):
    assert f"'{option}'" in refused(command, study, option, -1)


@pytest.mark.parametrize("command", ["next", "simulate"])
def test_no_tasks_at_all_are_nothing_to_ask_for(study, command):
    assert "'--tasks'" in refused(command, study, "--tasks", 0)


@pytest.mark.parametrize("other", ["--raters", "--items", "--json"])
def test_a_summary_is_not_dropped_for_another_table(other):
    assert f"--summary and {other}" in refused("fit", "-", "--summary", other, input=RATINGS)


def test_a_column_that_items_lack_is_not_a_matter_of_kind(tmp_path):
    (tmp_path / "items.csv").write_text("name,text\na,A\n")
    message = refused("new", tmp_path / "study", "--items", tmp_path / "items.csv")
    assert message.endswith("Columns found: name, text. Rename a column, or choose another file.")


def test_a_missing_column_has_a_remedy_that_the_command_supports(tmp_path, study):
    comparisons = tmp_path / "comparisons.csv"
    comparisons.write_text(COMPARISONS)
    assert "If the file has comparisons, rename its columns." in refused("prefer", "-", input=RATINGS)
    imported = refused("import", study, comparisons)
    assert imported.endswith("use a file with judgments of the kind rating, as in this study.")
    assert "--kind" in refused("fit", "-", "--kind", "comparison", input=RATINGS)


@pytest.mark.parametrize(
    ("rows", "where"),
    [("id,text\na,A\n", "has only 1."), ("id,text,segment\na,A,x\nb,B,y\n", "in any one segment.")],
)
def test_items_that_make_no_page_make_no_study(tmp_path, rows, where):
    (tmp_path / "items.csv").write_text(rows)
    message = refused(
        "new", tmp_path / "study", "--items", tmp_path / "items.csv", "--protocol", "comparison"
    )
    assert "protocol comparison: a page needs at least 2 items, but items.csv has only 1" in message
    assert where in message
    assert not (tmp_path / "study").exists()


def test_a_name_like_no_other_is_answered_with_the_known_ones_alone():
    message = refused("fit", "-", "--set", "nonsense=3", input=RATINGS)
    assert message == "model steelyard: unknown setting 'nonsense'. Known: features, seed, levels, machine."


def test_infinite_estimates_are_refused_with_the_option_that_keeps_them_finite():
    rows = "rater,left,right,outcome\nann,tea,soup,left\nbob,tea,soup,left\n"
    message = refused("fit", "-", input=rows)
    assert "--penalty firth (which also reduces their bias) or --penalty pseudo" in message
    assert message.endswith("In Python: penalty='firth' or penalty='pseudo'.")
    steelyard("fit", "-", "--penalty", "pseudo", input=rows)
    steelyard("fit", "-", "--penalty", "firth", input=rows)
    plain = ("--model", "plackett_luce", "--set")
    order = "rater,task,item,rank\nann,t1,tea,1\nann,t1,milk,2\n"
    assert refused("fit", "-", *plain, "pseudo=0", input=order).endswith("--set pseudo=0.5.")
    steelyard("fit", "-", *plain, "pseudo=0.5", input=order)


def test_items_without_a_link_are_refused_with_the_options_that_work():
    rows = "rater,left,right,outcome\nann,tea,soup,left\nbob,tea,soup,right\nann,a,b,left\nbob,a,b,right\n"
    message = refused("fit", "-", input=rows)
    assert "Add comparisons between the groups. " in message
    assert "use --set unconnected=apart" in message
    assert "--penalty pseudo (or --penalty ridge --prior-sd 1;" in message
    assert message.endswith("differences between groups then come from the penalty, not from the data.")
    assert "firth" not in message
    assert "On the command line" not in message
    steelyard("fit", "-", "--penalty", "pseudo", input=rows)
    steelyard("fit", "-", "--penalty", "ridge", "--prior-sd", "1", input=rows)
    steelyard("fit", "-", "--set", "unconnected=apart", input=rows)


def test_infinite_effects_are_refused_with_the_penalty_that_bounds_them():
    rows = "rater,left,right,outcome\nann,tea,soup,left\nann,soup,tea,left\nbob,tea,soup,left\nbob,soup,tea,left\n"
    message = refused("fit", "-", "--order", input=rows)
    assert message.endswith("use --penalty firth (in Python penalty='firth').")
    steelyard("fit", "-", "--order", "--penalty", "firth", input=rows)


def test_one_is_not_many(tmp_path):
    (tmp_path / "items.csv").write_text("id,text\na,A\n")
    made = steelyard("new", tmp_path / "study", "--items", tmp_path / "items.csv")
    assert "1 item, protocol rating" in made.stderr
    assert "balanced | 1 task |" in steelyard("next", tmp_path / "study", "--tasks", 1).stderr
    released = steelyard("next", tmp_path / "study", "--release").stderr
    assert "1 unanswered assignment of earlier batches was released" in released
    steelyard("next", tmp_path / "study", "--release")
    message = steelyard("simulate", tmp_path / "study", "--raters", 1).stderr
    assert "answered by 1 rater |" in message
    one = "rater,task,item,rank\nann,t1,tea,1\nann,t1,milk,2\n"
    assert "Converted 2 rows to 1 comparison row." in steelyard("convert", "-", input=one).stderr


def test_a_study_without_answers_says_that_it_has_no_scale(tmp_path, study):
    done = steelyard("export", study, "--what", "scale")
    assert "no scale yet" in done.stderr
    assert done.stdout.split() == [",".join(SCALE_COLUMNS)]
    report = tmp_path / "report.html"
    assert f"Wrote {report} without a scale" in steelyard("report", study, "-o", report).stderr
    assert "The output is without a scale" in steelyard("report", study, "-o", "-").stderr


def test_help_lists_every_protocol_and_the_default_seed():
    printed = " ".join(steelyard("new", "--help").stdout.replace("│", " ").split())
    assert all(f"{name}: " in printed for name in PROTOCOLS)
    seed = steelyard("fit", "--help").stdout.partition("--seed")[2].partition("--summary")[0]
    assert "Default: 0." in seed


def test_a_study_that_may_send_raters_away_says_so_where_it_can_be_changed(tmp_path):
    (tmp_path / "items.csv").write_text("id,text\na,A\nb,B\n")
    for selection, mentioned in (("information", True), ("balanced", False)):
        folder = tmp_path / selection
        steelyard("new", folder, "--items", tmp_path / "items.csv", "--selection", selection)
        text = (folder / "study.toml").read_text()
        assert ("\nleast_worth = 0.25 " in text and "no new tasks" in text) is mentioned


def test_a_setting_that_the_data_do_not_allow_is_named_by_its_option():
    rows = "rater,left,right,outcome\nann,tea,soup,left\nann,soup,tea,left\n"
    message = refused("fit", "-", "--cluster", "rater", input=rows)
    assert message.endswith("On the command line, write --cluster VALUE for cluster=VALUE.")


def test_an_option_of_another_model_is_refused_with_the_models_that_have_it():
    message = refused("fit", "-", "--ties", "half", input=RATINGS)
    assert message.startswith(
        "--ties: this is not a setting of the model 'steelyard' (the default for rating judgments)."
    )
    assert "bradley_terry (comparison)" in message
    assert message.endswith("Choose one of them with --model, or leave out --ties.")
    named = refused("fit", "-", "--model", "easl", "--prior-sd", "1", input=RATINGS)
    assert "--prior-sd: this is not a setting of the model 'easl'. " in named


@pytest.mark.parametrize("value", ["[length_difference]", "length_difference"])
def test_a_list_without_quotes_is_refused_with_the_right_spelling(value):
    message = refused("fit", "-", "--set", f"contest_covariates={value}", input=COMPARISONS)
    assert message.endswith(
        """Write quotes around each name: --set 'contest_covariates=["length_difference"]'."""
    )


def test_the_range_that_is_assumed_is_reported():
    rows = "rater,item,score\nann,tea,3\nann,soup,40\nbob,tea,10\nbob,soup,20\n"
    sentence = (
        "No range was set. 0 to 100 is assumed from the scores, which run from 3 to 40. "
        "Set it with --range LOW HIGH, or with range=(low, high) in Python."
    )
    assert sentence in steelyard("check", "-", input=rows).stdout.splitlines()
    assert sentence in steelyard("fit", "-", input=rows).stderr.splitlines()
    assert "No range" not in steelyard("check", "-", "--range", 0, 50, input=rows).stdout
    wide = steelyard("check", "-", input=rows.replace("40", "400")).stdout
    assert "No range was set. 3 to 400 is assumed from the scores, which run from 3 to 400." in wide


@pytest.mark.parametrize(
    ("protocol", "shows"),
    [("comparison", "always show 2 items"), ("comparison_list", "group_size in study.toml sets the number")],
)
def test_a_page_size_that_the_protocol_does_not_use_is_refused(tmp_path, protocol, shows):
    (tmp_path / "items.csv").write_text("id,text\na,A\nb,B\nc,C\n")
    named = ("new", tmp_path / "study", "--items", tmp_path / "items.csv", "--protocol", protocol)
    message = refused(*named, "--list-size", 4)
    assert f"list_size: the protocol '{protocol}' does not use it" in message
    assert shows in message
    assert "list, ranking, best_worst" in message


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ("id,text\na,A\nb,B\nc,C\n", "items.csv has only 3. Set list_size (--list-size) to at most 3"),
        ("id,text,segment\na,A,1\nb,B,1\nc,C,2\n", "has only 2 in any one segment"),
    ],
)
def test_a_page_with_more_items_than_there_are_is_refused(tmp_path, rows, reason):
    (tmp_path / "items.csv").write_text(rows)
    named = ("new", tmp_path / "study", "--items", tmp_path / "items.csv", "--protocol", "list")
    message = refused(*named, "--list-size", 4)
    assert "list_size: a page of 4 items cannot be made" in message
    assert reason in message
    assert not (tmp_path / "study").exists()
    steelyard(*named, "--list-size", 2)


def test_simulate_names_the_columns_if_the_one_with_true_positions_is_misspelt(study):
    message = refused("simulate", study, "--truth", "txt")
    assert "--truth, items.csv: unknown column 'txt'. Did you mean 'text'? Known: id, text" in message


def test_simulate_refuses_two_sources_of_true_positions(study):
    for option in ("--positions", "--items"):
        message = refused("simulate", study, option, "skewed", "--truth", "text")
        assert f"{option} and --truth: both set the true positions" in message


def test_simulate_explains_what_positions_are(study):
    message = refused("simulate", study, "--items", "items.csv")
    assert "'items.csv' is not a distribution of true positions. Choose one of: uniform" in message


def test_simulate_says_why_it_ended(study):
    assert "Stopped at the limit of --tasks 1." in steelyard("simulate", study, "--tasks", 1).stderr
    few = steelyard("simulate", study, "--raters", 1).stderr
    assert "No tasks are left for these raters, and 3 answers of 6 are missing. Use more raters" in few
    assert "The study is complete." in steelyard("simulate", study).stderr
    assert "The study is complete; nothing to answer." in steelyard("simulate", study).stderr


def test_simulate_names_tasks_that_a_batch_holds_and_answers_of_people(study):
    steelyard("next", study, "--tasks", 1)
    held = steelyard("simulate", study, "--raters", 20).stderr
    assert "Their tasks are open: people have them, or `steelyard next` wrote them." in held
    assert "Warning" not in held
    answers = study.parent / "answers.csv"
    answers.write_text("rater,item,score\nkim,a,30\n")
    steelyard("import", study, answers)
    assert "Warning: this study has 1 answer of people." in steelyard("simulate", study).stderr


def test_new_refuses_a_redundancy_below_one(tmp_path):
    (tmp_path / "items.csv").write_text("id,text\na,A\nb,B\n")
    message = refused("new", tmp_path / "made", "--items", tmp_path / "items.csv", "--redundancy", 0)
    assert "--redundancy" in message
    assert not (tmp_path / "made").exists()


def test_simulate_counts_the_raters_who_answered(study):
    assert "2 tasks answered by 1 rater |" in steelyard("simulate", study, "--raters", 1).stderr
    later = steelyard("simulate", study, "--raters", 9, "--tasks", 1).stderr
    assert "1 task answered by 1 of 9 raters | scenario full" in later


def test_the_earlier_name_of_the_distribution_of_positions_works(study):
    assert "positions skewed" in steelyard("simulate", study, "--items", "skewed", "--tasks", 1).stderr


def test_a_folder_that_does_not_exist_is_named(tmp_path):
    assert f"{tmp_path / 'none'}: no such folder. Check the path" in refused("simulate", tmp_path / "none")


def test_a_file_in_place_of_a_study_folder_is_named_as_a_file(tmp_path):
    file = tmp_path / "ratings.csv"
    file.write_text(RATINGS)
    message = refused("simulate", file)
    assert message.startswith(f"{file}: this is a file. Name the folder of a study")
    assert "steelyard new" not in message


def test_serve_without_a_folder_shows_what_to_type():
    assert "as in: steelyard serve my-study" in refused("serve")


def test_a_model_of_systems_says_what_it_needs(study):
    message = refused("fit", "-", "--model", "crossed", input=RATINGS)
    assert (
        "the model crossed estimates systems, not items. It needs rating judgments with a system" in message
    )
    message = refused("fit", "-", "--model", "crossed", "--unit", "system", input=RATINGS)
    assert "have no column system. Add the column" in message
    assert "choose a model that estimates items" in message
    message = refused("new", study / "other", "--items", study / "items.csv", "--model", "crossed")
    assert "'crossed' estimates systems, not items, so a study cannot use it" in message


def test_clustering_by_both_without_segments_names_what_is_possible():
    message = refused("fit", "-", "--cluster", "both", "--penalty", "auto", input=COMPARISONS)
    assert "have none. Add a column 'segment', or use cluster='rater'." in message


@pytest.mark.parametrize("command", ["agreement", "check", "report"])
def test_options_of_files_are_refused_for_a_study(command, study):
    message = refused(command, study, "--range", 0, 50)
    assert message.startswith("--range: this option applies to files of judgments only")
    assert "The range of a study is in its study.toml." in message
    both = refused(command, study, "--kind", "rating", "--repeats", "first")
    assert both.startswith("--kind, --repeats: these options apply to files of judgments only")


def test_a_report_on_a_study_without_answers_says_so(study, tmp_path):
    page = tmp_path / "report.html"
    done = steelyard("report", study, "-o", page)
    assert done.stderr == f"Wrote {page} without a scale, because there are no answers yet.\n"
    steelyard("simulate", study, "--raters", 3)
    assert steelyard("report", study, "-o", page).stderr.endswith(f"Wrote {page}.\n")


def test_an_unknown_outcome_is_quoted_as_written():
    text = "rater,left,right,outcome\nann,a,b,A\nann,b,a,Left\n"
    assert "line 2: outcome 'A' is unknown" in refused("fit", "-", input=text)


def test_a_single_item_has_no_rank():
    done = steelyard("fit", "-", "--range", 0, 100, input="rater,item,score\nr1,a,3\nr2,a,40\n")
    assert "There is only 1 item. Rank 1 therefore means nothing" in " ".join(done.stderr.split())
