"""Work on the next pieces of a file while this one is looked at, in order."""

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from fairviz.errors import InputError

T = TypeVar("T")
R = TypeVar("R")

MAX_THREADS = 8


def work_ahead(work: Callable[[T], R], items: Iterable[T]) -> Generator[tuple[T, R], None, None]:
    """Items with their results, in order; a few of them at work at any time.

    Threads help where ``work`` gives up the interpreter's lock, as Arrow's parser does.

    Args:
        work: What to do with each; called from several threads.
        items: Taken one by one as room comes free, by the caller's thread.

    Yields:
        Each item and its result.

    Raises:
        InputError: ``items`` ended in one; whatever came before is yielded first, so that the
            fault on the earliest line is the one that is told.
    """
    n_threads = min(os.cpu_count() or 1, MAX_THREADS)
    waiting: deque[tuple[T, Future[R]]] = deque()
    held: InputError | None = None
    with ThreadPoolExecutor(n_threads) as threads:
        try:
            for item in items:
                waiting.append((item, threads.submit(work, item)))
                if len(waiting) > n_threads:
                    first, result = waiting.popleft()
                    yield first, result.result()
        except InputError as error:
            held = error
        while waiting:
            first, result = waiting.popleft()
            yield first, result.result()
    if held is not None:
        raise held
