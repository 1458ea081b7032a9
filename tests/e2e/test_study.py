"""Work that lasts: what a person loaded and set is there after the server was killed, and in a file of its own."""

import signal
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext

from tests.dashboard import ROOT, launched
from tests.e2e.tab import Tab

DEMO = ROOT / "tests" / "small" / "data" / "demo"


@pytest.mark.slow
def test_a_killed_server_brings_everything_back(context: BrowserContext, tmp_path: Path) -> None:
    place = {"FAIRVIZ_WORKSPACE": str(tmp_path / "work")}
    server = launched(folder=tmp_path, **place)
    with server as address:
        tab = Tab(context, address)
        tab.go("data")
        tab.upload([DEMO / "bm25.run", DEMO / "usefulness.qrels", DEMO / "region.tsv"])
        assert "Kept on this machine until you delete it: 3 files" in tab.text()
        tab.follow("Trade-off")
        box = tab.page.get_by_role("spinbutton", name="Cutoff k")
        with tab.asking():
            box.fill("3")
            box.press("Enter")
        title, path = tab.title(), tab.page.url.removeprefix(f"{address}/")
        tab.follow("Export")
        name, study = tab.download("Save study")
        assert name == "your-files.fairviz"
        server.process.kill()
        assert server.process.wait() == -signal.SIGKILL
        assert tab.errors == []
        tab.page.close()
    (tmp_path / name).write_bytes(study)
    for options, environment, places in (((), place, (path, "tradeoff")), ((name,), {}, ("tradeoff",))):
        with launched(*options, folder=tmp_path, **environment) as address:
            for where in places:
                tab = Tab(context, address)
                tab.go(where)
                assert tab.title() == title
                assert tab.page.get_by_role("spinbutton", name="Cutoff k").input_value() == "3"
                assert (tab.errors, tab.outside) == ([], [])
                tab.close()
