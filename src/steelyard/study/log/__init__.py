"""The log of tasks, answers and events, the ledger that folds it, and the judgments in it."""
