"""Records the tour that README shows: the dashboard on the example, page by page, as one animated picture.

Nothing is filmed by the clock: a frame is taken once the page has answered a step, and stands for as long as it takes
to read. So the picture is the same on a slow machine, and frames in which nothing changes cost nothing.
Pillow comes with Streamlit.
"""

import io
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont
from playwright.sync_api import sync_playwright

from tests.dashboard import launched
from tests.e2e.conftest import chromium_path
from tests.e2e.tab import Tab

PICTURE = Path(__file__).parent / "tour.webp"
PAGE = (1280, 860)
WIDTH, HEIGHT, CAPTION = 1120, 752, 44
"""Of the page in the picture, and of the line below it, in px."""
STEP_MS, READ_MS = 120, 3200
"""How long a step of a movement stands, and what is to be read."""
PAPER, INK = "#f3f1ea", "#1f2328"
QUALITY = 62
MOST_BYTES = 3_000_000


class Recorder:
    """Takes frames of a tab, each with a line of words below it."""

    def __init__(self, tab: Tab) -> None:
        self.tab, self.words = tab, ""
        self.frames: list[Image.Image] = []
        self.durations: list[int] = []

    def take(self, ms: int) -> None:
        """A frame that stands so long; one that is as the last one lengthens it."""
        page = (
            Image.open(io.BytesIO(self.tab.page.screenshot()))
            .convert("RGB")
            .resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
        )
        frame = Image.new("RGB", (WIDTH, HEIGHT + CAPTION), PAPER)
        frame.paste(page, (0, 0))
        font = ImageFont.load_default(size=21)
        ImageDraw.Draw(frame).text((24, HEIGHT + CAPTION / 2), self.words, INK, font, anchor="lm")
        if self.frames and frame.tobytes() == self.frames[-1].tobytes():
            self.durations[-1] += ms
        else:
            self.frames.append(frame)
            self.durations.append(ms)

    def show(self, page: str, words: str) -> None:
        """Open a page by the navigation, and let it be read."""
        self.tab.follow(page)
        self.words = words
        for _ in range(2):  # what arrives above moves what is below
            self.tab.page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, 0)")
            self.tab.rest()
        self.take(READ_MS)

    def scroll(self, pixels: int, *, steps: int = 8) -> None:
        """Move the page, and let it be read."""
        for _ in range(steps):
            self.tab.page.get_by_test_id("stMain").evaluate(f"main => main.scrollBy(0, {pixels / steps})")
            self.take(STEP_MS)
        self.tab.rest()
        self.take(READ_MS)

    def press(self, keys: Sequence[str], asking: Callable[[], AbstractContextManager[None]] = nullcontext) -> None:
        """Press keys one by one: a step of the movement each, then what it came to."""
        for key in keys:
            with asking():
                self.tab.page.keyboard.press(key)
            self.tab.rest()
            self.take(STEP_MS)
        self.take(READ_MS)


def tour(film: Recorder) -> None:
    """What a minute shows."""
    tab = film.tab
    tab.go()
    film.words = "Home: three search systems, 60 questions, and what stands out"
    film.take(READ_MS)
    film.scroll(420)
    film.show("Trade-off", "Trade-off: move a slider from equal attention to the most useful documents")
    film.scroll(270, steps=4)
    tab.main.get_by_role("slider").first.focus()
    film.press(["ArrowLeft"] * 10, tab.asking)
    film.press(["ArrowRight"] * 18, tab.asking)
    film.show("Groups & targets", "Groups & targets: set a share for each group, see who gains and who loses")
    africa = tab.main.get_by_role("slider", name="Target of Africa", exact=True)
    africa.wait_for()
    film.scroll(230, steps=4)
    africa.focus()
    film.press(["ArrowRight"] * 15)
    film.show("Compare", "Compare: which differences between systems are more than chance")
    film.scroll(380)
    film.show("Social bias", "Social bias: do answers lean towards stereotypes, and does retrieval change it?")
    film.scroll(620)
    film.show("Export", "Export: tables, figures, methods text and one report, to check and to cite")
    film.scroll(260)


def record(path: Path) -> str:
    """Write the tour; says how long and how large it is."""
    with sync_playwright() as playwright, launched(folder=Path(tempfile.mkdtemp())) as address:
        chromium = playwright.chromium.launch(
            executable_path=chromium_path(), args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
        )
        film = Recorder(Tab(chromium.new_context(), address, width=PAGE[0], height=PAGE[1]))
        tour(film)
        chromium.close()
    first, *others = film.frames
    how = {"quality": QUALITY, "method": 4, "loop": 1}  # it plays once: what moves for ever distracts whoever reads
    first.save(path, save_all=True, append_images=others, duration=film.durations, **how)
    seconds, size = sum(film.durations) / 1000, path.stat().st_size
    about = f"{path.name}: {len(film.frames)} frames, {seconds:.0f} s, {size / 1e6:.2f} MB"
    if size > MOST_BYTES:
        raise SystemExit(f"{about}: too large for README")
    return about


if __name__ == "__main__":
    sys.stdout.write(f"{record(PICTURE)}\n")
