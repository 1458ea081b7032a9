"""``fairviz app``: which port, which folder, and what it says when it cannot start."""

import socket

import pytest

from fairviz.cli import app
from fairviz.errors import UsageError
from fairviz.resources import dashboard_folder, example_folder
from tests.dashboard import free_port


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


def test_the_folder_and_the_example_are_found() -> None:
    assert (dashboard_folder() / "asgi.py").is_file()
    assert (example_folder() / "bm25.run").is_file()
