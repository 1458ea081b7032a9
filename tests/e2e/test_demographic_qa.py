"""Demographic QA in Chromium: uploads, one question, downloads."""

from pathlib import Path

import pytest

from tests.app.test_demographic_qa import APART, answers, lines
from tests.e2e.conftest import OpenTab


@pytest.mark.slow
def test_uploads_drill_and_downloads_in_a_browser(open_tab: OpenTab, tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_bytes(lines(APART))
    (tmp_path / "two.jsonl").write_bytes(lines(answers({"white": 3, "black": 12})))
    (tmp_path / "bad.jsonl").write_bytes(b'{"qid": "1", "attribute": "race"}\n')
    tab = open_tab("data", dark=True)
    tab.upload([tmp_path / name for name in ("one.jsonl", "two.jsonl", "bad.jsonl")])
    assert "bad.jsonl" in tab.text()
    tab.follow("Demographic QA")
    assert tab.title().startswith("Questions about black people get")
    assert tab.overflow() == 0
    with tab.asking():
        tab.main.get_by_role("button", name="Next question").click()
    name, content = tab.download("CSV")  # the first one belongs to the questions
    assert name == "fairviz-dependent-questions.csv"
    assert content.decode().count("\n") == 1 + 10 * 3
    with tab.page.expect_download() as waiting:
        tab.main.get_by_role("button", name="CSV", exact=True).last.click()
    assert waiting.value.suggested_filename == "fairviz-demographic-qa.csv"
    text = Path(waiting.value.path()).read_text(encoding="utf-8")
    assert "one,race,black,0.16666" in text
    assert text.count("\n") == 1 + 3 + 2  # a heading, white black neutral, white black
    name, content = tab.download("HTML")
    assert "Questions about black people get 83 points fewer" in content.decode()
    address = tab.page.url.split("/", 3)[3]
    assert "demographic_qa" in address
    assert "question=q3" in address
