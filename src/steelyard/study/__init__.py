"""The use cases: what a study is, what it asks next, and how answers come in."""
