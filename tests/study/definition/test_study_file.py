import pytest

from steelyard.errors import BadSetting, NoStudy, UnknownName
from steelyard.study.definition.study_file import define, read_definition

PLAIN = {"title": "T", "items": {"file": "items.csv"}, "questions": [{"text": "How much?"}]}


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"redundency": 3}, "Did you mean 'redundancy'"),
        ({"protocol": "lists"}, "Did you mean 'list'"),
        ({"scale": {"lo": 1}}, r"study.toml, \[scale\]: unknown key 'lo'"),
        ({"questions": [{"txt": "?"}]}, r"questions\[0\]: unknown key 'txt'. Did you mean 'text'"),
        ({"model": "eals"}, "Did you mean 'easl'"),
        ({"selection": "balance"}, "Did you mean 'balanced'"),
    ],
)
def test_an_unknown_name_is_answered_with_the_closest_one(table, message):
    with pytest.raises(UnknownName, match=message):
        define({**PLAIN, **table})


def test_a_missing_title_is_named():
    with pytest.raises(BadSetting, match="title"):
        define({"items": {"file": "x"}, "questions": [{"text": "?"}]})


def test_questions_without_ids_are_numbered():
    study = define({**PLAIN, "questions": [{"text": "a"}, {"text": "b"}]})
    assert [question.id for question in study.questions] == ["question1", "question2"]


def test_a_folder_without_a_study_says_how_to_make_one(tmp_path):
    with pytest.raises(NoStudy, match="steelyard new"):
        read_definition(tmp_path)


def test_broken_toml_is_named_with_its_line(tmp_path):
    (tmp_path / "study.toml").write_text("title = \nprotocol = 3")
    with pytest.raises(
        BadSetting, match=r"study.toml, line 1, column 9: this is not valid TOML: .* Correct this line"
    ):
        read_definition(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"x = {'[' * 5_000}", ": arrays or tables are nested too deeply. Correct the file."),
        (f"x = {'{a=' * 5_000}", ": arrays or tables are nested too deeply. Correct the file."),
        (f"title{'.a' * 5_000} = 1", ": arrays or tables are nested too deeply. Correct the file."),
        (f"seed = {'9' * 5_000}", ": a number has too many digits. Correct the file."),
        (f"seed = 0x{'f' * 5_000}", ", seed: this number is too large."),
        ("[scale]\nhigh = 9223372036854775808", ", scale, high: this number is too large."),
    ],
)
def test_values_without_bounds_are_refused_in_one_line(tmp_path, text, message):
    (tmp_path / "study.toml").write_text(text)
    with pytest.raises(BadSetting) as refused:
        read_definition(tmp_path)
    assert str(refused.value) == f"{tmp_path / 'study.toml'}{message}"


def test_a_study_saved_with_a_byte_order_mark_is_read(tmp_path):
    text = 'title = "T"\r\n[items]\r\nfile = "items.csv"\r\n[[questions]]\r\ntext = "?"\r\n'
    (tmp_path / "study.toml").write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert read_definition(tmp_path).title == "T"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "latin-1"])
def test_a_study_in_another_encoding_is_named(tmp_path, encoding):
    (tmp_path / "study.toml").write_bytes('title = "Größe"\n'.encode(encoding))
    with pytest.raises(BadSetting, match=r"is not encoded in UTF-8\. Save the file as UTF-8"):
        read_definition(tmp_path)


def test_a_study_that_cannot_be_opened_is_named(tmp_path, monkeypatch):
    (tmp_path / "study.toml").write_text("")

    def refuse(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("pathlib.Path.read_bytes", refuse)
    with pytest.raises(BadSetting, match="Permission denied"):
        read_definition(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[scale]\nhigh = -4", ", [scale]: high -4 is not above low 0. Write a larger high."),
        ("[scale]\nstep = -1", ", [scale] step: -1 is not inside 0 to 100. Write 0 for the default."),
        ("redundancy = 0", ", redundancy: 0 is too small. Write at least 1."),
        ("[choosing]\nredundancy = 0", ", [choosing] redundancy: 0 is too small. Write at least 1."),
        ("[grounding.rounds]\nnumber = 0", ", [grounding.rounds] number: 0 is too small. Write at least 1."),
        (
            "[asking]\nties = false\nboth_bad = true\nprotocol = 'comparison'",
            ", [asking] both_bad is stored as a tie.",
        ),
    ],
)
def test_a_value_that_cannot_be_used_is_named_with_its_section(tmp_path, text, message):
    plain = "title = 'T'\nitems = {file = 'items.csv'}\nquestions = [{text = 'How much?'}]\n"
    (tmp_path / "study.toml").write_text(plain + text)
    with pytest.raises(BadSetting) as refused:
        read_definition(tmp_path)
    assert str(refused.value).startswith(f"{tmp_path / 'study.toml'}{message}")
