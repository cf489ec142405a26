"""The version of Steelyard."""

VERSION = "0.2.0"
