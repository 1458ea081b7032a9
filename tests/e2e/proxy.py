"""A reverse proxy as a web server is one: other things at its root, the dashboard below a path, under its own name."""

import socket
import threading
from contextlib import suppress
from socketserver import StreamRequestHandler, ThreadingTCPServer

ELSEWHERE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<h1>Another site</h1>"


class Proxy(ThreadingTCPServer):
    """Hands what is asked below a path on to a server, web sockets too, one request a connection.

    Args:
        port: Of the server.
        path: Below which it is.
    """

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, port: int, path: str) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.upstream = ("127.0.0.1", port)
        self.path = path
        self.beside: list[str] = []

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.server_address[1])


class _Connection(StreamRequestHandler):
    server: Proxy

    def handle(self) -> None:
        head = self._head()
        if not head:
            return
        path = head[0].split(b" ")[1].decode()
        if not f"{path}/".startswith(f"{self.server.path}/") and not path.startswith(f"{self.server.path}?"):
            self.server.beside.append(path)
            self.wfile.write(ELSEWHERE)
            return
        if not any(line.lower().startswith(b"upgrade:") for line in head):
            head = [line for line in head if not line.lower().startswith(b"connection:")]
            head.append(b"Connection: close")
        with socket.create_connection(self.server.upstream) as up:
            up.sendall(b"\r\n".join((*head, b"X-Forwarded-Proto: https", b"", b"")))
            threading.Thread(target=self._pump_up, args=(up,), daemon=True).start()
            _pump(up, self.connection)

    def _head(self) -> list[bytes]:
        lines: list[bytes] = []
        while (line := self.rfile.readline().strip()) != b"":
            lines.append(line)
        return lines

    def _pump_up(self, up: socket.socket) -> None:
        with suppress(OSError, ValueError):  # closed from the other side while it was read
            while data := self.rfile.read1():
                up.sendall(data)
            up.shutdown(socket.SHUT_RDWR)  # a tab that was closed


def _pump(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
