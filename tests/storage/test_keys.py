import pytest

from steelyard.errors import BadSetting, UnknownName
from steelyard.storage.keys import key_matching
from tests.stores import STORES, create_store


@pytest.fixture(params=STORES)
def database(request, tmp_path):
    return create_store(tmp_path, request.param)[0]


def test_a_key_has_a_name_and_a_role_and_only_its_hash_is_stored(database):
    key = database.add_key("lab", "viewer", 5.0)
    assert [(each.name, each.role) for each in database.access_keys()] == [
        ("owner", "owner"),
        ("lab", "viewer"),
    ]
    assert key_matching(database.access_keys(), key).name == "lab"
    assert key not in repr(database.access_keys())


def test_a_revoked_key_is_no_longer_valid_and_its_name_is_free(database):
    key = database.add_key("lab", "owner", 5.0)
    database.revoke_key("lab")
    assert key_matching(database.access_keys(), key) is None
    database.add_key("lab", "viewer", 6.0)


@pytest.mark.parametrize(
    ("name", "role"), [("owner", "viewer"), ("", "viewer"), ("a\0b", "owner"), ("x" * 41, "owner")]
)
def test_a_name_that_is_in_use_or_cannot_be_read_is_refused(database, name, role):
    with pytest.raises(BadSetting):
        database.add_key(name, role, 5.0)


def test_unknown_roles_and_keys_are_named(database):
    with pytest.raises(UnknownName, match="viewer"):
        database.add_key("lab", "view", 5.0)
    with pytest.raises(UnknownName):
        database.revoke_key("lab")


def test_the_first_key_is_replaced_but_never_revoked(database):
    with pytest.raises(BadSetting, match="new-owner-key"):
        database.revoke_key("owner")


def test_a_key_of_a_program_has_scopes_and_other_keys_have_none(database):
    token = database.add_key("dashboard", "program", 5.0, ["read:results"])
    assert key_matching(database.access_keys(), token).allowed == ("read:results",)
    for role, scopes in (("program", []), ("viewer", ["read:results"]), ("program", ["create:studies"])):
        with pytest.raises(BadSetting, match="scope"):
            database.add_key("other", role, 5.0, scopes)
