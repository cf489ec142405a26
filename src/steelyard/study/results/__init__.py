"""Results of a study: the overview for its owner, the audit and the exports."""
