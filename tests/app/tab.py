"""One tab of a browser at the dashboard: it waits as a person does, and hears every complaint."""

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Locator,
    Page,
    Request,
    TimeoutError,
)

STILL_MS = 250
"""How long the page must be at rest before it counts as standing."""
PATIENCE_MS = 30_000

AT_REST = """() => {
  const app = document.querySelector('[data-testid="stApp"]');
  return app !== null
    && app.getAttribute('data-test-script-state') === 'notRunning'
    && app.getAttribute('data-test-connection-state') === 'CONNECTED'
    && document.querySelector('[data-testid="stMainBlockContainer"] h1') !== null
    && document.querySelector('[data-stale="true"], [data-testid="stSkeleton"]') === null;
}"""


class Tab:
    """A fresh browser session at the dashboard.

    Attributes:
        page: Playwright's page, for what this class has no word for.
        errors: Errors of the console and of scripts so far.
        outside: Addresses asked for that are not this machine's.
    """

    def __init__(self, browser: Browser, address: str, *, width: int, height: int, dark: bool) -> None:
        self.address = address
        self.errors: list[str] = []
        self.outside: list[str] = []
        self.context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            accept_downloads=True,
        )
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE_MS)
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", self._asked)

    def go(self, path: str = "") -> None:
        """Open a path of the dashboard, as by a link."""
        self.page.goto(f"{self.address}/{path}")
        self.rest()

    def rest(self) -> None:
        """Wait until the script is done and the page has stopped changing."""
        self.page.wait_for_function(AT_REST)
        self.page.wait_for_timeout(STILL_MS)
        self.page.wait_for_function(AT_REST)

    def follow(self, name: str) -> None:
        """Go to a page by the navigation, as a person does; uploads stay."""
        link = self.page.get_by_test_id("stSidebarNav").get_by_role("link", name=name, exact=True)
        place = link.bounding_box()
        if place is None or place["x"] < 0:  # on a phone the navigation is shut
            self.page.get_by_test_id("stExpandSidebarButton").click()
        link.click()
        self.page.wait_for_timeout(STILL_MS)
        self.rest()

    def press(self, name: str) -> None:
        """Press a button by its label."""
        self.page.get_by_role("button", name=name, exact=True).first.click()
        self.page.wait_for_timeout(100)
        self.rest()

    def upload(self, files: Sequence[Path]) -> None:
        """Give files to the page's uploader."""
        self.page.locator('input[type="file"]').first.set_input_files(list(files))
        self.page.wait_for_timeout(500)
        self.rest()

    def download(self, label: str) -> tuple[str, bytes]:
        """Press a download button, again if it was just repainted; name and content of the file."""
        self.rest()
        try:
            return self._pressed(label, PATIENCE_MS / 3)
        except TimeoutError:
            return self._pressed(label, PATIENCE_MS)

    def _pressed(self, label: str, patience: float) -> tuple[str, bytes]:
        with self.page.expect_download(timeout=patience) as waiting:
            self.page.get_by_role("button", name=label, exact=True).first.click()
        return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()

    @property
    def main(self) -> Locator:
        """The page without navigation."""
        return self.page.get_by_test_id("stMainBlockContainer")

    def text(self) -> str:
        """All that a person can read on the page."""
        return self.main.inner_text()

    def title(self) -> str:
        """The page's heading."""
        return self.main.locator("h1").first.inner_text()

    def overflow(self) -> int:
        """Pixels by which the page is wider than the window; 0 is wanted."""
        return int(
            self.page.evaluate(
                """() => {
                  const main = document.querySelector('[data-testid="stMain"]');
                  return Math.max(document.documentElement.scrollWidth - innerWidth,
                                  main.scrollWidth - main.clientWidth, 0);
                }"""
            )
        )

    def screenshot(self, path: Path) -> None:
        """The whole page as a picture, however long."""
        size = self.page.viewport_size
        assert size is not None
        tall = int(
            self.page.evaluate("""() =>
                document.querySelector('[data-testid="stMain"]').scrollHeight""")
        )
        self.page.set_viewport_size({"width": size["width"], "height": max(tall, size["height"])})
        self.rest()
        self.page.screenshot(path=path)
        self.page.set_viewport_size(size)

    def close(self) -> None:
        """Close the tab and forget its session."""
        self.context.close()

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    def _asked(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in {"data", "blob"} and parts.hostname != "127.0.0.1":
            self.outside.append(request.url)
