"""What a study is: study.toml as frozen records, its items and its folder."""
