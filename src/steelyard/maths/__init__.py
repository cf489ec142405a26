"""Mathematics without knowledge of judgments."""
