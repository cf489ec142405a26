"""Webhooks: which addresses they may have, and how messages are made, signed and sent."""
