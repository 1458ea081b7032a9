"""Trade-off in Chromium: a key press, downloads."""

import pytest

from tests.e2e.conftest import OpenTab


@pytest.mark.slow
def test_a_key_press_moves_the_point_and_downloads_hold_what_is_shown(open_tab: OpenTab) -> None:
    tab = open_tab("tradeoff?alpha=2")
    tab.page.wait_for_selector("text=Difference, paired")
    heading = tab.title()
    slider = tab.page.get_by_role("slider").first
    slider.focus()
    slider.press("ArrowRight")
    tab.page.wait_for_selector("text=α = 2.125")
    tab.rest()
    assert "alpha=2.125" in tab.page.url
    assert tab.title() == heading
    name, content = tab.download("CSV")
    lines = content.decode().splitlines()
    assert name.endswith(".csv")
    assert lines[0].startswith("system,policy,alpha,EED,EER")
    assert len({line.split(",")[1] for line in lines[1:]}) == 6
    name, content = tab.download("LaTeX")
    assert content.decode().count(r"\begin{tabular}") == 2
    name, content = tab.download("HTML")
    page = content.decode()
    assert tab.title() in page
    assert "http://" not in page.split("<script>")[0]
