"""Names that raters choose, as they are stored: one line of characters that can be seen."""

from __future__ import annotations

import unicodedata

JOINERS = "\u200c\u200d"  # Persian words and composed emoji need them, between characters that can be seen
HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def clean_name(name: str) -> str:
    """The name without characters that hide or turn the text around them; "" where nothing can be seen.

    >>> clean_name("  Ann\u202e  Lee\\0 ")
    'Ann Lee'
    >>> clean_name("\u200b\u200d\u2060")
    ''
    """
    composed = unicodedata.normalize("NFC", " ".join(name.split()))
    kept = "".join(each for each in composed if each in JOINERS or unicodedata.category(each) not in HIDDEN)
    kept = " ".join(kept.split()).strip(JOINERS + " ")
    return kept if any(unicodedata.category(each)[0] in "LNPS" for each in kept) else ""
