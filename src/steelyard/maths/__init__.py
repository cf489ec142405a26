"""Numbers without a domain."""
