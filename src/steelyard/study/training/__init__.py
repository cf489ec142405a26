"""Training: exercises before the first task, including the built-in practice of every protocol."""
