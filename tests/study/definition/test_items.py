import pytest

from steelyard.errors import (
    BadRows,
    BadSetting,
    CannotWrite,
    EmptyFile,
    MissingColumn,
    NoSuchFile,
    UnreadableFile,
)
from steelyard.study.definition.create import NewStudy, create_study
from steelyard.study.definition.items import read_items
from steelyard.study.definition.media_files import local_file
from steelyard.study.definition.sections.items import ItemsSettings
from steelyard.study.definition.study import open_study


def write(folder, text, name="items.csv"):
    (folder / name).write_text(text, encoding="utf-8")
    return ItemsSettings(file=name)


def test_items_have_content_system_segment_and_what_is_shown_beside_them(tmp_path):
    settings = write(tmp_path, "id,text,system,segment,source\na,Hello,S1,seg1,Hallo\n")
    settings = ItemsSettings(file="items.csv", show=("source",))
    (item,) = read_items(tmp_path, settings).all
    assert (item.id, item.medium, item.content, item.system, item.segment) == (
        "a",
        "text",
        "Hello",
        "S1",
        "seg1",
    )
    assert item.context == (("source", "Hallo"),)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("", EmptyFile, "the file is empty"),
        ("id,text\n", EmptyFile, "only a header line"),
        ("name,text\na,b\n", MissingColumn, "'id'"),
        ("id,text\na,one\na,two\n", BadRows, "line 3: id 'a' is already used in line 2"),
        ("id,text\na,\n", BadRows, "line 2: text is empty"),
        ("id,text\n,one\n", BadRows, "line 2: id is empty"),
        ("id,text\na,one,more\n", BadRows, "line 2: 3 fields"),
        ("id,image\na,missing.png\n", BadRows, "'missing.png' is not in the study folder"),
        ("id,image\na,../../etc/passwd\n", BadRows, "not in the study folder"),
        ("id,image\na,items.csv\n", BadRows, "'items.csv' is not an image file"),
        ("id,audio\na,items.csv\n", BadRows, "'items.csv' is not an audio file"),
        (f"id,image\na,{'x' * 5000}.png\n", BadRows, "is not in the study folder"),
        ("id,text\na,one\0two\n", BadRows, "text holds the character U\\+0000"),
    ],
)
def test_a_broken_items_file_is_named_with_its_line(tmp_path, text, error, message):
    settings = write(tmp_path, text)
    with pytest.raises(error, match=message):
        read_items(tmp_path, settings)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(NoSuchFile):
        read_items(tmp_path, ItemsSettings(file="items.csv"))


def test_two_media_at_once_are_refused(tmp_path):
    write(tmp_path, "id,text,image\na,b,c\n")
    with pytest.raises(BadSetting, match="sets more than one of text"):
        read_items(tmp_path, ItemsSettings(file="items.csv", text="text", image="image"))


def test_no_file_outside_the_folder_is_reached(tmp_path):
    inside = tmp_path / "study"
    inside.mkdir()
    (tmp_path / "secret.png").write_bytes(b"x")
    (inside / "link.png").symlink_to(tmp_path / "secret.png")
    assert local_file(inside, "../secret.png") is None
    assert local_file(inside, "link.png") is None
    assert local_file(inside, "/etc/passwd") is None


def test_a_new_study_can_be_opened_and_has_its_settings(tmp_path):
    items = tmp_path / "my items.csv"
    items.write_text('id,text,system\na,"One ""quoted"" 🍝",S\nb,Two,S\n', encoding="utf-8")
    create_study(tmp_path / "study", NewStudy(items, "list", question='How "much"?'))
    study = open_study(tmp_path / "study")
    assert len(study.items) == 2
    assert study.definition.asking.protocol == "list"
    assert study.definition.questions[0].text == 'How "much"?'
    assert study.items[0].system == "S"


def test_nothing_is_left_behind_when_the_items_are_wrong(tmp_path):
    items = tmp_path / "items.csv"
    items.write_text("id,text\na,one\na,two\n")
    with pytest.raises(BadRows):
        create_study(tmp_path / "study", NewStudy(items))
    assert not (tmp_path / "study").exists()


def test_a_new_study_copies_its_media(tmp_path):
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "one.png").write_bytes(b"png")
    items = tmp_path / "items.csv"
    items.write_text("id,image\na,pictures/one.png\nb,https://example.org/two.png\n")
    create_study(tmp_path / "study", NewStudy(items))
    assert (tmp_path / "study" / "pictures" / "one.png").read_bytes() == b"png"
    assert len(open_study(tmp_path / "study").items) == 2


def test_half_a_character_in_an_item_is_refused(tmp_path):
    settings = write(tmp_path, '{"id": "a", "text": "one \\ud800"}\n', "items.jsonl")
    with pytest.raises(BadRows, match=r"text holds the character U\+D800"):
        read_items(tmp_path, settings)


@pytest.mark.parametrize("name", ["x" * 5000 + ".csv", "a\0b.csv"])
def test_an_items_file_with_an_impossible_name_is_named(tmp_path, name):
    with pytest.raises(UnreadableFile, match="cannot be opened"):
        read_items(tmp_path, ItemsSettings(file=name))


def test_a_study_inside_a_file_is_refused_with_a_message(tmp_path):
    write(tmp_path, "id,text\na,one\n")
    (tmp_path / "file").touch()
    with pytest.raises(BadSetting, match=r"file is a file, not a folder\. Choose another path"):
        create_study(tmp_path / "file" / "study", NewStudy(tmp_path / "items.csv"))


def test_a_study_whose_name_is_too_long_is_refused_with_a_message(tmp_path):
    write(tmp_path, "id,text\na,one\n")
    with pytest.raises(CannotWrite, match="File name too long"):
        create_study(tmp_path / ("x" * 500), NewStudy(tmp_path / "items.csv"))


def test_a_parent_that_cannot_be_written_is_named_and_nothing_is_left_behind(tmp_path, monkeypatch):
    write(tmp_path, "id,text\na,one\n")

    def refuse(path, content):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("steelyard.study.definition.create.write_private", refuse)
    with pytest.raises(CannotWrite, match="Permission denied"):
        create_study(tmp_path / "study", NewStudy(tmp_path / "items.csv"))
    assert not (tmp_path / "study").exists()


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"question": "a\x07b"}, "question: contains U\\+0007"),
        ({"question": "a\x7fb"}, "question: contains U\\+007F"),
        ({"question": "a\udcff"}, "question: contains U\\+DCFF"),
        ({"title": "a\ud800"}, "title: contains U\\+D800"),
        ({"redundancy": 10**20}, "redundancy: .* is too large"),
        ({"seed": 10**30}, "seed: .* is too large"),
    ],
)
def test_a_character_that_no_study_can_store_is_refused_with_one_message(tmp_path, wanted, message):
    write(tmp_path, "id,text\na,one\n")
    with pytest.raises(BadSetting, match=message):
        create_study(tmp_path / "study", NewStudy(tmp_path / "items.csv", **wanted))
    assert not (tmp_path / "study").exists()


@pytest.mark.parametrize("selection", ["", "match_quality", "easl"])
def test_a_new_study_of_comparisons_is_balanced_and_warns_of_less_accurate_selections(tmp_path, selection):
    (tmp_path / "items.csv").write_text("id,text\na,A\nb,B\nc,C\n")
    create_study(tmp_path / "study", NewStudy(tmp_path / "items.csv", "comparison", selection=selection))
    lines = (tmp_path / "study" / "study.toml").read_text().splitlines()
    (line,) = [each for each in lines if each.startswith("selection")]
    assert line.startswith(f'selection = "{selection or "balanced"}"')
    assert ('"balanced" is more accurate' in line) is bool(selection)


def test_the_comment_on_the_model_lists_the_model_that_is_set(tmp_path):
    (tmp_path / "items.csv").write_text("id,text\na,A\nb,B\nc,C\n")
    create_study(tmp_path / "study", NewStudy(tmp_path / "items.csv", "list", model="trueskill"))
    lines = (tmp_path / "study" / "study.toml").read_text().splitlines()
    (line,) = [each for each in lines if each.startswith("model")]
    assert line.split("#")[1].split() == [
        '"trueskill"',
        "or",
        '"direct_assessment"',
        "or",
        '"easl"',
        "or",
        '"steelyard"',
    ]
