"""Publishing a study on MTurk and Prolific, and paying the people who took part.

Each crowd has a client of its API. `money` has costs and bonuses, `hit_form` the HTML of a HIT, and `published` what
was published.
"""
