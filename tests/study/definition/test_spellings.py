import tomllib
from dataclasses import fields

import pytest

from steelyard.errors import BadSetting, UnknownName
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.hashed_settings import ADDED
from steelyard.study.definition.spellings import SECTION_OF, SECTIONS
from steelyard.study.definition.study_file import define

PLAIN = {"title": "T", "items": {"file": "items.csv"}, "questions": [{"text": "How much?"}]}
# Settings with the hash that Steelyard 0b59732, in which all keys were fields of one record, gave them.
HASHED = {
    "6f0ea3": {},
    "9af26d": {
        "protocol": "list",
        "list_size": 3,
        "model": "easl",
        "selection": "easl",
        "selection_settings": {"gamma": 0.3},
    },
    "338de8": {
        "protocol": "comparison",
        "both_bad": True,
        "strength": True,
        "model": "bradley_terry",
        "model_settings": {"ties": "davidson"},
        "unit": "system",
    },
    "33c0b6": {
        "selection": "information",
        "aim": "top_k",
        "top_k": 4,
        "explore": 0.2,
        "least_worth": 0.1,
        "update": "round",
        "stop": {"reliability": 0.9, "budget": 500},
    },
    "c349ad": {
        "cannot_judge": False,
        "comment": True,
        "allow_undo": False,
        "instructions": "Read.",
        "language": "ar",
        "direction": "rtl",
        "lease_minutes": 5,
        "tasks_per_rater": 7,
    },
    "b56c6d": {
        "by": "us",
        "condition": "arm",
        "consent": "Agree.",
        "declined_answers": "count",
        "kept": "Nothing.",
        "completion_code": "C1",
        "open_link": False,
        "prolific": True,
        "survey": [{"id": "age", "text": "Age?", "kind": "number"}],
    },
    "f5fac8": {
        "protocol": "range",
        "seed": 7,
        "rounds": {"number": 3, "reannotate": 2},
        "cold_start": {"size": 5, "by": "raters"},
        "anchors": {"most": 5},
    },
    "9eb684": {
        "selection": "sequences",
        "sequence_length": 20,
        "probes": {"every": 5},
        "redundancy": 4,
        "training": {"tasks": [{"text": "Tea", "answer": 10}]},
    },
    "41ca3f": {"protocol": "comparison_list", "group_size": 6, "ties": False},
    "ec267d": {
        "questions": [{"text": "a"}, {"text": "b", "scale": {"levels": 5}}],
        "scale": {"low": 1, "high": 7},
    },
}


def in_sections(table):
    """The same settings, each key in its section."""
    sections = {}
    for key, value in table.items():
        place = sections.setdefault(SECTION_OF[key], {}) if key in SECTION_OF else sections
        place[key] = value
    return sections


@pytest.mark.parametrize(("digits", "table"), HASHED.items(), ids=HASHED)
def test_keys_at_the_top_keep_the_hash_of_the_version_before(digits, table):
    assert define({**PLAIN, **table}, begun={}).settings_hash() == digits


@pytest.mark.parametrize("table", HASHED.values(), ids=HASHED)
def test_keys_in_sections_mean_the_same_as_keys_at_the_top(table):
    assert define(in_sections({**PLAIN, **table})) == define({**PLAIN, **table})


def test_the_hashed_settings_set_nearly_every_key():
    unset = set(SECTION_OF) - {key for table in HASHED.values() for key in table}
    added = ("AskingSettings", "JoiningSettings", "ChoosingSettings", "PageSettings")
    assert unset == {"consent_label", *(key for record in added for key in ADDED[record])}


def test_an_added_setting_changes_the_hash_only_if_it_is_set():
    assert define({**PLAIN, "most_raters": 0}).settings_hash() == define(PLAIN).settings_hash()
    assert define({**PLAIN, "most_raters": 9}).settings_hash() != define(PLAIN).settings_hash()


def test_a_key_has_one_section_and_no_key_is_called_like_a_section_or_a_key_at_the_top():
    names = [each.name for record in SECTIONS.values() for each in fields(record)]
    names += [each.name for each in fields(StudyDefinition)]
    assert sorted(names) == sorted(set(names))


def test_a_key_in_both_places_is_refused():
    with pytest.raises(BadSetting, match=r"study.toml, redundancy is also set in \[choosing\]"):
        define({**PLAIN, "redundancy": 3, "choosing": {"redundancy": 3}})
    with pytest.raises(BadSetting, match=r"study.toml, stop is also set in \[choosing\]"):
        define({**PLAIN, "stop": {"budget": 9}, "choosing": {"stop": {"budget": 9}}})


def test_both_spellings_may_be_mixed():
    text = 'title = "T"\nredundancy = 4\n[items]\nfile = "i.csv"\n[choosing]\ntasks_per_rater = 9\n'
    choosing = define(tomllib.loads(text + '[[questions]]\ntext = "?"\n')).choosing
    assert (choosing.redundancy, choosing.tasks_per_rater) == (4, 9)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"redundancy": "3"}, "^study.toml, redundancy: '3' is not a whole number"),
        (
            {"choosing": {"redundancy": "3"}},
            r"^study.toml, \[choosing\] redundancy: '3' is not a whole number",
        ),
        ({"choosing": 3}, r"^study.toml, \[choosing\]: must be a table. Write it as \[choosing\]"),
        ({"rounds": {"number": "2"}}, r"^study.toml, \[rounds\] number: '2' is not a whole number"),
        ({"grounding": {"rounds": {"number": "2"}}}, r"^study.toml, \[grounding.rounds\] number: '2'"),
    ],
)
def test_a_wrong_value_is_named_by_the_place_where_it_is_written(table, message):
    with pytest.raises(BadSetting, match=message):
        define({**PLAIN, **table})


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"redundency": 3}, "^study.toml: unknown key 'redundency'. Did you mean 'redundancy'?"),
        ({"chosing": {}}, "^study.toml: unknown key 'chosing'. Did you mean 'choosing'?"),
        (
            {"choosing": {"redundency": 3}},
            r"^study.toml, \[choosing\]: .*Did you mean 'redundancy'[?] Known: selec",
        ),
        ({"page": {"redundancy": 3}}, r"^study.toml, \[page\]: .*Did you mean 'redundancy' in \[choosing\]?"),
        ({"page": {"redundency": 3}}, r"^study.toml, \[page\]: .*Did you mean 'redundancy' in \[choosing\]?"),
        ({"page": {"title": "T"}}, r"^study.toml, \[page\]: .*Did you mean 'title' at the top of the file?"),
    ],
)
def test_an_unknown_key_is_answered_with_the_closest_one_and_its_place(table, message):
    with pytest.raises(UnknownName, match=message):
        define({**PLAIN, **table})


def test_the_protocol_in_its_section_decides_the_default_model_and_selection():
    study = define({**PLAIN, "asking": {"protocol": "comparison_list"}})
    assert (study.learning.model, study.choosing.selection) == ("bradley_terry", "all_pairs")
