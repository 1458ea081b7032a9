"""What a session leaves in a workspace, and what another one begins with."""

import json
import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from fairviz.cli.app import WORKSPACE
from fairviz.io.workspace import INDEX, Workspace
from fairviz.reporting.study_file import write_study
from pages._kit import session
from tests.app.conftest import OpenPage
from tests.app.reading import GROUPS, QRELS, RUN, TWELVE, press, title, words
from tests.app.test_data import change_type, remove, upload
from tests.reporting.malformed import GOOD


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace, of a server that listens on this machine alone."""
    folder = tmp_path / "work"
    monkeypatch.setenv(WORKSPACE, str(folder))
    monkeypatch.setattr("pages._kit.keeping.on_this_machine", lambda: True)
    return Workspace(folder)


def names(place: Workspace) -> list[str]:
    return [file.name for file in place.files()]


def test_files_settings_and_pins_come_back(app_test: OpenPage, place: Workspace) -> None:
    at = upload(app_test("data"), my_run=TWELVE, my_qrels=QRELS, my_tsv=GROUPS)
    assert names(place) == ["my.run", "my.qrels", "my.tsv"]
    assert "live in this tab" not in words(at)
    assert "Kept on this machine until you delete it: 3 files (1 MB) and your settings, in" in words(at)
    change_type(at, "my.qrels", kind="judgements (qrels)")
    remove(at, "my.tsv")
    at.switch_page("pages/tradeoff.py").run()
    at.number_input(key="k").set_value(3).run()
    heading = title(at)
    pin = next(button for button in at.button if button.label == "Pin")
    pin.click().run()

    again = app_test("tradeoff")
    assert title(again) == heading
    assert again.number_input(key="k").value == 3
    assert again.session_state["dataset"].arrangement == at.session_state["dataset"].arrangement
    assert any(button.label == "Unpin" for button in again.button)
    again.switch_page("pages/data.py").run()
    assert "2 files loaded" in words(again)
    assert again.session_state["uploads"]["my.qrels"].options.role == "qrels"
    press(again, "Delete what is kept")
    assert "The example" in words(again)
    assert names(place) == []
    assert "2 files loaded" not in words(app_test("data"))


def test_which_study_is_open_comes_back(app_test: OpenPage, place: Workspace) -> None:
    at = app_test("data")
    at.file_uploader[0].set_value([("old.fairviz", write_study(GOOD), "application/zip")]).run()
    line = "Study Small · saved by fairviz 0.0.1"
    assert line in " ".join(words(at).split())
    other = app_test("data")
    said = " ".join(words(other).split())
    assert line in said
    assert GOOD.note in said
    press(other, "Compute its numbers again")
    assert "numbers differ from those in the file" in words(other)
    assert line not in words(upload(other, more_run=TWELVE)), "these are other data"
    press(app_test("data"), "Delete what is kept")
    assert place.values("opened") == {}


def test_a_second_tab_begins_with_the_same_and_hears_of_changes(app_test: OpenPage, place: Workspace) -> None:
    one = upload(app_test("data"), my_run=RUN).run()
    other = upload(app_test("data"), my_qrels=QRELS)
    assert "2 files loaded" in words(other)
    assert names(place) == ["my.run", "my.qrels"]
    assert "Another tab changed which files are kept" in words(one.run())
    press(one, "Load again")
    assert "2 files loaded" in words(one)
    assert "Another tab" not in words(one)
    press(one, "Back to the example")
    assert names(place) == []
    assert "Another tab" in words(other.run())


def test_a_link_to_the_example_shows_it_and_what_is_kept_waits(app_test: OpenPage, place: Workspace) -> None:
    mark = str(app_test("data").query_params["data"])
    upload(app_test("data"), my_run=RUN)
    at = app_test("data", link={"data": mark})
    assert "The example: 24 files" in words(at)
    assert names(place) == ["my.run"]
    press(at, "Open what is kept")
    assert "1 file loaded" in words(at)


def test_what_cannot_be_kept_is_said_and_used(
    app_test: OpenPage, place: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.folder.write_text("a file where the folder should be")
    at = upload(app_test("data"), my_run=RUN)
    assert "1 file loaded" in words(at)
    assert "The file lives in this tab only" in words(at)
    assert "cannot be used" in words(at)
    place.folder.unlink()
    monkeypatch.setenv(WORKSPACE, "off")
    upload(at, my_qrels=QRELS)
    assert "Nothing is kept here: files live in this tab until it is closed." in words(at)
    assert not place.folder.exists()


def test_nothing_is_kept_where_others_reach_the_server(
    app_test: OpenPage, place: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages._kit.keeping.on_this_machine", lambda: False)
    upload(app_test("data"), my_run=RUN)
    assert not place.folder.exists()


def test_a_reload_after_another_tab_added_a_file_shows_both(
    app_test: OpenPage, place: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "token", lambda: "one")
    one = upload(app_test("data"), my_run=RUN)
    link = {name: one.query_params[name] for name in ("data", session.SIGNED)}
    upload(app_test("data"), my_qrels=QRELS)
    for page in ("inspect", "data"):
        again = app_test(page, link=link)
        said = words(again)
        assert "files are gone" not in said
        assert "content is not the same" not in said
        assert "Opened what you had" not in said, "the same browser goes on"
        assert [file.name for file in again.session_state["dataset"].files] == ["my.run", "my.qrels"]
    press(app_test("data"), "Back to the example")
    gone = words(app_test("inspect", link=link))
    assert "its files are gone" in gone
    assert "live in one tab" not in gone
    assert names(place) == []


@pytest.mark.parametrize(
    ("harm", "reason"),
    [
        (lambda path: path.write_bytes(path.read_bytes().replace(b"d1", b"d9")), "was changed on the disk"),
        (Path.unlink, "is no longer in the folder"),
    ],
)
def test_a_kept_file_that_is_not_what_was_kept_is_named_and_can_be_removed(
    app_test: OpenPage, place: Workspace, harm: Callable[[Path], object], reason: str
) -> None:
    upload(app_test("data"), my_run=RUN, my_qrels=QRELS)
    assert "2 files loaded" in words(app_test("data"))
    harm(place.path(place.files()[1].digest))
    at = app_test("data")
    assert "1 file loaded, 1 not" in words(at)
    assert f"my.qrels: {reason}" in words(at)
    assert any(button.label == "Delete what is kept" for button in at.button)
    remove(at, "my.qrels")
    assert names(place) == ["my.run"]
    assert "1 file loaded" in words(app_test("data"))
    upload(app_test("data"), my_qrels=QRELS)
    assert "2 files loaded" in words(app_test("data"))


def test_a_changed_kept_file_that_is_added_again_is_mended(app_test: OpenPage, place: Workspace) -> None:
    at = upload(app_test("data"), my_run=RUN)
    place.path(place.files()[0].digest).write_bytes(b"q9 Q0 d9 1 1 other\n")
    at = upload(app_test("data"), my_run=RUN)
    assert "1 file loaded" in words(at)
    assert "1 file loaded" in words(app_test("data"))


def test_a_path_that_leaves_the_folder_is_not_followed(app_test: OpenPage, place: Workspace, tmp_path: Path) -> None:
    outside = tmp_path / "outside.qrels"
    outside.write_text(QRELS)
    upload(app_test("data"), my_run=RUN, my_qrels=QRELS)
    index = json.loads((place.folder / INDEX).read_text(encoding="utf-8"))
    index["files"] = [
        [name, str(outside) if name == "my.qrels" else digest, how] for name, digest, how in index["files"]
    ]
    (place.folder / INDEX).write_text(json.dumps(index), encoding="utf-8")
    at = app_test("data")
    assert "1 file loaded, 1 not" in words(at)
    assert "my.qrels: is kept under a path that leads out of the folder" in words(at)
    assert outside.read_text() == QRELS


def test_a_start_says_what_it_opened_and_when(app_test: OpenPage, place: Workspace) -> None:
    upload(app_test("data"), my_run=RUN, my_qrels=QRELS)
    for file in place.files():
        os.utime(place.path(file.digest), (datetime(2024, 11, 23, 12).timestamp(),) * 2)
    at = app_test("inspect")
    assert "Opened what you had on 23 November: 2 files." in words(at)
    press(at, "Go on")
    assert "Opened what you had" not in words(at)
    assert len(names(place)) == 2
    press(app_test("inspect"), "Start anew")
    assert names(place) == []
    assert "Opened what you had" not in words(app_test("inspect"))


def test_a_file_of_other_queries_is_asked_about(app_test: OpenPage, place: Workspace) -> None:
    at = upload(app_test("data"), my_run=RUN)
    assert "none of the queries" not in words(at)
    upload(at, more_qrels=QRELS)
    assert "none of the queries" not in words(at), "it shares some"
    upload(at, other_run=RUN.replace("q", "z").replace("sysA", "sysZ"))
    assert "other.run has none of the queries of the files before" in words(at)
    press(at, "Add to what is loaded")
    assert "none of the queries" not in words(at)
    assert names(place) == ["my.run", "more.qrels", "other.run"]
    upload(at, third_run=RUN.replace("q", "y").replace("sysA", "sysY"))
    press(at, "Start anew with them")
    assert names(place) == ["third.run"]
    assert "1 file loaded" in words(at)
