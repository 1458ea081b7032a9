"""Parts of an analysis that are worth keeping: the dashboard keeps them, a command computes each of them once anyway.

A function of a data set and of plain arguments is marked with :func:`remembered`. Who keeps results says how with
:func:`keep_by`; until then every call computes.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from fairviz.model import Dataset

P = ParamSpec("P")
R = TypeVar("R")
Keeper = Callable[[Callable[..., Any], int], Callable[..., Any]]
"""Makes of a function one that keeps so many of its results, by the files of the data set and the arguments."""
MANY, FEW = 128, 8
"""Results of one function that are kept: the curves of all systems of a grid; those with thousands of resamples, of
which a person soon has more than memory takes."""

_KEEPERS: list[Keeper] = []


def keep_by(keeper: Keeper) -> None:
    """Keep results of every marked function by ``keeper`` from now on."""
    _KEEPERS[:] = [keeper]


def remembered(
    compute: Callable[Concatenate[Dataset, P], R], *, most: int = MANY
) -> Callable[Concatenate[Dataset, P], R]:
    """Mark ``compute(data, …)``: its result depends on the files of the data and on the arguments alone, and is frozen.

    Args:
        compute: Takes a data set, then plain values: numbers, strings, tuples, settings.
        most: Results that are kept.
    """
    kept: dict[Keeper, Callable[..., R]] = {}

    @wraps(compute)
    def call(data: Dataset, *args: P.args, **kwargs: P.kwargs) -> R:
        if not _KEEPERS:
            return compute(data, *args, **kwargs)
        keeper = _KEEPERS[0]
        if keeper not in kept:
            kept[keeper] = keeper(compute, most)
        return kept[keeper](data, *args, **kwargs)

    return call


def remembered_few(compute: Callable[Concatenate[Dataset, P], R]) -> Callable[Concatenate[Dataset, P], R]:
    """The same for results of which few are kept."""
    return remembered(compute, most=FEW)
