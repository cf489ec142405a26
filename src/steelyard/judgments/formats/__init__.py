"""The layouts of judgment files: Steelyard's own long tables, and those of others."""
