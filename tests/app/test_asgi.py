"""The layers around Streamlit, each by itself."""

import asyncio
from collections.abc import MutableMapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

import asgi
from fairviz.hosts import Hosts

OWN = {"host": "localhost:8501", "origin": "http://localhost:8501", "accept": "*/*"}


class Inner:
    """An application that remembers what came through to it."""

    def __init__(self) -> None:
        self.scopes: list[MutableMapping[str, Any]] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.scopes.append(scope)


class Answering:
    """An application that sets a cookie, as Streamlit does for uploads."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        cookie = b"_streamlit_xsrf=2|a; Path=/; SameSite=lax"
        await send({"type": "http.response.start", "status": 200, "headers": [(b"set-cookie", cookie)]})


def asked(layer: Any, scope_type: str = "http", path: str = "/", **headers: str) -> list[MutableMapping[str, Any]]:
    """What a layer sends of itself when it is asked."""
    sent: list[MutableMapping[str, Any]] = []

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    lines = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": scope_type, "method": "GET", "path": path, "headers": lines, "server": ("127.0.0.1", 8501)}
    with ThreadPoolExecutor(1) as thread:  # this one may run the loop of a browser
        thread.submit(asyncio.run, layer(scope, receive, send)).result()
    return sent


def test_streamlit_sees_an_origin_only_as_the_host_that_was_asked() -> None:
    """It would else ask another server for this machine's address, to compare the two."""
    inner = Inner()
    layer = asgi.Sealed(inner, Hosts.of(address="", allowed="study.example"))
    behind_a_proxy = {**OWN, "origin": "https://study.example"}  # which asks by the name of this machine
    assert asked(layer, "http", **behind_a_proxy) == asked(layer, "websocket", **behind_a_proxy) == []
    page, socket = (dict(scope["headers"]) for scope in inner.scopes)
    assert page == {b"host": b"localhost:8501", b"accept": b"*/*"}
    assert socket == {b"host": b"study.example", b"origin": b"https://study.example", b"accept": b"*/*"}


def test_people_sign_in_only_where_they_are_asked_to() -> None:
    for sign_in in (False, True):
        inner = Inner()
        layer = asgi.NeededOnly(inner, sign_in=sign_in)
        for path in ("/auth/login", "/auth/logout", "/oauth2callback"):
            asked(layer, path=path)
        assert len(inner.scopes) == 3 * sign_in


def test_where_people_sign_in_only_their_sessions_bring_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asgi, "SIGNED_IN", {"theirs"})
    layer = asgi.NeededOnly(Inner(), sign_in=True)
    assert asked(layer, path="/_stcore/upload_file/theirs/f1") == []
    for path in ("/_stcore/upload_file/strangers/f1", "/_stcore/upload_file/", "/_stcore//upload_file/x/theirs"):
        assert asked(layer, path=path)[0]["status"] == 404, path


def test_a_script_of_the_page_is_known_by_its_hash() -> None:
    """The page of the installed Streamlit, and a script whose hash is known (``printf x | sha256sum``, base64)."""
    page = '<head><script>x</script><script type="module" src="./a.js"></script><script async>y</script>'
    assert asgi.inline_scripts(page) == ["x", "y"]
    assert asgi.hashed("x") == "'sha256-LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE='"
    assert len(asgi.inline_scripts(asgi.DOCUMENT)) == 2


# Frames of other pages.


def test_a_frame_is_for_the_origins_that_were_named_and_cookies_are_marked_where_a_browser_keeps_such() -> None:
    (alone,) = asked(asgi.SecurityHeaders(Answering()), **{"sec-fetch-site": "same-origin"})
    headers = dict(alone["headers"])
    assert headers[b"content-security-policy"].endswith(b"; frame-ancestors 'self'")
    assert headers[b"x-frame-options"] == b"SAMEORIGIN"
    assert headers[b"set-cookie"] == b"_streamlit_xsrf=2|a; Path=/; SameSite=lax"
    layer = asgi.SecurityHeaders(Answering(), ["https://moodle.example", "http://localhost:8888"])
    (framed,) = asked(layer, **{"sec-fetch-site": "same-origin"})
    headers = dict(framed["headers"])
    policy = headers[b"content-security-policy"]
    assert policy.endswith(b"; frame-ancestors 'self' https://moodle.example http://localhost:8888")
    assert b"x-frame-options" not in headers, "it knows no origins: browsers that heed it would show no frame"
    # A browser takes SameSite=None with Secure only, and Secure over https or from its own machine only.
    assert headers[b"set-cookie"] == b"_streamlit_xsrf=2|a; Path=/; SameSite=None; Secure; Partitioned"
    (plain,) = asked(layer, **OWN)
    assert dict(plain["headers"])[b"set-cookie"] == b"_streamlit_xsrf=2|a; Path=/; SameSite=lax"


# Below a path.


def test_below_a_path_nothing_else_is_answered() -> None:
    inner = Inner()
    layer = asgi.NeededOnly(inner, base="/lab/fairviz")
    for path in ("/", "/tradeoff", "/lab/fairviz-2/", "/lab/fairviz/_stcore/metrics", "/lab/fairviz/auth/login"):
        assert asked(layer, path=path)[0]["status"] == 404, path
    assert inner.scopes == []
    for path in ("/lab/fairviz", "/lab/fairviz/", "/lab/fairviz/tradeoff", "/lab/fairviz/_stcore/health"):
        assert asked(layer, path=path) == [], path


def test_the_head_script_knows_the_path() -> None:
    assert "location.origin + ''}" in asgi.head_script("")
    assert "location.origin + '/lab/fairviz'}" in asgi.head_script("/lab/fairviz")


def test_a_browser_gets_one_token() -> None:
    answer = TestClient(Starlette(routes=asgi.ROUTES)).get("/data")
    assert answer.headers["set-cookie"].startswith("fairviz-browser=")
    assert answer.headers["set-cookie"].endswith("; HttpOnly; Path=/; SameSite=lax")
    known = TestClient(Starlette(routes=asgi.ROUTES), cookies={"fairviz-browser": "a"}).get("/data")
    assert "set-cookie" not in known.headers
    assert known.text == asgi.DOCUMENT
