"""Storage of the log and the roster, which implements the interfaces in `steelyard.study.log.interface`."""
