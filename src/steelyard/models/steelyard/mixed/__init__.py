"""Kinds of judgment that order items, on the latent scale of the ratings."""
