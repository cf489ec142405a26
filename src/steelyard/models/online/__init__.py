"""What models share that take comparisons one after the other: the steps, and kernels with their twins."""
