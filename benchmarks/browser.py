"""The dashboard, and a bare Streamlit page as a floor, in a headless Chromium."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parents[1]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FIRST_PORT = 8620
PATIENCE = 120_000
"""Milliseconds to wait for anything in a page."""
CHART = ".js-plotly-plot .main-svg .trace"
"""A drawn trace of a chart."""
BARE_PAGE = """
import plotly.graph_objects as go
import streamlit as st

alpha = st.slider("α", 0.0, 8.0, 3.0, 0.125)
line, here = go.Scatter(y=[0, 8]), go.Scatter(x=[alpha / 8], y=[alpha], mode="markers")
st.plotly_chart(go.Figure([line, here]), key="tradeoff")
"""


@contextmanager
def chromium() -> Iterator[Browser]:
    """The system's Chromium: ``$BROWSER_PATH``, else the first known name on the PATH.

    Raises:
        RuntimeError: If there is none.
    """
    names = [os.environ.get("BROWSER_PATH", ""), *BROWSERS]
    found = next((path for name in names if name and (path := shutil.which(name))), None)
    if found is None:
        raise RuntimeError("no Chromium on the PATH: install one, or set BROWSER_PATH=/path/to/chrome")
    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-dev-shm-usage"]
        browser = playwright.chromium.launch(executable_path=found, args=flags)
        yield browser
        browser.close()


@contextmanager
def dashboard() -> Iterator[str]:
    """Address of a dashboard that its command calls ready."""
    port = free_port()
    command = ["-m", "fairviz", "app", "--headless", "--port", str(port), "--workspace", "off"]
    with _server(command, ROOT) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        if b"is ready at" not in line:
            raise RuntimeError(f"the dashboard did not start: {line!r}")
        yield f"http://127.0.0.1:{port}"


@contextmanager
def bare_page() -> Iterator[str]:
    """Address of a Streamlit page with a slider and a chart of two traces, and nothing else."""
    port = free_port()
    options = [f"--server.port={port}", "--server.headless=true", "--server.address=127.0.0.1"]
    with TemporaryDirectory() as folder:
        (Path(folder) / "bare.py").write_text(BARE_PAGE, encoding="utf-8")
        options.append("--browser.gatherUsageStats=false")  # as ours: else its page asks a server elsewhere, too
        command = ["-m", "streamlit", "run", "bare.py", *options]
        with _server(command, Path(folder)) as process:
            _wait_until_up(f"http://127.0.0.1:{port}/_stcore/health", process)
            yield f"http://127.0.0.1:{port}"


def open_chart(browser: Browser, address: str) -> Page:
    """A fresh browser session at a page, with a chart drawn."""
    page = open_page(browser, address)
    page.wait_for_selector(CHART, state="attached")
    return page


def open_page(browser: Browser, address: str) -> Page:
    """Open an address in a fresh session."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(address, wait_until="commit")
    return page


def free_port() -> int:
    """The first port from 8620 that nobody listens on."""
    for port in range(FIRST_PORT, FIRST_PORT + 100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)):
                return port
    raise RuntimeError(f"no free port from {FIRST_PORT} on")


@contextmanager
def _server(command: Sequence[str], folder: Path) -> "Iterator[subprocess.Popen[bytes]]":
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, *command], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(30)
        if process.stdout is not None:
            process.stdout.close()


def _wait_until_up(address: str, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + PATIENCE / 1000
    while process.poll() is None and time.monotonic() < deadline:
        try:
            with build_opener(ProxyHandler({})).open(address, timeout=2):
                return
        except (URLError, ConnectionError, TimeoutError):
            time.sleep(0.02)  # as the command does: a bare server is found ready no later
    raise RuntimeError(f"nothing answers at {address}")
