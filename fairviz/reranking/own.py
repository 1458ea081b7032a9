"""Re-rankers of people's own: a function of arrays, whose parameters say what it reads."""

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from fairviz.errors import UsageError
from fairviz.model import IntArray
from fairviz.reranking.candidates import Candidates, completed
from fairviz.reranking.catalogue import Option, Reranker

ARRAYS = ("groups", "target", "gains", "n", "k", "rng")
"""What a function may read, by the name of its parameter.

``groups`` (n, G) the part of each document, best first, that belongs to each group; ``target`` (G) the share that
each group should have; ``gains`` (n) usefulness, None where nobody judged; ``n`` how many documents there are; ``k``
how many ranks are decided; ``rng`` a ``numpy.random.Generator``.
"""


def own_reranker(function: Callable[..., Any], name: str, *, label: str = "", summary: str = "") -> Reranker:
    """A function as a re-ranker.

    Args:
        function: Takes what :data:`ARRAYS` names, and keyword-only parameters with a number as default, which become
            options; returns positions of documents, best first: the first k, or all of them.
        name: As typed: lower case, with hyphens.
        label: As printed; else the name.
        summary: What it does, in a sentence; else the first line of the function's docstring.

    Raises:
        UsageError: A parameter is neither of :data:`ARRAYS` nor one with a number.

    Examples:
        >>> own_reranker(lambda n: range(n)[::-1], "upside-down").uses_groups
        False
    """
    signature = inspect.signature(function).parameters.values()
    options = [parameter for parameter in signature if parameter.kind is parameter.KEYWORD_ONLY]
    reads = tuple(parameter.name for parameter in signature if parameter not in options)
    if unknown := [each for each in reads if each not in ARRAYS]:
        raise UsageError(f"{name}: {unknown[0]!r} is nothing that a re-ranker reads; it reads {', '.join(ARRAYS)}")
    if wrong := [each.name for each in options if type(each.default) not in (int, float)]:
        raise UsageError(f"{name}: option {wrong[0]!r} needs a number as its default")
    in_words = summary or (inspect.getdoc(function) or name).partition("\n")[0]
    return Reranker(
        name=name,
        label=label or name,
        order=partial(_order, function=function, name=name, reads=reads),
        draws=np.random.default_rng,
        plain=in_words,
        summary=in_words,
        citation="own",
        uses_groups=bool({"groups", "target"} & {*reads}),
        uses_target="target" in reads,
        judgements="optional" if "gains" in reads else "unused",
        random="rng" in reads,
        options=tuple(
            Option(name=each.name, default=float(each.default), meaning="of the re-ranker") for each in options
        ),
        is_own=True,
    )


def _order(
    candidates: Candidates, *, function: Callable[..., Any], name: str, reads: tuple[str, ...], **settings: Any
) -> IntArray:
    """The order that an own function gives, completed by the order of the run."""
    arrays = {
        "groups": candidates.weights,
        "target": candidates.target,
        "gains": candidates.gains,
        "n": candidates.n,
        "k": candidates.places,
        "rng": settings.pop("rng", None),
    }
    try:
        chosen = np.asarray(function(*(arrays[each] for each in reads), **settings))
    except Exception as error:  # whatever somebody's own function raises is about their function
        raise UsageError(f"{name}: {type(error).__name__}: {error}") from error
    first = chosen[: candidates.places]
    positions = {*range(candidates.n)}
    if first.ndim != 1 or len({*first.tolist()} & positions) != candidates.places:
        raise UsageError(
            f"{name}: returns {first.tolist()}, expected {candidates.places} different positions below {candidates.n}"
        )
    return completed(first.astype(np.int64), candidates.n)
