"""Shared settings in Chromium: chosen on one page, they stand in the controls and the address of the next ones."""

import pytest

from tests.e2e.conftest import OpenTab


@pytest.mark.slow
def test_settings_follow_from_page_to_page(open_tab: OpenTab) -> None:
    tab = open_tab("inspect?gain=grade%20%E2%89%A5%201&k=3&scores=ranks&alpha=4")
    for page, measure in (("Attribution", "EER(rel=1)@5"), ("Trade-off", "EER(rel=1)@3"), ("Inspect", "EER(rel=1)@3")):
        tab.follow(page)
        assert measure in tab.text()
        assert "gain=" in tab.page.url
        if page != "Attribution":  # which has its own k, of the lists given
            assert "scores=ranks" in tab.text()
            assert all(setting in tab.page.url for setting in ("k=3", "scores=ranks", "alpha=4"))
