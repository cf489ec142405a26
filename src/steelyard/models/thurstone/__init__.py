"""Thurstone's model of comparisons with a normal prior of positions, by expectation propagation."""
