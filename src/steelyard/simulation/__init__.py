"""Simulated raters: who they are, how they answer, and the published experiments repeated with them."""
