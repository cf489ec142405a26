"""Examples along the scale: anchors, rounds and the cold start."""
