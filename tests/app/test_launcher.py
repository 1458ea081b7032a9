"""``fairviz app``: which port, which folder, and what it says when it cannot start."""

import argparse
import gzip
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from fairviz.cli import app
from fairviz.errors import FairvizError, UsageError
from fairviz.io.manifest import DataPath, from_text
from fairviz.io.rankings import read_run
from fairviz.io.source import Options
from fairviz.resources import dashboard_folder, example_folder
from tests.app.reading import QRELS, RUN
from tests.cli.parsers import parser_of
from tests.dashboard import ROOT, free_port, launched
from tests.streams import sent


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


LOOKS = """
import os, sys
class Look:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            print(os.environ.get("OPENBLAS_NUM_THREADS"), flush=True)
            os._exit(0)  # what it finds is all that is asked
sys.meta_path.insert(0, Look())
import {first}
import pages._kit
"""


@pytest.mark.parametrize(
    ("first", "asked"),
    [("asgi", None), ("pages._data.files", None), ("app", "4"), ("fairviz.cli.main", None), ("fairviz.cli.main", "4")],
)
def test_numpy_finds_one_thread_of_linear_algebra_however_fairviz_is_started(first: str, asked: str | None) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    environment |= {} if asked is None else {"OPENBLAS_NUM_THREADS": asked}
    command = [sys.executable, "-c", LOOKS.format(first=first)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [asked or "1"]


def test_the_folder_and_the_example_are_found() -> None:
    assert (dashboard_folder() / "asgi.py").is_file()
    assert (example_folder() / "bm25.run").is_file()


def test_a_host_of_another_machine_is_called_that() -> None:
    with pytest.raises(UsageError, match=r"--host 192\.0\.2\.1, port 8501: .*; 127\.0\.0\.1 is this machine only"):
        app._port("192.0.2.1", None)
    with pytest.raises(UsageError, match="--host is empty"):
        app._port("", 8501)
    with pytest.raises(UsageError, match=r"--host no\.such\.host\.invalid, port 8501: "):
        app._port("no.such.host.invalid", 8501)
    with pytest.raises(UsageError, match="not the name of a machine"):
        app._port("é..example", 8501)


def test_a_port_of_administrators_is_called_that(monkeypatch: pytest.MonkeyPatch) -> None:
    class Guarded(socket.socket):
        def bind(self, address: object) -> None:
            raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(socket, "socket", Guarded)
    with pytest.raises(UsageError, match=r"port 80: Permission denied; .* administrators: choose another with --port"):
        app._port("127.0.0.1", 80)


def arguments(*words: str) -> argparse.Namespace:
    return parser_of("app").parse_args(words)


def test_the_server_is_told_whom_to_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(app.ALLOW_HOST, "c.example")
    told = app._host_variables(arguments("--allow-host", "a.example", "--allow-host", "b.example:444"))
    assert told == {app.ALLOW_HOST: "a.example,b.example:444,c.example"}
    assert app._host_variables(arguments("--session-memory", "60"))["FAIRVIZ_SESSION_MEMORY"] == "60"
    with pytest.raises(UsageError, match="NAME or NAME:PORT"):
        app._host_variables(arguments("--allow-host", "https://a.example/"))


def test_the_server_is_told_what_to_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my.run").write_text(RUN)
    Path("my.qrels").write_text(QRELS)
    Path("folder").mkdir()
    Path("folder/notes.md").write_text("# Notes\n\nTo be written.\n")
    streams = tmp_path / "streams"
    streams.mkdir()
    assert app._opened(arguments(), streams) == ""
    with sent(gzip.compress(RUN.encode())):
        told = app._opened(arguments("-", "my.run", "--qrels", "GPT=my.qrels"), streams)
    judged = Options(role="qrels", generator="GPT")
    stream = DataPath(streams / "0" / "stdin")
    assert from_text(told) == (stream, DataPath(tmp_path / "my.run"), DataPath(tmp_path / "my.qrels", judged))
    assert read_run(stream.path).value.system == "sysA"
    for words, said in (
        ("none.run", "none.run: file not found"),
        ("folder", "folder: no file in this folder is recognised"),
        ("folder/notes.md", "notes.md:1: format not recognised"),
        ("--qrels GPT=", "--qrels GPT=: expected FILE or GENERATOR=FILE"),
    ):
        with pytest.raises(FairvizError, match=re.escape(said)):
            app._opened(arguments(*words.split()), streams)


@pytest.mark.slow
def test_a_server_ends_with_who_launched_it() -> None:
    """However that one ends: the server's standard input is a pipe whose other end it held."""
    program = "import asgi, sys; print('ready', flush=True); asgi.end_with_launcher()"
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdout.readline() == b"ready\n"
        assert server.poll() is None
        server.stdin.close()
        assert server.wait(30) == -signal.SIGTERM


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_dashboard_that_is_stopped_ends_well(tmp_path: Path, number: signal.Signals) -> None:
    dashboard = launched(stderr=subprocess.PIPE, TMPDIR=str(tmp_path))
    with dashboard as address:
        assert urlopen(f"{address}/_stcore/health").read() == b"ok"
        assert list(tmp_path.glob("fairviz-*"))  # where what comes through pipes is kept
        dashboard.process.send_signal(number)
        assert dashboard.process.wait(30) == 0
        assert "Traceback" not in dashboard.process.stderr.read()
        dashboard.process.stderr.close()
    assert not list(tmp_path.glob("fairviz-*"))
