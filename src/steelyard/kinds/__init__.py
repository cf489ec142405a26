"""The kinds of judgment, one file each.

`kind` and `correctness` define the interface, and `known` the registry. `asked`, `file_answer`, `on_scale` and
`within_tasks` hold code that kinds share. Other packages register kinds with the entry point group `steelyard.kinds`;
docs/how-to/extending.md has an example.
"""
