"""Clean the names that raters enter: one line of visible characters."""

from __future__ import annotations

import unicodedata

JOINERS = "\u200c\u200d"  # needed between visible characters in Persian words and composed emoji
HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def clean_name(name: str) -> str:
    """Return the name without invisible and direction-changing characters; empty if nothing visible is left.

    >>> clean_name("  Ann\u202e  Lee\\0 ")
    'Ann Lee'
    >>> clean_name("\u200b\u200d\u2060")
    ''
    """
    composed = unicodedata.normalize("NFC", " ".join(name.split()))
    kept = "".join(each for each in composed if each in JOINERS or unicodedata.category(each) not in HIDDEN)
    kept = " ".join(kept.split()).strip(JOINERS + " ")
    return kept if any(unicodedata.category(each)[0] in "LNPS" for each in kept) else ""
