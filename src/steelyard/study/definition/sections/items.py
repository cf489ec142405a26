"""[items] of study.toml: the file with the items and what its columns hold."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ItemsSettings:
    """Where the items are and which of their columns is what."""

    file: str
    id: str = "id"
    text: str = ""
    markdown: str = ""
    image: str = ""
    audio: str = ""
    video: str = ""
    alt: str = ""
    system: str = ""
    segment: str = ""
    show: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
