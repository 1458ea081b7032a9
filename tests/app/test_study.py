"""A study saved on Export and opened elsewhere: the same data, settings, pins and numbers; or nothing at all."""

from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from fairviz.io.given import Given
from fairviz.io.source import Source
from fairviz.report.study_file import read_study, write_study
from pages._kit import study as study_of_session
from tests.app.conftest import OpenPage
from tests.app.reading import GROUPS, QRELS, TWELVE, words
from tests.app.test_data import upload
from tests.app.test_opening import start_with
from tests.app.test_uploads import press


def saved(at: AppTest) -> bytes:
    """What the button on Export hands out."""
    at.switch_page("pages/export.py").run()
    assert not at.exception, at.exception
    made: list[bytes] = []
    real = study_of_session.saving

    def once(note: str) -> object:
        write = real(note)
        made.append(write())
        return write

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pages._export.study.saving", once)
        at.run()
    assert not at.exception, at.exception
    return made[-1]


def test_a_study_is_the_same_elsewhere(app_test: OpenPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at = upload(app_test("data"), my_run=TWELVE, my_qrels=QRELS.replace("q9", "xq1"), my_tsv=GROUPS)
    at.switch_page("pages/tradeoff.py").run()
    at.number_input(key="k").set_value(3).run()
    at.switch_page("pages/groups.py").run()
    at.switch_page("pages/agreement.py").run()
    content = saved(at)
    study = read_study(Source("my.fairviz", None, content))
    assert [file.name for file in study.files] == ["my.run", "my.qrels", "my.tsv"]
    assert study.files[0].content == TWELVE.encode()
    assert study.settings.chosen["k"] == "3"
    assert "EED@3" in str(study.results)
    assert write_study(study) == content, "equal studies, equal bytes"

    path = tmp_path / "my.fairviz"
    path.write_bytes(content)
    start_with(monkeypatch, Given(path))
    other = app_test("tradeoff")
    assert other.number_input(key="k").value == 3
    before, now = at.session_state["dataset"], other.session_state["dataset"]
    assert before.fingerprint == now.fingerprint
    again = read_study(Source("my.fairviz", None, saved(other)))
    assert replace(again, settings=study.settings) == study
    assert again.settings.targets == study.settings.targets
    assert again.settings.chosen == study.settings.chosen
    other.switch_page("pages/data.py").run()
    assert "Study Your files · saved by fairviz" in " ".join(words(other).split())
    press(other, "Compute its numbers again")
    assert "All numbers of the file are the same" in words(other)
