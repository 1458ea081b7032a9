"""``fairviz app`` in a process of its own."""

import socket
import urllib.request


def test_it_starts_from_any_folder_and_listens_to_this_machine_only(server: str) -> None:
    """The server of all these tests was started elsewhere (``conftest.py``)."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"{server}/_stcore/health", timeout=20) as answer:
        assert answer.status == 200
    port = int(server.rsplit(":", 1)[1])
    with socket.socket() as outside:
        outside.settimeout(2)
        assert outside.connect_ex((_own_address(), port)) != 0


def _own_address() -> str:
    """An address of this machine that is not the loop-back, else one that nobody has."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.2"
        return str(probe.getsockname()[0])
