"""What was asked and answered: entries, the ledger that folds them, and the judgments they amount to."""
