"""Queries and rows side by side: parts that cover all of them in order, on any number of cores."""

import os
import threading
import time
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.material import random_qrels, random_run
from fairviz.kernels.attention import Attention, Discounted, TopK
from fairviz.kernels.compiled import THREADS, by_queries, n_threads, side_by_side
from fairviz.kernels.pool import pool
from fairviz.model import SCORE_SCALES, FloatArray, ScoreScale
from fairviz.model.arrays import frozen
from fairviz.policies import PlackettLuce
from fairviz.policies.arrivals import expected_exposure
from fairviz.policies.plackett_luce import seen_weights
from fairviz.stats import bootstrap
from fairviz.stats.bootstrap import bootstrap_intervals


@pytest.fixture(autouse=True)
def _four(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(THREADS, "4")


@given(st.lists(st.integers(0, 50), max_size=40), st.integers(1, 60))
def test_parts_hold_every_query_once_in_order(sizes: list[int], rows: int) -> None:
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    parts = by_queries(lambda first, last: list(range(first, last)), offsets, rows=rows)
    assert [query for part in parts for query in part] == list(range(len(sizes)))


def test_few_rows_stay_with_the_caller() -> None:
    offsets = np.array([0, 10, 1999])
    assert by_queries(lambda *_: threading.current_thread(), offsets) == [threading.current_thread()]


def test_parts_are_computed_by_threads_that_all_callers_share() -> None:
    offsets = np.arange(101) * 1000
    seen = {thread for _ in range(3) for thread in by_queries(lambda *_: threading.current_thread(), offsets)}
    assert 1 <= len(seen) <= 4
    assert all(thread.name.startswith("fairviz-core") for thread in seen)


def test_what_a_part_calls_does_not_wait_for_another_part() -> None:
    """Four threads whose parts all wait for parts of their own would wait forever."""
    offsets = np.arange(17) * 1000
    inner = by_queries(lambda *_: len(by_queries(lambda *_: 1, offsets)), offsets)
    assert inner == [1] * 16
    assert sum(by_queries(lambda *_: sum(side_by_side(abs, [1, 2])), offsets)) == 48


def test_an_error_of_a_part_is_the_callers() -> None:
    def refuse(first: int, _: int) -> int:
        raise ValueError(f"query {first}")

    with pytest.raises(ValueError, match="query 0"):
        by_queries(refuse, np.arange(17) * 1000)


def test_unlike_pieces_of_work_come_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first two wait for each other: one thread alone would stand still."""
    monkeypatch.setenv(THREADS, "2")
    both = threading.Barrier(2, timeout=10)

    def work(item: int) -> int:
        if item < 2:
            both.wait()
        return len(side_by_side(str, [item, item]))

    assert side_by_side(lambda item: (item, work(item)), range(9)) == [(item, 2) for item in range(9)]
    assert side_by_side(lambda _: threading.current_thread(), [1]) == [threading.current_thread()]


@pytest.mark.parametrize("first_fails", [True, False])
def test_the_error_of_the_first_item_that_has_one_is_raised_and_later_items_are_left(
    first_fails: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second item fails before the first is done: that one waits for it."""
    monkeypatch.setenv(THREADS, "2")
    second_began = threading.Event()
    begun: list[int] = []

    def work(item: int) -> None:
        begun.append(item)
        if item == 0:
            assert second_began.wait(10)
        second_began.set()
        if item == 1 or (item == 0 and first_fails):
            raise ValueError(f"item {item}")
        time.sleep(0.05)

    with pytest.raises(ValueError, match="item 0" if first_fails else "item 1"):
        side_by_side(work, range(100))
    assert {0, 1} <= {*begun}
    assert len(begun) < 50


@pytest.mark.parametrize(("said", "threads"), [("1", 1), ("3", 3), ("0", None), ("many", None), ("", None)])
def test_the_environment_says_how_many_cores(said: str, threads: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(THREADS, said)
    assert n_threads() == (threads or n_threads())
    assert n_threads() <= (threads or os.cpu_count() or 1)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_process_computes_on_threads_of_its_own() -> None:
    offsets = np.arange(17) * 1000
    by_queries(lambda *_: None, offsets)  # the parent has its pool
    child = os.fork()
    if child == 0:
        os._exit(len(by_queries(lambda *_: None, offsets)))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 16


@pytest.mark.parametrize("attention", [TopK(5), Discounted()], ids=["few ranks", "many ranks"])
def test_exposure_of_a_query_is_the_same_bits_whatever_is_computed_with_it(attention: Attention) -> None:
    """Lists of 1 to 120 items, some of them unranked, some tied, one gap that nobody crosses."""
    rng = np.random.default_rng(0)
    sizes = rng.integers(1, 120, size=60)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    gaps = rng.exponential(0.3, size=offsets[-1]) * rng.integers(0, 2, size=offsets[-1])
    gaps[offsets[7] + 1] = 400.0
    lengths = np.maximum(sizes - rng.integers(0, 3, size=60), 1)
    frozen(lengths)  # as those of pools are: for other arrays the kernel is compiled anew
    weights = seen_weights(attention.weights(120))

    def of_queries(first: int, last: int) -> FloatArray:
        rows, own = slice(offsets[first], offsets[last]), offsets[first : last + 1] - offsets[first]
        return expected_exposure(gaps[rows], own, lengths[first:last], weights)

    parts = [of_queries(first, last) for first, last in pairwise([0, 1, 7, 8, 33, 60])]
    assert np.concatenate(parts).tobytes() == of_queries(0, 60).tobytes()


@pytest.mark.parametrize("attention", [TopK(5), Discounted()], ids=["few ranks", "many ranks"])
@pytest.mark.parametrize("scores", SCORE_SCALES)
def test_policies_are_the_same_bits_on_one_core(
    scores: ScoreScale, attention: Attention, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lists of 0 to 100 items, some scores tied, among judged items that were not ranked."""
    whole = random_run(n_queries=90, n_items=100)
    rng = np.random.default_rng(0)
    lengths = rng.integers(0, 101, size=90) * (rng.random(90) < 0.9)
    kept = np.concatenate([np.arange(start, start + n) for start, n in zip(range(0, 9000, 100), lengths, strict=True)])
    run = replace(
        whole,
        offsets=np.concatenate([[0], np.cumsum(lengths)]),
        docs=whole.docs[kept],
        scores=whole.scores[kept].round(1),
    )
    pools = pool(run, random_qrels(whole))
    assert (pools.n_retrieved < pools.sizes).any()
    spread = PlackettLuce(2.0, scores=scores).exposure(pools, attention)
    monkeypatch.setenv(THREADS, "1")
    assert spread.tobytes() == PlackettLuce(2.0, scores=scores).exposure(pools, attention).tobytes()


def test_intervals_are_the_same_bits_on_one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "BLOCK", 10_000)
    rows = [np.random.default_rng(0).random(70), np.random.default_rng(1).random(30)]
    spread = bootstrap_intervals(rows, seed=1)
    monkeypatch.setenv(THREADS, "1")
    assert bootstrap_intervals(rows, seed=1) == spread
