"""End to end in Chromium: load, move, select, download, link, dark, narrow, hostile files."""

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext

from pages import TITLES
from tests.app.reading import EVIL, GROUPS, QRELS, RUN
from tests.e2e.conftest import OpenTab, Visit
from tests.e2e.tab import Tab

PAGES = {script.removeprefix("home"): title for script, title in TITLES.items()}
"""Address and name of each page."""
PHONE = 390


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Small files on disk, one of them broken, one with names that are markup."""
    evil = RUN.replace("sysA", EVIL.replace(" ", "")).replace("d1", "<script>alert(1)</script>")
    texts = {
        **{"my.run": RUN, "my.qrels": QRELS, "my.tsv": GROUPS},
        **{"bad.run": "q1 Q0 d1 1 3.5 sysA\nq1 Q0 d2 2 nan sysA\n", "<img src=x onerror=alert(1)>.run": evil},
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return {name: tmp_path / name for name in texts}


@pytest.fixture(scope="module")
def desk(context: BrowserContext, server: str) -> Iterator[Tab]:
    """A light, wide window that goes from page to page."""
    tab = Tab(context, server)
    tab.go()
    yield tab
    tab.close()


@pytest.fixture(scope="module")
def phone(context: BrowserContext, server: str) -> Iterator[Tab]:
    """A dark phone that goes from page to page."""
    tab = Tab(context, server, width=PHONE, height=844, dark=True)
    tab.go()
    yield tab
    tab.close()


MOST_STEPS = 50
"""A browser counts no further."""


def stand(tab: Tab, path: str) -> None:
    """Go to a page by the navigation: it is whole, as wide as the window, and bars nobody."""
    if urlsplit(tab.page.url).path != f"/{path}":
        steps = tab.page.evaluate("history.length")
        tab.follow(PAGES[path])
        assert tab.page.evaluate("history.length") == min(steps + 1, MOST_STEPS), (
            "what a page writes into its address is no step"
        )
    assert urlsplit(tab.page.url).path == f"/{path}"
    assert tab.title()
    assert tab.page.title() == f"{PAGES[path]} - fairviz", "the browser's own title of the tab"
    assert tab.main.locator("h1").count() == 1
    assert tab.overflow() == 0
    assert tab.barriers() == []


def nothing_said(tab: Tab) -> None:
    """No errors in the console, and no requests to elsewhere, since this was asked last."""
    said = [*tab.errors, *tab.outside]
    tab.errors.clear()
    tab.outside.clear()
    assert said == []


OF_EACH_KIND = {"inspect", "learn"}
"""Pages with charts and formulas: wide and light every time; all others are narrow and dark."""


@pytest.mark.parametrize(
    "path", [path if path in OF_EACH_KIND else pytest.param(path, marks=pytest.mark.slow) for path in PAGES]
)
def test_a_page_stands_light_and_wide(desk: Tab, path: str) -> None:
    stand(desk, path)
    assert "Loaded" in desk.page.get_by_test_id("stSidebar").inner_text()
    for popover in desk.main.get_by_test_id("stPopoverButton").all():
        lines = popover.inner_text().splitlines()
        label = next(line for line in lines if not re.fullmatch("[a-z_0-9]*", line))  # icons are written by their names
        popover.click()
        body = desk.page.get_by_role("dialog", name=label, exact=True)  # another one may be closing still
        body.wait_for()
        assert body.locator(".katex-error").count() == 0, body.locator(".katex-error").first.inner_text()
        body.press("Escape")  # it takes the focus a moment after it is there
        body.wait_for(state="detached")
    link = desk.page.locator("a").last
    link.focus()
    link.press("Shift+Tab")
    desk.page.keyboard.press("Tab")
    assert link.evaluate("link => getComputedStyle(link).outlineStyle") == "solid", "who uses keys sees where they are"
    charts = desk.main.locator(".stPlotlyChart").count()
    labels = desk.main.locator(".stPlotlyChart[aria-label], .stPlotlyChart [aria-label]").count()
    assert charts > 0 or path not in ("inspect", "learn")
    assert labels >= charts, "every chart says what it shows"
    nothing_said(desk)


@pytest.mark.parametrize("path", PAGES)
def test_a_page_stands_dark_and_narrow(phone: Tab, path: str) -> None:
    stand(phone, path)
    ground = phone.page.evaluate("getComputedStyle(document.querySelector('[data-testid=\"stApp\"]')).backgroundColor")
    assert ground == "rgb(20, 23, 27)"
    navigation = phone.page.get_by_test_id("stSidebar").bounding_box()
    assert navigation["x"] + navigation["width"] <= 0, "a phone shows the page that was chosen"
    nothing_said(phone)


def test_a_first_deep_link_on_a_fresh_server(first_visit: Visit) -> None:
    assert "top 3" in first_visit.title
    assert "query q03" in first_visit.text.lower()
    assert first_visit.errors == []


def test_uploads_are_kept_across_pages_and_private(open_tab: OpenTab, files: dict[str, Path]) -> None:
    tab = open_tab("data")
    tab.upload([files["my.run"], files["my.qrels"], files["my.tsv"], files["bad.run"]])
    assert tab.title() == "2 of 3 queries can be evaluated"
    assert "bad.run, line 2" in tab.text()
    assert tab.barriers() == []
    tab.follow("Inspect")
    assert "Your files" in tab.page.get_by_test_id("stSidebar").inner_text()
    tab.follow("Data")
    assert tab.title() == "2 of 3 queries can be evaluated"
    address = tab.page.url.split("/", 3)[3]
    assert "my." not in address, "names of files are nobody's who follows a link"
    asked: list[str] = []
    tab.page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    tab.follow("Inspect")
    tab.page.reload()
    tab.rest()
    assert asked == ["beforeunload"]
    assert tab.title() == "You reloaded the page: its files are gone"
    assert "load my.run, my.qrels and my.tsv." in tab.text()
    tab.upload([files["my.run"], files["my.qrels"], files["my.tsv"]])
    assert "top 5" in tab.title()
    stranger = open_tab(address, stranger=True)
    assert "You followed a link" in stranger.text()
    stranger.upload([files["my.run"], files["my.qrels"], files["my.tsv"]])
    assert stranger.title() == "2 of 3 queries can be evaluated"
    assert "a link" not in stranger.text()


def test_hostile_names_are_text(open_tab: OpenTab, files: dict[str, Path]) -> None:
    tab = open_tab("data")
    said: list[str] = []
    tab.page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.accept()))
    tab.upload([files["<img src=x onerror=alert(1)>.run"], files["my.qrels"]])
    for page in ("Inspect", "Trade-off", "Data"):
        tab.follow(page)
        images = tab.main.locator("img").count()
        assert images == 0, page
    assert said == []
    assert "<img src=x onerror=alert(1)>.run" in tab.text()


def test_the_slider_moves_by_key_the_link_follows_and_what_it_shows_can_be_had(open_tab: OpenTab) -> None:
    """Nor is a move a step of the browser: back leaves the page in one press."""
    tab = open_tab("inspect")
    tab.follow("Data")
    tab.follow("Inspect")
    before = tab.main.locator(".fv-readouts").inner_text()
    tab.main.get_by_role("slider").first.focus()
    with tab.asking():
        tab.page.keyboard.press("ArrowRight")
    tab.page.wait_for_url("**alpha=2.125**")
    assert tab.main.locator(".fv-readouts").inner_text() != before
    link = tab.page.url.split("/", 3)[3]
    with tab.asking():
        tab.page.go_back()
    assert urlsplit(tab.page.url).path == "/data"
    again = open_tab(link)
    assert again.main.get_by_test_id("stSliderThumbValue").first.inner_text() == "2.125"
    name, content = again.download("CSV")  # above that of all queries
    rows = list(csv.DictReader(io.StringIO(content.decode())))
    assert name == "fairviz-query.csv"
    assert len(rows) == 33
    assert sum(float(row["exposure"]) for row in rows) == pytest.approx(5)  # Σε = k
    assert [row["rank"] for row in rows[:2]] == ["1", "2"]
    name, content = again.download("LaTeX")
    assert name == "fairviz-query.tex"
    assert content.decode().count(r"\\") == 33 + 1  # and the headings


@pytest.mark.slow
def test_the_wall_of_a_class_bars_nobody(open_tab: OpenTab) -> None:
    for dark in (False, True):
        tab = open_tab("learn", dark=dark)
        tab.press("Start a class: phones send guesses")
        tab.press("Class view")
        assert "Reveal for the class" in tab.text()
        assert tab.barriers() == []


@pytest.mark.slow
def test_a_chart_can_be_had_as_svg(open_tab: OpenTab) -> None:
    tab = open_tab("inspect")
    tab.main.locator(".stPlotlyChart").first.hover()
    with tab.page.expect_download() as waiting:
        tab.main.locator(".modebar-btn").first.click()
    assert waiting.value.suggested_filename.endswith(".svg")
    assert Path(waiting.value.path()).read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.slow
def test_a_lesson_from_guess_to_answer_by_keyboard(open_tab: OpenTab) -> None:
    tab = open_tab("learn?lesson=exposure")
    reveal = tab.main.get_by_role("button", name="Reveal")
    assert reveal.is_disabled()
    tab.main.get_by_role("slider").first.focus()
    with tab.asking():
        tab.page.keyboard.press("ArrowRight")
    with tab.asking():
        tab.page.keyboard.press("ArrowRight")  # the control keeps the focus
    assert "guess=52" in tab.page.url
    reveal.focus()
    with tab.asking():
        tab.page.keyboard.press("Enter")
    tab.main.get_by_text("You said 52: 33 too few.").wait_for()
    assert "shown=1" in tab.page.url
    tab.main.get_by_role("button", name="3 Disparity").focus()
    with tab.asking():
        tab.page.keyboard.press("Enter")
    assert tab.title() == "Which policy treats documents most alike?"
