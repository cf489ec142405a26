"""The words of the pages in every language: one TOML file per language, and one in `owner/` for the owner's page.

`catalogue` reads and checks the files, with plural forms and numbers. `words` has `Words`: one language, with the
words that a study replaces, and the language that a browser prefers. Kinds do not import this package: pages find the
English sentences of the core in `[sentences]`.
"""
