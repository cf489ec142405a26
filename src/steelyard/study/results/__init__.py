"""Results of a study: `watch` follows the log for its owner, and `overview` is what it computes.

`headline` and `advice` are the state of the study and what to do next; `audit` is the measured calibration; `exports`
and `judgment_files` write answers and judgments.
"""
