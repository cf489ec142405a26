"""Studies: their definition, the log, the collection of answers, and the results.

A package imports only from those further left: `definition`, `log`, `grounding` or `training`, `collecting`,
`results`.
"""
