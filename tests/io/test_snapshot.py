"""Shipped data as they were read: found again while nothing of them has changed, and nothing but nouns loaded."""

import os
import pickle
from collections.abc import Iterable
from dataclasses import fields
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

from fairviz.io import snapshot
from fairviz.io.dataset import load_dataset
from fairviz.io.snapshot import remembered
from fairviz.model import Dataset, GroupLabels

FILES = {
    "a.run": "q1 Q0 d1 1 2.5 a\nq1 Q0 d2 2 1.5 a\n",
    "a.qrels": "q1 0 d1 1\nq1 0 d2 0\n",
    "sex.tsv": "doc_id\tsex\nd1\tfemale\nd2\tmale\n",
}


class Reading:
    """Reads a folder, and counts how often."""

    def __init__(self) -> None:
        self.n = 0

    def __call__(self, folder: Path) -> Dataset:
        self.n += 1
        return load_dataset([str(folder / name) for name in FILES]).dataset


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of files, and a room of its own for what was read of them."""
    monkeypatch.setattr(snapshot, "_ROOM", tmp_path / "room")
    (tmp_path / "room").mkdir()
    (tmp_path / "files").mkdir()
    for name, text in FILES.items():
        (tmp_path / "files" / name).write_text(text, encoding="utf-8")
    return tmp_path / "files"


def kept(folder: Path) -> Path:
    return folder.parent / "room" / "__pycache__" / "one.nouns"


def arrays(noun: object) -> list[np.ndarray]:
    values = [getattr(noun, field.name) for field in fields(noun)]  # type: ignore[arg-type]
    return [value for value in values if isinstance(value, np.ndarray)]


def test_a_folder_is_read_once_while_nothing_changes(folder: Path) -> None:
    read = Reading()
    first, again = (remembered("one", (folder,), read) for _ in range(2))
    assert read.n == 1
    assert again.fingerprint == first.fingerprint
    assert again.runs[0].doc_ids == first.runs[0].doc_ids
    assert again.labels[0].groups == first.labels[0].groups
    assert np.array_equal(again.labels[0].weights.toarray(), first.labels[0].weights.toarray())
    for one, other in zip(arrays(first.runs[0]), arrays(again.runs[0]), strict=True):
        assert np.array_equal(one, other)
        assert one.dtype == other.dtype
        assert not other.flags.writeable
    (folder / "a.run").write_text(FILES["a.run"].replace("2.5", "3.5"), encoding="utf-8")
    assert remembered("one", (folder,), read).runs[0].scores[0] == 3.5
    assert read.n == 2


def test_labels_are_kept_as_arrays_and_are_a_matrix_again_when_it_is_asked_for() -> None:
    """Also where nobody has asked before they are kept once more."""
    rows = csr_array(np.array([[0.5, 0.25], [0.0, 0.0], [0.0, 1.0]]))
    labels = GroupLabels(attribute="side", groups=("l", "r"), doc_ids=("a", "b", "c"), weights=rows)
    once = pickle.dumps(labels)
    twice = pickle.dumps(pickle.loads(once))
    assert b"scipy" not in once
    for found in (pickle.loads(once), pickle.loads(twice)):
        assert [field.name for field in fields(found)] == [field.name for field in fields(labels)]
        assert "kept" not in repr(found)
        assert (found.attribute, found.groups, found.doc_ids, found.query_ids) == (
            "side",
            ("l", "r"),
            labels.doc_ids,
            None,
        )
        assert not hasattr(found, "matrix")
        assert found.weights is found.weights
        assert found.weights.shape == rows.shape
        for name in ("data", "indices", "indptr"):
            one, other = getattr(found.weights, name), getattr(rows, name)
            assert np.array_equal(one, other)
            assert one.dtype == other.dtype


def test_a_file_of_any_folder_that_is_read_counts(folder: Path, tmp_path: Path) -> None:
    read, other = Reading(), tmp_path / "other"
    other.mkdir()
    for text in ("one", "one", "two"):
        (other / "words").write_text(text, encoding="utf-8")
        remembered("one", (folder, other), read)
    assert read.n == 2


def test_changed_code_reads_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "_CODE", (folder.parent / "room",))
    read = Reading()
    for text in ("OLD = 1\n", "NEW = 1\n", "NEW = 1\n"):
        (folder.parent / "room" / "reader.py").write_text(text, encoding="utf-8")
        remembered("one", (folder,), read)
    assert read.n == 2


def put(folder: Path, content: bytes) -> None:
    """Another content in the snapshot, under its key, with the digest that makes it look whole."""
    key = kept(folder).read_bytes()[:32]
    kept(folder).write_bytes(key + sha256(content).digest() + content)


@pytest.mark.parametrize("damage", [b"", b"\x80", b"\xff" * 8 + b"x", (3).to_bytes(8, "little") + b"\x80\x05."])
def test_a_damaged_snapshot_is_none(folder: Path, damage: bytes) -> None:
    read = Reading()
    remembered("one", (folder,), read)
    put(folder, damage)
    assert remembered("one", (folder,), read).runs
    assert read.n == 2


def places(size: int) -> Iterable[int]:
    """Some bytes of a file: the first and the last of each part, and some within."""
    return {*range(0, size, max(1, size // 40)), 0, 31, 32, 63, 64, size - 1}


def test_a_snapshot_of_which_any_byte_is_another_is_none(folder: Path) -> None:
    read = Reading()
    remembered("one", (folder,), read)
    whole = kept(folder).read_bytes()
    changed = [whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :] for at in sorted(places(len(whole)))]
    for n, content in enumerate((*changed, whole[:-1]), 2):
        kept(folder).write_bytes(content)
        assert remembered("one", (folder,), read).runs[0].scores.tolist() == [2.5, 1.5]
        assert read.n == n


class Runs:
    """What would run a command where it is loaded."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("echo loaded > loaded",)


@pytest.mark.parametrize("other", [Runs(), snapshot.write_whole, os.getcwd, Path("x")])
def test_nothing_but_nouns_is_loaded(folder: Path, other: object) -> None:
    read = Reading()
    remembered("one", (folder,), read)
    nouns = pickle.dumps(other, protocol=5)
    put(folder, len(nouns).to_bytes(8, "little") + nouns)
    assert remembered("one", (folder,), read).runs
    assert read.n == 2
    assert not Path("loaded").exists()


def test_where_nothing_can_be_kept_the_files_are_read(folder: Path) -> None:
    (folder.parent / "room" / "__pycache__").write_text("no folder", encoding="utf-8")
    read = Reading()
    for _ in range(2):
        assert remembered("one", (folder,), read).runs
    assert read.n == 2
