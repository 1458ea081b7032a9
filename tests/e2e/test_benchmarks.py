"""The benchmarks of moves and of the start run in Chromium; times are not looked at."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest
from playwright.sync_api import BrowserContext, Page

from benchmarks.__main__ import main
from benchmarks.browser import bare_page
from benchmarks.start import Start, alternated
from tests.dashboard import ROOT
from tests.e2e.tab import Tab

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def bare() -> Iterator[str]:
    """Address of a bare Streamlit page."""
    with bare_page() as address:
        yield address


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", ["answers_move", "move", "target_move"])
def test_every_benchmark_of_a_move_runs(
    context: BrowserContext, server: str, bare: str, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """In this process, with the browser and the servers that are there, and the front end that is loaded."""

    @contextmanager
    def chromium() -> Iterator[SimpleNamespace]:
        tabs: list[Tab] = []

        def new_page() -> Page:
            tabs.append(Tab(context, server))
            return tabs[-1].page

        yield SimpleNamespace(new_context=lambda **_: SimpleNamespace(new_page=new_page))
        for tab in tabs:
            tab.close()

    module = import_module(f"benchmarks.{name}")
    monkeypatch.setattr(module, "chromium", chromium)
    monkeypatch.setattr(module, "dashboard", lambda: nullcontext(server))
    monkeypatch.setattr(module, "bare_page", lambda: nullcontext(bare))
    file = tmp_path / "figures.json"
    assert main([name, "--small", "--json", str(file)]) == 0
    rows = json.loads(file.read_text())["rows"]
    assert len(rows) == 6
    assert all(row["value"] > 0 for row in rows)


def test_the_benchmark_of_a_start_runs_by_its_command(tmp_path: Path) -> None:
    """With a browser and servers of its own."""
    file = tmp_path / "figures.json"
    command = [sys.executable, "-m", "benchmarks", "start", "--small", "--json", str(file)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    rows = json.loads(file.read_text())["rows"]
    assert len(rows) == 2
    assert all(row["value"] > 0 for row in rows)


def test_who_begins_a_round_changes_and_each_keeps_its_own() -> None:
    order: list[str] = []

    def begin(name: str) -> Start:
        order.append(name)
        return Start(ready=0, chart=len(order))

    ours, bare = alternated(lambda: begin("ours"), lambda: begin("bare"), rounds=3)
    assert order == ["ours", "bare", "bare", "ours", "ours", "bare"]
    assert [one.chart for one in ours] == [1, 4, 5]
    assert [one.chart for one in bare] == [2, 3, 6]
