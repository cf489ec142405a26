"""Pages of the documentation are tests: pytest runs the code blocks of each from top to bottom."""

import pytest


def pytest_collect_file(file_path, parent):
    """Make a test of every Markdown page."""
    return Page.from_parent(parent, path=file_path) if file_path.suffix == ".md" else None


class Page(pytest.File):
    """A Markdown page."""

    def collect(self):
        """Yield the test of the page, if it has code blocks."""
        yield PageBlocks.from_parent(self, name="blocks")


class PageBlocks(pytest.Item):
    """The code blocks of a page."""

    def runtest(self):
        """Run the blocks in a folder of their own."""
        from tests.pages import run_page  # late: only this test needs it

        folder = self.config._tmp_path_factory.mktemp(self.path.stem, numbered=True)
        run_page(self.path, folder)

    def repr_failure(self, excinfo):
        """Show what failed without the frames of the runner."""
        from tests.pages import BlockFailed

        if excinfo.errisinstance(BlockFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self):
        """Name the page in reports."""
        return self.path, None, f"code blocks of {self.path.name}"
