"""Sufficient statistics of very large logs, computed where the logs are stored: DuckDB, PostgreSQL, Spark.

`connecting` opens a log, `columns` finds its columns, `statistics` has one Ibis expression per statistic, `engine` runs
them, and `comparisons` and `ratings` hand the results to models. This package imports no model.
"""
