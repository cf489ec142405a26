import pytest

from steelyard import read
from steelyard.errors import (
    AmbiguousLayout,
    BadRows,
    MissingColumn,
    SeveralKinds,
    UnknownLayout,
    UnknownName,
    UnreadableFile,
)


@pytest.fixture
def load(tmp_path):
    def from_text(text, **settings):
        path = tmp_path / "judgments.csv"
        path.write_text(text, encoding="utf-8")
        return read(path, **settings)

    return from_text


def cells(judgments, kind, *columns):
    return list(zip(*(judgments.cells(kind, column).tolist() for column in columns), strict=True))


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("rating", "rater,item,score\nann,tea,20\n"),
        ("comparison", "rater,left,right,outcome\nann,tea,soup,tie\n"),
        ("ranking", "rater,task,item,rank\nann,t,tea,1\n"),
        ("best_worst", "rater,task,item,choice\nann,t,tea,best\nann,t,soup,Worst\n"),
        ("range", "rater,item,low,high\nann,tea,20,30\n"),
    ],
)
def test_the_kind_is_recognised_by_the_columns(load, kind, text):
    assert load(text).kinds == (kind,)
    assert load(text, kind=kind).kinds == (kind,)


@pytest.mark.parametrize("name", ["rater", "annotator", "worker", "judge", "user", " Annotator ", "WORKER"])
def test_the_rater_has_many_names(load, name):
    assert load(f"{name},Item,SCORE\nann,tea,20\n").raters.tolist() == ["ann"]


def test_a_second_name_for_the_rater_stays_a_covariate(load):
    judgments = load("user,rater,item,score\nu1,ann,tea,20\n")
    assert cells(judgments, "rating", "rater", "user") == [("ann", "u1")]


def test_a_file_without_raters_has_one_unknown_rater(load):
    assert load("item,score\ntea,20\nsoup,30\n").raters.tolist() == ["unknown"]


def test_other_columns_stay_as_covariates(load):
    judgments = load("rater,item,score,age,mood,sure,note\nann,tea,1,31,good,true,\nbob,tea,2,,bad,false,\n")
    table = judgments.table("rating")
    assert cells(judgments, "rating", "mood") == [("good",), ("bad",)]
    assert table.numbers["sure"].tolist() == [1, 0]
    assert str(table.numbers["age"].tolist()) == "[31.0, nan]"
    assert str(table.numbers["note"].tolist()) == "[nan, nan]"


def test_ids_that_look_like_numbers_stay_text(load):
    judgments = load("rater,item,score,task,segment\n007,1,20,3,04\n")
    assert cells(judgments, "rating", "rater", "item", "task", "segment") == [("007", "1", "3", "04")]


def test_times_become_seconds(load):
    text = "rater,item,score,at\na,x,1,1970-01-01T00:01:00\nb,x,1,1970-01-01T01:00:00+01:00\nc,x,1,12.5\n"
    assert load(text).cells("rating", "at").tolist() == [60.0, 0.0, 12.5]


def test_a_missing_column_is_named(load):
    with pytest.raises(
        MissingColumn,
        match=r"line 1: a file of rating judgments needs the column 'score'\. Columns found: rater, item",
    ):
        load("rater,item\nann,tea\n", kind="rating")


def test_columns_that_fit_nothing(load):
    with pytest.raises(UnknownLayout, match="the columns name, value match no known layout"):
        load("name,value\ntea,20\n")


def test_columns_that_fit_two_kinds_need_a_word_from_the_user(load):
    text = "rater,item,score,low,high\nann,tea,25,20,30\n"
    with pytest.raises(AmbiguousLayout, match=r"the columns fit rating \(1 row\) and range \(1 row\)"):
        load(text)
    assert load(text, kind="range").kinds == ("range",)


def test_an_unknown_kind_is_answered_with_a_known_one(load):
    with pytest.raises(UnknownName, match="Did you mean 'rating'"):
        load("rater,item,score\nann,tea,20\n", kind="ratings")


def test_arena_votes(load):
    text = (
        "question_id,model_a,model_b,winner,judge,turn,tstamp\n"
        "q1,gpt,llama,model_a,ann,1,100\nq1,gpt,llama,model_b,ann,2,110\n"
        "q2,gpt,llama,tie,bob,1,120\nq3,gpt,llama,tie (bothbad),bob,1,130\n"
    )
    judgments = load(text)
    assert cells(judgments, "comparison", "rater", "left", "outcome", "segment", "both_bad") == [
        ("ann", "gpt", "left", "q1", "no"),
        ("ann", "gpt", "right", "q1", "no"),
        ("bob", "gpt", "tie", "q2", "no"),
        ("bob", "gpt", "tie", "q3", "yes"),
    ]
    assert judgments.cells("comparison", "at").tolist() == [100, 110, 120, 130]


@pytest.mark.parametrize("word", ["both-bad", "Both bad", "bothbad", "tie (both bad)"])
def test_every_spelling_of_both_bad_is_a_tie(load, word):
    judgments = load(f"model_a,model_b,winner\ngpt,llama,{word}\ngpt,llama,tie\n")
    assert cells(judgments, "comparison", "outcome", "both_bad") == [("tie", "yes"), ("tie", "no")]


@pytest.mark.parametrize("name", ["segment", "prompt_id", "PromptId", "prompt"])
@pytest.mark.parametrize("sides", ["model_a,model_b,winner", "left,right,outcome", "left,right,winner"])
def test_the_prompt_of_a_comparison_is_its_segment(load, name, sides):
    winner = "model_a" if "model_a" in sides else "left"
    judgments = load(f"{name},{sides}\np1,gpt,llama,{winner}\n")
    assert judgments.labels("segment").tolist() == ["p1"]


def test_a_prompt_in_ratings_is_a_covariate(load):
    judgments = load("rater,item,score,prompt\nann,tea,20,p1\n")
    assert judgments.cells("rating", "prompt").tolist() == ["p1"]


def test_a_winner_that_no_arena_knows_is_named_as_written(load):
    with pytest.raises(
        BadRows, match=r"line 2: winner 'Model_C' is not one of: model_a, model_b, tie, tie \(bothbad\)"
    ):
        load("model_a,model_b,winner\ngpt,llama,Model_C\n")


def test_crowd_kit_pairs_name_the_chosen_item(load):
    judgments = load("worker,task,left,right,label\nw1,t1,tea,soup,soup\nw2,t1,tea,soup,tea\n")
    assert cells(judgments, "comparison", "rater", "task", "outcome") == [
        ("w1", "t1", "right"),
        ("w2", "t1", "left"),
    ]


def test_a_label_that_is_neither_item_is_a_mistake(load):
    with pytest.raises(
        BadRows, match=r"label 'stew' is not one of: tea, soup \(the items\), left, right, tie\."
    ):
        load("worker,task,left,right,label\nw1,t1,tea,soup,stew\n")


@pytest.mark.parametrize(
    ("winner", "outcome"),
    [
        ("left", "left"),
        ("X", "left"),
        ("Winner.Y", "right"),
        ("Draw", "tie"),
        ("tie", "tie"),
        ("soup", "right"),
    ],
)
def test_evalica_pairs(load, winner, outcome):
    judgments = load(f"left,right,winner\ntea,soup,{winner}\n")
    assert judgments.cells("comparison", "outcome").tolist() == [outcome]


def test_evalica_rows_to_ignore_are_left_out(load):
    assert len(load("left,right,winner\ntea,soup,ignore\ntea,soup,left\n")) == 1


MTURK = (
    "HITId,AssignmentId,WorkerId,AssignmentStatus,WorkTimeInSeconds,"
    "Input.id1,Input.id2,Input.text1,Input.text2,Answer.range1,Answer.range2,Answer.na2\n"
)


def test_mturk_results(load):
    rows = "H1,A1,w1,Approved,30,tea,soup,Tea,Soup,20,70,\nH1,A2,w2,Submitted,12,tea,soup,Tea,Soup,35,50,on\n"
    judgments = load(MTURK + rows + "H1,A3,w3,Rejected,1,tea,soup,Tea,Soup,50,50,\n")
    assert cells(judgments, "rating", "rater", "task", "item", "score", "milliseconds") == [
        ("w1", "H1", "tea", 20, 30_000),
        ("w1", "H1", "soup", 70, 30_000),
        ("w2", "H1", "tea", 35, 12_000),
    ]
    assert judgments.range == (0, 100)


def test_a_batch_that_carries_its_task_keeps_it(load):
    text = "HITId,WorkerId,Input.task,Input.id1,Answer.range1\nH1,w1,t-9,tea,20\n"
    assert load(text).cells("rating", "task").tolist() == ["t-9"]


def test_turkle_results_have_no_status(load):
    text = "HITId,WorkerId,Input.id1,Answer.na1,Answer.range1,Turkle.Username\nH,7,tea,,20,ann\n"
    assert cells(load(text), "rating", "rater", "score") == [("7", 20)]


def test_an_untouched_slider_is_no_answer(load):
    judgments = load(MTURK + "H1,A1,w1,Approved,30,tea,soup,Tea,Soup,,70,\n")
    assert judgments.cells("rating", "item").tolist() == ["soup"]


def test_a_bad_mturk_answer_names_its_line(load):
    with pytest.raises(BadRows, match="line 3: score 170 is outside 0 to 100"):
        load(MTURK + "H1,A1,w1,Approved,3,tea,soup,,,2,7,\nH2,A2,w1,Approved,3,tea,soup,,,170,7,\n")


def test_results_that_are_all_rejected_hold_nothing(load):
    with pytest.raises(UnreadableFile, match="no row has an answer"):
        load(MTURK + "H1,A1,w1,Rejected,30,tea,soup,Tea,Soup,20,70,\n")


def test_wmt_rankings(load):
    text = (
        "srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Number,system1Id,system2Number,system2Id,"
        "system3Number,system3Id,system1rank,system2rank,system3rank\n"
        'ces,eng,17,d,17,j1,0,uedin,1,"jhu,cu",2,online-a,2,1,-1\n'
        "ces,eng,17,d,17,j1,0,uedin,1,online-a,2,,1,1,\n"
    )
    assert cells(load(text), "ranking", "rater", "task", "item", "rank", "question", "segment") == [
        ("j1", "ces-eng:17:1", "uedin", 2, "ces-eng", "17"),
        ("j1", "ces-eng:17:1", "jhu,cu", 1, "ces-eng", "17"),
        ("j1", "ces-eng:17:2", "uedin", 1, "ces-eng", "17"),
        ("j1", "ces-eng:17:2", "online-a", 1, "ces-eng", "17"),
    ]


@pytest.mark.parametrize("header", ["Item1,Item2,Item3,BestItem,WorstItem", "item1,item2,item3,best,worst"])
def test_wide_best_worst_rows(load, header):
    judgments = load(header + "\na,b,c,c,a\na,b,d,a,b\n")
    assert cells(judgments, "best_worst", "rater", "task", "item", "choice") == [
        ("unknown", "1", "a", "worst"),
        ("unknown", "1", "b", "none"),
        ("unknown", "1", "c", "best"),
        ("unknown", "2", "a", "best"),
        ("unknown", "2", "b", "worst"),
        ("unknown", "2", "d", "none"),
    ]


def test_a_best_item_that_was_not_shown_is_a_mistake(load):
    with pytest.raises(BadRows, match="line 2: task '1' has 0 best and 1 worst items"):
        load("Item1,Item2,Item3,BestItem,WorstItem\na,b,c,z,a\n")


def test_wide_rows_keep_their_raters(load):
    judgments = load("Annotator,Item1,Item2,BestItem,WorstItem\nann,a,b,a,b\n")
    assert judgments.raters.tolist() == ["ann"]


@pytest.mark.parametrize(
    "name",
    [
        *("worker_id", "rater_id", "annotator_id", "user_id", "judge_id", "participant", "participant_id"),
        *(
            "WorkerId",
            "workerID",
            "RaterId",
            "Annotator ID",
            "PARTICIPANT",
            "user-id",
            "PROLIFIC_PID",
            "assessor",
        ),
    ],
)
def test_the_rater_is_recognised_by_the_names_that_platforms_use(load, name):
    judgments = load(f"{name},item,score\nann,tea,20\nbob,tea,30\n")
    assert judgments.raters.tolist() == ["ann", "bob"]
    assert judgments.reading.nameless == 0


def test_votes_know_their_rater_by_an_id(load):
    votes = "model_a,model_b,winner,user_id\nx,y,model_a,u1\nx,y,tie,u2\n"
    assert load(votes).raters.tolist() == ["u1", "u2"]


MIXED = "rater,item,score,left,right,outcome\nann,tea,20,,,\nbob,tea,30,,,\nann,,,tea,soup,left\n"


def test_a_file_of_two_kinds_is_read_kind_by_kind(load):
    judgments = load(MIXED)
    assert {kind: len(table) for kind, table in judgments.tables.items()} == {"rating": 2, "comparison": 1}
    assert (judgments.reading.rows, dict(judgments.reading.left_out)) == (3, {})


def test_a_row_of_two_kinds_needs_a_word_from_the_user(load):
    with pytest.raises(
        AmbiguousLayout, match=r"rating \(3 rows\) and comparison \(2 rows\)\. .*--kind rating"
    ):
        load(MIXED + "cat,tea,40,tea,soup,left\n")


@pytest.mark.parametrize(
    ("kind", "rows", "others"), [("rating", 2, "comparison"), ("comparison", 1, "rating")]
)
def test_naming_a_kind_reads_its_rows_and_counts_the_others(load, kind, rows, others):
    judgments = load(MIXED, kind=kind)
    assert len(judgments) == rows
    assert judgments.reading.left_out == {f"of another kind ({others})": 3 - rows}


def test_a_row_that_fits_no_kind_is_still_a_mistake(load):
    with pytest.raises(BadRows, match="line 5: item is empty"):
        load(MIXED + "cat,,40,,,\n", kind="rating")


WITH_WINNER = "rater,item,score,left,right,winner\nann,a,3,,,\nann,,,a,b,a\nbob,b,20,,,\n"


def test_rows_of_two_kinds_without_a_column_of_kinds_are_named(load):
    with pytest.raises(SeveralKinds) as caught:
        load(WITH_WINNER)
    message = str(caught.value)
    assert "is empty" not in message
    assert message.endswith(
        "has ratings and comparisons (line 3 is the first comparison). Read one kind with --kind rating or "
        "--kind comparison (in Python, kind='rating' or kind='comparison')."
    )


def test_an_empty_score_alone_does_not_look_like_another_kind(load):
    with pytest.raises(BadRows) as caught:
        load("rater,item,score\nann,a,\n")
    assert "line 2: score is empty" in str(caught.value)


@pytest.mark.parametrize(("kind", "rows"), [("rating", 2), ("comparison", 1)])
def test_one_kind_can_be_read_from_rows_of_two_kinds(load, kind, rows):
    judgments = load(WITH_WINNER, kind=kind)
    assert len(judgments.table(kind)) == rows
