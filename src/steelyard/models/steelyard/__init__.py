"""The Steelyard model: positions of items and habits of raters, from ratings."""
