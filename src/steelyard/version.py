"""The version of Steelyard."""

VERSION = "0.1.0"
