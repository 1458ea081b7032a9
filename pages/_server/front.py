"""Pages and files of Streamlit's front end, handed out at once.

A browser asks for a hundred files before it draws anything, six at a time, and it does so while a thread of ours loads
what the page needs. Streamlit looks a file up, opens it and reads each piece in threads of its own, and every one of
them has to be given the interpreter by that loading: a file of a few kilobytes then takes as long as ten megabytes.
Here a file is looked up in a list that was made once, and all but the largest are read and sent in one step.

Nor does a connection hold back what it is given. Streamlit makes its socket without naming TCP, and asyncio then leaves
Nagle's algorithm on: the body of an answer waits until the other side acknowledges the head, which it delays by 40 ms.
"""

import asyncio
import os
import socket
from pathlib import Path
from typing import Any

from starlette.responses import FileResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit.file_util import get_static_dir
from streamlit.web.server.starlette.starlette_server_config import STATIC_ASSET_CACHE_MAX_AGE_SECONDS
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from pages._server.browser import base_path

FOLDER, PAGE = "static", "index.html"
"""Where Streamlit keeps what never changes under its name, and beside it what every page of ours begins with."""

PAGES = [script.stem for script in Path(__file__).parents[1].glob("*.py") if script.stem != "__init__"]
"""Their addresses; any other that is for a page is Streamlit's to answer."""

NAMED_BY_CONTENT = f"public, immutable, max-age={STATIC_ASSET_CACHE_MAX_AGE_SECONDS}"
ASKED_AGAIN = "no-cache"
"""What Streamlit says of the two, too: a browser that has a file never asks again, and for a page it always does."""

ASKS_FOR_LESS = {b"range", b"if-none-match", b"if-modified-since"}
"""Headers of requests for a part, or for nothing where it is known: these are Streamlit's to answer."""

PIECE = 512 * 1024
"""Bytes that are sent at once: what a slow browser has not taken yet is held in memory."""


class FrontEnd:
    """Answers for pages and files of the front end; all else is passed on.

    Args:
        app: What answers for the rest.
        base: The path below which the dashboard is, empty at the root; None: where this server is.
    """

    def __init__(self, app: ASGIApp, *, base: str | None = None) -> None:
        self.app = app
        start = base_path() if base is None else base
        folder = os.fspath(get_static_dir())
        self.files = {  # of text: objects for four hundred paths would take longer than all else here
            f"{start}{at.removeprefix(folder).replace(os.sep, '/')}/{name}": f"{at}{os.sep}{name}"
            for at, _, names in os.walk(f"{folder}{os.sep}{FOLDER}")
            for name in names
        }
        self.pages = {f"{start}/{name}": f"{folder}{os.sep}{PAGE}" for name in ("", *PAGES)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send a page or a file of the front end whole, or pass the request on."""
        asked = scope["path"] if scope["type"] == "http" and scope["method"] == "GET" else ""
        page = self.pages.get(asked)
        path = page or self.files.get(asked)
        if path is None or any(name.lower() in ASKS_FOR_LESS for name, _ in scope["headers"]):
            await self.app(scope, receive, send)
            return
        with Path(path).open("rb") as file:  # here: the system has it in memory, and a thread would take longer
            about = os.fstat(file.fileno())
            keeps = {"cache-control": ASKED_AGAIN if page else NAMED_BY_CONTENT}
            response = FileResponse(path, stat_result=about, headers=keeps)
            start: dict[str, Any] = {"type": "http.response.start", "status": 200, "headers": response.raw_headers}
            await send(start)
            left = about.st_size
            while left > PIECE:
                left -= PIECE
                await send({"type": "http.response.body", "body": file.read(PIECE), "more_body": True})
            await send({"type": "http.response.body", "body": file.read(left)})


def send_at_once() -> None:
    """Every connection that this process takes from now on sends at once; a web socket begins as one of them."""
    connected = AutoHTTPProtocol.connection_made

    def connection_made(self: asyncio.Protocol, transport: asyncio.BaseTransport) -> None:
        connected(self, transport)
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    AutoHTTPProtocol.connection_made = connection_made
