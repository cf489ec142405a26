"""Who gets which task, and how answers come in: session, planner, learning, batch files."""
