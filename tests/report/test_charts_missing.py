"""Charts without vl-convert."""

from steelyard.report import charts


def test_a_chart_names_the_extra_that_draws_it(monkeypatch):
    monkeypatch.setattr(charts, "find_spec", lambda name: None)
    assert "pip install 'steelyard[plots]'" in charts.to_svg(None)
    assert charts.to_svg(None).startswith("<svg")
