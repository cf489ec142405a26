"""Text is written in plain English: none of the expressions that readers stumbled over is used."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PLACES = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs", "src", "examples")
SUFFIXES = {".md", ".py", ".html", ".js", ".ts", ".toml", ".css"}
AVOIDED = {
    "told, tell": r"\b(told|tells?|telling)\b",
    "foretell": r"\bforet(ell|old)\w*",
    "hangs on": r"\b(hang(s|ing)?|hung) (up)?on\b",
    "stands": r"\b(?<!-)(stands?|stood|standing)\b(?! (for|in|alone)\b)(?!-)",
    "asked no more, asked on": r"\bask(s|ed|ing)?( \w+)? (no more|on\b(?! (a|an|the|this|one|every|pages?)\b))",
    "rests": r"(?<![\"`])\b(rests|rested|resting)\b(?![\"`])",
    "usual": r"\busual\b",
    "dear": r"\bdear(er|est|ly)?\b",
    "worth N answers": r"\b(is|are|be|was|were) worth\b|\bworth (a|an|one|as|less than|more than|\d+)\b",
    "mend": r"\bmend(s|ed|ing)?\b",
    "reckon": r"\breckon\w*",
    "says too little": r"\bsa(y|ys|id|ying) (too |so )?(little|much)\b",
    "endlessly many": r"\bendless(ly)?\b",
    "the house, the rooms": r"\b(the|this|one) house\b|\brooms\b",
    "void": r"(?<!=> )(?<!: )(?<!\{)\bvoid\b(?![;}>|)]| \w+\()",  # the type of JavaScript is no word
    "is there": r"\bthat (is|are|was|were) there\b|\b(is|are|was|were) there( (already|yet))?[.,;:)]",
    "a coin": r"\bcoins?\b",
    "company, strangers": r"\bstrangers?\b|\bin company\b|\btheir company\b|\bits company\b",
    "Say, Tell": r"(?:^|[\"'>.:]\s*)(Says?|Tells?) (?!\w+ing)",
}


def avoided_words(text):
    """Line, expression and matched words of every avoided expression in a text."""
    for number, line in enumerate(text.splitlines(), start=1):
        for expression, pattern in AVOIDED.items():
            for match in re.finditer(pattern, line, flags=re.IGNORECASE if expression != "Say, Tell" else 0):
                yield number, expression, match.group()


def written_files():
    for place in PLACES:
        path = ROOT / place
        if path.is_file():
            yield path
        for file in sorted(path.rglob("*")):
            if file.suffix in SUFFIXES and "_build" not in file.parts:
                yield file


@pytest.mark.parametrize("path", list(written_files()), ids=lambda path: str(path.relative_to(ROOT)))
def test_no_avoided_expression_is_used(path):
    found = [
        f"{path.name}:{line} {words!r} ({why})" for line, why, words in avoided_words(path.read_text("utf-8"))
    ]
    assert not found


@pytest.mark.parametrize(
    "sentence",
    [
        "What ratings tell of a term",
        "one who was called back is asked on for good",
        "Raters whose answers say too little",
        "a folder that is there",
        "Say the version and stop.",
        "the highest item stands at 9",
    ],
)
def test_an_avoided_expression_would_be_noticed(sentence):
    assert list(avoided_words(sentence))


@pytest.mark.parametrize(
    "sentence", ["The standard error depends on the rest.", "worths of the items", "the rest"]
)
def test_ordinary_words_pass(sentence):
    assert not list(avoided_words(sentence))
