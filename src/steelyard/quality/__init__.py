"""Tests of preference, agreement and consistency of raters, and calibration of intervals."""
