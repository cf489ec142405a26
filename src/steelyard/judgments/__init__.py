"""Records of single judgments, the table that holds them, and the readers of judgment files.

`table` has `Judgments`, whose columns hold codes of labels (`coded`); `table_kinds` has the columns of each kind,
which `steelyard.kinds` fills. A file goes through `unpacking`, `files`, `sheet`, `formats`, `validation` and
`repeats`; `reading` records the rows that were omitted, and `assumptions` what was pooled. `conversions` is between
kinds, `orders` has answers as statements about two items, `counting` defines what counts as one judgment, and
`sources` sets answers of machine judges apart.
"""
