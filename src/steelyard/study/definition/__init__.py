"""The definition of a study: study.toml as frozen records, the items and the folder."""
