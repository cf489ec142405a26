"""Anonymous, repeated and one-sided votes of a log are counted, left out, or share the weight of one vote."""

import pytest

from steelyard import BradleyTerry, Judgments, connect
from steelyard.engines.suspicious import SuspiciousVotes, VoteRules, suspicious_votes, with_rules
from steelyard.errors import BadSetting
from tests.engines.equal import assert_same_scale
from tests.engines.logs import columns_of, votes, write_csv

pytest.importorskip("ibis")
ONCE = {(row["rater"], *sorted((row["left"], row["right"]))): row for row in votes()}.values()
SOUND = list(ONCE)  # one vote per rater and pair
BOT = [{**row, "rater": "bot", "outcome": "left"} for row in votes(25, seed=4)]
PAIRS = {tuple(sorted((row["left"], row["right"]))) for row in BOT}
NAMELESS = [{**row, "rater": " "} for row in SOUND[:7]]
AGAIN = [{**SOUND[0], "left": SOUND[0]["right"], "right": SOUND[0]["left"]}, SOUND[1], SOUND[1]]
PLAIN = BradleyTerry(cluster="none")


@pytest.fixture
def log(tmp_path):
    with connect(write_csv([*SOUND, *BOT, *NAMELESS, *AGAIN], tmp_path / "votes.csv")) as opened:
        yield opened


def fitted(rows):
    return PLAIN.fit(Judgments.from_columns("comparison", columns_of(rows)))


def test_suspicious_votes_are_counted_by_class(log):
    repeated = len(AGAIN) + len(BOT) - len(PAIRS)
    assert suspicious_votes(log) == SuspiciousVotes(len(NAMELESS), repeated, len(BOT), 1)


def test_anonymous_and_one_sided_votes_are_left_out(log):
    rules = VoteRules(anonymous="drop", one_sided="drop")
    assert_same_scale(PLAIN.fit(with_rules(log, rules)), fitted([*SOUND, *AGAIN]), 1e-9)
    assert suspicious_votes(with_rules(log, rules)) == SuspiciousVotes(0, len(AGAIN), 0, 0)


def test_repeated_votes_share_the_weight_of_one(log):
    kept = with_rules(log, VoteRules(repeated="share", anonymous="drop", one_sided="drop"))
    assert kept.pooled().judgments == pytest.approx(len(SOUND))
    rows = [{**row, "count": 1.0} for row in SOUND[2:]]
    rows += [{**SOUND[0], "count": 0.5}, {**AGAIN[0], "count": 0.5}, *([{**SOUND[1], "count": 1 / 3}] * 3)]
    assert_same_scale(PLAIN.fit(kept), fitted(rows), 1e-9)


def test_sentences_state_what_was_done(log):
    rules = VoteRules(anonymous="drop", repeated="share")
    text = " ".join(suspicious_votes(log).sentences(rules))
    assert "7 votes without a rater. They are left out." in text
    assert "share the weight of one vote" in text
    assert "25 votes of 1 rater with nearly always the same answer. They are kept." in text


def test_unknown_rules_and_logs_without_raters_are_refused(tmp_path):
    with pytest.raises(BadSetting, match="repeated"):
        VoteRules(repeated="drop")
    rows = [{name: row[name] for name in ("left", "right", "outcome")} for row in SOUND]
    with connect(write_csv(rows, tmp_path / "votes.csv")) as log:
        assert suspicious_votes(log).anonymous == len(rows)
        with pytest.raises(BadSetting, match="no column for the rater"):
            with_rules(log, VoteRules(anonymous="drop"))
