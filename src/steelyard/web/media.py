"""Responses with the media files and the HTML of items."""

from __future__ import annotations

from pathlib import PurePosixPath

from fastapi.responses import FileResponse, HTMLResponse
from starlette.exceptions import HTTPException
from starlette.responses import Response

from steelyard.study.definition.items import FILES, Item, Medium, is_remote
from steelyard.study.definition.media_files import looks_like_media, media_file
from steelyard.study.definition.study import Study
from steelyard.web.crowds import framing_sites

KEPT = "private, max-age=3600"  # so that a player can seek, and a file loaded in advance is not loaded again
# Types of the files that items may show, by suffix; a file under a wrong type would not play.
TYPES: dict[Medium, dict[str, str]] = {
    "image": {
        ".ico": "image/vnd.microsoft.icon",
        ".jfif": "image/jpeg",
        ".jpg": "image/jpeg",
        ".svg": "image/svg+xml",
    },
    "audio": {
        ".m4a": "audio/mp4",
        ".mp3": "audio/mpeg",
        ".oga": "audio/ogg",
        ".opus": "audio/ogg",
        ".weba": "audio/webm",
    },
    "video": {
        ".m4v": "video/mp4",
        ".mkv": "video/x-matroska",
        ".mov": "video/quicktime",
        ".mpg": "video/mpeg",
        ".ogv": "video/ogg",
    },
}
# An HTML item runs no scripts, sends nothing, loads nothing but what it contains, and is shown in our own pages only.
FRAME_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src data:; font-src data:; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
)
FRAMED_MEDIA = "/media/"
# An SVG file may contain scripts and links, which must not run or load.
MEDIA_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


def item_file(study: Study, item: int) -> Response:
    """Return the image, audio or video file or the HTML of an item, or answer 404."""
    if not 0 <= item < len(study.items):
        raise HTTPException(404, "This file does not exist.")
    return content_file(study, study.items[item])


def content_file(study: Study, item: Item) -> Response:
    """Return the file or the HTML of an item of a study or of its training, or answer 404."""
    if item.medium == "html":
        return frame_page(item.content, framing_sites(study.definition, FRAMED_MEDIA))
    if item.medium not in FILES:
        raise HTTPException(404, "This file does not exist.")
    return study_file(study, item.content, item.medium)


def frame_page(content: str, sites: tuple[str, ...] = ()) -> Response:
    """Return the HTML of an item as a page for a frame, with a policy of its own: no scripts and no requests.

    `sites` may show the pages of the study in a frame, so the policy allows them too.
    """
    headers = {"Content-Security-Policy": " ".join([FRAME_POLICY, *sites]), "Cache-Control": KEPT}
    return HTMLResponse(content, headers=headers)


def study_file(study: Study, content: str, medium: Medium) -> Response:
    """Return an image, audio or video file from the study's folder, or answer 404.

    Parameters
    ----------
    study
        The study that the file belongs to.
    content
        Path of the file in the folder of the study.
    medium
        Medium that the file must have.

    Returns
    -------
    Response
        The file under a neutral name.
    """
    path = None if is_remote(content) else media_file(study.folder, content, medium)
    if path is None or not looks_like_media(path):
        raise HTTPException(404, "This file does not exist.")
    # The name of the file could reveal who made the item, so raters do not get it.
    alias = f"item{PurePosixPath(content).suffix}"
    headers = {"Content-Security-Policy": MEDIA_POLICY, "Cache-Control": KEPT}
    return FileResponse(
        path,
        filename=alias,
        media_type=media_type(content, medium),
        content_disposition_type="inline",
        headers=headers,
    )


def media_type(content: str, medium: Medium) -> str:
    """Return the type of a media file with one of the allowed suffixes.

    >>> media_type("talk.webm", "audio"), media_type("talk.OPUS", "audio")
    ('audio/webm', 'audio/ogg')
    """
    suffix = PurePosixPath(content).suffix.casefold()
    return TYPES[medium].get(suffix, f"{medium}/{suffix.removeprefix('.')}")
