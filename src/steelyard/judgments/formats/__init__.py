"""The layouts of judgment files: Steelyard's long tables, and the layouts of other programs."""
