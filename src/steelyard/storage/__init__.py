"""Storage of the log and the roster, which implements the interfaces in `steelyard.study.log.interface`.

`database` is the log on SQLite or PostgreSQL, with one transaction in `writer`, the SQL in `statements` and
connections in `engines`; `memory` is the log in memory. `location` finds the log of a study, `migrations` has the
versions of the tables. `forgetting` deletes a rater, also from `moved_copies`, and `erasing` removes the traces in
files. `keys`, `trail`, `webhooks` and `cached_results` have tables of their own. `studies_folder` has the studies that
programs create, with tokens in `server_keys`. `failures` explains errors of drivers.
"""
