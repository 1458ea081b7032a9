"""A download that fails, in Chromium: the page says why, and its controls stay as they are."""

import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.error import URLError

import pytest
from playwright.sync_api import BrowserContext

from tests.dashboard import ROOT, free_port
from tests.e2e.tab import Tab


@pytest.fixture
def address() -> Iterator[str]:
    """A server of one page, in the dashboard's folder, whose settings then hold."""
    port = free_port()
    page = Path(__file__).with_name("failing_download.py")
    command = [sys.executable, "-m", "streamlit", "run", str(page), f"--server.port={port}", "--server.headless=true"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.communicate()


@pytest.mark.slow
def test_a_download_that_fails_says_why(address: str, context: BrowserContext) -> None:
    tab = Tab(context, address)
    until_up(address)
    tab.go()
    tab.page.get_by_label("A control").fill("kept")
    with tab.asking():
        tab.page.keyboard.press("Enter")
    tab.page.get_by_role("button", name="Run", exact=True).click()
    tab.main.get_by_text("my.run could not be written: nothing is judged").wait_for()
    assert tab.page.get_by_label("A control").input_value() == "kept"
    tab.close()


def until_up(address: str) -> None:
    """Ask until the server answers."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while True:
        with suppress(URLError):
            opener.open(f"{address}/_stcore/health", timeout=20).close()
            return
