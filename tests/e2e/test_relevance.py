"""Relevance in Chromium: one setting that follows to the next page, in the control and in the address."""

from tests.e2e.conftest import OpenTab


def test_relevance_follows_from_page_to_page(open_tab: OpenTab) -> None:
    tab = open_tab("inspect?gain=grade%20%E2%89%A5%201")
    for page in ("Attribution", "Inspect"):
        tab.follow(page)
        assert "EER(rel=1)@5" in tab.text()
        assert "gain=" in tab.page.url
