"""Commands without numba say so, once and without a place in the code."""

import warnings

from steelyard.cli import main, output
from steelyard.maths import compiling


def test_a_command_that_fits_without_numba_names_what_to_install(monkeypatch, capsys):
    monkeypatch.setattr(warnings, "showwarning", main._show_warning)
    monkeypatch.setattr(compiling, "IS_COMPILED", False)
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        compiling.njit(cache=True)(abs)
    printed = capsys.readouterr().err
    assert "pip install 'steelyard[fast]'" in " ".join(printed.split())
    assert "compiling.py" not in printed


def test_other_warnings_keep_their_place(capsys):
    main._show_warning("Odd.", UserWarning, "kernel.py", 7)
    assert "kernel.py:7: UserWarning: Odd." in capsys.readouterr().err


def test_a_server_without_numba_names_what_to_install(monkeypatch, capsys):
    output.remark_if_not_compiled()
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(compiling, "IS_COMPILED", False)
    output.remark_if_not_compiled()
    assert "pip install 'steelyard[fast]'" in " ".join(capsys.readouterr().err.split())
