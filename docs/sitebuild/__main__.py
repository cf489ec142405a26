"""Write the generated reference pages: `python -m sitebuild`, with docs on the path."""

from sitebuild.pages import write_pages

write_pages()
