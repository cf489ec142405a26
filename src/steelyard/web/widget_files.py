"""Files of widgets that come from other packages."""

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
    """The scripts, styles and pictures of a folder; what else lies there stays private."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file, or 404 where it is no part of a widget."""
        if PurePosixPath(path).suffix not in SERVED:
            raise HTTPException(404)
        return await super().get_response(path, scope)


def serve_widget(app: FastAPI, protocol: Protocol) -> None:
    """Serve the folder of a protocol's widget under /widgets/<protocol>/, where it has a folder of its own."""
    folder = protocol.widget.folder
    if folder is not None:
        app.mount(f"/widgets/{protocol.name}", WidgetFiles(directory=folder), name=f"widget-{protocol.name}")
