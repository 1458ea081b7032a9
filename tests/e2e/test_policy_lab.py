"""Policy lab in Chromium: downloads that other tools read, the brief, a phone, keys."""

import csv
import io
import re
from pathlib import Path

import ir_measures
import pytest
from ir_measures import nDCG
from playwright.sync_api import Browser

from tests.app.test_policy_lab import DOCS, SMALL
from tests.e2e.conftest import OpenTab
from tests.e2e.tab import Tab

RUN = "Download the re-ranked lists (TREC run)"


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    endings = {"groups": "tsv", "target": "json"}
    made: list[Path] = []
    for role, text in SMALL.items():
        made.append(tmp_path / f"small.{endings.get(role, role)}")
        made[-1].write_text(text, encoding="utf-8")
    return made


def opened(tab: Tab) -> None:
    """Open the other methods."""
    with tab.asking():
        tab.main.locator("summary", has_text="Other methods").click()


@pytest.mark.slow
def test_an_edge_is_dragged_and_moved_by_keys_and_kinds_are_chosen_by_letters(open_tab: OpenTab) -> None:
    tab = open_tab("policy_lab")
    kind = tab.main.get_by_label("Statement about Africa", exact=True)
    kind.focus()
    with tab.asking():
        kind.press("l")  # at least today's share, 8 %
    least = tab.main.get_by_label("Least share of Africa in percent")
    assert (kind.input_value(), least.input_value()) == ("least", "8")
    with tab.asking():
        least.press("Shift+ArrowUp")
    assert least.input_value() == "13"
    with tab.asking():
        least.press("Home")
    assert least.input_value() == "8"
    slide = tab.main.get_by_label("Least share of Africa", exact=True)
    box = slide.bounding_box()
    at = box["x"] + 12 + 0.08 * (box["width"] - 24), box["y"] + box["height"] / 2
    tab.page.mouse.move(*at)
    tab.page.mouse.down()
    tab.page.mouse.move(box["x"] + 12 + 0.15 * (box["width"] - 24), at[1], steps=4)
    with tab.asking():
        tab.page.mouse.up()
    assert least.input_value() == "15"
    assert "statements=" in tab.page.url
    kept = tab.page.url.split("statements=")[1].split("&")[0]
    assert "~15~" in kept
    assert "Africa" not in kept  # names of people stand in no address


@pytest.mark.slow
def test_an_independent_tool_reads_the_run_and_agrees(open_tab: OpenTab, files: list[Path], tmp_path: Path) -> None:
    tab = open_tab("data")
    tab.upload(files)
    tab.follow("Policy lab")
    opened(tab)
    tab.main.get_by_text("Another query or method").click()
    field = tab.page.locator(".st-key-method input")
    field.click()
    field.fill("DetConst")
    field.press("ArrowDown")
    with tab.asking():
        field.press("Enter")
    tab.main.get_by_role("button", name=RUN).hover()
    about = tab.page.get_by_text("ir-measures gives it").first
    said = re.search(r"ir-measures gives it nDCG@10 = (\d\.\d+) over all 12", about.inner_text())
    name, content = tab.download(RUN)
    assert name == "base+det-const-sort.run"
    path = tmp_path / "made.run"
    path.write_bytes(content)
    qrels = list(ir_measures.read_trec_qrels(str(files[1])))
    run = list(ir_measures.read_trec_run(str(path)))
    assert len(run) == 12 * len(DOCS)
    assert len({(row.query_id, row.doc_id) for row in run}) == len(run)
    found = ir_measures.calc_aggregate([nDCG @ 10], qrels, run)[nDCG @ 10]
    assert found == pytest.approx(float(said[1]), abs=5e-5)


@pytest.mark.slow
def test_tables_and_policies_can_be_had_and_the_brief_prints_on_one_page_without_network(
    open_tab: OpenTab, browser: Browser, tmp_path: Path
) -> None:
    tab = open_tab("policy_lab")
    opened(tab)
    name, content = tab.download("CSV")
    rows = list(csv.DictReader(io.StringIO(content.decode())))
    assert name == "fairviz-statements.csv"
    assert {row["statement"] for row in rows} >= {"exactly 20.0 %", "exactly 25.0 %"}
    name, content = tab.download("Lists for the service (TREC run)")
    assert name == "bm25+statements.run"
    assert "policy=statements" in content.decode().splitlines()[0]
    tab.main.get_by_text("Who decides, and why").click()
    why = tab.page.get_by_label("Why", exact=True)
    why.fill("<b>they asked</b>")
    with tab.asking():
        why.press("Enter")
    name, content = tab.download(RUN)
    first = content.decode().splitlines()[0].split()
    assert first[1] == "1"  # the number of the drawn ranking
    assert "policy=fairness-of-exposure" in first[5]
    heading = tab.main.locator("h1").inner_text()
    name, content = tab.download("One-page brief")
    assert name == "fairviz-brief.html"
    path = tmp_path / name
    path.write_bytes(content)
    context = browser.new_context(offline=True)
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    assert page.locator("h1").inner_text() == heading
    assert page.get_by_text("<b>they asked</b>").is_visible()
    assert page.locator("tbody tr").count() == 5 + 10
    printed = page.pdf(format="A4", prefer_css_page_size=True)
    assert re.findall(rb"/Count (\d+)", printed) == [b"1"]
    assert [url for url in asked if not url.startswith("file:")] == []
    context.close()


@pytest.mark.slow
def test_a_phone_gets_the_list_as_text_and_the_budget_moves_by_key(open_tab: OpenTab) -> None:
    tab = open_tab("policy_lab", width=390, height=844)
    assert tab.overflow() == 0
    opened(tab)
    assert tab.overflow() == 0
    assert tab.main.locator(".fv-lab-list").is_visible()
    assert not tab.main.locator(".st-key-lab_wide").is_visible()
    tab.page.set_viewport_size({"width": 1280, "height": 900})
    tab.rest()
    assert not tab.main.locator(".fv-lab-list").is_visible()
    slider = tab.main.locator(".st-key-budget").get_by_role("slider")
    slider.focus()
    with tab.asking():
        for _ in range(12):
            tab.page.keyboard.press("ArrowRight")
    assert "budget of 9" in tab.main.locator(".fv-answers").inner_text()
    assert "budget=9" in tab.page.url
    more = tab.main.get_by_role("button").filter(has_text="Methods: ")
    more.focus()
    tab.page.keyboard.press("Enter")
    tab.page.wait_for_function("() => document.activeElement.closest('[data-testid=\"stPopoverBody\"]')")
    tab.page.keyboard.press("Escape")
    tab.page.wait_for_function("() => document.activeElement.innerText.startsWith('Methods')")
    tab.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    tab.page.emulate_media(media="print")  # what a person moves is not on paper
    assert not tab.main.locator(".st-key-budget").is_visible()
    assert not tab.page.get_by_test_id("stSidebar").is_visible()
    assert tab.main.locator(".fv-methods").is_visible()
    assert not tab.main.locator(".fv-files").first.is_visible(), "what buttons hand out, without them"
    boxes = tab.main.get_by_test_id(
        "stVerticalBlock"
    ).all()  # flex ones do not grow where a table breaks: text overprints
    assert {box.evaluate("box => getComputedStyle(box).display") for box in boxes} <= {"block", "none"}
    sheet = tab.page.evaluate("""() => {
      const sheet = document.querySelector('[data-testid="stMain"]');
      sheet.style.width = '700px';
      const right = box => box.getBoundingClientRect().right;
      const charts = [...sheet.querySelectorAll('.stPlotlyChart .main-svg')];
      const wide = box => box.getBoundingClientRect().width > parseFloat(box.style.getPropertyValue('--fv-width')) + 1;
      const inside = charts.every(svg => right(svg) <= right(sheet))
        && ![...sheet.querySelectorAll('.stPlotlyChart .svg-container')].some(wide);
      sheet.style.width = '';
      dispatchEvent(new Event('afterprint'));
      return [inside, document.querySelectorAll('.main-svg[viewBox]').length];
    }""")
    assert sheet == [True, 0]  # a chart is not cut off by the paper, nor larger, and is as before on the screen
    tab.page.emulate_media(media="screen")
