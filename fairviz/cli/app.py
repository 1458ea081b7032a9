"""``fairviz app``: start the dashboard, and say so when its first page is ready."""

import argparse
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import ProxyHandler, build_opener

from fairviz.errors import UsageError
from fairviz.resources import dashboard_folder

DEFAULT_PORT = 8501
PORTS_TRIED = 20
START_SECONDS = 90
"""How long the server may take to answer; a cold machine compiles kernels meanwhile."""
STOP_SECONDS = 6
PATIENCE_SECONDS = 4
"""Compiling that takes longer is explained."""


def add_parser(subparsers: Any) -> None:
    """Add the ``app`` command."""
    parser = subparsers.add_parser("app", help="start the dashboard in a browser")
    parser.add_argument("--port", type=int, help="port (default: $PORT, else a free one from 8501)")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: this machine only)")
    parser.add_argument("--headless", action="store_true", help="open no browser (also $HEADLESS=1)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Start the server, warm it, open the browser, and stay until it ends or is stopped."""
    folder = dashboard_folder()
    host: str = args.host
    port = _port(host, args.port)
    local = "127.0.0.1" if host in {"0.0.0.0", "::"} else host
    address = f"http://[{local}]:{port}" if ":" in local else f"http://{local}:{port}"
    print(f"Starting the dashboard at {address} …", file=sys.stderr, flush=True)
    server = _start(folder, host, port)
    _stop_with_us(server)
    _warm_up()
    if not _wait_until_up(server, address):
        if server.poll() is None:
            _stop(server)
            print("error: the dashboard did not answer in time", file=sys.stderr)
        return 0 if _stopped_by_us(server.returncode) else 1
    # The first run of the pages, before anybody's: a first deep link needs it (the server learns
    # the pages from it), and it computes what the start page shows.
    trouble = _answer(f"{address}/_stcore/script-health-check", seconds=START_SECONDS)
    if trouble is None:
        print("warning: the first page reports an error", file=sys.stderr)
    print(f"fairviz is ready at {address} (stop with Ctrl+C)", flush=True)
    if not (args.headless or _truthy(os.environ.get("HEADLESS", ""))):
        webbrowser.open(address)
    server.wait()
    return 0 if _stopped_by_us(server.returncode) else 1


def _start(folder: Path, host: str, port: int) -> "subprocess.Popen[bytes]":
    """The server as a child in the dashboard's folder, whose settings then hold."""
    command = [sys.executable, "-m", "streamlit", "run", str(folder / "asgi.py")]
    options = {"address": host, "port": str(port), "headless": "true"}
    flags = [f"--server.{name}={value}" for name, value in options.items()]
    return subprocess.Popen([*command, *flags], cwd=folder, stdout=subprocess.DEVNULL)


def _warm_up() -> None:
    """Compile the kernels, or find them compiled, while the server starts beside."""
    from fairviz.policies import warm_up  # numba: not before the server is under way

    notice = "The first start after an installation compiles; this takes up to a minute."
    patience = threading.Timer(PATIENCE_SECONDS, print, (notice,), {"file": sys.stderr, "flush": True})
    patience.daemon = True
    patience.start()
    warm_up()
    patience.cancel()


def _port(host: str, signals: int | None) -> int:
    """The port asked for by option or ``$PORT``, else the first free one."""
    text = os.environ.get("PORT", "")
    if signals is None and text:
        if not text.isdigit():
            raise UsageError(f"PORT={text}: expected a port number")
        signals = int(text)
    if signals is None:
        for port in range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TRIED):
            if _is_free(host, port):
                return port
        raise UsageError(f"no free port from {DEFAULT_PORT} on: choose one with --port")
    if not 1 <= signals <= 65535:
        raise UsageError(f"port {signals}: expected 1 to 65535")
    if not _is_free(host, signals):
        raise UsageError(f"port {signals} is taken: choose another with --port")
    return signals


def _is_free(host: str, port: int) -> bool:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except socket.gaierror as error:
            raise UsageError(f"--host {host}: {error.strerror}") from error
        except OSError:
            return False
    return True


def _wait_until_up(server: "subprocess.Popen[bytes]", address: str) -> bool:
    """Whether the server answers before it ends or time is up."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        if _answer(f"{address}/_stcore/health", seconds=2) is not None:
            return True
        time.sleep(0.05)
    return False


def _answer(address: str, *, seconds: float) -> bytes | None:
    """The body of a page of our server (never through a proxy), None where it refuses."""
    try:
        with build_opener(ProxyHandler({})).open(address, timeout=seconds) as response:
            return response.read()
    except (HTTPError, URLError, ConnectionError, TimeoutError):
        return None


def _stop_with_us(server: "subprocess.Popen[bytes]") -> None:
    """End the server when this process is asked to end."""

    def stop(number: int, frame: FrameType | None) -> None:
        del number, frame
        _stop(server)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)


def _stop(server: "subprocess.Popen[bytes]") -> None:
    """Ask the server to end, and end it if open browser tabs keep it."""
    if server.poll() is not None:
        return
    server.terminate()
    try:
        server.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        server.kill()


def _stopped_by_us(code: int | None) -> bool:
    """Whether an exit code is a normal end or the end that a signal asked for."""
    signals: Sequence[int] = (signal.SIGTERM, signal.SIGINT, signal.SIGKILL)
    return code in {None, 0, *(-number for number in signals), *(128 + n for n in signals)}


def _truthy(text: str) -> bool:
    return text.strip().lower() in {"1", "true", "yes", "on"}
