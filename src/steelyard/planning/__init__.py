"""Planning of studies by simulation: how many answers, raters, hours and how much money a target needs.

`plan` combines the parts. `worlds` are scenarios, or `pilots` that were fitted, whose `noise` and `calibration` are
estimated and whose raters may be `returning`. `designs` simulates a protocol, `targets` measures what is wanted,
`search` and `curves` find the answers that reach it, `costs` has time and pay, and `leaderboard` the votes that are
still needed.
"""
