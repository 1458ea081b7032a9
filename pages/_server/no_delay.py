"""Connections that send at once what they are given.

Streamlit makes its socket without naming TCP, and asyncio then leaves Nagle's algorithm on: what is written in two
steps, as the head and the body of an answer are, waits until the browser acknowledges the first, which it delays by
40 ms. A browser asks for a hundred files, six at a time, before it draws a chart, and what follows a move of a slider
comes over its web socket in as many pieces as there are elements.
"""

import asyncio
import socket

from uvicorn.protocols.http.auto import AutoHTTPProtocol


def send_at_once() -> None:
    """Every connection that this server takes from now on sends at once; a web socket begins as one of them."""
    connected = AutoHTTPProtocol.connection_made

    def connection_made(self: asyncio.Protocol, transport: asyncio.BaseTransport) -> None:
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connected(self, transport)

    AutoHTTPProtocol.connection_made = connection_made
