"""Responses with the media files of items."""

from __future__ import annotations

from pathlib import PurePosixPath

from fastapi.responses import FileResponse
from starlette.exceptions import HTTPException
from starlette.responses import Response

from steelyard.study.definition.items import FILES, Medium, is_remote
from steelyard.study.definition.media_files import looks_like_media, media_file
from steelyard.study.definition.study import Study

# An SVG file may contain scripts and links, which must not run or load.
MEDIA_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


def item_file(study: Study, item: int) -> Response:
    """Return the image, audio or video file of an item, or answer 404."""
    if not 0 <= item < len(study.items) or study.items[item].medium not in FILES:
        raise HTTPException(404, "This file does not exist.")
    return study_file(study, study.items[item].content, study.items[item].medium)


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
    response = FileResponse(path, filename=alias, content_disposition_type="inline")
    response.headers["Content-Security-Policy"] = MEDIA_POLICY
    return response
