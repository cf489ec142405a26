"""Sufficient statistics of very large logs, computed where the logs are stored: DuckDB, PostgreSQL, Spark.

`opening` opens files and databases as tables, `connecting` makes logs of them, and `columns` finds their columns.
`statistics` has one Ibis expression per statistic, which `engine` runs. `comparisons`, `ratings` and `rankings` are the
logs that models fit. `rejected` counts bad rows and `suspicious` anonymous, repeated and one-sided votes. `stored` adds
new rows to the counts of earlier ones, and `periods` are slices by time. This package imports no model.
"""
