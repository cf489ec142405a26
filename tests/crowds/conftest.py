from tests.web.conftest import make_app, visit

__all__ = ["make_app", "visit"]
