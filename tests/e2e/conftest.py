"""The dashboard end to end: a real server in a real browser, one of each per test process."""

import os
import shutil
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import pytest
from playwright.sync_api import Browser, BrowserContext, sync_playwright

from tests.dashboard import launched
from tests.e2e.tab import Tab

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
"""Names that a Chromium has on the PATH; ``$BROWSER_PATH`` comes first."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The system's Chromium, driven by Playwright."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=chromium_path(), args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
        )
        yield chromium
        chromium.close()


def chromium_path() -> str:
    """Where Chromium is: ``$BROWSER_PATH``, else the first known name on the PATH."""
    asked = os.environ.get("BROWSER_PATH")
    if asked and os.access(asked, os.X_OK):
        return asked
    for name in BROWSERS:
        if found := shutil.which(name):
            return found
    pytest.fail(
        "No Chromium or Chrome is on the PATH. `make test` installs one, or name yours: "
        "BROWSER_PATH=/path/to/chrome make test"
    )


class Visit(NamedTuple):
    """What the first visitor of a server saw, who came by a deep link."""

    address: str
    title: str
    text: str
    errors: list[str]


@pytest.fixture(scope="session")
def first_visit(context: BrowserContext, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    """A dashboard that the real command started from a folder of no meaning, on a free port, and its first visitor."""
    with launched(folder=tmp_path_factory.mktemp("elsewhere")) as address:
        tab = Tab(context, address)
        tab.go("inspect?q=q03&alpha=4&k=3")
        visit = Visit(address, tab.title(), tab.text(), tab.errors)
        tab.close()
        yield visit


@pytest.fixture(scope="session")
def server(first_visit: Visit) -> str:
    """Address of a dashboard, warmed."""
    return first_visit.address


@pytest.fixture(scope="session")
def context(browser: Browser) -> BrowserContext:
    """What tabs share: the front end's scripts, loaded and compiled once."""
    return browser.new_context()


OpenTab: TypeAlias = Callable[..., Tab]
"""Opens a tab of the browser at a page of the dashboard: ``open_one`` of :func:`open_tab`."""


@pytest.fixture
def open_tab(context: BrowserContext, server: str) -> Iterator[OpenTab]:
    """A function that opens tabs; afterwards none may have said an error or asked elsewhere."""
    tabs: list[Tab] = []

    def open_one(
        path: str = "", *, width: int = 1280, height: int = 900, dark: bool = False, stranger: bool = False
    ) -> Tab:
        """Open a path such as ``tradeoff?alpha=2`` in a fresh session and wait until it stands.

        To the server a stranger's tab is one of another browser, and so are those that are open already when they come
        back: the cookie is gone. What the front end has compiled stays.
        """
        if stranger:
            context.clear_cookies()
        tab = Tab(context, server, width=width, height=height, dark=dark)
        tabs.append(tab)
        tab.go(path)
        return tab

    yield open_one
    said = [(tab.errors, tab.outside) for tab in tabs]
    for tab in tabs:
        tab.close()
    assert said == [([], [])] * len(tabs), "errors in the console, or requests to elsewhere"
