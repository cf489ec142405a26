"""The kinds of judgment, one file each.

`kind.py` defines the interface, and `known.py` the registry. Other packages register kinds with the entry point group
`steelyard.kinds`; docs/how-to/extending.md has an example.
"""
