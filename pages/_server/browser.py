"""Whether an address was written in the browser that opens it: a reload, a second tab, a server that began anew.

The server gives each browser a random token, in a cookie that ends with the browser. Beside the data's mark an address
carries what this token makes of it: in another browser it is something else, and the address a link of somebody else's.
"""

import hmac
import os
import secrets
from collections import OrderedDict
from collections.abc import MutableMapping
from http.cookies import SimpleCookie
from typing import Any

import streamlit as st
from starlette.types import ASGIApp, Receive, Scope, Send

from fairviz.cli.app import ALLOW_HOST
from fairviz.cli.hosting import serves_others
from fairviz.hosts import LOCAL

COOKIE = "fairviz-browser"
SIGNED = "by"
"""Parameter of the address: the data's mark, signed by this browser."""
SIGNATURE_LENGTH = 12

REMEMBERED = 1000
"""Signatures whose files' names are known until a server ends; older ones are forgotten."""

_NAMES: OrderedDict[str, tuple[str, ...]] = OrderedDict()


def token() -> str:
    """What the server knows this browser by; empty where it has no cookie."""
    return st.context.cookies.get(COOKIE, "")


def signature(mark: str) -> str:
    """What this browser's token makes of the mark of some data; empty where the browser has none."""
    key = token().encode()
    return hmac.new(key, mark.encode(), "sha256").hexdigest()[:SIGNATURE_LENGTH] if key else ""


def wrote(signed: str, mark: str) -> bool:
    """Whether this browser signed the mark of some data."""
    known = signature(mark)
    return known != "" and hmac.compare_digest(known.encode(), signed.encode())


def remember(signed: str, names: tuple[str, ...]) -> None:
    """Which files a browser had loaded: no address and no cookie says it."""
    if signed:
        _NAMES[signed] = names
        _NAMES.move_to_end(signed)
        while len(_NAMES) > REMEMBERED:
            _NAMES.popitem(last=False)


def remembered(signed: str) -> tuple[str, ...]:
    """Names of files that a browser had loaded, as far as this server knows."""
    return _NAMES.get(signed, ())


def on_this_machine() -> bool:
    """Whether the server listens on this machine alone, and answers to no other name: nobody else can open a page."""
    told = os.environ
    return st.get_option("server.address") in LOCAL and not told.get(ALLOW_HOST) and not serves_others(told)


def base_path() -> str:
    """The path below which the server answers, behind a proxy; empty where it answers from the root on."""
    path = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{path}" if path else ""


def asks_for_page(scope: Scope) -> bool:
    """Whether a request is for a page of the dashboard: for no file, and no end point of Streamlit's."""
    if scope["type"] != "http":
        return False
    path: str = scope["path"].removeprefix(base_path())
    return "." not in path and not path.startswith("/_")


class Tokens:
    """Gives a browser its token with the first page that it asks for."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; a page to a browser without a token brings one."""
        if not asks_for_page(scope) or _has_token(scope):
            await self.app(scope, receive, send)
            return
        cookie = f"{COOKIE}={secrets.token_hex(16)}; Path={base_path() or '/'}; HttpOnly; SameSite=Lax"

        async def answer(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), (b"set-cookie", cookie.encode())]
            await send(message)

        await self.app(scope, receive, answer)


def _has_token(scope: Scope) -> bool:
    headers: list[tuple[bytes, bytes]] = scope["headers"]
    return any(COOKIE in SimpleCookie(value.decode("latin-1")) for name, value in headers if name == b"cookie")
