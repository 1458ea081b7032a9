"""Pages and files of the front end: as Streamlit sends them, in one step, over connections that hold nothing back."""

import asyncio
import re
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from streamlit.file_util import get_static_dir
from streamlit.web.server.starlette import starlette_server
from streamlit.web.server.starlette.starlette_static_routes import create_streamlit_static_handler

import asgi
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


def test_a_connection_to_the_dashboard_holds_nothing_back() -> None:
    assert asgi.app  # its import is what makes connections so
    with ThreadPoolExecutor(1) as thread:  # this one may run the loop of a browser
        assert thread.submit(asyncio.run, no_delays()).result() == [True]


async def no_delays() -> list[bool]:
    """Whether Nagle's algorithm is off, for each connection of a server on a socket as Streamlit makes it."""
    listener = starlette_server._bind_socket("127.0.0.1", 0, 1)  # pyright: ignore[reportPrivateUsage]
    assert not listener.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)  # else ours is superfluous
    assert listener.proto != socket.IPPROTO_TCP
    server = uvicorn.Server(uvicorn.Config(empty, log_config=None, lifespan="off"))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    reader, writer = await asyncio.open_connection(*listener.getsockname())
    writer.write(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
    assert (await reader.readline()).startswith(b"HTTP/1.1 204")
    taken: list[Any] = [one.transport.get_extra_info("socket") for one in server.server_state.connections]
    found = [bool(one.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)) for one in taken]
    writer.close()
    server.should_exit = True
    await serving
    return found


async def empty(scope: Any, receive: Any, send: Callable[[Any], Awaitable[None]]) -> None:
    """An application that answers with nothing."""
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body"})
