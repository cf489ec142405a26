"""The version of the installed package."""

from importlib.metadata import PackageNotFoundError, version

try:
    VERSION = version("steelyard")
except PackageNotFoundError:  # run from a source tree that was never installed
    VERSION = "0+source"
