"""What every answer of the server carries, and what gets no answer."""

import socket
from contextlib import closing
from email.message import Message
from http.client import HTTPConnection
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest

from asgi import security_headers


class Answer(NamedTuple):
    """What came back."""

    status: int
    headers: Message
    body: bytes


def ask(server: str, path: str, *, host: str | None = None, origin: str | None = None) -> Answer:
    """One request as a browser sends it, of any name."""
    with closing(HTTPConnection(urlsplit(server).netloc, timeout=20)) as connection:
        connection.putrequest("GET", path, skip_host=True)
        connection.putheader("Host", host or urlsplit(server).netloc)
        if origin:
            connection.putheader("Origin", origin)
        connection.endheaders()
        response = connection.getresponse()
        return Answer(response.status, response.headers, response.read())


def open_socket(server: str, **headers: str) -> str:
    """The first line of the answer to a web socket."""
    lines = {
        "Host": urlsplit(server).netloc,
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
        **headers,
    }
    return send(server, "GET /_stcore/stream HTTP/1.1", *(f"{name}: {value}" for name, value in lines.items()))


def send(server: str, *lines: str) -> str:
    """The first line of the answer to anything; empty where the server hangs up."""
    place = urlsplit(server)
    with socket.create_connection((place.hostname, place.port), timeout=20) as line:
        line.sendall("\r\n".join([*lines, "", ""]).encode("latin-1"))
        with line.makefile("rb") as answer:
            return answer.readline().decode("latin-1").strip()


def test_every_answer_of_the_server_has_the_headers(server: str) -> None:
    for path in ("/", "/data", "/_stcore/health", "/_stcore/metrics", "/no/such/thing.js"):
        for host in (None, "evil.example"):
            answer = ask(server, path, host=host)
            for name, value in security_headers().items():
                assert answer.headers[name] == value, path


def test_scripts_run_by_their_hash_and_nothing_is_fetched_elsewhere() -> None:
    policy = security_headers()["content-security-policy"]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["connect-src"] == "'self'"
    assert "unsafe-inline" not in rules["script-src"]
    assert "sha256-" in rules["script-src"]


def test_the_page_tells_the_front_end_where_the_server_is(server: str) -> None:
    answer = ask(server, "/data")
    assert len(answer.body) == int(answer.headers["content-length"])
    assert b"<head><script>\nwindow.__streamlit = {BACKEND_BASE_URL" in answer.body


@pytest.mark.parametrize("path", ["/", "/data", "/_stcore/health", "/_stcore/host-config", "/static/no.js"])
def test_a_foreign_name_or_page_is_refused_with_a_sentence(server: str, path: str) -> None:
    answer = ask(server, path, host="rebound.example:8501")
    assert answer.status == 403
    assert answer.body.decode().endswith("fairviz app --allow-host rebound.example:8501\n")
    answer = ask(server, path, origin="http://evil.example")
    assert answer.status == 403
    assert "--allow-host evil.example:80" in answer.body.decode()


def test_a_web_socket_opens_for_our_own_pages_only(server: str) -> None:
    own = urlsplit(server).netloc
    port = own.rsplit(":", 1)[1]
    assert " 101 " in open_socket(server, Origin=f"http://{own}")
    assert " 101 " in open_socket(server, Host=f"localhost:{port}", Origin=f"http://localhost:{port}")
    foreign = f"evil.example:{port}"
    for headers in (
        {"Host": foreign, "Origin": f"http://{foreign}"},  # DNS rebinding
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Host": foreign},
        {"Origin": "http://localhost:1"},
    ):
        assert " 403 " in open_socket(server, **headers), headers


@pytest.mark.parametrize(
    "path", ["metrics", "metrics?families=active_sessions", "agent/openapi.json", "agent/mcp", "no-such", ""]
)
def test_figures_on_the_server_and_ways_in_for_programs_are_closed(server: str, path: str) -> None:
    assert ask(server, f"/_stcore/{path}").status == 404
    assert ask(server, "/auth/login").status == 404


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        (["GET / HTTP/1.1"], " 400 "),
        (["GET / HTTP/1.0"], " 400 "),
        (["GET / HTTP/1.1", "Host: a", "Host: b"], " 400 "),
        (["GET / HTTP/1.1", "Host: user@localhost:{port}"], " 400 "),
        (["GET / HTTP/1.1", "Host: \xff\xfe"], " 400 "),
        (["OPTIONS * HTTP/1.1", "Host: localhost:{port}"], " 404 "),
        (["GET http://evil.example/ HTTP/1.1", "Host: evil.example"], " 403 "),
        (["GET //_stcore//metrics HTTP/1.1", "Host: localhost:{port}"], " 404 "),
        (["GET /%5fstcore/metrics HTTP/1.1", "Host: localhost:{port}"], " 404 "),
        (["\x00\x01\x02"], " 400 "),
    ],
)
def test_junk_gets_a_plain_answer(server: str, lines: list[str], status: str) -> None:
    port = str(urlsplit(server).port)
    assert status in send(server, *(line.replace("{port}", port) for line in lines))


def test_it_starts_from_any_folder_and_listens_to_this_machine_only(server: str) -> None:
    """The server of all these tests was started elsewhere (``conftest.py``)."""
    assert ask(server, "/_stcore/health").status == 200
    with socket.socket() as outside:
        outside.settimeout(2)
        assert outside.connect_ex((_own_address(), urlsplit(server).port)) != 0


def _own_address() -> str:
    """An address of this machine that is not the loop-back, else one that nobody has."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.2"
        return str(probe.getsockname()[0])
