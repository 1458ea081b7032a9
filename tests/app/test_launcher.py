"""``fairviz app``: which port, which folder, and what it says when it cannot start."""

import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from fairviz.cli import app
from fairviz.errors import UsageError
from fairviz.resources import dashboard_folder, example_folder
from tests.app.conftest import ROOT, free_port, launched


def test_the_port_is_the_option_else_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, other = free_port(), free_port()
    monkeypatch.setenv("PORT", str(other))
    assert app._port("127.0.0.1", asked) == asked
    assert app._port("127.0.0.1", None) == other


@pytest.mark.parametrize("text", ["http", "0", "65536", "-1"])
def test_a_port_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("PORT", text)
    with pytest.raises(UsageError, match=text.lstrip("-")):
        app._port("127.0.0.1", None)


def test_a_taken_port_is_refused_and_a_free_one_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PORT", raising=False)
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        taken = holder.getsockname()[1]
        with pytest.raises(UsageError, match=f"port {taken} is taken"):
            app._port("127.0.0.1", taken)
        monkeypatch.setattr(app, "DEFAULT_PORT", taken)
        assert app._port("127.0.0.1", None) > taken


def test_a_host_that_does_not_exist_is_a_usage_error() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "fairviz", "app", "--headless", "--host", "no.such.host.invalid"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr


def test_the_folder_and_the_example_are_found() -> None:
    assert (dashboard_folder() / "asgi.py").is_file()
    assert (example_folder() / "bm25.run").is_file()


def test_it_starts_from_any_folder_and_listens_to_this_machine_only(tmp_path: Path) -> None:
    with launched(folder=tmp_path) as address:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"{address}/_stcore/health", timeout=20) as answer:
            assert answer.status == 200
        port = int(address.rsplit(":", 1)[1])
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
