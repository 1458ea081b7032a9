"""Attribution in Chromium: a pressed point, a pressed panel."""

from pathlib import Path

import pytest

from tests.app.test_task_grid import LIFT, answers
from tests.e2e.conftest import OpenTab


@pytest.mark.slow
def test_a_pressed_point_selects_its_query(open_tab: OpenTab) -> None:
    tab = open_tab("attribution")
    before = tab.text()
    points = tab.page.locator(".js-plotly-plot").first.locator(".scatterlayer .trace").nth(1)
    target = points.locator("path.point").nth(7)
    target.scroll_into_view_if_needed()
    box = target.bounding_box()
    tab.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tab.page.wait_for_url("**q=q*")
    tab.rest()
    assert tab.text() != before
    chosen = tab.page.url.split("?q=" if "?q=" in tab.page.url else "&q=")[1].split("&")[0]
    assert f"SELECTED QUERY {chosen}".lower() in tab.text().lower()  # its fold is opened


@pytest.mark.slow
def test_a_pressed_panel_is_the_system_that_is_looked_at(open_tab: OpenTab, tmp_path: Path) -> None:
    for generator in LIFT:
        for alpha in (1.0, 2.0):
            (tmp_path / f"{generator}.{alpha}.jsonl").write_bytes(answers("lamp-1", generator, alpha, letter="q"))
    tab = open_tab("data")
    tab.upload(sorted(tmp_path.iterdir()))
    tab.follow("Attribution")
    assert "LARGE · K = 5" in tab.text().upper()
    with tab.asking():
        tab.page.locator("summary", has_text="Side by side").click()
    place = """() => {
        const chart = document.querySelector('.st-key-panels .js-plotly-plot');
        chart.scrollIntoView({block: 'center'});
        const box = chart.getBoundingClientRect(), line = chart._fullData.find(trace => trace.name === 'own');
        const {xaxis, yaxis} = chart._fullLayout;
        const last = line.x.findLastIndex(x => x !== null);
        return [box.x + xaxis._offset + xaxis.d2p(line.x[last]), box.y + yaxis._offset + yaxis.d2p(line.y[last])];
    }"""
    x, y = tab.page.evaluate(place)
    tab.page.mouse.click(x, y)
    tab.page.wait_for_url("**answers_of=*")
    tab.rest()
    assert "SMALL · K = 5" in tab.text().upper()
    assert not tab.errors
