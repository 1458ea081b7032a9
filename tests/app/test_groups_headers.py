"""A result of Groups & targets has the same columns from the command line as from the page's buttons."""

from collections.abc import Callable
from typing import Any

import pytest
import streamlit as st

from fairviz.cli.main import main
from tests.app.conftest import OpenPage
from tests.dashboard import ROOT

DEMO = ROOT / "data" / "demo"

DATA = (
    str(DEMO / "bm25.run"),
    *("--qrels", str(DEMO / "usefulness.qrels")),
    *("--groups", str(DEMO / "region.tsv")),
    *("--target", str(DEMO / "target.json")),
)


@pytest.fixture(scope="module")
def downloads() -> dict[str, str]:
    """Text of every download of the page, by the name of its file."""
    return {}


@pytest.fixture(autouse=True)
def opened(app_test: OpenPage, downloads: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The page on the example, once."""

    def button(label: str, data: str | bytes | Callable[[], str], *, file_name: str, **_: Any) -> bool:
        content = data() if callable(data) else data
        if isinstance(content, str):
            downloads[file_name] = content
        return False

    if not downloads:
        monkeypatch.setattr(st, "download_button", button)
        at = app_test("groups")
        at.session_state["groups-fold-All 34 measures"] = True
        at.run()
        app_test("agreement")


def header(text: str) -> list[str]:
    return text.splitlines()[0].split(",")


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    assert main(list(arguments)) == 0
    return capsys.readouterr().out


def test_values_of_measures(downloads: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """The page adds where a measure stands, where it is best, and its value in words."""
    command = header(printed(capsys, "evaluate", *DATA, "-m", "AWRF", "--format", "csv"))
    page = header(downloads["fairviz-groups.csv"])
    shared = command[: command.index("better")]
    assert page[: len(shared)] == shared
    assert page[len(shared) :] == ["section", "direction", "words"]


def test_agreement_of_measures(downloads: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    command = printed(capsys, "agreement", *DATA, "-m", "AWRF nDCG@10", "--format", "csv")
    assert header(downloads["fairviz-agreement.csv"]) == header(command)


@pytest.mark.parametrize(
    ("file", "columns"),
    [
        ("fairviz-series.csv", ["system", "metric", "rank", "mean", "n_queries"]),
        ("fairviz-fair.csv", ["system", "k", "metric", "pearson", "p", "spearman", "p_spearman", "n_ranks"]),
    ],
)
def test_what_no_command_gives_has_names_for_programs(downloads: dict[str, str], file: str, columns: list[str]) -> None:
    assert header(downloads[file])[: len(columns)] == columns
    assert all(name.isidentifier() for name in header(downloads[file]))
