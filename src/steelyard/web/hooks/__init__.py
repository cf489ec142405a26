"""Webhooks: which addresses they may have, and how messages are made, signed and sent.

Messages are rows of the table `delivery`, stored together with the state that they announce. A process of its own
sends them, only to addresses that were resolved and checked.
"""
