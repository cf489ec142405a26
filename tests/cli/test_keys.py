import json
import re

import pytest

from steelyard.storage.database import open_database
from steelyard.storage.keys import key_matching
from steelyard.storage.server_keys import ServerKeys
from tests.commands import finish
from tests.serving import write_study


def token_in(text):
    return re.search(r"scopes [^:]+:[^ ]+: (\S+)", text).group(1)


def test_a_token_with_scopes_is_created_listed_and_revoked(tmp_path):
    write_study(tmp_path)
    made = finish("keys", str(tmp_path), "--add", "dashboard", "--scope", "read:results")
    key = key_matching(open_database(tmp_path).access_keys(), token_in(made.stderr))
    assert (key.name, key.role, key.scopes) == ("dashboard", "program", ("read:results",))
    rows = json.loads(finish("keys", str(tmp_path), "--json").stdout)
    assert rows[-1] == {"name": "dashboard", "role": "program", "scopes": "read:results"}
    assert finish("keys", str(tmp_path), "--revoke", "dashboard").returncode == 0
    assert [each.name for each in open_database(tmp_path).access_keys()] == ["owner"]


def test_tokens_that_create_studies_belong_to_a_folder_of_studies(tmp_path):
    made = finish("keys", str(tmp_path), "--add", "pipeline", "--scope", "create:studies")
    assert key_matching(ServerKeys(tmp_path).access_keys(), token_in(made.stderr)).name == "pipeline"
    write_study(tmp_path / "study")
    refused = finish("keys", str(tmp_path / "study"), "--add", "pipeline", "--scope", "create:studies")
    assert (refused.returncode, "scope" in refused.stderr) == (2, True)


@pytest.mark.parametrize("options", [(), ("--add", "lab"), ("--add", "x", "--scope", "read:results")])
def test_a_folder_without_a_study_gets_no_keys_by_mistake(tmp_path, options):
    refused = finish("keys", str(tmp_path), *options)
    assert refused.returncode == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "options",
    [(), ("--create-in", "missing"), ("--create-in", ".", "--studies-url", "https://rate.example.org")],
)
def test_serve_names_what_is_missing(tmp_path, monkeypatch, options):
    monkeypatch.chdir(tmp_path)
    refused = finish("serve", *options)
    assert refused.returncode == 2
    assert "--create-in" in refused.stderr or "--studies-url" in refused.stderr
