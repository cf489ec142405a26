"""A folder as `pip install` leaves it, with the kind of these tests as an entry point."""

import os
import shutil
from pathlib import Path

HERE = Path(__file__).parent
SOURCE = HERE.parents[1] / "src"


def install(folder):
    """Install the kind into a folder; the environment of a Python that sees it."""
    folder.mkdir()
    for name in ("yes_no.py", "yes_no.js"):
        shutil.copy(HERE / name, folder / name)
    info = folder / "steelyard_yes_no-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: steelyard-yes-no\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[steelyard.kinds]\nyes_no = yes_no:YES_NO\n")
    paths = [str(folder), str(SOURCE), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
