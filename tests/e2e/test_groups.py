"""Groups & targets in Chromium: rows moved by keys, mouse and typing; targets saved and loaded; a screen reader."""

import json
from pathlib import Path

import pytest

from tests.e2e.conftest import OpenTab
from tests.e2e.tab import Tab


def targets(tab: Tab) -> list[int]:
    """Targets in the order of the rows."""
    return [int(box.input_value()) for box in tab.main.get_by_role("spinbutton", name="Target of").all()]


def test_a_target_is_moved_by_keys_by_hand_and_typed(open_tab: OpenTab, tmp_path: Path) -> None:
    tab = open_tab("groups?k=5")
    keys = tab.page.keyboard
    europe = tab.main.get_by_role("slider", name="Target of Europe", exact=True)
    europe.wait_for()
    assert targets(tab) == [20, 20, 25, 15, 20]
    with tab.asking():
        europe.focus()
        for _ in range(5):
            keys.press("ArrowRight", delay=15)
        keys.press("Shift+ArrowRight")
    assert europe.input_value() == "30"  # no press was lost
    # In the order of the labels, 70 for 20:20:25:15. On a slow machine the server hears of a part of the presses first.
    tab.page.wait_for_url("**target=17.5_30_17.5_21.875_13.125-**")
    tab.rest()
    assert tab.title().startswith("Documents labelled Africa get ")  # Europe's row has no significant gap
    assert "aria-valuetext" in europe.evaluate("slider => slider.getAttributeNames().join()")
    assert tab.page.evaluate("document.activeElement.ariaLabel") == "Target of Europe"
    with tab.asking():
        tab.main.get_by_role("checkbox", name="Lock Europe").check(force=True)
    assert europe.is_disabled()
    africa = tab.main.get_by_role("slider", name="Target of Africa", exact=True)
    with tab.asking():
        africa.focus()
        keys.press("End")
    assert africa.input_value() == "70"  # the most that the lock leaves
    assert sum(targets(tab)) == 100
    with tab.asking():
        keys.press("Home")
    assert tab.title().startswith("Africa is removed by this target")
    with tab.asking():
        tab.main.get_by_text("Equal", exact=True).click()
    before = tab.page.evaluate("window.heard.asked")
    grip = tab.main.locator(".fv-target-row", has_text="Asia").locator(".grip").bounding_box()
    x, y = grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2
    tab.page.mouse.move(x, y)
    tab.page.mouse.down()
    tab.page.mouse.move(x + 80, y, steps=4)
    assert targets(tab)[2] > 20
    assert tab.page.evaluate("window.heard.asked") == before  # no round trip while it is dragged
    with tab.asking():
        tab.page.mouse.up()
    assert sum(targets(tab)) == 100
    box = tab.main.get_by_role("spinbutton", name="Target of Latin America in percent")
    box.fill("40")
    with tab.asking():
        box.press("Enter")
    assert box.input_value() == "40"
    assert not tab.errors


@pytest.mark.slow
def test_targets_are_saved_and_loaded(open_tab: OpenTab, tmp_path: Path) -> None:
    tab = open_tab("groups?target=30_17.5_17.5_21.875_13.125-23319d2d")  # of the regions of the example
    tab.main.get_by_role("button", name="More").click()
    name, content = tab.download("Save target")
    assert name == "target.json"
    assert sorted(json.loads(content).values()) == pytest.approx([0.13125, 0.175, 0.175, 0.21875, 0.3])
    own = tmp_path / "own.json"
    own.write_text('{"Africa": 0.5, "Asia": 0.5}', encoding="utf-8")
    tab.page.get_by_role("button", name="Load target", exact=True).click()
    with tab.asking():
        tab.page.locator('input[type="file"]').first.set_input_files(own)
    assert sorted(targets(tab)) == [0, 0, 0, 50, 50]
    bad = tmp_path / "bad.json"
    bad.write_text('{"Atlantis": 1}', encoding="utf-8")
    tab.page.locator('input[type="file"]').first.set_input_files(bad)
    tab.page.get_by_text("no group in common").first.wait_for()
    assert sorted(targets(tab)) == [0, 0, 0, 50, 50]
