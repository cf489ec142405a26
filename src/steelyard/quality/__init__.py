"""Agreement, consistency and habits of the people who judge."""
