"""The dashboard as an ASGI application, sealed; ``fairviz app`` runs this one.

From the outside in: headers on every answer; only requests that name this server and come from its
own pages (:mod:`fairviz.hosts`); only the end points that the dashboard needs; then Streamlit.
"""

import os
import re
import signal
import sys
import threading
import time
from base64 import b64encode
from collections.abc import AsyncIterator, MutableMapping
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import config
from streamlit.file_util import get_static_dir
from streamlit.runtime.pages_manager import PagesManager

from fairviz.cli.app import ALLOW_HOST, LAUNCHED, METRICS, STOP_SECONDS
from fairviz.hosts import Hosts
from pages._kit.browser import Tokens
from pages._kit.door import Door
from pages._kit.session import get_ready

_HEAD = b"<head>"
_STATIC = Path(get_static_dir())
_CHARTS = next((path.name for path in (_STATIC / "static" / "js").glob("PlotlyChart.*.js")), "")
"""The front end's part that draws charts, 4.7 MB: fetched when the first chart is asked for, unless it is there."""
_LISTENS = b"""
window.__streamlit = {BACKEND_BASE_URL: location.origin};
addEventListener('click', event => {
  if (innerWidth < 768 && event.target.closest('[data-testid="stSidebarNav"] a'))
    document.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click();
});
addEventListener('beforeunload', event => {
  if (document.querySelector('.fv-unsaved')) event.preventDefault();
});
const push = history.pushState.bind(history);
history.pushState = (state, title, url) => new URL(url, location).pathname === location.pathname
  ? history.replaceState(state, title, url) : push(state, title, url);
const everywhere = (chart, system) => {
  chart.querySelector('.fv-everywhere')?.remove();
  const {lines, panels} = chart.layout?.meta ?? {}, line = lines?.[system], {xaxis, yaxis} = chart._fullLayout ?? {};
  if (!line || !xaxis?.l2p) return;
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('class', 'fv-everywhere');
  const across = x => xaxis._offset + xaxis.l2p(x), down = y => yaxis._offset + yaxis.l2p(y);
  path.setAttribute('d', panels.map(([right, up]) => 'M' + line[0].map(
    (x, i) => `${across(x + right)},${down(line[1][i] + up)}`).join('L')).join(''));
  chart.querySelector('.main-svg')?.append(path);
};
addEventListener('mouseover', event => {
  const chart = event.target.closest?.('.st-key-panels .js-plotly-plot');
  if (!chart?.on || chart.fvListens) return;
  chart.fvListens = true;
  chart.on('plotly_hover', at => everywhere(chart, at.points[0]?.customdata?.[5]));
  chart.on('plotly_unhover', () => everywhere(chart));
});
new MutationObserver(() => {
  for (const list of document.querySelectorAll('[data-testid="stSidebarNavItems"]:not([role]), ' +
       '[data-testid="stSidebarNavItems"] li:not([role])')) list.setAttribute('role', 'none');
  for (const zone of document.querySelectorAll('[data-testid="stFileUploaderDropzone"][role="presentation"]'))
    zone.setAttribute('role', 'group');
}).observe(document, {childList: true, subtree: true});
"""
"""Our script in the page's head.

It tells the front end that the server is at the root: on a deep link it would else look for it below
the page's own path first, which costs a round trip and leaves two errors in the browser's console.
On a phone the navigation lies over the page that was chosen in it, and stays: it is shut.
Before a tab is left whose files live nowhere else, the browser asks; the shell marks it so.
What the server writes into the address would be a step in the browser's history each time, so that Back stayed on
the page: a page is one step.
Where systems stand in small panels, the one that is hovered over in its own is drawn in all of them, from what the
figure says of its lines; without this script it is named only.
Streamlit's navigation is a list whose sections are no items, and the place for files is "presentation" with a name:
readers of screens are told a group of links, and a group of controls.
What draws charts is loaded while a person looks at a page without any: their first chart then stands a second sooner.
"""
_PRELOADS = b"""
addEventListener('load', () => setTimeout(() => requestIdleCallback(() => import('/static/js/%s')), 1500));
"""
_OURS = _LISTENS + (_PRELOADS % _CHARTS.encode() if _CHARTS else b"")


def _inline_scripts(page: bytes) -> list[bytes]:
    """What stands between the tags of scripts without an address."""
    return re.findall(rb"<script(?![^>]*\ssrc=)[^>]*>(.*?)</script>", page, re.DOTALL)


def _hashed(script: bytes) -> str:
    """A script as a content policy names it."""
    return f"'sha256-{b64encode(sha256(script).digest()).decode()}'"


_SCRIPTS = [_OURS, *_inline_scripts((_STATIC / "index.html").read_bytes())]

# Streamlit's front end writes its styles at run time and compiles WebAssembly for its tables; it
# fetches nothing from elsewhere, and nothing here may. 'self' covers the web socket.
CONTENT_POLICY = "; ".join(
    (
        "default-src 'self'",
        f"script-src 'self' 'wasm-unsafe-eval' {' '.join(map(_hashed, _SCRIPTS))}",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "worker-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'self'",
    )
)
HEADERS = (
    (b"content-security-policy", CONTENT_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"SAMEORIGIN"),
    (b"referrer-policy", b"no-referrer"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
    (b"cross-origin-opener-policy", b"same-origin"),
)


class SecurityHeaders:
    """Adds the headers to every response; the web socket is left alone."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, with headers on its answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def answer(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                others = [h for h in message.get("headers", ()) if h[0].lower() not in _NAMES]
                message["headers"] = [*others, *HEADERS]
            await send(message)

        await self.app(scope, receive, answer)


_NAMES = {name for name, _ in HEADERS}


class Sealed:
    """Answers only requests that name this server and come from its own pages.

    Streamlit does not see the origin: it would compare it with this machine's address on the
    internet, which it asks another server for.
    """

    def __init__(self, app: ASGIApp, hosts: Hosts) -> None:
        self.app = app
        self.hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or say why not; a web socket is closed before it opens."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        refusal = self.hosts.refusal(scope["headers"], scope.get("server"))
        if refusal is None:
            headers = [h for h in scope["headers"] if h[0].lower() != b"origin"]
            await self.app({**scope, "headers": headers}, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": POLICY_VIOLATION, "reason": refusal.text})
        else:
            await PlainTextResponse(f"{refusal.text}\n", refusal.status)(scope, receive, send)


POLICY_VIOLATION = 1008
"""Code of a web socket that is closed for who asks."""

OPEN = {"health", "script-health-check", "host-config", "stream", "upload_file", "bidi-components"}
"""End points of Streamlit's core that its front end, our components and our launcher use."""
CLOSED = {"auth", "oauth2callback", "component"}
"""Its other doors: for people who log in and for components of the first kind, which the dashboard has none of."""


class NeededOnly:
    """Closes the end points that the dashboard does not need: figures on the server, and ways in for programs."""

    def __init__(self, app: ASGIApp, *, metrics: bool) -> None:
        self.app = app
        self.open = OPEN | ({"metrics"} if metrics else set())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on where its end point is open."""
        if scope["type"] == "http" and not self._is_open(scope["path"]):
            await PlainTextResponse("This address is closed.\n", 404)(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def _is_open(self, path: str) -> bool:
        first, *rest = [part for part in path.split("/") if part] or [""]
        if first == "_stcore":
            return rest[:1] != [] and rest[0] in self.open
        return path.startswith("/") and first not in CLOSED


class PageHead:
    """Puts our script into the head of the page that carries the front end."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; where a page's document comes back, add the script to its head."""
        if scope["type"] != "http" or scope["path"].startswith("/_") or "." in scope["path"]:
            await self.app(scope, receive, send)
            return
        plain = [h for h in scope["headers"] if h[0] not in {b"accept-encoding", b"range"}]
        start: MutableMapping[str, Any] = {}
        body = bytearray()

        async def answer(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
                return
            body.extend(message.get("body", b""))
            if message.get("more_body"):
                return
            whole = bytes(body).replace(_HEAD, _HEAD + b"<script>" + _OURS + b"</script>", 1)
            headers = [h for h in start["headers"] if h[0].lower() not in {b"content-length", b"etag"}]
            if body:
                headers.append((b"content-length", str(len(whole)).encode()))
            await send({**start, "headers": headers})
            await send({"type": "http.response.body", "body": whole})

        await self.app({**scope, "headers": plain}, receive, answer)


@asynccontextmanager
async def lifespan(app: st.App) -> AsyncIterator[None]:
    """Serve as long as the launcher lives, where one started this server."""
    del app
    PagesManager.uses_pages_directory = False  # else a first deep link runs its page without app.py around it
    threading.Thread(target=get_ready, daemon=True).start()
    if os.environ.get(LAUNCHED):
        threading.Thread(target=end_with_launcher, daemon=True).start()
    yield


def end_with_launcher() -> None:
    """Wait for the end of the launcher, which holds the other end of our standard input; then end, too."""
    while os.read(sys.stdin.fileno(), 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(STOP_SECONDS)
    os._exit(1)  # open browser tabs keep it


app = st.App(
    Path(__file__).with_name("app.py"),
    lifespan=lifespan,
    middleware=[
        Middleware(SecurityHeaders),
        Middleware(
            Sealed,
            hosts=Hosts.of(asked=config.get_option("server.address") or "", allowed=os.environ.get(ALLOW_HOST, "")),
        ),
        Middleware(NeededOnly, metrics=os.environ.get(METRICS) == "1"),
        Middleware(PageHead),
        Middleware(Tokens),
        Middleware(Door),
    ],
)
