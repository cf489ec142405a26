"""Results of models: scales, fits and beliefs."""
