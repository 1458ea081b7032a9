"""The dashboard as an ASGI application, sealed; ``fairviz app`` runs this one.

From the outside in: headers on every answer; only requests that name this server and come from its
own pages (:mod:`fairviz.hosts`); only the end points that the dashboard needs; then Streamlit.
"""

import os
import re
import signal
import threading
import time
from base64 import b64encode
from collections.abc import AsyncIterator, MutableMapping, Sequence
from contextlib import asynccontextmanager
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import config
from streamlit.file_util import get_static_dir
from streamlit.runtime.pages_manager import PagesManager

from fairviz.cli import hosting
from fairviz.cli.app import ALLOW_HOST, METRICS, STOP_SECONDS
from fairviz.hosts import Hosts
from fairviz.system import LAUNCHED, wait_for_end
from pages._server.browser import Tokens, asks_for_page, base_path, on_this_machine
from pages._server.door import Door
from pages._server.front import FrontEnd, send_at_once
from pages._server.ready import get_ready, page_asked

_BASE = base_path()
_HEAD = b"<head>"
_STATIC = Path(get_static_dir())
_CHARTS = next((path.name for path in (_STATIC / "static" / "js").glob("PlotlyChart.*.js")), "")
"""The front end's part that draws charts, 4.7 MB: fetched when the first chart is asked for, unless it is there."""
_ON_ITS_WAY = f'<link rel="modulepreload" href="{_BASE}/static/js/{_CHARTS}">'.encode() if _CHARTS else b""
_LISTENS = b"""
window.__streamlit = {BACKEND_BASE_URL: location.origin + 'BASE'};
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
const away = ([x, y], [fromX, fromY], [toX, toY]) => {
  const dx = toX - fromX, dy = toY - fromY;
  const t = Math.min(1, Math.max(0, ((x - fromX) * dx + (y - fromY) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(x - fromX - t * dx, y - fromY - t * dy);
};
const nearest = (chart, event) => {
  const {lines, panels} = chart.layout?.meta ?? {}, {xaxis, yaxis} = chart._fullLayout ?? {};
  if (!lines || !xaxis?.l2p) return;
  const box = chart.getBoundingClientRect();
  const at = [event.clientX - box.left - xaxis._offset, event.clientY - box.top - yaxis._offset];
  const placed = ([right, up]) => (x, y) => [xaxis.l2p(x + right), yaxis.l2p(y + up)];
  const place = panels.map(placed).find(to => {
    const [[left, bottom], [right, top]] = [to(0, 0), to(1, 1)];
    return left <= at[0] && at[0] <= right && top <= at[1] && at[1] <= bottom;
  });
  let found, least = 6;
  if (place) for (const [system, [across, up]] of Object.entries(lines)) {
    const points = across.map((x, i) => x === null || up[i] === null ? null : place(x, up[i])).filter(Boolean);
    const far = Math.min(...points.map((point, i) => away(at, point, points[i + 1] ?? point)));
    if (far < least) [found, least] = [system, far];
  }
  return found;
};
const named = (system, event) => {
  const label = document.querySelector('.fv-nearest') ?? document.createElement('div');
  if (!system) return label.remove();
  label.className = 'fv-nearest';
  label.textContent = system;
  document.body.append(label);
  label.style.left = `${Math.min(event.clientX + 12, innerWidth - label.offsetWidth - 8)}px`;
  label.style.top = `${event.clientY + 14}px`;
};
addEventListener('mouseover', event => {
  const chart = event.target.closest?.('.st-key-panels .js-plotly-plot');
  if (!chart?.on || chart.fvListens) return;
  chart.fvListens = true;
  let own, last, shown;
  const look = () => {
    const system = (last && nearest(chart, last)) ?? own;
    named(system === own ? undefined : system, last);
    if (shown !== system || !chart.querySelector('.fv-everywhere')) everywhere(chart, shown = system);
  };
  chart.on('plotly_hover', at => { own = at.points[0]?.customdata?.[5]; look(); });
  chart.on('plotly_unhover', () => { own = undefined; look(); });
  chart.addEventListener('mousemove', event => { last = event; look(); });
  chart.addEventListener('mouseleave', () => { own = last = undefined; look(); });
});
addEventListener('click', event => {
  if (event.detail || !event.target.closest?.('[data-testid="stPopover"] button')) return;
  const enter = frames => {
    const first = document.querySelector('[data-testid="stPopoverBody"]')?.querySelector(
      ':is(input, button, textarea, a[href]):not(:disabled, [tabindex="-1"], [aria-label^="Help for"])');
    first ? first.focus() : frames && requestAnimationFrame(() => enter(frames - 1));
  };
  requestAnimationFrame(() => enter(60));
});
addEventListener('beforeprint', () => {
  for (const box of document.querySelectorAll('.stPlotlyChart .svg-container')) {
    const {width, height} = box.getBoundingClientRect();
    box.style.setProperty('--fv-width', `${width}px`);
    box.style.setProperty('--fv-ratio', `${width} / ${height}`);
    for (const svg of box.querySelectorAll('.main-svg')) svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
  }
});
addEventListener('afterprint', () => {
  for (const svg of document.querySelectorAll('.stPlotlyChart .main-svg')) svg.removeAttribute('viewBox');
});
new MutationObserver(() => {
  for (const list of document.querySelectorAll('[data-testid="stSidebarNavItems"]:not([role]), ' +
       '[data-testid="stSidebarNavItems"] li:not([role])')) list.setAttribute('role', 'none');
  for (const zone of document.querySelectorAll('[data-testid="stFileUploaderDropzone"][role="presentation"]'))
    zone.setAttribute('role', 'group');
}).observe(document, {childList: true, subtree: true});
"""
"""Our script in the page's head.

It tells the front end where the server is, at the root or below a proxy's path (BASE): on a deep link it would else
look for it below the page's own path first, which costs a round trip and leaves two errors in the browser's console.
On a phone the navigation lies over the page that was chosen in it, and stays: it is shut.
Before a tab is left whose files live nowhere else, the browser asks; the shell marks it so.
What the server writes into the address would be a step in the browser's history each time, so that Back stayed on
the page: a page is one step.
Where systems stand in small panels, the one whose line is hovered over in any is named and drawn in all of them, from
what the figure says of its lines; without this script the one in its own panel is named only.
What a button opens stands at the end of the document: who pressed it by key goes on inside, and Escape leads back.
A chart is as wide as the screen gave it room; on paper it becomes as small as the sheet needs, and is not cut off.
Streamlit's navigation is a list whose sections are no items, and the place for files is "presentation" with a name:
readers of screens are told a group of links, and a group of controls.
What draws charts is loaded while a person looks at Home, which has none: their first chart then stands a second
sooner. On any other page it is on its way with the page, and is run as soon as the server has the first request, while
it computes: earlier, it would keep the front end from asking.
"""
_PRELOADS = b"""
const charts = () => import('BASE/static/js/CHARTS');
const computes = () => document.querySelector('[data-test-script-state="running"]');
const asked = () => computes() ? charts() : setTimeout(asked, 20);
const later = () => setTimeout(() => requestIdleCallback(charts), 1500);
addEventListener('load', () => location.pathname === 'BASE/' ? later() : asked());
"""


def head_script(base: str) -> bytes:
    """Our script in the page's head, for a server below a path; empty where it is at the root."""
    preloads = _PRELOADS.replace(b"CHARTS", _CHARTS.encode()) if _CHARTS else b""
    return (_LISTENS + preloads).replace(b"BASE/", f"{base}/".encode()).replace(b"'BASE'", f"'{base}'".encode())


_OURS = head_script(_BASE)


def _inline_scripts(page: bytes) -> list[bytes]:
    """What stands between the tags of scripts without an address."""
    return re.findall(rb"<script(?![^>]*\ssrc=)[^>]*>(.*?)</script>", page, re.DOTALL)


def _hashed(script: bytes) -> str:
    """A script as a content policy names it."""
    return f"'sha256-{b64encode(sha256(script).digest()).decode()}'"


_SCRIPTS = [_OURS, *_inline_scripts((_STATIC / "index.html").read_bytes())]


def content_policy(embedders: Sequence[str] = ()) -> str:
    """What a page may load and run, and the origins, beside our own, whose pages may show it in a frame.

    Streamlit's front end writes its styles at run time and compiles WebAssembly for its tables; it fetches nothing from
    elsewhere, and nothing here may. ``'self'`` covers the web socket.
    """
    return "; ".join(
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
            " ".join(("frame-ancestors 'self'", *embedders)),
        )
    )


def security_headers(embedders: Sequence[str] = ()) -> tuple[tuple[bytes, bytes], ...]:
    """What every answer carries; ``X-Frame-Options`` knows no origins, so that the policy alone names them."""
    framing = () if embedders else ((b"x-frame-options", b"SAMEORIGIN"),)
    return (
        (b"content-security-policy", content_policy(embedders).encode()),
        (b"x-content-type-options", b"nosniff"),
        *framing,
        (b"referrer-policy", b"no-referrer"),
        (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
        (b"cross-origin-opener-policy", b"same-origin"),
    )


HEADERS = security_headers()
_NAMES = {name for name, _ in HEADERS}


class SecurityHeaders:
    """Adds the headers to every response; the web socket is left alone.

    Args:
        app: What answers.
        embedders: Origins whose pages may show the dashboard in a frame. A browser keeps cookies there only if they are
            marked so, and takes the marks over https or from its own machine only: it then says ``Sec-Fetch-Site``.
    """

    def __init__(self, app: ASGIApp, embedders: Sequence[str] = ()) -> None:
        self.app = app
        self.headers = security_headers(embedders)
        self.in_frames = bool(embedders)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, with headers on its answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        marks = self.in_frames and any(name == b"sec-fetch-site" for name, _ in scope["headers"])

        async def answer(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                others = [h for h in message.get("headers", ()) if h[0].lower() not in _NAMES]
                if marks:
                    others = [(n, _for_frames(v) if n.lower() == b"set-cookie" else v) for n, v in others]
                message["headers"] = [*others, *self.headers]
            await send(message)

        await self.app(scope, receive, answer)


def _for_frames(cookie: bytes) -> bytes:
    """A cookie that a browser also keeps in a page of another site, apart for each such site."""
    marks = {b"samesite", b"secure", b"partitioned"}
    kept = [part.strip() for part in cookie.split(b";") if part.strip().lower().partition(b"=")[0] not in marks]
    return b"; ".join((*kept, b"SameSite=None", b"Secure", b"Partitioned"))


class Sealed:
    """Answers only requests that name this server and come from its own pages.

    Streamlit sees an origin only where it needs one, for the web socket of people who sign in, and then as the host
    that was asked for, too: it would else compare it with this machine's address on the internet, which it asks another
    server for.
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
            await self.app({**scope, "headers": _as_one_place(scope)}, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": POLICY_VIOLATION, "reason": refusal.text})
        else:
            await PlainTextResponse(f"{refusal.text}\n", refusal.status)(scope, receive, send)


def _as_one_place(scope: Scope) -> list[tuple[bytes, bytes]]:
    """The headers of a request that is answered, whose host and origin are both ours."""
    headers: list[tuple[bytes, bytes]] = [(name.lower(), value) for name, value in scope["headers"]]
    origin = dict(headers).get(b"origin", b"")
    if scope["type"] != "websocket" or not origin:
        return [(name, value) for name, value in headers if name != b"origin"]
    return [(name, origin.partition(b"://")[2] if name == b"host" else value) for name, value in headers]


POLICY_VIOLATION = 1008
"""Code of a web socket that is closed for who asks."""

OPEN = {"health", "script-health-check", "host-config", "stream", "upload_file", "bidi-components"}
"""End points of Streamlit's core that its front end, our components and our launcher use."""
CLOSED = {"component"}
"""Its door for components of the first kind, which the dashboard has none of."""
SIGNING_IN = {"auth", "oauth2callback"}
"""Its doors for people who sign in, closed where nobody is asked to."""


class NeededOnly:
    """Closes what the dashboard does not need: figures on the server, ways in for programs, paths above its own.

    Args:
        app: What answers.
        metrics: Whether the figures are open.
        sign_in: Whether people sign in.
        base: The path below which the dashboard is; empty at the root.
    """

    def __init__(self, app: ASGIApp, *, metrics: bool, sign_in: bool = False, base: str = "") -> None:
        self.app = app
        self.closed = CLOSED if sign_in else CLOSED | SIGNING_IN
        self.open = OPEN | ({"metrics"} if metrics else set())
        self.base = base

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on where its end point is open."""
        if scope["type"] == "http" and self.base and scope["path"] == self.base:
            # Streamlit would send a whole address, with a scheme that a proxy may not have; and without the slash at
            # the end the page would look for its files beside the path.
            query = scope.get("query_string", b"").decode("latin-1")
            target = f"{self.base}/?{query}" if query else f"{self.base}/"
            await RedirectResponse(target, 307)(scope, receive, send)
        elif scope["type"] == "http" and not self._is_open(scope["path"]):
            await PlainTextResponse("This address is closed.\n", 404)(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def _is_open(self, path: str) -> bool:
        if not path.startswith(f"{self.base}/"):
            return False
        first, *rest = [part for part in path.removeprefix(self.base).split("/") if part] or [""]
        if first == "_stcore":
            return rest[:1] != [] and rest[0] in self.open
        return first not in self.closed


class PageHead:
    """Puts our script into the head of the page that carries the front end."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; where a page's document comes back, add the script to its head."""
        if not asks_for_page(scope):
            await self.app(scope, receive, send)
            return
        page_asked(scope["path"])
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
            ours = b"<script>" + _OURS + b"</script>"
            if scope["path"] != f"{_BASE}/":
                ours += _ON_ITS_WAY
            whole = bytes(body).replace(_HEAD, _HEAD + ours, 1)
            headers = [h for h in start["headers"] if h[0].lower() not in {b"content-length", b"etag"}]
            if body:
                headers.append((b"content-length", str(len(whole)).encode()))
            await send({**start, "headers": headers})
            await send({"type": "http.response.body", "body": whole})

        await self.app({**scope, "headers": plain}, receive, answer)


@asynccontextmanager
async def lifespan(app: st.App) -> AsyncIterator[None]:
    """Serve as long as the launcher lives, where one started this server.

    What draws charts asks whether pandas is there, and breaks on one that somebody else's page has just begun to load:
    where many come at once it is there before anybody does.
    """
    del app
    if not on_this_machine():
        import_module("pandas")
    PagesManager.uses_pages_directory = False  # else a first deep link runs its page without app.py around it
    threading.Thread(target=get_ready, daemon=True).start()
    if os.environ.get(LAUNCHED):
        threading.Thread(target=end_with_launcher, daemon=True).start()
    yield


def end_with_launcher() -> None:
    """Wait for the end of the launcher, which holds the other end of our standard input; then end, too."""
    wait_for_end()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(STOP_SECONDS)
    os._exit(1)  # open browser tabs keep it


send_at_once()

_PROVIDER = hosting.provider(hosting.asked(hosting.SIGN_IN))

app = st.App(
    Path(__file__).with_name("app.py"),
    lifespan=lifespan,
    secrets={"auth": {**_PROVIDER}} if _PROVIDER else None,
    middleware=[
        Middleware(SecurityHeaders, embedders=[one for one in hosting.asked(hosting.EMBED_FROM).split(",") if one]),
        Middleware(
            Sealed,
            hosts=Hosts.of(asked=config.get_option("server.address") or "", allowed=os.environ.get(ALLOW_HOST, "")),
        ),
        Middleware(NeededOnly, metrics=os.environ.get(METRICS) == "1", sign_in=bool(_PROVIDER), base=_BASE),
        Middleware(PageHead),
        Middleware(Tokens),
        Middleware(Door, sign_in=bool(_PROVIDER)),
        Middleware(FrontEnd),
    ],
)
