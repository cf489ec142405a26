"""What people said: records, one table of integer-coded columns, and how files become that table."""
