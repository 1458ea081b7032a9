"""Buttons that hand out files: one mechanism, and a reason where a file cannot be written."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from fairviz.errors import InputError, UndefinedError
from pages._kit import downloads
from pages._kit.downloads import Failures
from tests.app.reading import words
from tests.dashboard import ROOT


def page() -> None:
    import streamlit as st

    from pages._kit.downloads import download, download_row

    download("Run", lambda: 1 / 0, file_name="my.run", key="run")  # type: ignore[arg-type]
    download_row("stem", "Rates of groups", {"csv": lambda: "a,b\n"}, commands=lambda: {"csv": "fairviz grid"})
    st.text_input("A control", key="control")


def test_a_failure_is_told_once_beside_its_button() -> None:
    at = AppTest.from_function(page).run()
    assert "could not" not in words(at)
    assert "Rates of groups" in words(at), "a row of downloads says of what"
    failures: Failures = at.session_state["failed_downloads"]
    failures["run"] = InputError("no ranking", file="my.tsv", line=3, fix="Rank.")
    at.text_input(key="control").set_value("kept").run()
    assert "my.run could not be written: my.tsv:3: no ranking" in words(at)
    assert "To fix: Rank." in re.sub(r"\s+", " ", words(at))
    assert at.text_input(key="control").value == "kept"
    at.run()
    assert "could not" not in words(at)


def settings_page() -> None:
    import streamlit as st

    from pages._kit.downloads import download_row

    k = st.text_input("k", "3", key="k")
    download_row("stem", "Table", {"csv": lambda: f"k\n{k}\n"}, commands=lambda: {"csv": f"fairviz grid x {k}"})


def test_a_table_with_other_settings_is_another_pin() -> None:
    """Each keeps its command; the button speaks of the table as it is shown."""
    at = AppTest.from_function(settings_page).run()
    at.button(key="stem-pin").click().run()
    assert at.button(key="stem-pin").label == "Unpin"
    at.text_input(key="k").set_value("5").run()
    assert at.button(key="stem-pin").label == "Pin"
    at.button(key="stem-pin").click().run()
    kept = at.session_state["pins"].values()
    assert [(one.csv, one.commands) for one in kept] == [
        (f"k\n{k}\n", (("csv", f"fairviz grid x {k}"),)) for k in (3, 5)
    ]
    at.button(key="stem-pin").click().run()
    assert [one.csv for one in at.session_state["pins"].values()] == ["k\n3\n"]


def test_a_file_that_fails_or_lacks_something_has_the_page_shown_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other errors than one on purpose: the cards of uploads, which word them alike."""
    shown: list[str] = []
    monkeypatch.setattr(downloads, "_show_again", shown.append)
    failures: Failures = {}

    def fail() -> str:
        raise UndefinedError("nothing is judged")

    with pytest.raises(UndefinedError):  # Streamlit hears of it, too
        downloads._telling(fail, "run", failures)()
    assert str(failures["run"]) == "nothing is judged"
    assert len(shown) == 1
    notes: list[str] = []
    write = downloads._telling(lambda: b"x", "run", {}, notes)
    assert write() == b"x"
    assert len(shown) == 1
    notes.append("without a table")
    assert write() == b"x"
    assert len(shown) == 2


def test_every_download_tells_its_failures() -> None:
    files = [path for path in (ROOT / "pages").rglob("*.py") if "st.download_button(" in path.read_text("utf-8")]
    assert [path.name for path in files] == ["downloads.py"]
    assert files[0].parent.name == "_kit"
