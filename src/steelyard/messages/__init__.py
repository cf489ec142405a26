"""The words of the pages in every language: one TOML file per language, read by `catalogue`, used through `words`."""
