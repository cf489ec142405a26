"""The result: scales, fits and beliefs."""
