from hypothesis import settings

from steelyard.web import worker

# How long an example takes says more about the machine than about the code.
settings.register_profile("steelyard", deadline=None)
settings.load_profile("steelyard")

# Tests wait for the processes beside a server, which on a busy machine would otherwise hardly run.
worker.NICENESS = 0

collect_ignore = ["warm.py"]  # it is imported where commands are forked, not here
