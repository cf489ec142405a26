import pytest

from steelyard.errors import BadRows, BadSetting, EmptyFile, MissingColumn, NoSuchFile
from steelyard.study.create import NewStudy, create_study
from steelyard.study.definition import ItemsSettings
from steelyard.study.items import local_file, read_items
from steelyard.study.study import open_study


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
        ("", EmptyFile, "no rows"),
        ("id,text\n", EmptyFile, "no rows"),
        ("name,text\na,b\n", MissingColumn, "'id'"),
        ("id,text\na,one\na,two\n", BadRows, "line 3: id 'a' stands already in line 2"),
        ("id,text\na,\n", BadRows, "line 2: text is empty"),
        ("id,text\n,one\n", BadRows, "line 2: id is empty"),
        ("id,text\na,one,more\n", BadRows, "line 2: 3 fields"),
        ("id,image\na,missing.png\n", BadRows, "'missing.png' is not in the study's folder"),
        ("id,image\na,../../etc/passwd\n", BadRows, "not in the study's folder"),
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
    with pytest.raises(BadSetting, match="not several"):
        read_items(tmp_path, ItemsSettings(file="items.csv", text="text", image="image"))


def test_no_file_outside_the_folder_is_reached(tmp_path):
    inside = tmp_path / "study"
    inside.mkdir()
    (tmp_path / "secret.png").write_bytes(b"x")
    (inside / "link.png").symlink_to(tmp_path / "secret.png")
    assert local_file(inside, "../secret.png") is None
    assert local_file(inside, "link.png") is None
    assert local_file(inside, "/etc/passwd") is None


def test_a_new_study_can_be_opened_and_says_what_it_holds(tmp_path):
    items = tmp_path / "my items.csv"
    items.write_text('id,text,system\na,"One ""quoted"" 🍝",S\nb,Two,S\n', encoding="utf-8")
    create_study(tmp_path / "study", NewStudy(items, "list", question='How "much"?'))
    study = open_study(tmp_path / "study")
    assert len(study.items) == 2
    assert study.definition.protocol == "list"
    assert study.definition.questions[0].text == 'How "much"?'
    assert study.items[0].system == "S"


def test_nothing_is_left_behind_when_the_items_are_wrong(tmp_path):
    items = tmp_path / "items.csv"
    items.write_text("id,text\na,one\na,two\n")
    with pytest.raises(BadRows):
        create_study(tmp_path / "study", NewStudy(items))
    assert not (tmp_path / "study").exists()


def test_a_new_study_takes_its_media_along(tmp_path):
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "one.png").write_bytes(b"png")
    items = tmp_path / "items.csv"
    items.write_text("id,image\na,pictures/one.png\nb,https://example.org/two.png\n")
    create_study(tmp_path / "study", NewStudy(items))
    assert (tmp_path / "study" / "pictures" / "one.png").read_bytes() == b"png"
    assert len(open_study(tmp_path / "study").items) == 2
