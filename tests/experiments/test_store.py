"""The file of answers: whole whenever it is stopped, and one line where it cannot be used."""

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from fairviz.errors import OutputError
from fairviz.experiments.store import Store
from tests.full_disk import files_of_at_most


def stored(path: Path, *keys: str) -> Store:
    store = Store(path)
    for key in keys:
        store.put(key, model="m", answer=f"answer {key}", facts={"finish_reason": "stop"})
    return store


def test_the_first_answer_to_a_request_stays_whatever_a_stopped_maker_left(tmp_path: Path) -> None:
    (tmp_path / "a.sqlite").touch()
    store = stored(tmp_path / "a.sqlite", "k")
    store.put("k", model="m", answer="another", facts={})
    assert store.answers(["k", "other"]) == {"k": "answer k"}
    assert store.facts(["k"]) == {"k": {"finish_reason": "stop"}}
    assert store.n_answers() == 1


def test_many_keys_are_looked_up_at_once(tmp_path: Path) -> None:
    keys = [str(number) for number in range(1201)]
    store = stored(tmp_path / "a.sqlite", "7", "1200")
    assert store.answers(iter(keys)) == {"7": "answer 7", "1200": "answer 1200"}


def test_arrays_are_kept_as_single_precision(tmp_path: Path) -> None:
    store = Store(tmp_path / "a.sqlite")
    store.keep({"a": np.array([1.5, 0.1])})
    store.close()
    kept = Store(tmp_path / "a.sqlite").arrays(["a", "b"])
    assert {key: array.tolist() for key, array in kept.items()} == {"a": [1.5, float(np.float32(0.1))]}


def test_to_look_makes_no_file(tmp_path: Path) -> None:
    store = Store(tmp_path / "a.sqlite")
    assert (store.answers(["k"]), store.arrays(["k"]), store.n_answers()) == ({}, {}, 0)
    assert list(tmp_path.iterdir()) == []


def test_others_may_read_while_one_writes(tmp_path: Path) -> None:
    writer = stored(tmp_path / "a.sqlite", "k")
    assert Store(tmp_path / "a.sqlite").answers(["k"]) == {"k": "answer k"}
    writer.put("l", model="m", answer="B", facts={})
    assert Store(tmp_path / "a.sqlite").n_answers() == 2


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    store = stored(tmp_path / "a.sqlite", "k")
    text = "a long answer " * 1000
    counted = ["k"]

    def fill() -> None:
        for number in range(100):
            store.put(str(number), model="m", answer=text, facts={})
            counted.append(str(number))

    with files_of_at_most(200_000), pytest.raises(OutputError) as caught:
        fill()
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(f"{tmp_path}/a.sqlite: cannot be used (")
    assert caught.value.fix.startswith("Make room and run it again: what is stored stays")
    store.close()
    again = Store(tmp_path / "a.sqlite")
    assert set(again.answers(counted)) == set(counted)
    assert 5 < again.n_answers() == len(counted)
    again.put("room", model="m", answer=text, facts={})
    assert again.answers(["k", "room"]) == {"k": "answer k", "room": text}


def test_a_file_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with closing(sqlite3.connect(path)) as other:
        other.execute("create table bookmarks (url text)")
        other.execute("pragma user_version = 1")
    before = path.read_bytes()
    with pytest.raises(OutputError, match=r"a\.sqlite: cannot be used \(it is of another program\)") as caught:
        Store(path).answers(["k"])
    assert caught.value.fix.startswith("Move it away")
    assert path.read_bytes() == before


def test_a_store_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    stored(path, "k").close()
    with closing(sqlite3.connect(path)) as newer:
        newer.execute("pragma user_version = 2")
    with pytest.raises(OutputError, match=r"version 2 of the store; this fairviz reads version 1") as caught:
        stored(path, "l")
    assert caught.value.fix == "Use the fairviz that made it, or name another folder."


@pytest.mark.parametrize("damage", [b"<html>" * 50, None], ids=["no database", "broken pages"])
def test_a_damaged_store_is_told(damage: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    store = stored(path)
    for key in map(str, range(20)):
        store.put(key, model="m", answer=key * 1000, facts={})
    store.close()
    path.write_bytes(damage or path.read_bytes()[:4096] + b"\xff" * 4096 * 8)
    with pytest.raises(OutputError, match=r"a\.sqlite: cannot be used \((file is not a|database disk image)") as caught:
        Store(path).answers(map(str, range(20)))
    assert caught.value.fix.startswith("Move it away")


def test_its_folder_is_made_or_told(tmp_path: Path) -> None:
    assert stored(tmp_path / "new" / "a.sqlite", "k").n_answers() == 1
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match=r"a\.sqlite: cannot be used \(File exists\)") as caught:
        stored(tmp_path / "file" / "a.sqlite", "k")
    assert caught.value.fix == "Check that it may be written."
    (tmp_path / "b.sqlite").mkdir()
    with pytest.raises(OutputError, match=r"b\.sqlite: cannot be used \(unable to open"):
        Store(tmp_path / "b.sqlite").answers(["k"])
