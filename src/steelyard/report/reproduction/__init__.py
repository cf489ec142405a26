"""The report of a reproduced paper: claims with verdicts, figures, and one page."""
