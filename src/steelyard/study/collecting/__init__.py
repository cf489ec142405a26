"""Collect answers: the session, the queue of tasks, the planner, the learning of the model, and batch files."""
