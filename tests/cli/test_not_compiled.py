"""Commands without numba say so."""

from steelyard.cli import output


def test_a_fit_without_numba_names_what_to_install(monkeypatch, capsys):
    monkeypatch.setattr(output, "find_spec", lambda name: None)
    output.remark_if_not_compiled()
    assert "pip install numba" in capsys.readouterr().err


def test_with_numba_nothing_is_said(capsys):
    output.remark_if_not_compiled()
    assert capsys.readouterr().err == ""
