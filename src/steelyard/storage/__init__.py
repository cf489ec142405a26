"""The log and the roster on a database, behind the interfaces of `steelyard.study.log.interface`."""
