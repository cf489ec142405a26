"""Models, which turn judgments into a `Fit`. All models share one interface (`model.py`)."""
