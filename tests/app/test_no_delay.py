"""What the server writes in two steps goes out at once: the browser's delayed acknowledgement is not waited for."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import uvicorn

import asgi


def test_a_connection_to_the_dashboard_sends_at_once_what_it_is_given() -> None:
    """On a socket as Streamlit makes it, which does not name TCP: asyncio would leave it as it is."""
    assert asgi.app  # its import is what makes connections so
    with ThreadPoolExecutor(1) as thread:  # this one may run the loop of a browser
        assert thread.submit(asyncio.run, delays()).result() == [False]


async def delays() -> list[bool]:
    """Whether each connection of a server waits, asked while one is open."""
    listener = socket.socket(socket.AF_INET)
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    assert listener.proto != socket.IPPROTO_TCP
    server = uvicorn.Server(uvicorn.Config(nothing, log_config=None, lifespan="off"))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    reader, writer = await asyncio.open_connection(*listener.getsockname())
    writer.write(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
    assert (await reader.readline()).startswith(b"HTTP/1.1 204")
    taken: list[Any] = list(server.server_state.connections)
    found = [not is_direct(one.transport.get_extra_info("socket")) for one in taken]
    writer.close()
    server.should_exit = True
    await serving
    return found


def is_direct(connection: socket.socket) -> bool:
    """Whether Nagle's algorithm is off."""
    return bool(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))


async def nothing(scope: Any, receive: Any, send: Callable[[Any], Awaitable[None]]) -> None:
    """An application that answers with nothing."""
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body"})
