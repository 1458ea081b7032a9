"""A server on this machine that speaks OpenAI's chat completions, well or badly, and counts who asked what."""

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Any, NamedTuple, TypeAlias


class Said(NamedTuple):
    """What a server says: a body whole, or cut off in the middle."""

    status: int
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()
    cut: bool = False


def completion(text: str | None, *, finish_reason: str = "stop", **more: Any) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "tiny-1",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish_reason}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9},
        **more,
    }


def said(body: Any, status: int = 200, **headers: str) -> Said:
    pairs = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Said(status, json.dumps(body).encode(), (("Content-Type", "application/json"), *pairs))


def letter(body: dict[str, Any]) -> str:
    """The same letter for the same text, each about as often."""
    text = body["messages"][0]["content"]
    return "ABC"[sha256(text.encode()).digest()[0] % 3]


def answered(body: dict[str, Any]) -> Said:
    return said(completion(letter(body)))


SOON = {"retry_after_ms": "1"}  # the package of the client waits half a second where nobody says so

RATE_LIMITED = said({"error": {"message": "slow down", "type": "requests"}}, 429, retry_after="0.001")
BROKEN = said({"error": {"message": "out of memory"}}, 500, **SOON)
CUT_OFF = said(completion("A"))._replace(cut=True)
MALFORMED = Said(200, b'{"choices": [{"message"', (("Content-Type", "application/json"),))
EMPTY = said(completion(""))
HTML = Said(
    502, b"<html><body>\n<h1>Bad Gateway</h1></body></html>", (("Content-Type", "text/html"), ("retry-after-ms", "1"))
)

Behaviour: TypeAlias = Callable[[dict[str, Any], int], Said | None]
"""What is said to a body that is asked for the n-th time, from 1; None = nothing, until the server closes."""


class Endpoint:
    """What a server was asked.

    Attributes:
        url: For ``base_url``.
        calls: How often each text was asked for.
        headers: Of each call.
        bodies: Of each call.
        paths: Of each call.
        most: Calls under way at once, at most.
    """

    def __init__(self, behave: Behaviour, *, delay: float) -> None:
        self.url = ""
        self.calls: Counter[str] = Counter()
        self.headers: list[dict[str, str]] = []
        self.bodies: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.most = 0
        self.closing = Event()
        self._behave = behave
        self._delay = delay
        self._lock = Lock()
        self._now = 0
        self._reached: list[tuple[int, Event]] = []

    def reached(self, n: int) -> Event:
        """Set with the n-th call from here on."""
        event = Event()
        with self._lock:
            self._reached.append((self.calls.total() + n, event))
        return event

    def take(self, body: dict[str, Any], headers: dict[str, str]) -> Said | None:
        if "messages" in body:
            text = body["messages"][0]["content"]
        else:
            text = body["prompt"] if "prompt" in body else "\n".join(body["input"])
        with self._lock:
            self.calls[text] += 1
            n = self.calls[text]
            self.headers.append(headers)
            self.bodies.append(body)
            self._now += 1
            self.most = max(self.most, self._now)
            for at, event in self._reached:
                if self.calls.total() >= at:
                    event.set()
        if self._delay:
            time.sleep(self._delay)  # a server takes its time, so that a kill finds calls under way
        answer = self._behave(body, n)
        if answer is None:
            self.closing.wait()
        with self._lock:
            self._now -= 1
        return answer


@contextmanager
def serving(behave: Behaviour = lambda body, n: answered(body), *, delay: float = 0) -> Iterator[Endpoint]:
    """A server for a while, on a free port."""
    endpoint = Endpoint(behave, delay=delay)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            endpoint.paths.append(self.path)
            content = self.rfile.read(int(self.headers["Content-Length"]))
            answer = endpoint.take(json.loads(content), dict(self.headers))
            if answer is None:
                self.close_connection = True
                return
            self.send_response(answer.status)
            for name, value in answer.headers:
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body[: len(answer.body) // 2] if answer.cut else answer.body)
            self.close_connection = answer.cut

        def log_message(self, format: str, *args: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 64

        def handle_error(self, request: Any, client_address: Any) -> None:
            """A client that has gone is what some tests are about."""

    with Server(("127.0.0.1", 0), Handler) as server:
        endpoint.url = f"http://127.0.0.1:{server.server_port}/v1"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield endpoint
        finally:
            endpoint.closing.set()
            server.shutdown()
            thread.join()
