import sys

import pytest

from steelyard import DirectAssessment, Judgments, Rating, errors

JUDGMENTS = Judgments.of([Rating("ann", "tea", 20), Rating("bob", "soup", 30)], range=(0, 100))


@pytest.mark.parametrize(
    ("method", "library", "extra"),
    [("to_pandas", "pandas", "pandas"), ("to_polars", "polars", "polars"), ("to_arrow", "pyarrow", "arrow")],
)
@pytest.mark.parametrize(
    "table", [JUDGMENTS, DirectAssessment().fit(JUDGMENTS).scale], ids=["judgments", "scale"]
)
def test_a_frame_of_a_library_that_is_not_installed_is_refused_by_name(
    monkeypatch, table, method, library, extra
):
    monkeypatch.setitem(sys.modules, library, None)
    remedy = rf"pip install 'steelyard\[{extra}\]'"
    with pytest.raises(errors.MissingLibrary, match=f"^{library} is not installed. Install it: {remedy}$"):
        getattr(table, method)()
