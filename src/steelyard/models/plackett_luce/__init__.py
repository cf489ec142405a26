"""Plackett-Luce: rankings with ties, full and partial."""
