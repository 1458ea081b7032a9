"""The link of a class: where phones find it, as words and as a QR code; and why they cannot, where they cannot."""

import socket
from urllib.parse import urlencode, urlsplit

import segno
import streamlit as st

from fairviz.hosts import LOCAL
from pages._kit.browser import on_this_machine
from pages._learn.classroom import Classroom

UNREACHABLE = (
    "Phones cannot reach this server: it listens on this machine alone. To open it to the class, end fairviz, start it "
    "with fairviz app --host 0.0.0.0, and begin the class again. To try it out, open the link in a second tab."
)


def student_link(room: Classroom) -> str:
    """What a phone opens: the guess, never the answer."""
    return _link(room=room.code)


def teacher_link(room: Classroom) -> str:
    """The same with answers: for the teacher alone."""
    return _link(room=room.code, key=room.key)


def phones_come_in() -> bool:
    """Whether the server can be reached from another machine."""
    return not on_this_machine()


def qr_source(link: str) -> str:
    """A link as a picture that phones read: the source of an inline image, dark on light in both themes."""
    return segno.make(link, error="m", micro=False).svg_data_uri(scale=4, border=2, dark="black", light="white")


def _link(**parameters: str) -> str:
    parts = urlsplit(st.context.url or "http://localhost/learn")
    host = parts.hostname or "localhost"
    if host in LOCAL and phones_come_in():
        host = address_of_this_machine()
    name = f"[{host}]" if ":" in host else host
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{name}{port}{parts.path}?{urlencode(parameters)}"


def address_of_this_machine() -> str:
    """The address that others on the network know this machine by; its own name where it has none.

    A datagram socket is pointed at an address for examples (RFC 5737): that chooses a way out, and sends nothing.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return socket.gethostname()
        return str(probe.getsockname()[0])
