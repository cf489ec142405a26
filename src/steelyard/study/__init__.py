"""Studies: their definition, the log, the collection of answers, and the results."""
