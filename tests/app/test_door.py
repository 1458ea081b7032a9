"""Files on their way in: taken where there is room, else without their content, and the page knows why."""

import asyncio
import gc
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from unittest.mock import MagicMock

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send
from streamlit.runtime import Runtime
from streamlit.runtime.caching.ttl_cache import TTLCache
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

from pages._server import door
from pages._server.budget import Budget

BOUNDARY = "----four-dashes"
CONTENT = b"q1 Q0 d1 1 3.5 sysA\n" * 100
BODY = (
    (
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="f"; filename="my.run"\r\n'
        f"Content-Type: text/plain\r\n\r\n"
    ).encode()
    + CONTENT
    + f"\r\n--{BOUNDARY}--\r\n".encode()
)


def sent(*, pieces: int = 3, length: bool = True) -> tuple[str, bytes]:
    """Name and content of a file as the server behind the door gets it."""
    got: list[tuple[str, bytes]] = []

    async def server(scope: Scope, receive: Receive, send: Send) -> None:
        del send
        file = (await Request(scope, receive).form())["f"]
        assert not isinstance(file, str)
        got.append((file.filename or "", await file.read()))
        await file.close()

    size = len(BODY) // pieces + 1
    chunks = [BODY[i : i + size] for i in range(0, len(BODY), size)]
    left = iter(enumerate(chunks, start=1))

    async def receive() -> Message:
        n, chunk = next(left)
        return {"type": "http.request", "body": chunk, "more_body": n < len(chunks)}

    async def send(_: Message) -> None:
        raise AssertionError("the door says nothing itself")

    headers = [(b"content-type", f"multipart/form-data; boundary={BOUNDARY}".encode())]
    if length:
        headers.append((b"content-length", str(len(BODY)).encode()))
    scope: dict[str, Any] = {"type": "http", "method": "PUT", "path": "/_stcore/upload_file/s1/f1", "headers": headers}
    with ThreadPoolExecutor(1) as thread:  # this one may run the loop of a browser
        thread.submit(asyncio.run, door.Door(server)(scope, receive, send)).result()
    return got[0]


def test_a_file_comes_whole_where_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    room = Budget(session=len(BODY), server=len(BODY))
    monkeypatch.setattr("pages._server.budget.BUDGET", room)
    assert sent() == ("my.run", CONTENT)
    assert door.why_turned_away("f1") is None
    assert room.held == 0


@pytest.mark.parametrize("pieces", [1, 3, len(BODY)])
def test_a_file_without_room_comes_without_its_content(monkeypatch: pytest.MonkeyPatch, pieces: int) -> None:
    monkeypatch.setattr("pages._server.budget.BUDGET", Budget(session=len(BODY), server=len(BODY) - 1))
    assert sent(pieces=pieces) == ("my.run", b"")
    error = door.why_turned_away("f1")
    assert error is not None
    assert "no room for it on the server" in error.reason
    assert door.why_turned_away("f1") is None, "it is told once"


def test_closed_sessions_end_before_room_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    storage = MemorySessionStorage()
    storage._cache = TTLCache(maxsize=9, ttl=120, timer=lambda: now)
    manager = WebsocketSessionManager(storage, MagicMock(), MagicMock(), None)
    monkeypatch.setattr(Runtime, "_instance", MagicMock(_session_mgr=manager))
    room = Budget(session=len(BODY), server=len(BODY))
    monkeypatch.setattr("pages._server.budget.BUDGET", room)
    storage._cache["closed"] = state = MagicMock(account=room.open("closed"))
    room.hold(state.account, 1)
    del state
    assert sent() == ("my.run", b"")
    now = 121.0
    sent()
    gc.collect()  # a mock refers to itself
    assert sent() == ("my.run", CONTENT)


def test_a_file_of_unknown_length_is_taken_for_the_largest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages._server.budget.BUDGET", Budget(session=len(BODY), server=len(BODY)))
    assert sent(length=False) == ("my.run", b"")


def test_what_was_turned_away_is_not_remembered_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages._server.budget.BUDGET", Budget(session=1, server=1))
    monkeypatch.setattr(door, "REMEMBERED", 0)
    sent()
    assert door.why_turned_away("f1") is None


@pytest.mark.parametrize(
    ("user", "status"), [({"is_logged_in": True}, 200), ({"is_logged_in": False}, 403), (None, 403)]
)
def test_where_people_sign_in_only_their_sessions_bring_files(
    monkeypatch: pytest.MonkeyPatch, user: dict[str, bool] | None, status: int
) -> None:
    runtime = MagicMock()
    info = None if user is None else MagicMock(session=MagicMock(_user_info=user))
    runtime._session_mgr.get_active_session_info = {"s1": info}.get
    monkeypatch.setattr(Runtime, "exists", lambda: True)
    monkeypatch.setattr(Runtime, "instance", lambda: runtime)
    statuses: list[int] = []

    async def server(scope: Scope, receive: Receive, send: Send) -> None:
        await PlainTextResponse("taken")(scope, receive, send)

    async def receive() -> Message:
        raise AssertionError("no byte of a stranger's file is asked for")

    async def send(message: Message) -> None:
        statuses.append(message.get("status", 0))

    scope: dict[str, Any] = {"type": "http", "method": "PUT", "path": "/_stcore/upload_file/s1/f1", "headers": []}
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, door.Door(server, sign_in=True)(scope, receive, send)).result()
    assert statuses[0] == status
