"""Attribution in Chromium: a pressed point, downloads."""

from tests.e2e.conftest import OpenTab


def test_points_download_and_a_pressed_one_selects_its_query(open_tab: OpenTab) -> None:
    tab = open_tab("attribution")
    _, content = tab.download("CSV")
    lines = content.decode().splitlines()
    assert "x_share" in lines[0]
    assert len(lines) == 1 + 14 * 5  # 14 questions at four α and deterministic
    _, content = tab.download("LaTeX")
    assert r"\begin{tabular}" in content.decode()
    before = tab.text()
    points = tab.page.locator(".js-plotly-plot").first.locator(".scatterlayer .trace").nth(1)
    target = points.locator("path.point").nth(7)
    target.scroll_into_view_if_needed()
    box = target.bounding_box()
    assert box is not None
    tab.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tab.page.wait_for_url("**q=q*")
    tab.rest()
    assert tab.text() != before
    chosen = tab.page.url.split("?q=" if "?q=" in tab.page.url else "&q=")[1].split("&")[0]
    assert f"SELECTED QUERY {chosen}".lower() in tab.text().lower()
