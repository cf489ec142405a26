"""Files of items, as they go to pages."""

from __future__ import annotations

from pathlib import PurePosixPath

from fastapi.responses import FileResponse
from starlette.exceptions import HTTPException
from starlette.responses import Response

from steelyard.study.definition.items import FILES, Medium, is_remote
from steelyard.study.definition.media_files import looks_like_media, media_file
from steelyard.study.definition.study import Study

# An SVG could hold scripts and links; nothing of it may run or load.
MEDIA_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


def item_file(study: Study, item: int) -> Response:
    """An item's image, sound or film; 404 where it has none."""
    if not 0 <= item < len(study.items) or study.items[item].medium not in FILES:
        raise HTTPException(404, "There is no such file.")
    return study_file(study, study.items[item].content, study.items[item].medium)


def study_file(study: Study, content: str, medium: Medium) -> Response:
    """An image, sound or film of the study's folder; 404 for anything else."""
    path = None if is_remote(content) else media_file(study.folder, content, medium)
    if path is None or not looks_like_media(path):
        raise HTTPException(404, "There is no such file.")
    # The file's own name could tell who made it, so it is not passed on.
    alias = f"item{PurePosixPath(content).suffix}"
    response = FileResponse(path, filename=alias, content_disposition_type="inline")
    response.headers["Content-Security-Policy"] = MEDIA_POLICY
    return response
