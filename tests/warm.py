"""What commands import and load late, imported and loaded at once: importing this module is its use."""

from importlib import import_module

from steelyard import Judgments, Rating
from steelyard.models.steelyard.model import Steelyard
from steelyard.web import worker

LATE = (
    "altair",
    "duckdb",
    "scipy.linalg",
    "scipy.optimize",
    "scipy.sparse.csgraph",
    "scipy.special",
    "scipy.stats",
    "steelyard.cli.main",
    "steelyard.web.app",
    "uvicorn",
)

for name in LATE:
    import_module(name)
worker.NICENESS = 0  # as in conftest.py
Steelyard().fit(Judgments.of([Rating("ann", "tea", 20), Rating("ann", "soup", 70)], range=(0, 100)))
