"""The sections of study.toml: a frozen record each, which checks itself."""
