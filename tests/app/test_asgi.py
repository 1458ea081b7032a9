"""The layers around Streamlit, each by itself."""

import asyncio
import subprocess
import sys
from collections.abc import MutableMapping
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send

import asgi
from fairviz.hosts import Hosts
from pages._server import browser, ready
from tests.dashboard import ROOT

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
    layer = asgi.Sealed(inner, Hosts.of(asked="", allowed="study.example"))
    behind_a_proxy = {**OWN, "origin": "https://study.example"}  # which asks by the name of this machine
    assert asked(layer, "http", **behind_a_proxy) == asked(layer, "websocket", **behind_a_proxy) == []
    page, socket = (dict(scope["headers"]) for scope in inner.scopes)
    assert page == {b"host": b"localhost:8501", b"accept": b"*/*"}
    assert socket == {b"host": b"study.example", b"origin": b"https://study.example", b"accept": b"*/*"}


def test_people_sign_in_only_where_they_are_asked_to() -> None:
    for sign_in in (False, True):
        inner = Inner()
        layer = asgi.NeededOnly(inner, metrics=False, sign_in=sign_in)
        for path in ("/auth/login", "/auth/logout", "/oauth2callback"):
            asked(layer, path=path)
        assert len(inner.scopes) == 3 * sign_in


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


@pytest.mark.parametrize(("alone", "wanted"), [(True, []), (False, ["pandas"])])
def test_where_many_come_at_once_pandas_is_there_before(
    monkeypatch: pytest.MonkeyPatch, alone: bool, wanted: list[str]
) -> None:
    """Half loaded by one visitor's page it broke the charts of forty others."""
    loaded: list[str] = []
    monkeypatch.setattr(asgi, "on_this_machine", lambda: alone)
    monkeypatch.setattr(asgi, "get_ready", lambda: None)
    monkeypatch.setattr(asgi, "import_module", loaded.append)
    monkeypatch.delenv(asgi.LAUNCHED, raising=False)

    async def serve() -> list[str]:
        async with asgi.lifespan(asgi.app):
            return [*loaded]

    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(asyncio.run, serve()).result() == wanted


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


# Frames of other pages.


def test_a_frame_is_for_the_origins_that_were_named() -> None:
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


def test_cookies_are_marked_for_frames_where_a_browser_keeps_marked_ones() -> None:
    """It takes SameSite=None with Secure only, and Secure over https or from its own machine only."""
    layer = asgi.SecurityHeaders(Answering(), ["https://moodle.example"])
    (safe,) = asked(layer, **{"sec-fetch-site": "same-origin"})
    assert dict(safe["headers"])[b"set-cookie"] == b"_streamlit_xsrf=2|a; Path=/; SameSite=None; Secure; Partitioned"
    (plain,) = asked(layer, **OWN)
    assert dict(plain["headers"])[b"set-cookie"] == b"_streamlit_xsrf=2|a; Path=/; SameSite=lax"


# Below a path.


def test_below_a_path_nothing_else_is_answered() -> None:
    inner = Inner()
    layer = asgi.NeededOnly(inner, metrics=False, base="/lab/fairviz")
    for path in ("/", "/tradeoff", "/lab/fairviz-2/", "/lab/fairviz/_stcore/metrics", "/lab/fairviz/auth/login"):
        assert asked(layer, path=path)[0]["status"] == 404, path
    assert inner.scopes == []
    for path in ("/lab/fairviz/", "/lab/fairviz/tradeoff", "/lab/fairviz/_stcore/health"):
        assert asked(layer, path=path) == [], path
    (to_slash, _) = asked(layer, path="/lab/fairviz")
    assert dict(to_slash["headers"])[b"location"] == b"/lab/fairviz/"


def test_the_head_script_knows_the_path() -> None:
    assert b"location.origin + ''}" in asgi.head_script("")
    assert b"import('/static/js/PlotlyChart." in asgi.head_script("")
    below = asgi.head_script("/lab/fairviz")
    assert b"location.origin + '/lab/fairviz'}" in below
    assert b"import('/lab/fairviz/static/js/PlotlyChart." in below
    assert b"BASE/" not in below


@pytest.mark.parametrize(("path", "there"), [("/", False), ("/tradeoff", True)])
def test_what_draws_charts_is_on_its_way_with_a_page_that_has_one(path: str, there: bool) -> None:
    async def front_end(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"<html><head><title>x</title>"})

    _, body = asked(asgi.PageHead(front_end), path=path)
    assert b"</script><title>x" in body["body"].replace(asgi._ON_ITS_WAY, b"")
    assert (asgi._ON_ITS_WAY in body["body"]) == there
    assert b'href="/static/js/PlotlyChart.' in asgi._ON_ITS_WAY


def test_a_page_below_a_path_is_known_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser, "base_path", lambda: "/v1.2/fairviz")
    asks = {path: browser.asks_for_page({"type": "http", "path": path}) for path in ("/v1.2/fairviz/data", "/data")}
    assert asks == {"/v1.2/fairviz/data": True, "/data": True}
    assert not browser.asks_for_page({"type": "http", "path": "/v1.2/fairviz/_stcore/health"})
    assert not browser.asks_for_page({"type": "http", "path": "/v1.2/fairviz/favicon.png"})
    (page,) = asked(browser.Tokens(Answering()), path="/v1.2/fairviz/data")
    cookies = [value for name, value in page["headers"] if name == b"set-cookie"]
    assert b"; Path=/v1.2/fairviz; HttpOnly" in cookies[1]


def test_a_server_answers_before_it_loads_what_pages_draw_with() -> None:
    program = "import sys, asgi; print([name for name in sys.argv[1:] if name in sys.modules])"
    heavy = ["numpy", "pyarrow", "scipy", "fairviz.model", "pages._kit"]
    done = subprocess.run([sys.executable, "-c", program, *heavy], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_what_first_pages_import_is_made_ready() -> None:
    """A module that is moved is named here, not by a visitor who waits."""
    for name in (*ready.SHELL, *ready.HOME, *ready.FIRST_CHART, *ready.LATER):
        assert find_spec(name), name
