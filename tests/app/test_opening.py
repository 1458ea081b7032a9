"""What a session begins with where the dashboard was started with files, and what it says when they change."""

import gzip
import json
from hashlib import sha256
from pathlib import Path

import pytest

from fairviz.cli.app import OPENED
from fairviz.errors import InputError
from fairviz.io.manifest import DataPath, as_text
from fairviz.io.source import Options
from fairviz.reporting.study_file import StudyContents, StudyPart, alone, study_of, write_study
from pages._kit import opening
from tests.app.conftest import OpenPage
from tests.app.reading import QRELS, RUN, press, title, words
from tests.app.test_data import BAD_RUN, change_type
from tests.app.test_uploads import SAMPLES


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a run and judgements that the dashboard is started with."""
    (tmp_path / "my.run").write_text(RUN)
    (tmp_path / "my.qrels").write_text(QRELS)
    start_with(monkeypatch, DataPath(tmp_path))
    return tmp_path


def start_with(monkeypatch: pytest.MonkeyPatch, *given: DataPath) -> None:
    monkeypatch.setenv(OPENED, as_text(given))
    opening._read.clear()  # type: ignore[attr-defined] -- Streamlit's cache


def test_the_files_are_there_on_every_page_and_in_every_session(app_test: OpenPage, folder: Path) -> None:
    (folder / "notes.md").write_text("# Notes\n")
    (folder / ".hidden.run").write_text(RUN)
    (folder / "deeper").mkdir()
    at = app_test("inspect")
    assert f"{folder.name} · query q1" in words(at)
    assert "live in this tab" not in words(at), "they stand on the disk"
    said = words(app_test("data"))
    assert "2 files loaded" in said
    assert "notes.md : is not recognised and was left out" in said
    other = app_test("data")
    assert other.session_state["dataset"].runs[0] is at.session_state["dataset"].runs[0], "read once for all"
    assert sum(file.memory for file in other.session_state["uploads"].values()) == 0


def test_a_folder_that_holds_a_study_alone_stands_for_it(
    app_test: OpenPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = write_study(
        StudyContents(name="Mine", files=(StudyPart("my.run", digest(RUN), Options(role="run"), RUN.encode()),))
    )
    (tmp_path / "one.fairviz").write_bytes(one)
    (tmp_path / "notes.md").write_text("# Notes\n")
    assert study_of(tmp_path) == tmp_path / "one.fairviz"
    start_with(monkeypatch, DataPath(tmp_path))
    said = words(app_test("data"))
    assert "Data · Mine" in said
    assert "1 system · 3 searches (queries)" in said

    (tmp_path / "two.fairviz").write_bytes(one)
    with pytest.raises(InputError, match="2 saved studies are in this folder") as error:
        alone([DataPath(tmp_path)])
    assert "Open one of them by its name, such as " in str(error.value.fix)

    (tmp_path / "my.qrels").write_text(QRELS)
    assert alone([DataPath(tmp_path)]) is None
    start_with(monkeypatch, DataPath(tmp_path))
    said = words(app_test("data"))
    assert "two.fairviz : is a saved study with data and settings of its own: open it alone" in said
    assert "notes.md : is not recognised and was left out" in said


def digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def test_a_file_is_read_as_the_command_says(app_test: OpenPage, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judged = Options(role="qrels", generator="GPT")
    start_with(monkeypatch, DataPath(folder / "my.run"), DataPath(folder / "my.qrels", judged))
    at = app_test("data")
    assert at.session_state["dataset"].qrels[0].generator == "GPT"
    (folder / "my.run").write_text(SAMPLES)
    press(at.run(), "Load again")
    change_type(at, "my.run", samples="no")
    assert "1 query · 3 rows" in words(at), "large or small, it can be read in another way"


def test_of_a_folder_of_results_the_answers_of_one_attributor_are_opened(app_test: OpenPage, folder: Path) -> None:
    answer = '{"query_id": "q1", "system": "gen", "ranking": ["d1"], "text": "So."}\n'
    for name in ("outputs.nli.jsonl.gz", "outputs.strict-nli.jsonl.gz", "outputs.words.jsonl.gz"):
        (folder / name).write_bytes(gzip.compress(answer.encode()))
    (folder / "responses.jsonl").write_text(answer)
    tables = [{"label": "strict-nli"}, {"label": "nli"}, {"label": "words"}]
    (folder / "manifest.json").write_text(json.dumps({"schema": 1, "configuration": {"attributor": tables}}))
    loaded = app_test("data").session_state["dataset"]
    assert [file.name for file in loaded.files] == ["my.qrels", "my.run", "outputs.strict-nli.jsonl.gz"]


def test_changed_files_are_said_and_read_together_when_asked(app_test: OpenPage, folder: Path) -> None:
    at = app_test("data")
    assert "changed on the disk" not in words(at)
    (folder / "my.run").write_text(RUN.replace("sysA", "sysB"))
    (folder / "new.run").write_text(RUN.replace("sysA", "sysC"))
    said = words(at.run())
    assert "my.run and new.run changed on the disk" in said
    assert "sysA" in said, "until then everything is of the files as they were"
    press(at, "Load again")
    said = words(at)
    assert "changed on the disk" not in said
    assert "3 files loaded" in said
    assert "sysA" not in said
    (folder / "new.run").unlink()
    assert "new.run changed on the disk" in words(at.run())


def test_a_reload_takes_the_files_as_they_are_now(
    app_test: OpenPage, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages._kit.session.token", lambda: "one")
    at = app_test("inspect", link={"k": "3"})
    link = {name: at.query_params[name] for name in ("data", "by", "k")}
    (folder / "my.run").write_text(RUN.replace("sysA", "sysB"))
    again = app_test("inspect", link=link)
    assert "gone" not in words(again)
    assert "k = 3" in words(again)


def test_a_file_that_broke_meanwhile_has_its_card_and_nothing_stands_in_for_it(
    app_test: OpenPage, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_with(monkeypatch, DataPath(folder / "my.run"))
    (folder / "my.run").write_text(BAD_RUN)
    at = app_test("data")
    assert "1 file needs a fix" in words(at)
    assert "my.run, line 2: score is not finite" in words(at)
    assert "Example" not in title(at)
    (folder / "my.run").unlink()
    assert "my.run changed on the disk" in words(at.run())
    press(at, "Load again")
    assert "file not found" in words(at)
