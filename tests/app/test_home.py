"""The start page: never empty, today's finding, three doors."""

import pytest

from tests.app.conftest import OpenPage, OpenTab


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_example_is_there_from_the_start(app_test: OpenPage, theme: str) -> None:
    at = app_test("home", theme=theme)
    assert at.get("plotly_chart")


def test_home_in_the_browser(open_tab: OpenTab) -> None:
    tab = open_tab()
    assert "What does fairness cost" in tab.title()
