from hypothesis import settings

# How long an example takes says more about the machine than about the code.
settings.register_profile("steelyard", deadline=None)
settings.load_profile("steelyard")

collect_ignore = ["warm.py"]  # it is imported where commands are forked, not here
