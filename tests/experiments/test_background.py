"""A run in a process of its own: what is known of it is in its folder."""

import os
from pathlib import Path

import polars as pl
import pytest

from fairviz.errors import UsageError
from fairviz.experiments import background
from fairviz.experiments.bill import REQUESTS, Bill, charges_of
from fairviz.experiments.runner import LOCK, STORE
from fairviz.experiments.store import Store
from fairviz.io.manifest import MANIFEST, facts_of, manifest_text
from fairviz.io.whole import holder, sole_writer


def test_nothing_is_known_of_a_folder_that_is_not_there(tmp_path: Path) -> None:
    state = background.state(tmp_path / "none")
    assert state == background.State(None, 0, False, ())
    assert not state.running
    assert background.stop(tmp_path / "none")


def test_who_holds_the_folder_is_at_work(tmp_path: Path) -> None:
    with sole_writer(tmp_path / LOCK, "x"):
        assert background.state(tmp_path).process == os.getpid()
        with pytest.raises(UsageError, match="running already"):
            background.start(tmp_path / "x.toml", tmp_path)
    assert holder(tmp_path / LOCK) is None


def test_answers_results_and_log(tmp_path: Path) -> None:
    store = Store(tmp_path / STORE)
    store.put("k", model="m", answer="A", facts={})
    (tmp_path / background.LOGS["pilot"]).write_text("one\n\ntwo\n")
    (tmp_path / "a.run").write_bytes(b"x")
    (tmp_path / MANIFEST).write_text(manifest_text({"a.run": facts_of(b"x")}, inputs=[], configuration={}))
    assert background.state(tmp_path) == background.State(None, 1, True, ("one", "two"), "pilot")
    (tmp_path / "a.run").write_bytes(b"y")
    assert not background.state(tmp_path).finished


def test_a_pilot_without_an_answer_ends_with_an_error_that_is_its_own(tmp_path: Path) -> None:
    (tmp_path / background.LOGS["pilot"]).write_text("20 without an answer: busy\nerror: x.toml: pilot: 20 of 20\n")
    state = background.state(tmp_path)
    assert state.errors == state.log
    assert background.stage(state, bill(0))[0] == "The last pilot stopped with an error"


def bill(n: int) -> Bill:
    rows = [("answer", "m", False, place < n, 4, None, None, None, None) for place in range(9)]
    return Bill(charges_of(pl.DataFrame(rows, REQUESTS, orient="row"), {}), (), ())
