"""Export in Chromium: a phone makes the bundle, its report draws itself, and a download that fails says why."""

import io
import os
import subprocess
import sys
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.error import URLError

import pytest
from playwright.sync_api import BrowserContext

from tests.dashboard import ROOT, free_port
from tests.e2e.conftest import OpenTab
from tests.e2e.tab import Tab


@pytest.mark.slow
def test_the_bundle_on_a_phone(open_tab: OpenTab, tmp_path: Path) -> None:
    tab = open_tab("export", width=390)
    assert tab.overflow() == 0
    tab.press("Prepare the bundle")
    name, content = tab.download("Download the bundle")
    assert name.endswith(".zip")
    with zipfile.ZipFile(io.BytesIO(content)) as files:
        texts = {each: files.read(each).decode() for each in files.namelist()}
    assert "raj2020comparing" in texts["methods.txt"]
    assert "Sapiezynski" in texts["tables/measures.tex"]
    draws_without_network(tab, texts["report.html"], tmp_path / "report.html")


def draws_without_network(tab: Tab, text: str, report: Path) -> None:
    """Opens a report as a file: its charts are drawn, nothing is asked for or complained of."""
    report.write_text(text, encoding="utf-8")
    page = tab.context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda asked: said.append(asked.url))
    page.goto(report.as_uri())
    page.wait_for_selector(".chart .main-svg")
    # curves and use; of the run, of answers by EE-R and by EU a chart and its panels
    assert page.locator(".chart").count() == 2 + 2 * 3
    assert said == [report.as_uri()]
    page.close()


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
