"""The dashboard as an ASGI application, sealed; ``fairviz app`` runs this one.

From the outside in: headers on every answer; only requests that name this server and come from its
own pages (:mod:`fairviz.hosts`); only the end points that the dashboard needs; then Streamlit.
"""

import os
import re
import secrets
import signal
import threading
import time
from base64 import b64encode
from collections.abc import AsyncGenerator, MutableMapping, Sequence
from contextlib import asynccontextmanager
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit.file_util import get_static_dir
from streamlit.runtime.pages_manager import PagesManager

from fairviz.cli.app import ALLOW_HOST, BASE_PATH, BROWSER, EMBED_FROM, SIGN_IN, SIGNED_IN, environment_value, provider
from fairviz.hosts import Hosts
from fairviz.system import LAUNCHED, wait_for_end

HERE = Path(__file__).parent
BASE = environment_value(BASE_PATH)
"""The path below which the server answers, behind a proxy; empty where it answers from the root on."""

# The document of every page: Streamlit's own, with our script in its head.

_STREAMLIT = (Path(get_static_dir()) / "index.html").read_text(encoding="utf-8")
_OURS = (HERE / "pages" / "_assets" / "head.js").read_text(encoding="utf-8")


def head_script(base: str) -> str:
    """Our script, for a server below a path; empty where it is at the root.

    Its first line tells the front end where the server is: on a deep link it would else look below the page's own path
    first, which leaves two errors in the browser's console.
    """
    return f"\nwindow.__streamlit = {{BACKEND_BASE_URL: location.origin + '{base}'}};\n{_OURS}"


DOCUMENT = _STREAMLIT.replace("<head>", f"<head><script>{head_script(BASE)}</script>", 1)


async def document(request: Request) -> Response:
    """Answer with the document; a browser without a token gets one, which ends with the browser."""
    response = HTMLResponse(DOCUMENT, headers={"cache-control": "no-cache"})
    if BROWSER not in request.cookies:
        token = secrets.token_hex(16)
        response.set_cookie(BROWSER, token, path=BASE or "/", httponly=True, samesite="lax")
    return response


async def to_home(request: Request) -> Response:
    """Add the slash that a page's files need; Streamlit would name a scheme, which a proxy may not have."""
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"{BASE}/{query}", 307)


PAGES = ["", *(script.stem for script in (HERE / "pages").glob("[a-z]*.py"))]
ROUTES = [Route(f"{BASE}/{name}", document) for name in PAGES]
if BASE:
    ROUTES.append(Route(BASE, to_home))

# What a browser may do with an answer.


def inline_scripts(page: str) -> list[str]:
    """What stands between the tags of scripts without an address."""
    return re.findall(r"<script(?![^>]*\ssrc=)[^>]*>(.*?)</script>", page, re.DOTALL)


def hashed(script: str) -> str:
    """A script as a content policy names it."""
    return f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"


def content_policy(embedders: Sequence[str] = ()) -> str:
    """What a page may load and run, and the origins, beside our own, whose pages may show it in a frame.

    Streamlit's front end writes its styles at run time and compiles WebAssembly for its tables; it fetches nothing from
    elsewhere, and nothing here may. ``'self'`` covers the web socket.
    """
    return "; ".join(
        (
            "default-src 'self'",
            f"script-src 'self' 'wasm-unsafe-eval' {' '.join(map(hashed, inline_scripts(DOCUMENT)))}",
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


def security_headers(embedders: Sequence[str] = ()) -> dict[str, str]:
    """What every answer carries; ``X-Frame-Options`` knows no origins, so that the policy alone names them."""
    return {
        "content-security-policy": content_policy(embedders),
        "x-content-type-options": "nosniff",
        **({} if embedders else {"x-frame-options": "SAMEORIGIN"}),
        "referrer-policy": "no-referrer",
        "permissions-policy": "camera=(), geolocation=(), microphone=()",
        "cross-origin-opener-policy": "same-origin",
    }


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
                headers = MutableHeaders(scope=message)
                headers.update(self.headers)
                if marks:
                    cookies = headers.getlist("set-cookie")
                    del headers["set-cookie"]
                    for cookie in cookies:
                        headers.append("set-cookie", for_frames(cookie))
            await send(message)

        await self.app(scope, receive, answer)


def for_frames(cookie: str) -> str:
    """A cookie that a browser also keeps in a page of another site, apart for each such site."""
    marks = {"samesite", "secure", "partitioned"}
    kept = [part.strip() for part in cookie.split(";") if part.strip().lower().partition("=")[0] not in marks]
    return "; ".join((*kept, "SameSite=None", "Secure", "Partitioned"))


# Whom the server answers, and what.


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
            return
        status, reason = refusal
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": POLICY_VIOLATION, "reason": reason})
        else:
            await PlainTextResponse(f"{reason}\n", status)(scope, receive, send)


def _as_one_place(scope: Scope) -> list[tuple[bytes, bytes]]:
    """The headers of a request that is answered, whose host and origin are both ours."""
    headers: list[tuple[bytes, bytes]] = [(name.lower(), value) for name, value in scope["headers"]]
    origin = dict(headers).get(b"origin", b"")
    if scope["type"] != "websocket" or not origin:
        return [(name, value) for name, value in headers if name != b"origin"]
    return [(name, origin.partition(b"://")[2] if name == b"host" else value) for name, value in headers]


POLICY_VIOLATION = 1008
"""Code of a web socket that is closed for who asks."""

OPEN = {"health", "host-config", "stream", "upload_file", "bidi-components"}
"""End points of Streamlit's core that its front end, our components and ``fairviz app`` use."""
CLOSED = {"component"}
"""Its door for components of the first kind, which the dashboard has none of."""
SIGNING_IN = {"auth", "oauth2callback"}
"""Its doors for people who sign in, closed where nobody is asked to."""


class NeededOnly:
    """Closes what the dashboard does not need: figures on the server, ways in for programs, paths above its own.

    Args:
        app: What answers.
        sign_in: Whether people sign in; files then come from their sessions only.
        base: The path below which the dashboard is; empty at the root.
    """

    def __init__(self, app: ASGIApp, *, sign_in: bool = False, base: str = "") -> None:
        self.app = app
        self.sign_in = sign_in
        self.base = base

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on where its end point is open."""
        if scope["type"] == "http" and not self._is_open(scope["path"]):
            await PlainTextResponse("This address is closed.\n", 404)(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def _is_open(self, path: str) -> bool:
        if path == self.base:
            return True
        if not path.startswith(f"{self.base}/"):
            return False
        first, *rest = [part for part in path.removeprefix(self.base).split("/") if part] or [""]
        if first != "_stcore":
            return first not in (CLOSED if self.sign_in else CLOSED | SIGNING_IN)
        if self.sign_in and rest[:1] == ["upload_file"]:
            return rest[1:2] != [] and rest[1] in SIGNED_IN  # before a byte of the file is in memory
        return rest[:1] != [] and rest[0] in OPEN


# The server's beginning and end.

STOP_SECONDS = 6
"""Open browser tabs may keep a server that was asked to end; not for longer than this."""


@asynccontextmanager
async def lifespan(app: st.App) -> AsyncGenerator[None]:
    """Serve as long as the launcher lives, where one started this server.

    The pages' code and the example are loaded while a browser loads the front end.
    """
    del app
    # Of the class, not of a manager; else a first deep link runs its page without app.py around it.
    cast("Any", PagesManager).uses_pages_directory = False
    threading.Thread(target=load_pages, daemon=True).start()
    if os.environ.get(LAUNCHED):
        threading.Thread(target=end_with_launcher, daemon=True).start()
    yield


def load_pages() -> None:
    """Load what pages are made of, and the example."""
    for name in ("pages._data.files", "pages._kit.shell", "pages._tradeoff"):
        import_module(name)
    from pages._kit.session import example

    example()


def end_with_launcher() -> None:
    """Wait for the end of the launcher, which holds the other end of our standard input; then end, too."""
    wait_for_end()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(STOP_SECONDS)
    os._exit(1)  # open browser tabs keep it


_PROVIDER = provider(environment_value(SIGN_IN))
_EMBEDDERS = [origin for origin in environment_value(EMBED_FROM).split(",") if origin]
_HOSTS = Hosts.of(address=st.get_option("server.address") or "", allowed=os.environ.get(ALLOW_HOST, ""))

app = st.App(
    HERE / "app.py",
    lifespan=lifespan,
    secrets={"auth": {**_PROVIDER}} if _PROVIDER else None,
    routes=ROUTES,
    middleware=[
        Middleware(SecurityHeaders, embedders=_EMBEDDERS),
        Middleware(Sealed, hosts=_HOSTS),
        Middleware(NeededOnly, sign_in=bool(_PROVIDER), base=BASE),
    ],
)
