import json
import threading

import pytest

from steelyard.errors import BadRows, BadSetting, CannotWrite, ItemExists, SteelyardError, UnknownName
from steelyard.judgments.writing import write_columns
from steelyard.study.definition.adding_items import add_items
from steelyard.study.definition.items_file import ItemsFile
from steelyard.study.definition.study import open_study

TOML = 'title = "Meals"\n[items]\nfile = "{file}"\n{columns}\n[[questions]]\ntext = "How filling?"\n'
HOSTILE = 'line\nbreak, "quotes"; tab\t\' = semicolon\r carriage, 🍝 حمص'
TWO = [{"id": "tea", "text": "Green tea", "system": "a"}, {"id": "soup", "text": "Soup, hot", "system": "b"}]
FORMS = {
    "items.csv": "id,text,system\r\ntea,Green tea,a\r\nsoup,\"Soup, hot\",b",
    "items.tsv": "id\ttext\tsystem\ntea\tGreen tea\ta\nsoup\tSoup, hot\tb\n",
    "semicolon.csv": "\ufeffid;text;system\ntea;Green tea;a\nsoup;Soup, hot;b\n",
    "items.jsonl": "\n".join(map(json.dumps, TWO)),
    "items.json": json.dumps(TWO, indent=1) + "\n",
}  # fmt: skip


def study_with(folder, file="items.csv", columns="", content=None):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "study.toml").write_text(TOML.format(file=file, columns=columns), encoding="utf-8")
    if file.endswith(".parquet"):
        columns = {"id": ["tea", "soup"], "text": ["Green tea", "Soup, hot"], "system": ["a", "b"]}
        write_columns({**columns, "length": [9, 9]}, folder / file, "parquet")
    else:
        (folder / file).write_bytes((content or FORMS[file]).encode())
    return open_study(folder)


@pytest.mark.parametrize("file", [*FORMS, "items.parquet"])
def test_items_are_added_in_every_format_and_the_others_stay_as_they_are(tmp_path, file):
    study = study_with(tmp_path, file)
    added = add_items(study, [{"id": "pasta", "text": HOSTILE, "system": "c"}, {"id": 7, "text": "Seven"}])
    assert (added.added, added.unchanged, added.items) == (("pasta", "7"), (), 4)
    items = open_study(tmp_path).items
    assert items.all[:2] == study.items.all
    assert items[2].content == HOSTILE
    assert (items[3].id, items[3].system) == ("7", "")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([file, "study.toml"])


def test_a_running_study_notices_the_new_items(tmp_path):
    study = study_with(tmp_path)
    watched = ItemsFile(study)
    add_items(study, [{"id": "pasta", "text": "Pasta"}])
    assert watched.newer().items.index["pasta"] == 2
    assert watched.problem == ""


def test_items_that_are_sent_again_are_not_added_twice(tmp_path):
    study = study_with(tmp_path)
    rows = [{"id": "pasta", "text": "Pasta"}, {"id": "tea", "text": "Green tea", "system": "a"}]
    add_items(study, rows)
    before = (tmp_path / "items.csv").read_bytes()
    again = add_items(study, rows)
    assert (again.added, again.unchanged) == ((), ("pasta", "tea"))
    assert (tmp_path / "items.csv").read_bytes() == before


@pytest.mark.parametrize(
    ("rows", "error"),
    [
        ([], BadSetting),
        ([{"id": "pasta", "text": "Pasta"}, {"id": "tea", "text": "Black tea"}], ItemExists),
        ([{"id": "pasta", "txt": "Pasta"}], UnknownName),
        ([{"id": "pasta"}], BadRows),
        ([{"text": "Pasta"}], BadRows),
        ([{"id": "pasta", "text": "one"}, {"id": "pasta", "text": "two"}], BadRows),
        ([{"id": "pasta", "text": "NUL\0"}], BadRows),
        ([{"id": "pasta", "text": "half of a pair \ud800"}], BadRows),
    ],
)
def test_a_mistake_leaves_the_file_as_it_was(tmp_path, rows, error):
    study = study_with(tmp_path)
    before = (tmp_path / "items.csv").read_bytes()
    with pytest.raises(error):
        add_items(study, rows)
    assert (tmp_path / "items.csv").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["items.csv", "study.toml"]


def test_a_media_item_may_not_name_other_files(tmp_path):
    study = study_with(
        tmp_path, columns='image = "picture"', content="id,picture\na,https://example.org/a.png\n"
    )
    for name in ("study.toml", "../secret.png", "/etc/passwd"):
        with pytest.raises(BadRows):
            add_items(study, [{"id": "b", "picture": name}])
    assert add_items(study, [{"id": "b", "picture": "https://example.org/b.png"}]).items == 2


def test_a_cell_that_does_not_fit_its_parquet_column_is_refused(tmp_path):
    study = study_with(tmp_path, "items.parquet")
    with pytest.raises(BadSetting, match="does not fit its column"):
        add_items(study, [{"id": "x", "text": "X", "length": "long"}])
    assert add_items(study, [{"id": "x", "text": "X", "length": 1}]).items == 3


def test_a_folder_that_cannot_be_written_is_reported(tmp_path, monkeypatch):
    study = study_with(tmp_path)

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("steelyard.study.definition.adding_items.tempfile.mkstemp", full)
    with pytest.raises(CannotWrite, match="No space left"):
        add_items(study, [{"id": "x", "text": "X"}])


def test_threads_that_add_items_at_the_same_time_lose_none(tmp_path):
    study = study_with(tmp_path, "items.jsonl")
    failures = []

    def add(number):
        try:
            add_items(study, [{"id": f"n{number}", "text": "New"}])
        except SteelyardError as failure:
            failures.append(failure)

    threads = [threading.Thread(target=add, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    lines = (tmp_path / "items.jsonl").read_text("utf-8").splitlines()
    assert {json.loads(line)["id"] for line in lines} == {"tea", "soup", *(f"n{at}" for at in range(12))}
