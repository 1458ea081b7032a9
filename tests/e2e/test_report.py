"""A report from disk, the network off: what moves in the file is what the pages say at the same α and target."""

import html
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page

from fairviz.resources import example_folder
from pages._kit.link import name_mark
from tests.app.conftest import OpenPage, opener
from tests.app.reading import markup, title
from tests.app.test_groups import of_groups
from tests.cli.conftest import Command, fairviz
from tests.e2e.tab import AXE, BARRIERS
from tests.studies.policy_lab.few import compare

__all__ = ["fairviz"]
FEW = ("det-greedy", "plackett-luce")
DEMO = example_folder()
CUT_OFF = """() => [...document.querySelectorAll('.scroll')]
  .filter(box => box.querySelector('caption')?.getBoundingClientRect().right > box.getBoundingClientRect().right + 1)
  .map(box => box.getAttribute('aria-label'))"""
"""Tables whose caption goes on where nobody sees it."""


@pytest.fixture
def app_test(monkeypatch: pytest.MonkeyPatch) -> OpenPage:
    return opener(monkeypatch)


@pytest.fixture
def report(fairviz: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    compare(monkeypatch, *FEW)
    monkeypatch.setattr("pages._policy_lab.methods.FIRST", FEW)
    target = ("--groups", DEMO / "region.tsv", "--target", DEMO / "target.json")
    judged = ("--qrels", DEMO / "usefulness.qrels", "-k", 5)
    done = fairviz("report", DEMO / "bm25.run", *judged, *target, "-m", "nDCG@10")
    assert done.code == 0, done.err
    assert len(done.out.encode()) < 6_000_000
    (tmp_path / "report.html").write_text(done.out, encoding="utf-8")
    return tmp_path / "report.html"


def told(at: object, kind: str) -> list[str]:
    """Texts of the page's elements of a class or a tag."""
    tag, _, name = kind.partition(".")
    found = re.findall(rf"<{tag}[^>]*{f'{name}' if name else ''}[^>]*>(.*?)</{tag}>", markup(at))  # type: ignore[arg-type]
    return [html.unescape(re.sub("<[^>]*>", "", text)) for text in found]


def slid(section: Locator, page: Page, key: str, times: int = 1) -> str:
    """The name of the stop that a slider has after some presses of a key."""
    slider = section.get_by_role("slider")
    slider.focus()
    for _ in range(times):
        page.keyboard.press(key)
    return slider.get_attribute("aria-valuetext") or ""


@pytest.mark.slow
def test_the_file_says_at_every_stop_what_the_pages_say_there(
    report: Path, browser: Browser, app_test: OpenPage
) -> None:
    context = browser.new_context(offline=True, viewport={"width": 390, "height": 800}, has_touch=True)
    page, errors = context.new_page(), []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.goto(report.as_uri())
    curves, groups, prices = (page.locator("section.play").nth(i) for i in range(3))

    for key, alpha in (("Home", "0"), ("ArrowRight", "0.25"), ("End", "8")):
        assert slid(curves, page, key) == f"α = {alpha}"
        at = app_test("tradeoff", link={"alpha": alpha, "k": "5"})
        strip = curves.locator("table").first
        assert strip.locator("tbody > tr > *").all_inner_texts() == told(at, "dd")
        assert strip.locator("thead th").all_inner_texts() == told(at, "dt")
        chart = curves.get_by_role("group", name=f"At α = {alpha}: EE-D")
        assert chart.locator(".main-svg").count(), "drawn, and told"

    link: dict[str, str | list[str]] = {"k": "10", "group": name_mark("Africa")}
    mark = of_groups(app_test("groups", link=link))
    for key, share in (("Home", "0"), ("ArrowRight", "5"), ("End", "40")):
        assert slid(groups, page, key) == f"{share}\u202f%"
        rest = (100 - int(share)) / 80  # of the others: 25 and three of 20, 20, 15
        targets = (20 * rest, 20 * rest, int(share), 25 * rest, 15 * rest)  # in the order of the labels
        link["target"] = f"{'_'.join(f'{target:g}' for target in targets)}-{mark}"
        at = app_test("groups", link=link)
        assert groups.locator("h2").inner_text() == title(at)
        assert groups.locator("p").first.inner_text() == told(at, "p.fv-lead")[0]
        assert groups.locator("p").nth(2).inner_text() in " ".join(told(at, "p"))
        stands = prices.get_by_role("slider").get_attribute("aria-valuetext")
        assert stands == f"{share}\u202f%", "the price is of the same target"
    curves.get_by_role("slider").scroll_into_view_if_needed()
    box = curves.get_by_role("slider").bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert curves.get_by_role("slider").get_attribute("aria-valuetext") == "α = 4"
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.evaluate(CUT_OFF) == []
    page.evaluate(AXE)
    assert page.evaluate(BARRIERS) == []
    assert errors == []
    context.close()
