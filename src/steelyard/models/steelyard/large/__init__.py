"""The Steelyard model of more ratings than memory holds: ratings and messages are in files."""
