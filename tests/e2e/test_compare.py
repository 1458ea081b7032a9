"""Compare in Chromium: a system that is hovered over is drawn in every panel, one that is clicked on is pinned."""

from tests.e2e.conftest import OpenTab

PLACE = """() => {
  const chart = document.querySelector('.st-key-panels .js-plotly-plot');
  const own = chart._fullData.find(trace => trace.name === 'own'), {xaxis, yaxis} = chart._fullLayout;
  const middle = Math.floor(own.x.indexOf(null) / 2) || 1;
  const box = chart.querySelector('.nsewdrag').getBoundingClientRect();
  return [box.left + xaxis.l2p(own.x[middle]), box.top + yaxis.l2p(own.y[middle])];
}"""
"""Where a point of a system's own line stands on the screen."""
OTHERS = """() => {
  const chart = document.querySelector('.st-key-panels .js-plotly-plot');
  const {lines, panels} = chart.layout.meta, {xaxis, yaxis} = chart._fullLayout, [right, up] = panels.at(-1);
  const [system, [across, upwards]] = Object.entries(lines)[0], middle = Math.floor(across.length / 2);
  const box = chart.querySelector('.nsewdrag').getBoundingClientRect();
  return [system, box.left + xaxis.l2p(across[middle] + right), box.top + yaxis.l2p(upwards[middle] + up)];
}"""
"""The first system, and where a point of its grey line stands in the last panel, which is another's."""
SUBPATHS = "() => (document.querySelector('.fv-everywhere')?.getAttribute('d') ?? '').split('M').length - 1"


def test_a_system_is_drawn_in_every_panel_while_it_is_hovered_over_and_pinned_by_a_click(open_tab: OpenTab) -> None:
    tab = open_tab("compare")
    tab.page.wait_for_selector("text=policies side by side")
    tab.page.wait_for_selector("text=Difference in")
    tab.rest()
    tab.page.locator(".st-key-panels .js-plotly-plot").scroll_into_view_if_needed()
    x, y = tab.page.evaluate(PLACE)
    tab.page.mouse.move(x - 20, y - 15)
    tab.page.mouse.move(x, y, steps=4)
    tab.page.wait_for_function(f"({SUBPATHS})() === 2")  # the two policies of the example; the oracle limit is none
    tab.page.mouse.move(5, 5, steps=4)
    tab.page.wait_for_function(f"({SUBPATHS})() === 0")
    system, there, down = tab.page.evaluate(OTHERS)
    tab.page.mouse.move(there - 3, down - 3)
    tab.page.mouse.move(there, down)
    tab.page.wait_for_function(f"({SUBPATHS})() === 2")
    assert tab.page.locator(".fv-nearest").inner_text() == system
    tab.page.mouse.move(5, 5, steps=4)
    tab.page.wait_for_function(f"({SUBPATHS})() === 0")
    assert not tab.page.locator(".fv-nearest").count()
    with tab.asking():
        tab.page.mouse.click(x, y)
    assert "pin=" in tab.page.url
    assert "pinned: solid black in every panel" in tab.text()
    assert tab.errors == []
