"""Whom the server answers: names, ports and forms of a host, and the sentence of a refusal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.errors import UsageError
from fairviz.hosts import Hosts

OWN = ("127.0.0.1", 8501)
LAN = ("192.0.2.7", 8501)


def status(hosts: Hosts, host: str, origin: str | None = None, own: tuple[str, int | None] | None = OWN) -> int:
    headers = [(b"host", host.encode("latin-1"))]
    if origin is not None:
        headers.append((b"origin", origin.encode("latin-1")))
    refusal = hosts.refusal(headers, own)
    return 200 if refusal is None else refusal[0]


@pytest.mark.parametrize(
    "host",
    [
        "localhost:8501",
        "LocalHost:8501",
        "localhost.:8501",
        "127.0.0.1:8501",
        "[::1]:8501",
        "[0:0:0:0:0:0:0:1]:8501",
        "[::ffff:127.0.0.1]:8501",
    ],
)
def test_names_of_this_machine_are_answered(host: str) -> None:
    assert status(Hosts(), host) == 200
    assert status(Hosts(), host, f"http://{host}") == 200


OTHERS = [
    "evil.example",
    "evil.example:8501",
    "localhost.evil.example:8501",
    "localhost..:8501",
    "127.0.0.1.nip.io:8501",
    "192.0.2.7:8501",  # an address, but not that of the connection
    "[2001:db8::1]:8501",
    "localhost",  # port 80
    "localhost:80",
    "localhost:8502",
    "0.0.0.0:8501",
]
"""Names and ports of others."""
NO_HOSTS = [
    "",
    ":8501",
    "localhost:",
    "localhost:x",
    "localhost:99999999",
    "localhost:8501:8501",
    "user@localhost:8501",
    "localhost:8501@evil.example",
    "localhost:8501/path",
    "localhost:8501, evil.example",
    "local host:8501",
    "localhost:8501\n",
    "[::1",
    "[::1%25lo]:8501",
    "[evil]:8501",
    "::1:8501",
    "loc\xe4lhost:8501",
    "localhost:8٥01".encode().decode("latin-1"),
    ".",
    "http://localhost:8501",
]


@pytest.mark.parametrize(("host", "code"), [*((host, 403) for host in OTHERS), *((text, 400) for text in NO_HOSTS)])
def test_other_names_and_ports_are_refused_and_what_is_no_host_is_a_bad_request(host: str, code: int) -> None:
    assert status(Hosts(), host) == code


def test_a_request_names_one_host() -> None:
    good = (b"host", b"localhost:8501")
    for headers in ([], [good, good], [good, (b"Host", b"evil.example")]):
        refusal = Hosts().refusal(headers, OWN)
        assert refusal is not None
        assert refusal[0] == 400
    assert Hosts().refusal([good, (b"x-forwarded-host", b"evil.example")], OWN) is None


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "http://evil.example:8501",
        "http://localhost:9000",  # another program of this machine
        "http://localhost",
        "https://localhost",
        "null",
        "",
        "file://",
        "ws://localhost:8501",
        "http://localhost:8501/path",
        "http://localhost:8501 http://evil.example",
        "http://user@localhost:8501",
        "chrome-extension://abcdef",
    ],
)
def test_pages_of_other_origins_are_refused(origin: str) -> None:
    assert status(Hosts(), "localhost:8501", origin) == 403


def test_a_request_has_one_origin() -> None:
    headers = [(b"host", b"localhost:8501"), *[(b"origin", b"http://localhost:8501")] * 2]
    assert Hosts().refusal(headers, OWN) is not None


def test_the_address_of_the_connection_is_answered() -> None:
    """``--host 0.0.0.0``: whoever reached this address by its number did not come by a rebound name."""
    assert status(Hosts(), "192.0.2.7:8501", "http://192.0.2.7:8501", own=LAN) == 200
    assert status(Hosts(), "192.0.2.8:8501", own=LAN) == 403
    assert status(Hosts(), "machine.lan:8501", own=LAN) == 403
    mapped = ("::ffff:192.0.2.7", 8501)
    assert status(Hosts(), "192.0.2.7:8501", own=mapped) == 200


def test_the_name_that_was_asked_for_is_answered_with_its_port() -> None:
    hosts = Hosts.of(address="Machine.lan", allowed="")
    assert status(hosts, "machine.lan:8501", "http://machine.lan:8501", own=LAN) == 200
    assert status(hosts, "machine.lan:8502", own=LAN) == 403
    assert status(Hosts.of(address="0.0.0.0", allowed=""), "0.0.0.0:8501", own=LAN) == 403


def test_allowed_names_hold_behind_a_proxy() -> None:
    hosts = Hosts.of(address="127.0.0.1", allowed="Study.example, plain.example:9000,[2001:db8::1]:443")
    assert status(hosts, "study.example", "https://study.example") == 200
    assert status(hosts, "study.example:8443", "https://study.example:8443") == 200
    assert status(hosts, "localhost:8501", "https://study.example") == 200  # the proxy names itself
    assert status(hosts, "plain.example:9000") == 200
    assert status(hosts, "plain.example") == 403
    assert status(hosts, "[2001:db8::1]", "https://[2001:db8::1]") == 200
    assert status(hosts, "[2001:db8::1]", "http://[2001:db8::1]") == 403  # port 80
    assert status(hosts, "sub.study.example") == 403
    assert status(hosts, "study.example", "https://evil.example") == 403


def test_without_an_address_of_its_own_only_allowed_names_are_answered() -> None:
    assert status(Hosts(), "localhost:8501", own=None) == 403
    assert status(Hosts(), "localhost", own=("/run/fairviz.sock", None)) == 403
    assert status(Hosts.of(address="", allowed="study.example"), "study.example", own=None) == 200


def test_a_refusal_says_what_to_do() -> None:
    refusal = Hosts().refusal([(b"host", b"Evil.example:8501")], OWN)
    assert refusal is not None
    assert "fairviz app --allow-host evil.example:8501" in refusal[1]
    refusal = Hosts().refusal([(b"host", b"localhost:8501"), (b"origin", b"https://a.example")], OWN)
    assert refusal is not None
    assert "fairviz app --allow-host a.example:443" in refusal[1]


@pytest.mark.parametrize("text", ["a b", "http://a.example", "a.example:0x1", "a/b", "*", "a.example:70000"])
def test_an_allowed_host_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"allow-host .*NAME or NAME:PORT"):
        Hosts.of(address="", allowed=text)


@given(st.lists(st.tuples(st.sampled_from([b"host", b"origin"]), st.binary()), max_size=3))
def test_no_bytes_are_answered_by_accident(headers: list[tuple[bytes, bytes]]) -> None:
    """Whatever stands in the headers: a refusal in one line of ASCII, never an exception."""
    refusal = Hosts().refusal(headers, OWN)
    assert refusal is not None
    assert refusal[0] in {400, 403}
    assert refusal[1].isascii()
    assert "\n" not in refusal[1]
