"""What models share that take comparisons one after the other: steps, learning by them, kernels with their twins."""
