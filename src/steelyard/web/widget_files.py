"""Files of widgets from other packages."""

from __future__ import annotations

from pathlib import PurePosixPath

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Scope

from steelyard.kinds.protocol import Protocol

SERVED = (".js", ".css", ".json", ".svg", ".png", ".webp", ".woff2")


class WidgetFiles(StaticFiles):
    """Serves the scripts, styles and pictures of a folder, and no other files."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return the file, or 404 if its type is not that of a widget file."""
        if PurePosixPath(path).suffix not in SERVED:
            raise HTTPException(404)
        return await super().get_response(path, scope)


def serve_widget(app: FastAPI, protocol: Protocol) -> None:
    """Serve the folder of a protocol's widget under /widgets/<protocol>/, if it has a folder of its own."""
    folder = protocol.widget.folder
    if folder is not None:
        app.mount(f"/widgets/{protocol.name}", WidgetFiles(directory=folder), name=f"widget-{protocol.name}")
