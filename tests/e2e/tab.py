"""One tab of a browser at the dashboard: it waits as a person does, and hears every complaint."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from playwright.sync_api import BrowserContext, ConsoleMessage, Error, Locator, Page, Request, TimeoutError

PATIENCE_MS = 30_000

_AT_HAND: WeakKeyDictionary[BrowserContext, list[Page]] = WeakKeyDictionary()
"""Pages whose tabs were closed, for the next ones: their process has compiled the front end's scripts."""

LISTEN = """() => {
  localStorage.clear();
  const heard = {asked: 0, started: false, answered: false, still: 0};
  const answer = bytes => {  // a ForwardMsg: 4 new_session, 6 script_finished
    let at = 0;
    const number = () => {
      let value = 0, scale = 1, byte;
      do { byte = bytes[at++]; value += (byte & 127) * scale; scale *= 128; } while (byte > 127);
      return value;
    };
    while (at < bytes.length) {
      const key = number(), field = key >> 3, value = number();
      if ((key & 7) === 2) at += value;
      if (field === 4) heard.started = true;
      if (field === 6 && value !== 2 && heard.started) heard.answered = true;
    }
  };
  window.WebSocket = class extends WebSocket {
    constructor(...how) {
      super(...how);
      this.addEventListener('message', message => answer(new Uint8Array(message.data)));
    }
    send(bytes) {
      if (bytes[0] === (11 << 3 | 2)) {  // a BackMsg: 11 rerun_script
        heard.asked += 1;
        heard.started = heard.answered = false;
      }
      super.send(bytes);
    }
  };
  new MutationObserver(() => { heard.still = 0; }).observe(
    document, {subtree: true, childList: true, attributes: true, characterData: true});
  window.heard = heard;
}"""
"""Forgets other tabs, then listens from the page's first script on: runs asked of the server, their
answers, changes of the page.

A run that ends early because another was asked (2, FINISHED_EARLY_FOR_RERUN) is no answer; nor is
the end of one that had begun before the last was asked.
"""

AT_REST = """() => {
  const app = document.querySelector('[data-testid="stApp"]');
  const drawn = chart => chart.offsetParent === null || chart.querySelector('.main-svg') !== null;
  const stands = window.heard.answered
    && app !== null
    && app.getAttribute('data-test-script-state') === 'notRunning'
    && app.getAttribute('data-test-connection-state') === 'CONNECTED'
    && document.querySelector('[data-testid="stMainBlockContainer"] h1') !== null
    && document.querySelector('[data-stale="true"], [data-testid="stSkeleton"]') === null
    && [...document.querySelectorAll('.stPlotlyChart')].every(drawn);
  window.heard.still = stands ? window.heard.still + 1 : 0;
  return window.heard.still > 3;
}"""
"""Looked at per animation frame: all is answered and drawn, and three frames changed nothing."""


AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")

BARRIERS = """async () => {
  const settings = {resultTypes: ['violations'], rules: {'target-size': {enabled: true}}};
  const {violations} = await axe.run(document, settings);
  return violations.flatMap(({id, nodes}) => nodes.map(
    ({html, any, all, none}) => `${id}: ${html.slice(0, 160)} (${[...any, ...all, ...none][0]?.message ?? ''})`));
}"""


class Tab:
    """A fresh session at the dashboard: a page that remembers nothing of others in its browser.

    What the browser has loaded and compiled it shares with them (``context``).

    Attributes:
        page: Playwright's page, for what this class has no word for.
        errors: Errors of the console and of scripts so far.
        outside: Addresses asked for that are not this machine's.
    """

    def __init__(
        self, context: BrowserContext, address: str, *, width: int = 1280, height: int = 900, dark: bool = False
    ) -> None:
        self.address = address
        self.errors: list[str] = []
        self.outside: list[str] = []
        self.context = context
        self._ears = {"console": self._heard, "pageerror": self._broke, "request": self._asked}
        at_hand = _AT_HAND.setdefault(context, [])
        self.page: Page = at_hand.pop() if at_hand else self._fresh_page()
        self.page.set_default_timeout(PATIENCE_MS)
        self.page.set_viewport_size({"width": width, "height": height})
        # Nothing moves by itself: what shimmers until a page stands takes half as long as the page.
        self.page.emulate_media(color_scheme="dark" if dark else "light", reduced_motion="reduce")
        for event, hear in self._ears.items():
            self.page.on(event, hear)

    def _fresh_page(self) -> Page:
        page = self.context.new_page()
        page.add_init_script(f"({LISTEN})()")
        return page

    def go(self, path: str = "") -> None:
        """Open a path of the dashboard, as by a link."""
        self.page.goto(f"{self.address}/{path}")
        self.rest()

    def rest(self) -> None:
        """Wait until the script is done and the page has stopped changing."""
        self.page.bring_to_front()  # a page behind another draws no frames
        self.page.evaluate("window.heard.still = 0")
        self.page.wait_for_function(AT_REST)

    @contextmanager
    def asking(self) -> Iterator[None]:
        """What is done inside makes the page ask the server for a run; afterwards it is at rest."""
        before = self.page.evaluate("window.heard.asked")
        yield
        self.page.wait_for_function("before => window.heard.asked > before", arg=before)
        self.rest()

    def follow(self, name: str) -> None:
        """Go to a page by the navigation, as a person does; uploads stay."""
        link = self.page.get_by_test_id("stSidebarNav").get_by_role("link", name=name, exact=True)
        place = link.bounding_box()
        if place is None or place["x"] < 0:  # on a phone the navigation is shut
            self.page.get_by_test_id("stExpandSidebarButton").click()
        with self.asking():
            link.click()

    def press(self, name: str) -> None:
        """Press a button by its label."""
        with self.asking():
            self.page.get_by_role("button", name=name, exact=True).first.click()

    def upload(self, files: Sequence[Path]) -> None:
        """Give files to the page's uploader."""
        with self.asking():
            self.page.locator('input[type="file"]').first.set_input_files(list(files))

    def download(self, label: str, *, nth: int = 0) -> tuple[str, bytes]:
        """Press a download button, again if it was just repainted; name and content of the file."""
        self.rest()
        try:
            return self._pressed(label, nth, PATIENCE_MS / 3)
        except TimeoutError:
            return self._pressed(label, nth, PATIENCE_MS)

    def _pressed(self, label: str, nth: int, patience: float) -> tuple[str, bytes]:
        with self.page.expect_download(timeout=patience) as waiting:
            self.page.get_by_role("button", name=label, exact=True).nth(nth).click()
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

    def barriers(self) -> list[str]:
        """What axe-core finds that bars people who see, hear or move less; none is wanted."""
        if self.page.evaluate("typeof axe") == "undefined":
            self.page.evaluate(AXE)
        self.page.mouse.move(0, 0)  # else it may rest where a page has a tip to show
        self.page.evaluate("""async () => {
            const moving = document.getAnimations().filter(one => one instanceof CSSTransition);
            await Promise.all(moving.map(one => one.finished.catch(() => null)));
        }""")
        return list(self.page.evaluate(BARRIERS))

    def screenshot(self, path: Path) -> None:
        """The whole page as a picture, however long."""
        size = self.page.viewport_size
        tall = int(
            self.page.evaluate("""() =>
                document.querySelector('[data-testid="stMain"]').scrollHeight""")
        )
        self.page.set_viewport_size({"width": size["width"], "height": max(tall, size["height"])})
        self.rest()
        self.page.screenshot(path=path)
        self.page.set_viewport_size(size)

    def close(self) -> None:
        """End the session; the page is at hand for the next tab, without a thing in its storage."""
        for event, hear in self._ears.items():
            self.page.remove_listener(event, hear)
        self.page.mouse.move(0, 0)
        self.page.goto(f"{self.address}/_stcore/health")
        self.page.evaluate("sessionStorage.clear()")
        _AT_HAND[self.context].append(self.page)

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    def _broke(self, error: Error) -> None:
        self.errors.append(str(error))

    def _asked(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in {"data", "blob"} and parts.hostname != "127.0.0.1":
            self.outside.append(request.url)
