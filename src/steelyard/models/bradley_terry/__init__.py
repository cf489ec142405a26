"""Log-linear Bradley-Terry: comparisons with ties, order effects, covariates and rater effects."""
