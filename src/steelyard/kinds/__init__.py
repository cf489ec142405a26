"""The kinds of judgment, one file each: all that is known about a kind of answer is in its file.

`kind.py` is the interface, `known.py` the registry. Other packages register kinds of their own by the entry point
group `steelyard.kinds`; docs/extending.md has a worked example.
"""
