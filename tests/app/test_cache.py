"""The one cache of the pages: what is shared, what is private, and what an upload must not touch."""

import gc
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from fairviz.model import Dataset
from pages._kit import session
from pages._kit.cache import _NONE, RESULTS, Results, cached
from pages._kit.turns import Session
from tests.app.conftest import OpenPage
from tests.app.reading import GROUPS, QRELS, RUN, of_files
from tests.app.test_shell import PAGES

CALLS: list[tuple[str, tuple[object, ...]]] = []


@cached
def lengths(loaded: Dataset, k: int, *, scale: float = 1.0) -> list[float]:
    CALLS.append((loaded.name, (k, scale)))
    return [k * scale * len(run.query_ids) for run in loaded.runs]


@pytest.fixture(autouse=True)
def _fresh() -> None:
    CALLS.clear()
    RESULTS.clear()


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> Dataset:
    """Data that stand for the example, whose results all sessions share."""
    monkeypatch.setattr("pages._kit.cache.is_shipped", lambda _: True)
    return of_files(run=RUN)


def test_a_result_is_computed_once_and_not_copied(loaded: Dataset) -> None:
    assert lengths(loaded, 2) is lengths(loaded, 2)
    assert CALLS == [("Small", (2, 1.0))]


def test_a_call_has_one_key_however_it_is_written(loaded: Dataset) -> None:
    assert lengths(loaded, 2) is lengths(loaded, k=2) is lengths(loaded, 2, scale=1.0)
    assert lengths(loaded, 2, scale=2.0) == [12.0]
    assert len(CALLS) == 2


def test_other_files_have_other_results(loaded: Dataset) -> None:
    assert lengths(loaded, 2) is not lengths(of_files(run=RUN, qrels=QRELS), 2)
    assert len(CALLS) == 2


def test_together_results_take_so_many_bytes_whosever_they_are(loaded: Dataset) -> None:
    """Three results of 8,000 bytes and a little in room for two: what was asked for longest ago goes."""
    results, session = Results(20_000), Session()
    owner = results.owner(session)
    for of, key in ((None, "a"), (owner, "b")):
        assert results.compute(of, key, lambda: np.zeros(1000), loaded) is results.find(of, key)
    results.find(None, "a")
    results.compute(None, "c", lambda: np.zeros(1000), loaded)
    assert [results.find(of, key) is _NONE for of, key in ((None, "a"), (owner, "b"), (None, "c"))] == [0, 1, 0]
    assert 16_000 <= results.held <= 20_000
    assert len(results.compute(None, "d", lambda: np.zeros(3000), loaded)) == 3000
    assert results.find(None, "d") is _NONE, "larger than all the room there is"
    assert results.find(None, "a") is not _NONE


def test_what_results_share_with_the_data_is_not_counted_again(loaded: Dataset) -> None:
    results = Results(100_000)
    results.compute(None, "ids", lambda: (loaded.runs[0].doc_ids, np.zeros(10)), loaded)
    assert results.held < 300


def test_results_of_a_session_end_with_it(loaded: Dataset) -> None:
    results, session = Results(20_000), Session()
    owner = results.owner(session)
    results.compute(owner, "a", lambda: np.zeros(1000), loaded)
    results.compute(None, "b", lambda: np.zeros(1000), loaded)
    del session
    gc.collect()
    assert results.find(owner, "a") is _NONE
    assert results.find(None, "b") is not _NONE
    assert results.held < 10_000


def test_who_wants_the_same_at_the_same_time_waits_for_it(loaded: Dataset) -> None:
    results, begun, calls = Results(20_000), Barrier(2), list[int]()

    def compute() -> int:
        begun.wait(20)
        calls.append(1)
        return 7

    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(results.compute, None, "a", compute, loaded)
        begun.wait(20)
        second = threads.submit(results.compute, None, "a", compute, loaded)
        assert first.result(20) == second.result(20) == 7
    assert calls == [1]


def test_a_computation_that_fails_leaves_nothing_and_bars_nobody(loaded: Dataset) -> None:
    results = Results(20_000)
    with pytest.raises(ZeroDivisionError):
        results.compute(None, "a", lambda: 1 // 0, loaded)
    assert results.compute(None, "a", lambda: 7, loaded) == 7


def test_results_of_an_upload_stay_in_their_session(monkeypatch: pytest.MonkeyPatch) -> None:
    def script() -> None:
        from tests.app.reading import RUN, of_files
        from tests.app.test_cache import lengths

        lengths(of_files(run=RUN), 2)

    at = AppTest.from_function(script).run().run()
    assert not at.exception
    assert len(CALLS) == 1
    monkeypatch.setattr("pages._kit.cache.is_shipped", lambda _: True)
    lengths(of_files(run=RUN), 2)
    assert len(CALLS) == 2, "what all sessions share has it not"


def test_only_what_was_read_as_the_example_is_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "_SHIPPED", set[str]())
    upload = of_files(run=RUN)
    monkeypatch.setattr(session, "shipped_example", lambda: replace(upload, name="Example"))
    assert not session.is_shipped(upload)
    assert session.is_shipped(session.example())


@pytest.mark.parametrize("page", PAGES)
def test_an_upload_alone_does_not_read_the_example(
    app_test: OpenPage, page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def shipped_example() -> Dataset:
        raise AssertionError("the example was read")

    monkeypatch.setattr(session, "shipped_example", shipped_example)
    app_test(page, dataset=of_files(run=RUN, qrels=QRELS, groups=GROUPS))
