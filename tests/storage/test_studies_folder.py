import threading
from pathlib import Path

import pytest
import sqlalchemy as sa

from steelyard.errors import BadSetting, ServerFull, SteelyardError, StudyExists
from steelyard.storage.database import open_database
from steelyard.storage.keys import key_matching
from steelyard.storage.server_keys import ServerKeys
from steelyard.storage.studies_folder import RequestedStudy, StudiesFolder
from steelyard.study.definition.create import NewStudy
from steelyard.study.definition.study import open_study
from tests.postgres import server_url
from tests.stores import STORES

ROWS = [{"id": "tea", "text": "Green tea"}, {"id": "soup", "text": "Soup", "system": "a"}]
TOML = 'title = "Meals"\n[items]\nfile = "items.jsonl"\n[[questions]]\ntext = "How filling?"\n'


@pytest.fixture(params=STORES)
def folder(request, tmp_path):
    """A folder for studies; on PostgreSQL, names of tests must differ because the server is shared."""
    return StudiesFolder(tmp_path, 3, server_url() if request.param == "postgres" else "")


def name_for(folder):
    return f"s{abs(hash(str(folder.root))):x}"[:30]


def schemas(folder):
    if not folder.database:
        return set()
    engine = sa.create_engine(folder.database.replace("postgresql://", "postgresql+psycopg://"))
    with engine.connect() as connection:
        found = set(
            connection.execute(sa.text("SELECT schema_name FROM information_schema.schemata")).scalars()
        )
    engine.dispose()
    return found


def test_a_study_is_created_whole_with_its_database_and_key(folder):
    name = name_for(folder)
    made = folder.create(RequestedStudy(name, ROWS, NewStudy(Path("x"), question="How filling?", seed=3)))
    assert open_study(folder.root / name).items.ids.tolist() == ["tea", "soup"]
    assert key_matching(open_database(folder.root / name).access_keys(), made.key).name == "owner"
    assert folder.studies() == {0: folder.root / name}
    assert [path.name for path in folder.root.iterdir()] == [name]
    with pytest.raises(StudyExists, match=name):
        folder.create(RequestedStudy(name, ROWS))


@pytest.mark.parametrize(
    "wanted",
    [
        *(
            RequestedStudy(name, ROWS)
            for name in ("", "..", "a/b", ".hidden", "A", "ä", "x" * 41, "-x", "a\0")
        ),
        RequestedStudy("bad", [{"id": "tea"}]),
        RequestedStudy("bad", [{"id": "tea", "text": "x"}, {"id": "tea", "text": "y"}]),
        RequestedStudy("bad", [{"id": "tea", " text": "x"}]),
        RequestedStudy("bad", ROWS, NewStudy(Path("x"), protocol="none")),
        RequestedStudy("bad", ROWS, NewStudy(Path("x"), model="none")),
        RequestedStudy("bad", [{"id": "a", "image": "/etc/passwd"}]),
        RequestedStudy("bad", ROWS, toml="title = "),
        RequestedStudy("bad", ROWS, toml=f"x = {'[' * 5_000}\n{TOML}"),
        RequestedStudy("bad", ROWS, toml=f"{TOML}[items.text{'.a' * 5_000}]\nb = 1\n"),
        RequestedStudy("bad", ROWS, toml=f"seed = {'9' * 5_000}\n{TOML}"),
        RequestedStudy("bad", ROWS, toml=f"seed = 0x{'f' * 5_000}\n{TOML}"),
        RequestedStudy("bad", ROWS, toml=TOML.replace("items.jsonl", "../../secret.csv")),
        RequestedStudy("bad", ROWS, toml=TOML + '[anchors]\nfile = "../x.csv"\n'),
        RequestedStudy("bad", ROWS, toml=TOML + '[checks]\nfile = "../x.csv"\n'),
        RequestedStudy("bad", ROWS, toml=TOML + '[joining]\nexclude_raters_of = ["../other"]\n'),
    ],
)
def test_a_mistake_leaves_no_trace(folder, wanted):
    before = schemas(folder)
    with pytest.raises(SteelyardError):
        folder.create(wanted)
    assert list(folder.root.iterdir()) == []
    assert schemas(folder) == before


def test_a_study_that_cannot_be_put_in_its_place_leaves_no_trace(folder, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    before = schemas(folder)
    monkeypatch.setattr("steelyard.storage.studies_folder.os.rename", full)
    with pytest.raises(SteelyardError, match="No space left"):
        folder.create(RequestedStudy(name_for(folder), ROWS))
    assert list(folder.root.iterdir()) == []
    assert schemas(folder) == before


def test_the_whole_of_study_toml_can_be_sent(tmp_path):
    StudiesFolder(tmp_path, 1).create(
        RequestedStudy("meals", ROWS, toml=TOML + '[joining]\nconsent = "Yes?"\n')
    )
    assert open_study(tmp_path / "meals").definition.joining.consent == "Yes?"


def test_study_toml_may_be_sent_with_a_byte_order_mark(tmp_path):
    StudiesFolder(tmp_path, 1).create(RequestedStudy("meals", ROWS, toml=f"\ufeff{TOML}"))
    assert open_study(tmp_path / "meals").definition.title == "Meals"


def test_a_server_has_a_largest_number_of_studies_and_threads_do_not_share_a_port(tmp_path):
    folder = StudiesFolder(tmp_path, 3)
    results = []

    def create(number):
        try:
            results.append(folder.create(RequestedStudy(f"s{number}", ROWS)).slot)
        except ServerFull:
            results.append(None)

    threads = [threading.Thread(target=create, args=(number,)) for number in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(each for each in results if each is not None) == [0, 1, 2]
    assert results.count(None) == 2


def test_tokens_of_a_server_are_private_revocable_and_only_for_creating(tmp_path):
    keys = ServerKeys(tmp_path)
    token = keys.add_key("pipeline", 0.0)
    assert (tmp_path / "keys.json").stat().st_mode & 0o077 == 0
    assert token not in (tmp_path / "keys.json").read_text()
    assert key_matching(keys.access_keys(), token).allowed == ("create:studies",)
    with pytest.raises(BadSetting, match="in use"):
        keys.add_key("pipeline", 0.0)
    with pytest.raises(BadSetting, match="scope"):
        keys.add_key("other", 0.0, ["manage:study"])
    keys.revoke_key("pipeline")
    assert keys.access_keys() == []
