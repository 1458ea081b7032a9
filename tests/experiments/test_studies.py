"""A run in a process of its own: what is known of it is in its folder."""

import os
from pathlib import Path

import polars as pl
import pytest

from fairviz.errors import UsageError
from fairviz.experiments.bill import REQUESTS, Bill, charges_of
from fairviz.experiments.runner import LOCK, STORE
from fairviz.experiments.store import Store
from fairviz.experiments.studies import LOGS, KeptStudy, State, stage, state
from fairviz.io.manifest import MANIFEST, facts_of, manifest_text
from fairviz.io.whole import holder, sole_writer


def test_nothing_is_known_of_a_folder_that_is_not_there(tmp_path: Path) -> None:
    now = state(tmp_path / "none")
    assert now == State(None, 0, False, ())
    assert not now.running
    assert KeptStudy("none", tmp_path / "none").stop()


def test_who_holds_the_folder_is_at_work(tmp_path: Path) -> None:
    study = KeptStudy("x", tmp_path)
    study.results.mkdir()
    with sole_writer(study.results / LOCK, "x"):
        assert state(study.results).process == os.getpid()
        with pytest.raises(UsageError, match="running already"):
            study.start()
    assert holder(study.results / LOCK) is None


def test_answers_results_and_log(tmp_path: Path) -> None:
    store = Store(tmp_path / STORE)
    store.put("k", model="m", answer="A", facts={})
    (tmp_path / LOGS["pilot"]).write_text("one\n\ntwo\n")
    (tmp_path / "a.run").write_bytes(b"x")
    (tmp_path / MANIFEST).write_text(manifest_text({"a.run": facts_of(b"x")}, inputs=[], configuration={}))
    assert state(tmp_path) == State(None, 1, True, ("one", "two"), "pilot")
    (tmp_path / "a.run").write_bytes(b"y")
    assert not state(tmp_path).finished


def test_a_pilot_without_an_answer_ends_with_an_error_that_is_its_own(tmp_path: Path) -> None:
    (tmp_path / LOGS["pilot"]).write_text("20 without an answer: busy\nerror: x.toml: pilot: 20 of 20\n")
    now = state(tmp_path)
    assert now.errors == now.log
    assert stage(now, bill(0))[0] == "The last pilot stopped with an error"


def bill(n: int) -> Bill:
    rows = [("answer", "m", False, place < n, 4, None, None, None, None) for place in range(9)]
    return Bill(charges_of(pl.DataFrame(rows, REQUESTS, orient="row"), {}), (), ())
