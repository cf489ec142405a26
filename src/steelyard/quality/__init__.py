"""Tests of preference, agreement and consistency of raters, and calibration of intervals.

`agreement/`, `gold/`, `arms/` and `machine/` have a package each. `raters` and `rater_differences` compare each rater
with the others. `relations`, `conditions`, `probes` and `widths` repeat the analyses of Goldilocks. `differing` and
`without_flagged` ask whether results depend on raters who are flagged.
"""
