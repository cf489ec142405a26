"""Only image, audio and video files in the folder of a study are media."""

import pytest

from steelyard.storage.database import create_database
from steelyard.study.definition.media_files import looks_like_media, media_file
from tests.web.pictures import png


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "one.png").write_bytes(png())
    (tmp_path / "study.toml").write_text("title = 'x'")
    (tmp_path / "items.csv").write_text("id,text\n")
    (tmp_path / ".hidden.png").write_bytes(png())
    (tmp_path / "linked.png").symlink_to(tmp_path / "study.db")
    create_database(tmp_path)
    return tmp_path


def test_a_picture_is_found(folder):
    assert media_file(folder, "one.png", "image") == folder / "one.png"
    assert looks_like_media(folder / "one.png")


@pytest.mark.parametrize(
    "name", ["study.db", "study.db-wal", "study.toml", "items.csv", ".hidden.png", "linked.png", "absent.png"]
)
def test_other_files_in_the_folder_are_not_media(folder, name):
    for medium in ("image", "audio", "video"):
        assert media_file(folder, name, medium) is None


def test_a_database_or_a_text_under_the_name_of_a_picture_is_not_media(folder):
    for name, source in (("db.png", "study.db"), ("items.png", "items.csv"), ("toml.svg", "study.toml")):
        (folder / name).write_bytes((folder / source).read_bytes())
        assert not looks_like_media(folder / name)


def test_a_drawing_is_media(folder):
    (folder / "drawing.svg").write_text('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>')
    assert looks_like_media(folder / "drawing.svg")
