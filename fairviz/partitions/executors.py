"""Who does the work: this process, several, or a cluster of Dask; all behind one function.

A worker that dies takes its tasks with it and nothing else: they are done again. What a task gives depends on the task
alone, so neither the number of workers nor their order changes a result.
"""

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import Protocol, TypeVar

from fairviz.errors import FairvizError, UsageError
from fairviz.extras import optional

T = TypeVar("T")
R = TypeVar("R")

AHEAD = 2
"""Tasks that are sent to each worker before their results are asked for."""
DEATHS = 3
"""How often workers may die before the work is given up."""


class Work(Protocol):
    """Applies a function to tasks, in their order."""

    @property
    def n_workers(self) -> int:
        """How many tasks are done at a time."""
        ...

    def results(self, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
        """The results, in the order of the tasks, each when it and those before it are there."""
        ...


class Alone:
    """This process does the tasks, one after the other."""

    n_workers = 1

    def results(self, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
        """The results, each when it is asked for."""
        return map(function, tasks)


class Together:
    """An executor does the tasks; it is made anew where its processes died.

    Args:
        executor: Makes one.
        n_workers: How many tasks it does at a time.
    """

    def __init__(self, executor: Callable[[], Executor], n_workers: int) -> None:
        self.n_workers = n_workers
        self._make = executor
        self._executor = executor()

    def results(self, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
        """The results in order; few tasks are on their way at any time, since each may hold a range of a file.

        Raises:
            FairvizError: Workers die again and again.
        """
        sent: deque[Future[R]] = deque()
        try:
            yield from self._in_order(function, iter(tasks), sent)
        finally:
            for future in sent:  # nobody asks for them: an error was met
                future.cancel()

    def _in_order(self, function: Callable[[T], R], rest: Iterator[T], sent: deque[Future[R]]) -> Iterator[R]:
        waiting: deque[T] = deque()
        deaths = 0
        while True:
            waiting.extend(islice(rest, AHEAD * self.n_workers - len(waiting)))
            if not waiting:
                return
            try:
                for task in islice(waiting, len(sent), None):
                    sent.append(self._executor.submit(function, task))
                result = sent[0].result()
            except BrokenProcessPool as error:  # also of an executor that takes no more tasks
                deaths += 1
                if deaths > DEATHS:
                    reason = f"worker processes died {deaths} times, perhaps for want of memory"
                    raise FairvizError(f"{reason}: give fewer --workers") from error
                self.close()
                self._executor = self._make()
                sent.clear()
                continue
            waiting.popleft()
            sent.popleft()
            yield result

    def close(self) -> None:
        """Let the workers go."""
        self._executor.shutdown()


def _end_with_parent() -> None:
    """In a worker: leave when the process that started it is gone; one that is killed lets nobody go."""
    parent = parent_process()
    if parent is None:
        return

    def wait() -> None:
        parent.join()
        os._exit(1)

    Thread(target=wait, daemon=True).start()


@contextmanager
def workers(n: int = 1, *, dask: str | None = None) -> Generator[Work, None, None]:
    """Whoever does the work, for as long as the ``with`` block lasts.

    Args:
        n: Processes on this machine; 1 = this one.
        dask: Address of a scheduler of Dask, whose workers do it instead.

    Raises:
        UsageError: Dask is not installed, or nothing answers there.
    """
    if dask is None and n == 1:
        yield Alone()
        return
    if dask is None:
        # Threads of this process may hold locks that a forked one would wait for: each is started afresh.
        spawn = get_context("spawn")
        here = Together(lambda: ProcessPoolExecutor(n, mp_context=spawn, initializer=_end_with_parent), n)
        try:
            yield here
        finally:
            here.close()
        return
    distributed = optional("distributed", extra="scale", component="--dask")
    try:
        client = distributed.Client(dask, timeout=10)
    except (OSError, ValueError) as error:
        raise UsageError(f"--dask {dask}: no scheduler answers there ({error})") from error
    with client:
        n_threads = sum(client.nthreads().values())
        if not n_threads:
            raise UsageError(f"--dask {dask}: the scheduler has no workers: start some with dask worker {dask}")
        cluster = Together(client.get_executor, n_threads)
        try:
            yield cluster
        finally:
            cluster.close()
