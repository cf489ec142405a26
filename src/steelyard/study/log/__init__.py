"""The log of tasks, answers and events, the ledger that folds it, and the judgments in it.

`entries` has the entries and `interface` the log, which `steelyard.storage` implements. `ledger` folds entries
(`event_folds`: one function per kind of event), `transaction` joins ledger, writer and time, `judged` returns answers
as judgments, `answers` checks them, and `changes` compares an edited study.toml with the log. `machine_answers` are
events, never answers of raters.
"""
