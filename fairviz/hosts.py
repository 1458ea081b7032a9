"""Whom the dashboard's server answers: the host that a request names and the origin it comes from.

A page elsewhere can point its own name at this machine (DNS rebinding); to the browser its scripts
and our server are then one origin. The name in ``Host`` gives it away: the server answers to the
names of this machine, to the address that it was reached at, and to names that it was told.
An ``Origin`` is held to the same list.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import NamedTuple

from fairviz.errors import UsageError

LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
HTTP, HTTPS = 80, 443


class HostPort(NamedTuple):
    """A host, in lower case and without brackets, and its port where one is named."""

    name: str
    port: int | None

    def __str__(self) -> str:
        name = f"[{self.name}]" if ":" in self.name else self.name
        return name if self.port is None else f"{name}:{self.port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hosts:
    """The places that a server answers to.

    Attributes:
        names: Names that hold with the port of the connection.
        allowed: Further places; one without a port holds with every port.
    """

    names: frozenset[str] = LOCAL
    allowed: frozenset[HostPort] = frozenset()

    @classmethod
    def of(cls, *, address: str, allowed: str) -> "Hosts":
        """The names of this machine, and those that a person gave.

        Args:
            address: Address to listen on, as given (``--host``).
            allowed: Hosts with or without a port, with commas between them (``--allow-host``).

        Raises:
            UsageError: One of ``allowed`` is no host.
        """
        places = [_allowed(text) for part in allowed.split(",") if (text := part.strip())]
        own = _name(address.lower())
        every = own in {None, "0.0.0.0", "::"}
        return cls(names=LOCAL if every or own is None else LOCAL | {own}, allowed=frozenset(places))

    def refusal(
        self, headers: Iterable[tuple[bytes, bytes]], own: tuple[str, int | None] | None
    ) -> tuple[int, str] | None:
        """Status of HTTP for a request that is refused, and a sentence for who sent it; None where it is answered.

        Args:
            headers: The request's.
            own: Address and port of this machine that the connection came to.
        """
        fields = [(name.lower(), value.decode("latin-1")) for name, value in headers]
        hosts = [value for name, value in fields if name == b"host"]
        origins = [value for name, value in fields if name == b"origin"]
        host = _host_and_port(hosts[0]) if len(hosts) == 1 else None
        if host is None:
            return 400, "A request has to name the host that it asks, once: NAME or NAME:PORT."
        if not self._answers(host, {host.port} if host.port else {HTTP, HTTPS}, own):
            return 403, f"This server does not answer to the name {host}. {_host_words(host)}"
        if not origins:
            return None
        origin = _origin(origins[0]) if len(origins) == 1 else None
        if origin is None:
            return 403, "This server answers its own pages only, and this request says of no page it comes from."
        if not self._answers(origin, {origin.port}, own):
            return 403, f"This server answers its own pages only, not those of {origin}. {_host_words(origin)}"
        return None

    def _answers(self, host: HostPort, ports: set[int | None], own: tuple[str, int | None] | None) -> bool:
        if any(host.name == other.name and other.port in {None, *ports} for other in self.allowed):
            return True
        if own is None or own[1] not in ports:
            return False
        return own[1] is not None and host.name in {*self.names, _name(own[0])}


def embedder(text: str) -> str:
    """The origin of pages that may show the dashboard in a frame, in lower case.

    Raises:
        ValueError: It is no origin.

    Examples:
        >>> embedder("https://Moodle.example.org/")
        'https://moodle.example.org'
    """
    origin = text.lower().removesuffix("/")
    if _origin(origin) is None:
        raise ValueError("expected https://NAME or https://NAME:PORT (http:// on your own machine), without a path")
    return origin


def _host_words(host: HostPort) -> str:
    return f"If it is yours, start it with: fairviz app --allow-host {host}"


_HOST_PORT = re.compile(r"(?:\[([0-9a-f:.]*:[0-9a-f:.]*)\]|([0-9a-z_.-]+))(?::([0-9]{1,5}))?")


def _host_and_port(text: str) -> HostPort | None:
    """Host and port of a ``Host`` header, None where it is none."""
    match = _HOST_PORT.fullmatch(text.lower())
    if match is None:
        return None
    name = _name(match[1] or match[2])
    port = int(match[3]) if match[3] else None
    if name is None or (port is not None and not 0 < port < 65536):
        return None
    return HostPort(name, port)


def _name(text: str) -> str | None:
    """A name without the dot that may end it, an address in its usual form; None for an empty one."""
    try:
        address = ip_address(text)
    except ValueError:
        return text.removesuffix(".") or None
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)  # how a socket of both families sees its IPv4 address
    return str(address)


def _origin(text: str) -> HostPort | None:
    """Host and port of an ``Origin`` header, None for one of no web page (such as "null")."""
    scheme, mark, rest = text.lower().partition("://")
    origin = _host_and_port(rest) if mark and scheme in {"http", "https"} else None
    if origin is None:
        return None
    return origin if origin.port is not None else origin._replace(port=HTTP if scheme == "http" else HTTPS)


def _allowed(text: str) -> HostPort:
    host = _host_and_port(text)
    if host is None:
        raise UsageError(f"--allow-host {text}: expected NAME or NAME:PORT, without http:// and path")
    return host
