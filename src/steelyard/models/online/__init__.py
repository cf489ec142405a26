"""Code shared by models that process comparisons in order: steps, updates, kernels and their twins."""
