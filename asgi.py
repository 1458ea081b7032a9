"""The dashboard as an ASGI application with security headers; ``fairviz app`` runs this one."""

from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Receive, Scope, Send

from pages._kit.browser import Tokens
from pages._kit.door import Door

# Streamlit's front end writes its styles at run time and compiles WebAssembly for its tables; it
# fetches nothing from elsewhere, and nothing here may.
CONTENT_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self' ws: wss:",
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
_HEAD = b"<head>"
_ROOT = b"window.__streamlit={BACKEND_BASE_URL:location.origin};"
_ASK = b"""
addEventListener('beforeunload', event => {
  if (document.querySelector('.fv-unsaved')) event.preventDefault();
});
"""
"""Before a tab is left whose files live nowhere else, the browser asks; the shell marks it so."""


class ServerAtRoot:
    """Tells the front end, in the page that carries it, that the server is at the root.

    On a deep link it would else look for the server below the page's own path first, which costs a
    round trip and leaves two errors in the browser's console.
    """

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
            whole = bytes(body).replace(_HEAD, _HEAD + b"<script>" + _ROOT + _ASK + b"</script>", 1)
            headers = [h for h in start["headers"] if h[0].lower() not in {b"content-length", b"etag"}]
            if body:
                headers.append((b"content-length", str(len(whole)).encode()))
            await send({**start, "headers": headers})
            await send({"type": "http.response.body", "body": whole})

        await self.app({**scope, "headers": plain}, receive, answer)


app = st.App(
    Path(__file__).with_name("app.py"),
    middleware=[Middleware(SecurityHeaders), Middleware(ServerAtRoot), Middleware(Tokens), Middleware(Door)],
)
