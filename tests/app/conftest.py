"""The dashboard under test, without a browser and without a server."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, TypeAlias

import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest

from fairviz.model import Dataset
from tests.dashboard import ROOT

APP_TEST_SECONDS = 60

installed_components = cache(manifest_scanner.scan_component_manifests)
"""A server asks every installed package once whether it brings a component, AppTest for every session: 0.3 s each."""


run_of_streamlit = AppTest._run


def run_well(at: AppTest, *arguments: Any, **named: Any) -> AppTest:
    """A run of a page, of which there are several in most tests: it must not raise."""
    run_of_streamlit(at, *arguments, **named)
    assert not at.exception, at.exception
    return at


@pytest.fixture(scope="session", autouse=True)
def _components_asked_for_once_and_no_run_raises() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", installed_components)
        patch.setattr(AppTest, "_run", run_well)
        yield


OpenPage: TypeAlias = Callable[..., AppTest]
"""Opens a page of the dashboard without a browser: ``open_page`` of :func:`opener`."""


@pytest.fixture
def app_test(monkeypatch: pytest.MonkeyPatch) -> OpenPage:
    """A function that opens a page by name and returns Streamlit's ``AppTest`` of it."""
    return opener(monkeypatch)


def opener(monkeypatch: pytest.MonkeyPatch) -> OpenPage:
    """The same for fixtures that live longer than a test: it works until the patch is undone."""
    start = PagesManager.__init__

    def start_with_navigation(self: PagesManager, *args: object, **named: object) -> None:
        start(self, *args, **named)  # type: ignore[arg-type]
        PagesManager.uses_pages_directory = False

    # A server forgets the folder ``pages`` once ``st.navigation`` was called; AppTest recalls it on
    # every run and would run a page's script without ``app.py`` around it.
    monkeypatch.setattr(PagesManager, "__init__", start_with_navigation)
    monkeypatch.setattr("pages._kit.session.token", lambda: "")  # there is no browser that has a cookie

    def open_page(
        page: str = "home",
        *,
        dataset: Dataset | None = None,
        theme: str = "light",
        link: dict[str, str | list[str]] | None = None,
    ) -> AppTest:
        """Run the page as from a fresh deep link; it must not raise.

        Args:
            page: Name of the script in ``pages``, without suffix.
            dataset: What the session has loaded; None for the example.
            theme: "light" or "dark".
            link: Settings in the address, such as ``{"alpha": "2"}``.
        """
        at = AppTest.from_file(ROOT / "app.py", default_timeout=APP_TEST_SECONDS)
        at.context["theme"] = theme
        if dataset is not None:
            at.session_state["dataset"] = dataset
        at.query_params.update(link or {})
        if page != "home":
            at.switch_page(f"pages/{page}.py")
        at.run()
        assert not at.exception, at.exception
        return at

    return open_page


@pytest.fixture
def downloads(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Text of every table and report that the page opened next hands out, by the name of its file.

    Not of the study file, for which the numbers of all pages are computed: ``test_study.py``.
    """
    texts: dict[str, str] = {}

    def button(label: str, data: str | bytes | Callable[[], str], *, file_name: str, **_: Any) -> bool:
        if not file_name.endswith(".fairviz"):
            content = data() if callable(data) else data
            texts[file_name] = content if isinstance(content, str) else ""
        return False

    monkeypatch.setattr(st, "download_button", button)
    return texts
