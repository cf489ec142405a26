"""What a study shows: the overview for its owner, the audit and the exports."""
