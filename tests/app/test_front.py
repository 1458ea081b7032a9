"""Pages and files of the front end: as Streamlit sends them, in one step."""

import asyncio
import re
from collections.abc import MutableMapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from streamlit.file_util import get_static_dir
from streamlit.web.server.starlette.starlette_static_routes import create_streamlit_static_handler

from pages._server.front import PIECE, FrontEnd

ROOT = Path(get_static_dir())
NAMED = re.findall(r"static/[^\"']+\.(?:js|css|woff2)", (ROOT / "index.html").read_text(encoding="utf-8"))
"""What a page asks for before it draws anything."""


class Inner:
    """An application that answers otherwise, and remembers for what."""

    def __init__(self) -> None:
        self.paths: list[str] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.paths.append(scope["path"])
        await send({"type": "http.response.start", "status": 418, "headers": []})


def sent(app: Any, path: str, method: str = "GET", **headers: str) -> list[MutableMapping[str, Any]]:
    """What an application sends for a request."""
    messages: list[MutableMapping[str, Any]] = []

    requests = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> MutableMapping[str, Any]:
        if requests:
            return requests.pop()
        return await asyncio.Future()  # it stays connected

    async def send(message: MutableMapping[str, Any]) -> None:
        messages.append(message)

    lines = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": method, "path": path, "root_path": "", "query_string": b"", "headers": lines}
    with ThreadPoolExecutor(1) as thread:  # this one may run the loop of a browser
        thread.submit(asyncio.run, app(scope, receive, send)).result()
    return messages


def largest(ending: str) -> Path:
    """The largest file of a kind."""
    files = [file for file in (ROOT / "static").rglob(f"*{ending}") if file.is_file()]
    return max(files, key=lambda file: file.stat().st_size)


@pytest.mark.parametrize("asked", [".js", ".css", ".woff2", ".png", "/", "/home", "/tradeoff"])
def test_pages_and_files_come_as_streamlit_sends_them_in_few_pieces(asked: str) -> None:
    file = largest(asked) if asked.startswith(".") else ROOT / "index.html"
    path = f"/{file.relative_to(ROOT).as_posix()}" if asked.startswith(".") else asked
    inner = Inner()
    start, *pieces = sent(FrontEnd(inner), path)
    theirs, *parts = sent(create_streamlit_static_handler(str(ROOT), None), path)
    assert inner.paths == []
    assert start["status"] == theirs["status"] == 200
    assert sorted(start["headers"]) == sorted(theirs["headers"])
    whole = file.read_bytes()
    assert len(pieces) == -(-len(whole) // PIECE)
    assert max(len(piece["body"]) for piece in pieces) <= PIECE
    assert bool(
        b"".join(piece["body"] for piece in pieces) == whole
    )  # a comparison of megabytes that fails is not to be explained
    assert bool(b"".join(part["body"] for part in parts) == whole)


def test_all_that_a_page_names_is_answered_here() -> None:
    inner = Inner()
    layer = FrontEnd(inner, base="/fairviz")
    assert len(NAMED) > 50
    for name in NAMED:
        assert sent(layer, f"/fairviz/{name}")[0]["status"] == 200
    assert inner.paths == []


@pytest.mark.parametrize(
    ("path", "method", "headers"),
    [
        ("/index.html", "GET", {}),
        ("/tradeoff/", "GET", {}),
        ("/tradeoff", "HEAD", {}),
        ("/tradeoff/home", "GET", {}),
        ("/else", "GET", {}),
        ("/auth/login", "GET", {}),
        ("/", "GET", {"if_modified_since": "Mon, 23 Nov 2026 07:00:00 GMT"}),
        ("/static", "GET", {}),
        ("/static/js", "GET", {}),
        ("/static/js/none.js", "GET", {}),
        ("/static/../index.html", "GET", {}),
        ("//static/FILE", "GET", {}),
        ("/else/static/FILE", "GET", {}),
        ("/static/FILE", "HEAD", {}),
        ("/static/FILE", "POST", {}),
        ("/static/FILE", "GET", {"range": "bytes=0-1"}),
        ("/static/FILE", "GET", {"if_none_match": "*"}),
        ("/static/FILE", "GET", {"if_modified_since": "Mon, 23 Nov 2026 07:00:00 GMT"}),
    ],
)
def test_all_else_is_streamlits(path: str, method: str, headers: dict[str, str]) -> None:
    asked = path.replace("static/FILE", NAMED[0])
    inner = Inner()
    assert sent(FrontEnd(inner), asked, method, **headers)[0]["status"] == 418
    assert inner.paths == [asked]
