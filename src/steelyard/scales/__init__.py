"""Results of models: scales, fits and beliefs.

`joint` is the joint distribution of the positions, from which `differences` and `ranks` are derived. `tables` has
`Tabular`, which every result with columns can be written as (data frames, LaTeX, Markdown, HTML). `saved` stores
beliefs, and `quantity` says in words what a position means.
"""
