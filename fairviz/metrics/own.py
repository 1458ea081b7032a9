"""Measures of people's own: a function of arrays, whose parameters say what it reads.

A function that reads ``exposure`` is called once per query, with a value for each candidate; any other is called once
per list, with values in the order of the ranks, and a query's value is the mean over its lists.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from fairviz.errors import UsageError
from fairviz.extras import parameters_of
from fairviz.kernels.pool import RankedLists
from fairviz.metrics.describe import Better, Kind, Measure, Need, Options, Parameter
from fairviz.model import FloatArray, ParamValue, Pools

ARRAYS: Mapping[str, tuple[Need, ...]] = {
    "exposure": (),
    "gains": ("qrels",),
    "pool_gains": ("qrels",),
    "scores": ("scores",),
    "groups": ("groups",),
    "target": ("groups", "target"),
    "k": (),
}
"""What a function may read, by the name of its parameter, and what has to be loaded for it.

``exposure`` (n) expected attention on each candidate: 1 for each of the first k ranks, without k 1 / log2(rank + 1);
``gains`` (n) usefulness of each document, 0 where nobody judged it; ``pool_gains`` (m) that of all candidates of the
query; ``scores`` (n); ``groups`` (n, G) the part of each document that belongs to each group; ``target`` (G) the share
that each group should have; ``k`` the cutoff, or None.
"""
KINDS: Mapping[type, Kind] = {bool: "flag", int: "whole", float: "number", str: "text"}
"""Kinds of parameters by the type of their defaults."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnMeasure(Measure):
    """A measure of somebody's own.

    Attributes:
        function: What computes it.
        reads: Names of :data:`ARRAYS` that it takes.
    """

    function: Callable[..., Any]
    reads: tuple[str, ...]


def own_measure(
    function: Callable[..., Any], name: str, *, better: Better, range: tuple[float, float], title: str = ""
) -> OwnMeasure:
    """A function as a measure.

    Args:
        function: Takes arrays by the names of :data:`ARRAYS`, and keyword-only parameters with a number, a word or a
            truth value as default, which stand in measure strings; returns a number, NaN = undefined.
        name: As typed in measure strings; one that ends in ``@k`` needs a cutoff.
        better: Which way it improves.
        range: Smallest and largest value.
        title: In words; else the first line of the function's docstring.

    Raises:
        UsageError: The name is none, or a parameter is neither an array nor one with a default.

    Examples:
        >>> own_measure(lambda gains: gains.mean(), "Useful@k", better="higher", range=(0, 3)).needs
        ('rankings', 'qrels')
    """
    plain = name.removesuffix("@k")
    if not plain.isidentifier():
        raise UsageError(f"{name!r} is no name of a measure: write letters, digits and _, perhaps @k behind them")
    reads, options = parameters_of(function, name, "measure", ARRAYS)
    if untyped := [option.name for option in options if type(option.default) not in KINDS]:
        raise UsageError(f"{name}: parameter {untyped[0]!r} needs a number, a word, True or False as its default")
    in_words = title or (inspect.getdoc(function) or plain).partition("\n")[0].rstrip(".")
    return OwnMeasure(
        name=plain,
        label=plain,
        better=better,
        range=range,
        parameters=tuple(
            Parameter(
                name=option.name, kind=KINDS[type(option.default)], default=option.default, meaning="of the measure"
            )
            for option in options
        ),
        cutoff="required" if name.endswith("@k") else "optional" if "k" in reads else "none",
        needs=tuple(dict.fromkeys(("rankings", *(need for array in reads for need in ARRAYS[array])))),
        title=in_words,
        formula="as its function has it",
        latex=r"\text{as its function has it}",
        summary=inspect.getdoc(function) or in_words,
        citation="own",
        function=function,
        reads=reads,
    )


def own_values(
    measure: OwnMeasure, pools: Pools, lists: RankedLists, options: Options, beside: Mapping[str, Any]
) -> FloatArray:
    """(Q) values of an own measure.

    Args:
        measure: The measure.
        pools: Candidates of the queries.
        lists: Rankings, cut at k.
        options: Its parameters.
        beside: What it reads besides gains and scores, by name: ``exposure`` (M) attention, ``groups`` (M, G)
            membership of the candidates, ``target`` (Q, G) shares, and the cutoff ``k``.

    Raises:
        UsageError: The function fails, or returns no number.
    """
    of_rows: dict[str, FloatArray] = {"gains": pools.gains, "scores": pools.scores}
    of_rows |= {name: beside[name] for name in ("exposure", "groups") if name in beside}
    of_query: list[list[float]] = [[] for _ in pools.query_ids]
    for query, rows in _rows(pools, lists, whole="exposure" in beside):
        arrays: dict[str, Any] = {name: values[rows] for name, values in of_rows.items()}
        arrays["pool_gains"] = pools.gains[slice(*pools.offsets[query : query + 2])]
        arrays["target"] = beside["target"][query] if "target" in beside else None
        arrays["k"] = beside["k"]
        of_query[query].append(
            _number(measure, pools.query_ids[query], [arrays[name] for name in measure.reads], options)
        )
    means = [float(np.mean(kept)) if (kept := [v for v in row if v == v]) else float("nan") for row in of_query]
    return np.array(means, dtype=np.float64)


def _rows(pools: Pools, lists: RankedLists, *, whole: bool) -> Iterator[tuple[int, Any]]:
    """Pool rows of each list in the order of its ranks with their query, or of each ranked query all."""
    if whole:
        for query, n in enumerate(pools.n_retrieved.tolist()):
            if n:
                yield query, slice(*pools.offsets[query : query + 2].tolist())
        return
    for index, query in enumerate(lists.queries.tolist()):
        yield query, lists.rows[lists.offsets[index] : lists.offsets[index + 1]]


def _number(measure: OwnMeasure, query: str, arrays: Sequence[object], options: Mapping[str, ParamValue]) -> float:
    try:
        value = measure.function(*arrays, **options)
    except Exception as error:  # whatever somebody's own function raises is about their function
        raise UsageError(f"{measure.name}: of query {query}: {type(error).__name__}: {error}") from error
    try:
        return float(cast("float", value))
    except (TypeError, ValueError):
        raise UsageError(f"{measure.name}: of query {query}: returns {value!r}, expected a number") from None
