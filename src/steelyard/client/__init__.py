"""The client of the HTTP API, for pipelines and notebooks."""
