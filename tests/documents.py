"""What a Markdown page contains: headings, links, tables of contents, and rows of tables."""

import re
from pathlib import Path

from tests.pages import FENCE

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
NOT_PAGES = ("_build", "templates", "sitebuild")
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\[\]]*\])*\]\((?P<target>[^)\s]+)(?:\s+\"[^\"]*\")?\)")
OTHER_HOST = re.compile(r"^[a-z]+:")


def pages():
    """Every page of the site, and the README of docs."""
    return sorted(path for path in DOCS.rglob("*.md") if not set(NOT_PAGES) & set(path.parts))


def prose(text):
    """A page without its code blocks and inline code."""
    kept, ticks = [], ""
    for line in text.splitlines():
        fence = FENCE.match(line)
        if fence and not ticks:
            ticks = fence["ticks"]
        elif ticks and line.strip().startswith(ticks):
            ticks = ""
        elif not ticks:
            kept.append(line)
    return "\n".join(kept)


def anchors(text):
    """The anchors of a page's headings, as MyST and GitHub make them."""
    headings = re.findall(r"^#{1,6} +(.+?)\s*#*$", prose(text), re.MULTILINE)
    slugs = []
    for heading in headings:
        words = re.sub(r"[^\w\- ]", "", re.sub(r"\]\([^)]*\)", "]", heading).replace("`", "").lower())
        slug = words.strip().replace(" ", "-")
        again = slugs.count(slug)
        slugs.append(slug if not again else f"{slug}-{again}")
    return set(slugs) | set(re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE))


def relative_links(path):
    """The targets of a page's links that do not lead to another host."""
    text = re.sub(r"(`+)(?:(?!\1).)+\1", "`code`", prose(path.read_text("utf-8")), flags=re.DOTALL)
    return [link["target"] for link in LINK.finditer(text) if not OTHER_HOST.match(link["target"])]


def broken(path, target):
    """Why a relative link leads nowhere; empty if it leads to a file and, where it names one, to a heading."""
    file, _, anchor = target.partition("#")
    goal = path if not file else (path.parent / file).resolve()
    if not goal.exists():
        return f"{target}: no such file"
    if anchor and goal.suffix == ".md" and anchor not in anchors(goal.read_text("utf-8")):
        return f"{target}: no such heading"
    return ""


def toctree(path):
    """The pages that a page's tables of contents list."""
    blocks = re.findall(r"^```\{toctree\}\n(.*?)^```", path.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    entries = [line.strip() for block in blocks for line in block.splitlines()]
    names = [re.sub(r"^.*<(.+)>$", r"\1", entry) for entry in entries if entry and not entry.startswith(":")]
    return [path.parent / f"{name.removesuffix('.md')}.md" for name in names]


def section(page, title):
    """The text under a heading, with its subsections."""
    lines = page.splitlines()
    level = next(
        (line.split(" ")[0] for line in lines if re.fullmatch(rf"#+ {re.escape(title)}", line)), None
    )
    if level is None:
        return ""
    start = lines.index(f"{level} {title}") + 1
    higher = tuple("#" * depth + " " for depth in range(1, len(level) + 1))
    end = next((at for at in range(start, len(lines)) if lines[at].startswith(higher)), len(lines))
    return "\n".join(lines[start:end])


def rows(text):
    """The rows of a text's tables, each a list of cells, by the code in the first cell."""
    found = {}
    for line in text.splitlines():
        if line.startswith("|"):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
            for name in re.findall(r"`([^`]+)`", cells[0]):
                found[name] = cells
    return found
