"""Parts of an analysis that are worth keeping, for as long as there are the data that they are of.

A function of a data set and of plain arguments is marked with :func:`remembered`. The dashboard keeps many results, and
says how with :func:`keep_by`; a command or a notebook keeps the last one of each function, which parts of one analysis
ask for one after the other, and many while it writes a report (:func:`many_kept`).
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import wraps
from inspect import signature
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar
from weakref import ref

from fairviz.model import Dataset

P = ParamSpec("P")
R = TypeVar("R")
Keeper = Callable[[Callable[..., Any], int], Callable[..., Any]]
"""Makes of a function one that keeps so many of its results, by the files of the data set and the arguments."""
MANY, FEW = 128, 8
"""Results of one function that are kept: the curves of all systems of a grid; those with thousands of resamples, of
which a person soon has more than memory takes."""

_KEEPERS: list[Keeper] = []


class _Kept(NamedTuple):
    """A result of a function.

    Attributes:
        data: What it is of; dropped with it.
        arguments: Those but for the data.
        result: It.
    """

    data: ref[Dataset]
    arguments: dict[str, object]
    result: Any


_KEPT: list[list[_Kept]] = []
"""Of every marked function, where nobody says how results are kept."""
_MOST = [1]
"""How many they are: the last number."""


def forget() -> None:
    """Drop what a command or a notebook keeps: something of people's own has the name that another had before."""
    for last in _KEPT:
        last.clear()


def keep_by(keeper: Keeper) -> None:
    """Keep results of every marked function by ``keeper`` from now on."""
    _KEEPERS[:] = [keeper]


@contextmanager
def many_kept() -> Generator[None]:
    """Keep many results until the block ends: parts of a report ask for the curves of all systems in turn."""
    _MOST.append(MANY)
    try:
        yield
    finally:
        _MOST.pop()
        for last in _KEPT:
            del last[: -_MOST[-1]]


def remembered(
    compute: Callable[Concatenate[Dataset, P], R], *, most: int = MANY
) -> Callable[Concatenate[Dataset, P], R]:
    """Mark ``compute(data, …)``: its result depends on the files of the data and on the arguments alone, and is frozen.

    Args:
        compute: Takes a data set, then plain values: numbers, strings, tuples, settings.
        most: Results that are kept.
    """
    kept: dict[Keeper, Callable[..., R]] = {}
    last: list[_Kept] = []
    _KEPT.append(last)
    called = signature(compute)

    def dropped(data: ref[Dataset]) -> None:
        last[:] = [each for each in last if each.data is not data]

    @wraps(compute)
    def call(data: Dataset, *args: P.args, **kwargs: P.kwargs) -> R:
        if not _KEEPERS:
            bound = called.bind(data, *args, **kwargs)
            bound.apply_defaults()
            arguments = dict(list(bound.arguments.items())[1:])
            for before in [*last]:
                if before.data() is data and before.arguments == arguments:
                    return before.result
            result = compute(data, *args, **kwargs)
            last.append(_Kept(ref(data, dropped), arguments, result))
            del last[: -min(most, _MOST[-1])]
            return result
        keeper = _KEEPERS[0]
        if keeper not in kept:
            kept[keeper] = keeper(compute, most)
        return kept[keeper](data, *args, **kwargs)

    return call


def remembered_few(compute: Callable[Concatenate[Dataset, P], R]) -> Callable[Concatenate[Dataset, P], R]:
    """Mark a function of which few results are kept, see :func:`remembered`."""
    return remembered(compute, most=FEW)
