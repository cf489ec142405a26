from tests.study.conftest import clock, make

__all__ = ["clock", "make"]
