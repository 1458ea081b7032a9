"""Social bias in Chromium: from an upload to every download."""

from pathlib import Path

import pytest

from tests.app.test_social_bias import answer_table, item_table
from tests.e2e.conftest import OpenTab


@pytest.mark.slow
def test_the_whole_way_in_a_browser(open_tab: OpenTab, tmp_path: Path) -> None:
    for name, text in (("items.csv", item_table()), ("answers.csv", answer_table())):
        (tmp_path / name).write_text(text, encoding="utf-8")
    tab = open_tab("data")
    tab.upload([tmp_path / "items.csv", tmp_path / "answers.csv"])
    tab.follow("Social bias")
    assert tab.title().endswith("on Age, by 50 points")
    name, content = tab.download("CSV")
    assert name == "fairviz-social-bias.csv"
    head, *rows = content.decode().splitlines()
    assert head.startswith("model,category,setting,acc_a")
    assert ",n_items," in head
    assert len(rows) == 2
    name, content = tab.download("CSV of every tested change")
    assert b"more towards the stereotype" in content
    name, content = tab.download("LaTeX")
    assert rb"\toprule" in content
    name, content = tab.download("HTML")
    assert b"plotly" in content
    assert tab.overflow() == 0
