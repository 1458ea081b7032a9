"""Work ahead in threads: order, how far ahead, errors at their place."""

import os
from collections.abc import Iterator

import pytest

from fairviz.errors import InputError
from fairviz.io import text
from fairviz.io.text import work_ahead


def test_results_come_in_order_with_their_items() -> None:
    assert list(work_ahead(lambda n: n * n, range(50))) == [(n, n * n) for n in range(50)]
    assert list(work_ahead(lambda n: n, [])) == []


def test_only_a_few_items_are_taken_before_they_are_asked_for() -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for n in range(100):
            taken.append(n)
            yield n

    results = work_ahead(lambda n: n, items())
    next(results)
    assert len(taken) <= min(os.cpu_count() or 1, text.MAX_THREADS) + 1
    results.close()


def test_an_unreadable_item_is_told_after_those_before_it() -> None:
    def items() -> Iterator[int]:
        yield from range(3)
        raise InputError("broken", file="a", line=9)

    seen: list[int] = []
    with pytest.raises(InputError, match="a:9: broken"):
        seen.extend(n for n, _ in work_ahead(lambda n: n, items()))
    results = work_ahead(lambda n: n, items())
    assert [next(results)[0] for _ in range(3)] == [0, 1, 2]
    results.close()  # left to the garbage collector it may be closed by a thread that it waits for


def test_an_error_at_work_is_raised_at_its_place() -> None:
    results = work_ahead(lambda n: 1 // (3 - n), range(6))
    assert [next(results)[1] for _ in range(3)] == [0, 0, 1]
    with pytest.raises(ZeroDivisionError):
        next(results)
    results.close()
