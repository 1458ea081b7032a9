"""End to end in Chromium: load, move, select, download, link, dark, narrow, hostile files."""

import csv
import io
import json
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext

from tests.app.reading import EVIL, GROUPS, QRELS, RUN
from tests.dashboard import launched
from tests.e2e.conftest import OpenTab
from tests.e2e.tab import Tab

PAGES = (
    "",
    "data",
    "tradeoff",
    "attribution",
    "groups",
    "policy_lab",
    "demographic_qa",
    "inspect",
    "social_bias",
    "learn",
    "export",
)
PHONE = 390


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Small files on disk, one of them broken, one with names that are markup."""
    evil = RUN.replace("sysA", EVIL.replace(" ", "")).replace("d1", "<script>alert(1)</script>")
    texts = {
        "my.run": RUN,
        "my.qrels": QRELS,
        "my.tsv": GROUPS,
        "bad.run": "q1 Q0 d1 1 3.5 sysA\nq1 Q0 d2 2 nan sysA\n",
        "<img src=x onerror=alert(1)>.run": evil,
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return {name: tmp_path / name for name in texts}


@pytest.mark.parametrize("path", PAGES)
def test_a_deep_link_opens_light_and_wide(open_tab: OpenTab, path: str) -> None:
    tab = open_tab(path)
    assert tab.title()
    assert tab.overflow() == 0
    assert "Loaded" in tab.page.get_by_test_id("stSidebar").inner_text()


@pytest.mark.parametrize("path", PAGES)
def test_a_page_opens_dark_and_narrow(open_tab: OpenTab, path: str) -> None:
    tab = open_tab(path, width=PHONE, height=844, dark=True)
    assert tab.title()
    assert tab.overflow() == 0
    ground = tab.page.evaluate("getComputedStyle(document.querySelector('[data-testid=\"stApp\"]')).backgroundColor")
    assert ground == "rgb(20, 23, 27)"


def test_a_phone_shows_the_page_that_was_chosen(open_tab: OpenTab) -> None:
    tab = open_tab("learn", width=PHONE, height=844)
    for page in ("Inspect", "Data"):
        tab.follow(page)
        place = tab.page.get_by_test_id("stSidebar").bounding_box()
        assert place is not None
        assert place["x"] + place["width"] <= 0


def test_a_first_deep_link_on_a_fresh_server(context: BrowserContext) -> None:
    with launched() as address:
        tab = Tab(context, address)
        tab.go("inspect?q=q03&alpha=4&k=3")
        assert "first 3" in tab.title()
        assert "query q03" in tab.text().lower()
        assert tab.errors == []
        tab.close()


def test_uploads_are_kept_across_pages_and_private(open_tab: OpenTab, files: dict[str, Path]) -> None:
    tab = open_tab("data")
    tab.upload([files["my.run"], files["my.qrels"], files["my.tsv"], files["bad.run"]])
    assert tab.title() == "2 of 3 queries can be evaluated"
    assert "bad.run, line 2" in tab.text()
    for page in ("Inspect", "Home", "Learn"):
        tab.follow(page)
        assert "Your files" in tab.page.get_by_test_id("stSidebar").inner_text()
    tab.follow("Data")
    assert tab.title() == "2 of 3 queries can be evaluated"
    address = tab.page.url.split("/", 3)[3]
    stranger = open_tab(address, stranger=True)
    assert "load my.run, my.qrels and my.tsv on the Data page" in stranger.text()
    stranger.upload([files["my.run"], files["my.qrels"], files["my.tsv"]])
    assert "other data" not in stranger.text()


def test_hostile_names_are_text(open_tab: OpenTab, files: dict[str, Path]) -> None:
    tab = open_tab("data")
    said: list[str] = []
    tab.page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    tab.upload([files["<img src=x onerror=alert(1)>.run"], files["my.qrels"]])
    for page in ("Inspect", "Home", "Trade-off", "Export", "Data"):
        tab.follow(page)
        images = tab.main.locator("img").count()
        assert images == 0, page
    assert said == []
    assert "<img src=x onerror=alert(1)>.run" in tab.text()


def test_the_slider_moves_by_key_and_the_link_follows(open_tab: OpenTab) -> None:
    tab = open_tab("inspect")
    before = tab.main.locator(".fv-readouts").inner_text()
    tab.main.get_by_role("slider").first.focus()
    with tab.asking():
        tab.page.keyboard.press("ArrowRight")
    tab.page.wait_for_url("**alpha=2.125**")
    assert tab.main.locator(".fv-readouts").inner_text() != before
    again = open_tab(tab.page.url.split("/", 3)[3])
    assert again.main.get_by_test_id("stSliderThumbValue").first.inner_text() == "2.125"


def test_downloads(open_tab: OpenTab) -> None:
    tab = open_tab("inspect")
    name, content = tab.download("CSV")
    rows = list(csv.DictReader(io.StringIO(content.decode())))
    assert name == "fairviz-query.csv"
    assert len(rows) == 33
    assert sum(float(row["exposure"]) for row in rows) == pytest.approx(5)  # Σε = k
    assert [row["rank"] for row in rows[:2]] == ["1", "2"]
    name, content = tab.download("LaTeX")
    assert name == "fairviz-query.tex"
    assert content.decode().count(r"\\") == 33 + 1  # and the headings
    tab.follow("Data")
    name, content = tab.download("target.json")
    assert name == "target.json"
    assert sum(json.loads(content).values()) == pytest.approx(1)


def test_a_chart_can_be_had_as_svg(open_tab: OpenTab) -> None:
    tab = open_tab()
    tab.main.locator(".stPlotlyChart").first.hover()
    with tab.page.expect_download() as waiting:
        tab.main.locator(".modebar-btn").first.click()
    assert waiting.value.suggested_filename == "fairviz-headline.svg"
    assert Path(waiting.value.path()).read_text(encoding="utf-8").startswith("<svg")


def test_a_lesson_from_guess_to_answer_by_keyboard(open_tab: OpenTab) -> None:
    tab = open_tab("learn?chapter=Expected+exposure")
    slider = tab.main.get_by_role("slider").first
    slider.focus()
    with tab.asking():
        tab.page.keyboard.press("ArrowLeft")
    tab.main.get_by_role("button", name="Reveal").focus()
    with tab.asking():
        tab.page.keyboard.press("Enter")
    tab.main.get_by_text("85 of 100. You said 99: 14 too many.").wait_for()


def test_every_chart_says_what_it_shows(open_tab: OpenTab) -> None:
    for path in ("", "inspect", "learn"):
        tab = open_tab(path)
        charts = tab.main.locator(".stPlotlyChart").count()
        labels = tab.main.locator(".stPlotlyChart[aria-label], .stPlotlyChart [aria-label]").count()
        assert charts > 0
        assert labels >= charts, path
