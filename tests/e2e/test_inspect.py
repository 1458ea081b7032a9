"""Inspect in Chromium: queries by key and by row, selected in a chart of another page."""

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenTab


def test_queries_are_walked_by_key_and_opened_by_row(open_tab: OpenTab) -> None:
    tab = open_tab("inspect")
    head = tab.main.locator(".fv-kicker").first
    for key, query in (("j", "q02"), ("j", "q03"), ("k", "q02")):
        with tab.asking():
            tab.page.keyboard.press(key)
        expect(head).to_contain_text(f"query {query}")
    box = tab.page.get_by_test_id("stDataFrame").first.bounding_box()
    with tab.asking():
        tab.page.mouse.click(box["x"] + 15, box["y"] + 5.5 * 35)  # five rows, the headings among them, are above
    expect(head).to_contain_text("query q05")
    with tab.asking():
        tab.page.keyboard.press("j")
    expect(head).to_contain_text("query q06")
    assert not tab.errors


@pytest.mark.slow
def test_points_in_a_frame_are_the_table(open_tab: OpenTab) -> None:
    tab = open_tab("attribution")
    plot = tab.page.locator(".js-plotly-plot").first
    plot.hover()
    plot.locator('.modebar-btn[data-title="Box Select"]').click()
    area = plot.locator(".nsewdrag").first.bounding_box()
    left, top = area["x"], area["y"]
    with tab.asking():
        tab.page.mouse.move(left + 0.45 * area["width"], top + 3)
        tab.page.mouse.down()
        tab.page.mouse.move(left + 0.95 * area["width"], top + 0.4 * area["height"], steps=4)
        tab.page.mouse.up()
    link = tab.main.get_by_role("link", name="Inspect the")
    n = int(link.inner_text().split("the ")[1].split()[0])
    assert 1 < n < 14, n
    with tab.asking():
        link.click()
    assert f"{n} of 14 queries, selected in a chart" in tab.text()
    assert "queries=" in tab.page.url
    with tab.asking():
        tab.page.go_back()
    assert "/attribution" in tab.page.url
