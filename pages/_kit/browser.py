"""Whether an address was written in the browser that opens it: a reload, a second tab, a server that began anew.

The server gives each browser a random token, in a cookie that ends with the browser. Beside the data's mark an address
carries what this token makes of it: in another browser it is something else, and the address a link of somebody else's.
"""

import hmac
import os
from collections import OrderedDict

import streamlit as st

from fairviz.cli.app import ALLOW_HOST, BROWSER, serves_others
from fairviz.hosts import LOCAL

SIGNED = "by"
"""Parameter of the address: the data's mark, signed by this browser."""
SIGNATURE_LENGTH = 12

REMEMBERED = 1000
"""Signatures whose files' names are known until a server ends; older ones are forgotten."""

_NAMES: OrderedDict[str, tuple[str, ...]] = OrderedDict()


def token() -> str:
    """What the server knows this browser by; empty where it has no cookie."""
    return st.context.cookies.get(BROWSER, "")


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
