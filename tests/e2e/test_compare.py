"""Compare in Chromium: a system that is clicked on is drawn in every panel."""

from tests.e2e.conftest import OpenTab

PLACE = """() => {
  const chart = document.querySelector('.st-key-panels .js-plotly-plot');
  const own = chart._fullData.find(trace => trace.name === 'own'), {xaxis, yaxis} = chart._fullLayout;
  const middle = Math.floor(own.x.indexOf(null) / 2) || 1;
  const box = chart.querySelector('.nsewdrag').getBoundingClientRect();
  return [box.left + xaxis.l2p(own.x[middle]), box.top + yaxis.l2p(own.y[middle])];
}"""
"""Where a point of a system's own line stands on the screen."""
POINTED_AT = "() => (document.querySelector('.st-key-panels .js-plotly-plot')._hoverdata ?? []).length > 0"
"""Whether the chart knows of the point under the mouse: a press before that is one beside all lines."""


def test_a_system_is_pinned_in_every_panel_by_a_click(open_tab: OpenTab) -> None:
    tab = open_tab("compare?compare_panels=true")
    tab.page.wait_for_selector("text=policies side by side")
    tab.rest()
    tab.page.locator(".st-key-panels .js-plotly-plot").scroll_into_view_if_needed()
    tab.rest()
    x, y = tab.page.evaluate(PLACE)
    tab.page.mouse.move(x - 20, y - 15)
    tab.page.mouse.move(x, y, steps=4)
    tab.page.wait_for_function(POINTED_AT)
    with tab.asking():
        tab.page.mouse.click(x, y)
    assert "pin=" in tab.page.url
    assert "pinned: solid black in every panel" in tab.text()
    assert tab.errors == []
