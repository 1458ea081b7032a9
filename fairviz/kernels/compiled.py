"""Loops over arrays, compiled by numba, on every core that this process may use: queries or rows side by side.

Machine code is kept on disk, so that each machine compiles once. A column of millions of rows is made by numpy and
filled by the kernel: numpy asks the system for large pages, numba does not, and the first touch of small ones takes
longer than most kernels do.

A kernel assigns element by element: numba words the error of a slice that does not fit an array, and compiling that
takes five seconds once. An argument that is read-only here and not there is compiled twice.

Kernels let go of the interpreter's lock, so threads are enough. All callers share one pool: forty sessions of a server
do not start forty. What a part comes to does not depend on who does it or where the others begin, so results are the
same bits on any number of cores. ``FAIRVIZ_THREADS=1`` computes everything on one.
"""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, wraps
from itertools import pairwise
from typing import Any, Generic, ParamSpec, TypeVar, cast

import numpy as np

from fairviz.model import IntArray
from fairviz.system import cores

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a loop when it is first called; kernels may call kernels, and let go of the interpreter's lock."""
    return _Kernel(function, {})


def reordered_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a loop, when it is first called, whose sums may be taken in another order: several terms at once."""
    return _Kernel(function, {"fastmath": {"reassoc", "contract"}})


class _Kernel(Generic[P, R]):
    """A loop, and how it is compiled: numba, which takes longer to import than most commands run, is for callers."""

    def __init__(self, function: Callable[P, R], how: dict[str, Any]) -> None:
        self._function = function
        self._how = how
        self._compiled: Callable[P, R] | None = None
        wraps(function)(self)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return (self._compiled or self.compiled())(*args, **kwargs)

    def compiled(self) -> Callable[P, R]:
        """The machine code, which calls that of other kernels."""
        import numba

        with _compiling:
            if self._compiled is None:
                names = self._function.__globals__
                for name in self._function.__code__.co_names:
                    if isinstance(called := names.get(name), _Kernel):
                        names[name] = called.compiled()
                decorate = cast("Any", numba).njit(cache=True, nogil=True, **self._how)
                self._compiled = decorate(self._function)
        return cast("Callable[P, R]", self._compiled)


_compiling = threading.RLock()


# Side by side.


THREADS = "FAIRVIZ_THREADS"
"""The environment variable that says on how many cores to compute."""

PARTS = 4
"""Parts for each thread: queries of one part may be harder than those of another."""

_NAME = "fairviz-core"


def n_threads() -> int:
    """Threads of the pool: what the environment says, else the cores that this process may use.

    Examples:
        >>> n_threads() >= 1
        True
    """
    setting = os.environ.get(THREADS, "")
    if setting.isdecimal() and int(setting) > 0:
        return int(setting)
    return cores()


def by_queries(work: Callable[[int, int], R], offsets: IntArray, *, rows: int = 1000) -> list[R]:
    """Work on parts of all queries, side by side where that is worth it.

    Args:
        work: Called with the first query of a part and the first after it; it changes nothing that another part reads.
        offsets: (Q+1) rows of each query: parts have about as many rows.
        rows: Rows that a part has at least.

    Returns:
        What the parts came to, in the order of queries.

    Examples:
        >>> by_queries(lambda first, last: (first, last), np.arange(11) * 1000, rows=100_000)
        [(0, 10)]
    """
    n, total = offsets.size - 1, int(offsets[-1] - offsets[0])
    threads = 1 if _is_of_pool() else n_threads()
    n_parts = min(PARTS * threads, total // max(1, rows)) if threads > 1 else 1
    if n_parts < 2:
        return [work(0, n)]
    shares = offsets[0] + total * np.arange(1, n_parts) // n_parts
    cuts = np.full(n_parts + 1, n)
    cuts[0], cuts[1:-1] = 0, np.searchsorted(offsets, shares)
    bounds: list[int] = np.unique(cuts).tolist()
    return side_by_side(lambda part: work(*part), list(pairwise(bounds)))


def side_by_side(work: Callable[[T], R], items: Sequence[T]) -> list[R]:
    """Unlike pieces of work, such as the rows of a table of which each has draws of its own.

    Args:
        work: Called with each item; it changes nothing that another item reads.
        items: What to work on.

    Returns:
        What the items came to, in their order.

    Raises:
        Exception: The error of the first item that has one; what is not begun by then is left.

    Examples:
        >>> side_by_side(len, ["of", "one", "item"])
        [2, 3, 4]
    """
    return list(in_order(work, items))


def in_order(work: Callable[[T], R], items: Sequence[T]) -> Iterator[R]:
    """What the items of :func:`side_by_side` came to, each as soon as it and those before it are done."""
    threads = 1 if _is_of_pool() else min(n_threads(), len(items))
    return map(work, items) if threads < 2 else _pool(n_threads()).map(work, items)


def _is_of_pool() -> bool:
    """Whether this thread is one of the pool's, which must not wait for another of them."""
    return threading.current_thread().name.startswith(_NAME)


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix=_NAME)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a forked process has no threads but one
