"""What stays of an upload, and what it takes of memory: nouns, lines of what was refused, a card for every failure."""

import gzip
import re
import tomllib
from pathlib import Path
from unittest.mock import patch

import polars as pl
import pytest
import streamlit as st

from fairviz.cli.main import main
from fairviz.errors import InputError
from fairviz.io import dataset
from fairviz.io.formats import FORMATS
from fairviz.io.limits import MAX_UPLOAD
from fairviz.io.rankings import read_run
from fairviz.io.source import Source
from pages._kit import uploads
from pages._kit.uploads import MB, MEMORY, is_reading, reading, text_size
from tests.app.conftest import OpenPage
from tests.app.reading import GROUPS, QRELS, RUN, markup, title, words
from tests.app.test_data import BAD_RUN, change_type, remove, upload
from tests.dashboard import ROOT

SAMPLES = "q1 a d1 1 3 sysA\nq1 b d2 1 2 sysA\nq1 a d3 2 1 sysA\n"
"""Sampled rankings, or a run whose second column means nothing."""


def test_a_refused_file_keeps_the_lines_around_the_fault_alone(app_test: OpenPage) -> None:
    at = upload(app_test("data"), bad_run=BAD_RUN + "q2 Q0 d9 9 0.5 sysA\n" * 1000)
    (refused,) = at.session_state["refused"]
    kept = [refused.name, refused.digest, *refused.lines.values(), str(refused.error)]
    assert sum(len(text) for text in kept) < 400
    assert not [name for name in refused.__slots__ if isinstance(getattr(refused, name), bytes)]
    error = refused.error
    assert (error.__traceback__, error.__cause__, error.__context__) == (None, None, None), "it holds what was read"


def test_a_refused_file_is_read_as_chosen_when_it_is_added_again(app_test: OpenPage) -> None:
    text = "query_id\tdoc_id\tregion\nq1\td1\tasia\nq1\td1\teurope\n"  # two labels: an error, or halves
    at = upload(app_test("data"), my_tsv=text)
    assert "1 file needs a fix" in words(at)
    change_type(at, "my.tsv", kind="group labels", labels="counts half for each")
    assert "Add my.tsv again" in words(at)
    upload(at, my_tsv=text)
    assert "1 file loaded" in words(at)
    assert "Add my.tsv again" not in words(at)
    assert at.session_state["uploads"]["my.tsv"].options.labels == "split"


def test_a_large_file_is_kept_compressed_and_read_otherwise(
    app_test: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "KEPT", len(QRELS))
    long = SAMPLES + "".join(f"q{i} a d1 1 3 sysA\n" for i in range(2, 40))
    at = upload(app_test("data"), my_run=long, my_qrels=QRELS)
    kept = at.session_state["uploads"]
    assert len(kept["my.run"].source.content) < len(long) / 2
    assert kept["my.run"].content == long.encode()
    assert kept["my.qrels"].source.content == kept["my.qrels"].content == QRELS.encode()
    assert "39 queries · 40 rankings" in words(at), "column 2 differs within a query"
    change_type(at, "my.run", samples="no")
    assert "39 queries · 41 rows" in words(at)
    assert not [box for box in at.selectbox if box.key == "kind-my.run"], "it is shut once it was read"
    assert at.session_state["uploads"]["my.run"].content == long.encode()
    assert "2 files loaded" in words(at)


def test_a_file_that_cannot_be_read_otherwise_stays_as_it_was(app_test: OpenPage) -> None:
    at = upload(app_test("data"), my_run=RUN, my_qrels=QRELS)
    change_type(at, "my.run", kind="judgements (qrels)")
    assert "1 file needs a fix" in words(at)
    assert "my.run stays loaded as it was read before." in words(at)
    assert title(at) == "2 of 3 queries can be evaluated"


class StrangeError(InputError):
    """An error that a reader may invent."""


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (StrangeError("odd", file="my.run", line=2, fix="Even it out."), "my.run, line 2: odd"),
        (ZeroDivisionError("by hand"), "my.run: this is a fault in fairviz, not in your data: ZeroDivisionError"),
        (MemoryError(), "my.run: the server's memory ended"),
    ],
)
def test_every_failure_of_a_reader_is_a_card_and_the_other_files_are_read(
    app_test: OpenPage, error: Exception, said: str
) -> None:
    file_parts = dataset.file_parts

    def fail(file: Source, loaded: object, options: object) -> object:
        if file.name == "my.run":
            raise error
        return file_parts(file, loaded, options)  # type: ignore[arg-type]

    at = app_test("data")
    with patch.object(dataset, "file_parts", fail):
        upload(at, my_run=RUN, my_qrels=QRELS)
    assert said in words(at)
    assert "To fix:" in words(at)
    assert "1 file loaded, 1 not" in words(at)


def test_a_full_session_says_so_on_the_card_and_a_removed_file_makes_room(
    app_test: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = round(len(RUN) * uploads.MEMORY["run"]["kept"])
    monkeypatch.setattr(uploads, "MB", 2 * kept)
    monkeypatch.setenv("FAIRVIZ_SESSION_MEMORY", "1")
    at = upload(app_test("data"), my_run=RUN)
    assert [upload.memory for upload in at.session_state["uploads"].values()] == [kept]
    other = RUN.replace("sysA", "sysB") + "".join(f"q3 Q0 e{i} 9 0.1 sysB\n" for i in range(300))
    upload(at, other_run=other)
    assert "other.run: no room for it in this session" in words(at)
    remove(at, "my.run")
    upload(at, other_run=RUN.replace("sysA", "sysB"))
    assert list(at.session_state["uploads"]) == ["other.run"]


def test_a_second_target_takes_the_place_of_the_first(app_test: OpenPage) -> None:
    at = upload(app_test("data"), my_run=RUN, my_json='{"asia": 1}', other_json='{"europe": 1}')
    assert list(at.session_state["uploads"]) == ["my.run", "other.json"]
    assert "2 files loaded" in words(at)


def test_streamlits_copy_of_a_file_goes_as_soon_as_it_is_read(
    app_test: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    left: list[int] = []
    let_go = uploads._let_go

    def watched(file: object) -> None:
        let_go(file)  # type: ignore[arg-type]
        manager = uploads.get_script_run_ctx().uploaded_file_mgr  # type: ignore[union-attr]
        left.append(sum(stat.byte_length for family in manager.get_stats().values() for stat in family))

    monkeypatch.setattr(uploads, "_let_go", watched)
    upload(app_test("data"), my_run=RUN, bad_run=BAD_RUN, my_tsv=GROUPS)
    assert left == [len(BAD_RUN) + len(GROUPS), len(GROUPS), 0]


def test_reading_says_which_file_it_is_at(app_test: OpenPage, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, str, int]] = []
    receive = uploads.receive
    monkeypatch.setattr(uploads, "receive", lambda files, _, study: receive(files, lambda *at: seen.append(at), study))
    at = upload(app_test("data"), my_run=RUN, my_qrels=QRELS)
    assert "2 files loaded" in words(at)
    assert seen == [(1, "my.run", len(RUN)), (2, "my.qrels", len(QRELS))]


def test_a_converted_run_is_read_on_data(app_test: OpenPage, tmp_path: Path) -> None:
    (tmp_path / "my.run").write_text(RUN)
    assert main(["convert", str(tmp_path / "my.run"), "--output", str(tmp_path / "my.parquet")]) == 0
    at = upload(app_test("data"), my_parquet=(tmp_path / "my.parquet").read_bytes())
    (run,) = at.session_state["dataset"].runs
    assert run.query_ids == read_run(("my.run", RUN.encode())).value.query_ids
    assert "Parquet run" in words(at)


def test_a_faulty_row_of_a_parquet_file_is_shown_between_its_neighbours(app_test: OpenPage, tmp_path: Path) -> None:
    rows = {"query_id": ["q1"] * 4, "doc_id": ["a", "b", "c", "d"], "score": ["4", "3", "x", "1"]}
    pl.DataFrame(rows).write_parquet(tmp_path / "my.parquet")
    at = upload(app_test("data"), my_parquet=(tmp_path / "my.parquet").read_bytes())
    (refused,) = at.session_state["refused"]
    assert [*refused.lines] == [1, 2, 3]
    assert '"doc_id": "c"' in refused.lines[2]
    assert "not read: row 2" in words(at)
    assert '<div class="fv-bad"><span class="fv-line">2</span>' in markup(at)


def test_a_run_that_was_renamed_goes_with_its_file(app_test: OpenPage) -> None:
    """Two runs of one tag are named by their files; without the first one, the second has the tag again."""
    at = upload(app_test("data"), one_run=RUN, two_run=RUN.replace("0.1", "0.2") + "q3 Q0 e 1 1 sysA\n")
    assert [run.system for run in at.session_state["dataset"].runs] == ["one", "two"]
    remove(at, "one.run")
    assert [(run.system, len(run.query_ids)) for run in at.session_state["dataset"].runs] == [("sysA", 3)]
    assert list(at.session_state["uploads"]) == ["two.run"]


# What files take of memory: refused before they are read, by a factor of their kind.


def test_what_a_session_keeps_is_its_text_times_the_factor_of_its_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Source("my.qrels", None, QRELS.encode())
    for role in (None, "qrels"):
        with reading(source, role, 0) as kept:
            assert is_reading()
            assert kept == round(len(QRELS) * MEMORY["qrels"]["kept"])
        assert not is_reading()
    monkeypatch.setenv("FAIRVIZ_SESSION_MEMORY", "3")
    with pytest.raises(InputError) as refused, reading(source, None, 3 * MB):
        pass
    assert "it takes 1 MB, your files take 3 MB, and a session may hold 3 MB" in str(refused.value)
    assert "Remove a file" in refused.value.fix
    with pytest.raises(ZeroDivisionError), reading(source, None, 0):
        _ = 1 / 0
    assert not is_reading()


def test_a_packed_file_counts_as_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    text = QRELS.encode() * 40_000
    packed = Source("my.qrels.gz", None, gzip.compress(text))
    halves = Source("my.qrels.gz", None, gzip.compress(text[:20]) + gzip.compress(text[20:]))
    assert text_size(packed) == text_size(halves) == len(text)
    monkeypatch.setattr(st, "get_option", {"server.maxUploadSize": len(text) // MB}.get)
    with pytest.raises(InputError, match=r"its text takes 2 MB, and a file that is added here may hold 1 MB"):
        reading(packed, None, 0).__enter__()


def test_the_factors_that_people_read_are_those_that_count() -> None:
    """The table of the how-to, as the benchmark measured it."""
    text = (ROOT / "docs" / "how-to" / "hosting.md").read_text(encoding="utf-8")
    said = {
        role: (float(peak), float(kept))
        for roles, peak, kept in re.findall(r"^\| [^|]*\(([a-z, -]+)\) \| ([\d.]+) \| ([\d.]+) \|$", text, re.MULTILINE)
        for role in roles.split(", ")
    }
    assert said == {role: (factor["peak"], factor["kept"]) for role, factor in MEMORY.items()}
    assert MEMORY.keys() == {each.role for each in FORMATS}, "any of them may be added"
    assert uploads.SESSION_DEFAULT == 1024
    assert "may keep: 1,024" in text


def test_the_largest_upload_is_one_number(app_test: OpenPage) -> None:
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert settings["server"]["maxUploadSize"] * MB == MAX_UPLOAD
    said = words(app_test("data"))
    assert said.count(f"Up to {MAX_UPLOAD // MB} MB") == 1
