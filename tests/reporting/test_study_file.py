"""Study files: what is saved comes back, and whatever else comes is refused in one line."""

from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from fairviz.errors import InputError, UsageError
from fairviz.io import archive as archives
from fairviz.io.archive import archive
from fairviz.io.manifest import DataPath
from fairviz.io.source import Source
from fairviz.reporting import study_file
from fairviz.reporting.assemble import differences
from fairviz.reporting.study_file import PageSettings, StudyContents, TargetSetting, alone, read_study, write_study
from tests.reporting.malformed import GOOD, malformed

NAME = "x.fairviz"


def read(content: bytes) -> StudyContents:
    return read_study(Source(NAME, None, content))


def opened() -> StudyContents:
    """The good study as it comes back: its files know their digests."""
    files = tuple(one._replace(digest=sha256(one.content or b"").hexdigest()) for one in GOOD.files)
    return replace(GOOD, files=files)


def test_what_is_saved_comes_back() -> None:
    content = write_study(GOOD)
    assert read(content) == opened()
    assert write_study(read(content)) == content
    assert not read(content).by_this_version


def test_a_command_that_a_file_cannot_hold_is_left_out() -> None:
    table, figure = GOOD.tables[0], GOOD.figures[0]
    tables = (table._replace(commands=(("csv", "make tables"), *table.commands)),)
    pinned = replace(GOOD, tables=tables, figures=(replace(figure, command="cp a b; fairviz tradeoff"),))
    again = read(write_study(pinned))
    assert again.tables == GOOD.tables
    assert again.figures[0] == replace(figure, command="")


def test_shares_that_were_moved_often_can_be_saved() -> None:
    # Each share that would be zero stays a little above it: of 8 groups moved 20 times, 1e-5 in all.
    moved = PageSettings(targets={"edited-0-region-2": TargetSetting(weights=[0.25, 0.75001])})
    assert read(write_study(replace(GOOD, settings=moved))).settings == moved


def refusal(content: bytes) -> InputError | None:
    """Why a file is refused; None where it opens with all that it held."""
    try:
        assert read(content) == opened()
    except InputError as error:
        return error
    return None


def test_malformed_files_are_refused_in_one_line_or_open_with_all_they_held() -> None:
    told = [(fault, said, refusal(content)) for fault, content, said in malformed()]
    refused = [(fault, said, error) for fault, said, error in told if error is not None]
    assert [fault for fault, said, error in told if said and error is None] == []
    assert [(fault, str(error)) for fault, said, error in refused if said not in str(error)] == []
    for fault, _, error in refused:
        text = str(error)
        assert type(error) is InputError, fault
        assert text.startswith(f"{NAME}: "), fault
        assert "\n" not in text + error.fix, fault
        assert len(text) < 400, fault
        assert error.fix, fault
    assert len(refused) >= 250
    assert len(told) - len(refused) < 40


def test_an_archive_of_too_many_members_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_MEMBERS", 3)
    with pytest.raises(InputError, match="members, more than 3"):
        read(write_study(GOOD))


def test_a_newer_format_is_told_by_its_version() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study_file, "FORMAT", 3)
        newer = write_study(replace(GOOD, made_by={"fairviz": "9.0.0"}))
    with pytest.raises(
        InputError, match=r"by another fairviz \(9\.0\.0\), in format 3; this one reads formats up to 2"
    ):
        read(newer)


def test_an_older_format_opens() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study_file, "FORMAT", 1)
        older = write_study(GOOD)
    assert read(older).name == GOOD.name


def test_a_study_is_opened_alone(tmp_path: Path) -> None:
    path, run = tmp_path / NAME, tmp_path / "a.run"
    path.write_bytes(write_study(GOOD))
    run.write_text("q1 Q0 d1 1 2 one\n")
    assert alone([DataPath(run), DataPath(tmp_path)]) is None
    assert alone([DataPath(path)]) == Source(NAME, path)
    with pytest.raises(UsageError, match="open it alone"):
        alone([DataPath(run), DataPath(path)])
    other = tmp_path / "other.zip"
    other.write_bytes(archive({"a.run": run.read_bytes()}))
    assert alone([DataPath(other)]) is None


def test_numbers_that_differ_are_named() -> None:
    before = {"means": "system,AP,note\none,0.5,x\ntwo,0.25,x\n", "gone": "a\n1\n", "same": "a\n1\n"}
    now = {"means": "system,AP,note\none,0.5000000000000001,x\ntwo,0.75,x\n", "same": "a\n1\n"}
    found = differences(before, now)
    assert found.rows() == [
        ("means", "one · x", "AP", "0.5", "0.5000000000000001", True),
        ("means", "two · x", "AP", "0.25", "0.75", False),
        ("gone", "", "a", "1", None, False),
    ]
