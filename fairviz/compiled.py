"""Loops over arrays, compiled by numba when the first of them is called.

Numba takes half a second to load, and most processes need none of its kernels: they read, list or draw. So a kernel is
a plain function until somebody calls it, and even then it is run as it stands where its arrays are small and numba is
not there yet: what a thousand rows come to is known before numba would be.

A column of millions of rows is made by numpy and filled by the kernel: numpy asks the system for large pages, numba
does not, and the first touch of small ones takes longer than most kernels do.
"""

import sys
from collections.abc import Callable
from functools import cache, cached_property, update_wrapper
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from struct import pack
from threading import Lock
from typing import Any, Generic, ParamSpec, TypeVar, cast, overload

import numpy as np

P = ParamSpec("P")
R = TypeVar("R")

SMALL = 50_000
"""Numbers in all arrays of a call up to which Python is done with a kernel before numba would be loaded."""


KERNELS: "list[Kernel[..., Any]]" = []
"""Every kernel of the modules that were imported."""


class Kernel(Generic[P, R]):
    """A function of arrays in the part of Python that numba compiles; kernels may call kernels.

    Args:
        function: The loop.
        fastmath: Freedoms of arithmetic that the compiler may take, as numba names them.
        exact: Python comes to the same bits: the loop counts, compares and does sums in the order written, with
            functions of ``math``, which both take from the C library.
    """

    __doc__: str

    def __init__(self, function: Callable[P, R], *, fastmath: frozenset[str], exact: bool) -> None:
        self._function = function
        self._fastmath = fastmath
        self.exact = exact
        update_wrapper(self, function)
        KERNELS.append(self)

    @cached_property
    def dispatcher(self) -> Callable[P, R]:
        """What numba makes of it: machine code for each kind of arguments, kept in files beside the module."""
        return _numba().njit(cache=True, nogil=True, fastmath=set(self._fastmath))(self._function)

    @property
    def place(self) -> Path:
        """Where numba lists the machine code that it keeps of this source."""
        source, line = Path(self._function.__code__.co_filename), self._function.__code__.co_firstlineno
        python = f"py{sys.version_info.major}{sys.version_info.minor}"
        return source.parent / "__pycache__" / f"{source.stem}.{self._function.__qualname__}-{line}.{python}.nbi"

    @property
    def is_kept(self) -> bool:
        """Whether this numba has left machine code of this source beside the module; read without loading numba."""
        from importlib.metadata import version  # loads readers of mail and of archives

        source = Path(self._function.__code__.co_filename)
        try:
            head, changed = self.place.read_bytes()[:256], source.stat().st_mtime
        except OSError:
            return False
        stamps = sha256(source.read_bytes()).digest(), pack(">d", changed)  # of numba from 0.68 on, and before
        return version("numba").encode() in head and any(stamp in head for stamp in stamps)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run it."""
        if self.exact and "numba" not in sys.modules and _size(args) <= SMALL:
            with np.errstate(all="ignore"):  # compiled code says nothing of an overflow, either
                return self._function(*args, **kwargs)
        return self.dispatcher(*args, **kwargs)


@cache
def _numba() -> Any:
    """Numba, told that a kernel which a kernel names is what numba makes of it."""
    import numba.extending

    with _loading:
        _load_without_matrices()
    typeof = cast("Any", numba.extending.typeof_impl)  # pyright: ignore[reportUnknownMemberType]

    def typeof_kernel(kernel: Kernel[..., Any], context: object) -> object:
        return typeof(kernel.dispatcher, context)

    typeof.register(Kernel, typeof_kernel)
    return numba


_loading = Lock()


def _load_without_matrices() -> None:
    """Have numba not ask whether SciPy's products of matrices are there, which loads them.

    They take as long to load as half of numba, and no kernel multiplies matrices. Numba asks again where it compiles
    a function that does.
    """
    import numba.np.linalg

    linalg = cast("Any", numba.np.linalg)
    ask = getattr(linalg, "ensure_blas", None)
    if ask is None:  # another numba, which loads what it loads
        return
    linalg.ensure_blas = lambda: None
    try:
        import_module("numba.np.arraymath")  # asks as it is loaded
    finally:
        linalg.ensure_blas = ask


def _size(args: tuple[object, ...]) -> int:
    return sum(arg.size for arg in args if isinstance(arg, np.ndarray))


@overload
def kernel(function: Callable[P, R]) -> Kernel[P, R]: ...
@overload
def kernel(
    *, fastmath: frozenset[str] = frozenset(), exact: bool = False
) -> Callable[[Callable[P, R]], Kernel[P, R]]: ...
def kernel(
    function: Callable[P, R] | None = None, *, fastmath: frozenset[str] = frozenset(), exact: bool = False
) -> Kernel[P, R] | Callable[[Callable[P, R]], Kernel[P, R]]:
    """Have a function of arrays compiled, see :class:`Kernel`."""
    if function is not None:
        return Kernel(function, fastmath=fastmath, exact=exact)
    return lambda function: Kernel(function, fastmath=fastmath, exact=exact)
