"""Collect answers: `session` is the only entry point.

`queue` decides who gets which task, `planner` which tasks exist, `supply` how many are wanted. `answering` stores an
answer, `checking` and `check_rules` handle checks, `assignment` and `joining` raters. `follower` keeps ledgers and
planners current, `learning` decides when the belief is updated, and `fitting` how. `ways`, `several_ways` and
`informative_ways` are for studies with several protocols, and `files/` for batches of tasks and results files.
"""
