"""Parts of other packages, registered for one test."""

from steelyard.models.known import MODELS, _types_of
from steelyard.selection.known import SELECTIONS

HERE = "tests.extension"
METADATA = "Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n"
GROUPS = """\
[steelyard.models]
shrunken_mean = {model}

[steelyard.selections]
most_uncertain = {selection}
"""


def forget_parts(monkeypatch):
    """Reset both registries to their state at the start of a program."""
    for registry in (MODELS, SELECTIONS):
        monkeypatch.setattr(registry, "_parts", dict(registry.built_in))
        monkeypatch.setattr(registry, "_loaded", False)
    _types_of.cache_clear()


def install(
    folder,
    package="scales_of_means",
    model=f"{HERE}.shrunken_mean:ShrunkenMean",
    selection=f"{HERE}.most_uncertain:MostUncertain",
):
    """Write to a folder what `pip install` writes for a package with these entry points."""
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(METADATA.format(package=package), encoding="utf-8")
    (info / "entry_points.txt").write_text(GROUPS.format(model=model, selection=selection), encoding="utf-8")
