"""Loops over arrays, compiled by numba; its machine code is kept on disk, so that each machine compiles once.

A column of millions of rows is made by numpy and filled by the kernel: numpy asks the system for large pages, numba
does not, and the first touch of small ones takes longer than most kernels do.
"""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import numba

P = ParamSpec("P")
R = TypeVar("R")

_NUMBA = cast("Any", numba)
"""Its types say nothing of what is compiled."""


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a loop when it is first called; kernels may call kernels, and let go of the interpreter's lock."""
    return _NUMBA.njit(cache=True, nogil=True)(function)


def reordered_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Likewise a loop whose sums may be taken in another order, several terms at once."""
    return _NUMBA.njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})(function)
