"""Selections: choice of the next tasks, from the current belief.

`pool` has the interface and the traits of a selection, `known` finds selections by name, and each has a module:
`balanced`, `sequences`, `all_pairs`, `easl`, `information`, `pair_information`. `pair_scores` and `pair_groups` are
what `pair_information` scores and chooses by, `across_kinds` compares protocols, `match_quality` and `partners` draw
partners, `pairing` records which pairs were compared, and `units` maps systems to items. `audit` is the slice that
is chosen at random, `stopping` and `early_stop` end studies and stop raters, and `forecast` and `growth` predict the
answers that are needed.
"""
