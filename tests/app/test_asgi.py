"""The layers around Streamlit, each by itself."""

import asyncio
from collections.abc import MutableMapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import asgi
from fairviz.hosts import Hosts

OWN = {"host": "localhost:8501", "origin": "http://localhost:8501", "accept": "*/*"}


class Inner:
    """An application that remembers what came through to it."""

    def __init__(self) -> None:
        self.scopes: list[MutableMapping[str, Any]] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.scopes.append(scope)


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


@pytest.mark.parametrize("scope_type", ["http", "websocket"])
def test_streamlit_does_not_see_the_origin(scope_type: str) -> None:
    """It would ask another server for this machine's address, to compare the two."""
    inner = Inner()
    assert asked(asgi.Sealed(inner, Hosts()), scope_type, **OWN) == []
    assert [name for name, _ in inner.scopes[0]["headers"]] == [b"host", b"accept"]


@pytest.mark.parametrize("headers", [{**OWN, "host": "evil.example"}, {**OWN, "origin": "null"}, {}])
def test_what_is_refused_does_not_reach_streamlit(headers: dict[str, str]) -> None:
    inner = Inner()
    answer = asked(asgi.Sealed(inner, Hosts()), **headers)
    assert answer[0]["status"] == (403 if headers else 400)
    (closed,) = asked(asgi.Sealed(inner, Hosts()), "websocket", **headers)
    assert (closed["type"], closed["code"]) == ("websocket.close", 1008)
    assert inner.scopes == []


def test_the_start_and_the_end_of_the_server_pass() -> None:
    inner = Inner()
    asked(asgi.Sealed(inner, Hosts()), "lifespan")
    assert len(inner.scopes) == 1


@pytest.mark.parametrize("metrics", [True, False])
def test_figures_on_the_server_are_open_where_asked(metrics: bool) -> None:
    inner = Inner()
    layer = asgi.NeededOnly(inner, metrics=metrics)
    asked(layer, path="/_stcore/metrics")
    assert len(inner.scopes) == metrics
    asked(layer, path="/_stcore/agent/interact")
    assert len(inner.scopes) == metrics
    for path in ("/", "/tradeoff", "/static/js/index.js", "/media/a.csv", "/_stcore/upload_file/a/b"):
        asked(layer, path=path)
    assert len(inner.scopes) == metrics + 5


def test_a_script_of_the_page_is_known_by_its_hash() -> None:
    """The page of the installed Streamlit, and a script whose hash is known (``printf x | sha256sum``, base64)."""
    page = b'<head><script>x</script><script type="module" src="./a.js"></script><script async>y</script>'
    assert asgi._inline_scripts(page) == [b"x", b"y"]
    assert asgi._hashed(b"x") == "'sha256-LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE='"
    assert len(asgi._SCRIPTS) == 2
