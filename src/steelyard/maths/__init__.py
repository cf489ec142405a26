"""Mathematics without knowledge of judgments.

`beta` and `gaussian` are distributions. `newton` minimises. `definite` and `precision` solve definite systems. `mixed`
and `reml` fit linear mixed models. `sandwich`, `cluster_scores` and `adjusted_scores` (CR2) compute clustered
covariances. `arrays` has the types of arrays. Compiled loops (`compiling`) have a readable twin in Python.
"""
