"""The dashboard under test: a page without a browser, and a real server in a real browser."""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest
from playwright.sync_api import Browser, sync_playwright
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest

from fairviz.model import Dataset
from tests.app.tab import Tab

ROOT = Path(__file__).parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
"""Names that a Chromium has on the PATH; ``$CHROMIUM`` comes first."""
APP_TEST_SECONDS = 60


class OpenPage(Protocol):
    """Opens a page of the dashboard without a browser."""

    def __call__(
        self,
        page: str = "home",
        *,
        dataset: Dataset | None = None,
        theme: str = "light",
        link: dict[str, str | list[str]] | None = None,
    ) -> AppTest:
        """Run the page as from a fresh deep link; it must not raise.

        Args:
            page: Name of the script in ``pages``, without suffix.
            dataset: What the session has loaded; None for the example.
            theme: "light" or "dark".
            link: Settings in the address, such as ``{"alpha": "2"}``.
        """
        ...


@pytest.fixture
def app_test(monkeypatch: pytest.MonkeyPatch) -> OpenPage:
    """A function that opens a page by name and returns Streamlit's ``AppTest`` of it."""
    start = PagesManager.__init__

    def start_with_navigation(self: PagesManager, *args: object, **named: object) -> None:
        start(self, *args, **named)  # type: ignore[arg-type]
        PagesManager.uses_pages_directory = False

    # A server forgets the folder ``pages`` once ``st.navigation`` was called; AppTest recalls it on
    # every run and would run a page's script without ``app.py`` around it.
    monkeypatch.setattr(PagesManager, "__init__", start_with_navigation)

    def open_page(
        page: str = "home",
        *,
        dataset: Dataset | None = None,
        theme: str = "light",
        link: dict[str, str | list[str]] | None = None,
    ) -> AppTest:
        at = AppTest.from_file(ROOT / "app.py", default_timeout=APP_TEST_SECONDS)
        at.context["theme"] = theme
        if dataset is not None:
            at.session_state["dataset"] = dataset
        at.query_params.update(link or {})
        if page != "home":
            at.switch_page(f"pages/{page}.py")
        at.run()
        assert not at.exception, at.exception
        return at

    return open_page


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The system's Chromium, driven by Playwright."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=chromium_path(), args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield chromium
        chromium.close()


def chromium_path() -> str:
    """Where Chromium is: ``$CHROMIUM``, else the first known name on the PATH."""
    asked = os.environ.get("CHROMIUM")
    if asked and os.access(asked, os.X_OK):
        return asked
    for name in BROWSERS:
        if found := shutil.which(name):
            return found
    pytest.fail(
        "No Chromium or Chrome is on the PATH. `make test` installs one, or name yours: "
        "CHROMIUM=/path/to/chrome make test"
    )


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """Address of a dashboard that the real launcher started, warmed, on a free port."""
    with launched() as address:
        yield address


class launched:  # noqa: N801 (reads as a word: "with launched() as address")
    """A dashboard started as a person starts it; ended with the block."""

    def __init__(self, *options: str, folder: Path = ROOT) -> None:
        self.port = free_port()
        command = [sys.executable, "-m", "fairviz", "app", "--headless", *options]
        environment = {**os.environ, "PORT": str(self.port), "PYTHONPATH": str(ROOT)}
        self.process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert "fairviz is ready at" in line, f"the dashboard did not start: {line!r}"
        return f"http://127.0.0.1:{self.port}"

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(30)
        assert self.process.stdout is not None
        self.process.stdout.close()


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class OpenTab(Protocol):
    """Opens a tab of the browser at a page of the dashboard."""

    def __call__(self, path: str = "", *, width: int = 1280, height: int = 900, dark: bool = False) -> Tab:
        """Open a path such as ``tradeoff?alpha=2`` in a fresh session and wait until it stands."""
        ...


@pytest.fixture
def open_tab(browser: Browser, server: str) -> Iterator[OpenTab]:
    """A function that opens tabs; afterwards none may have said an error or asked elsewhere."""
    tabs: list[Tab] = []

    def open_one(path: str = "", *, width: int = 1280, height: int = 900, dark: bool = False) -> Tab:
        tab = Tab(browser, server, width=width, height=height, dark=dark)
        tabs.append(tab)
        tab.go(path)
        return tab

    yield open_one
    said = [(tab.errors, tab.outside) for tab in tabs]
    for tab in tabs:
        tab.close()
    assert said == [([], [])] * len(tabs), "errors in the console, or requests to elsewhere"
