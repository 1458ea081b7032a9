"""People's own measures, re-rankers and formats beside those of fairviz."""

from __future__ import annotations  # signatures in the names of types, as people read them

from collections.abc import Callable, Iterable, Mapping
from json import dumps
from typing import Any, TypeVar

from fairviz.errors import InputError, UsageError
from fairviz.io.formats import READERS, Format, add_format
from fairviz.io.options import Role
from fairviz.metrics.catalogue import add_measure
from fairviz.metrics.describe import Better
from fairviz.metrics.own import own_measure
from fairviz.reranking.catalogue import add_reranker, own_reranker

F = TypeVar("F", bound=Callable[..., Any])


def measure(name: str, *, better: Better, range: tuple[float, float] = (0.0, 1.0), title: str = "") -> Callable[[F], F]:
    """Add a measure: a function of arrays, one query or one list at a time.

    Its parameters say what it reads: ``gains`` and ``pool_gains`` (usefulness of the list's documents, of all
    candidates), ``groups`` (documents × groups), ``target``, ``scores``, ``k``; with ``exposure`` (attention on every
    candidate) it is called once per query, else once per list in the order of its ranks. Keyword-only parameters with
    a default stand in measure strings. It returns a number, NaN where it is undefined.

    Args:
        name: As typed, such as ``"Coverage@k"``: with ``@k`` it needs a cutoff.
        better: "higher", "lower" or "closest to 0".
        range: Smallest and largest value.
        title: In words; else the first line of the docstring.

    Returns:
        A decorator that gives the function back.

    Raises:
        UsageError: Another measure has the name, or a parameter is nothing that a measure reads.
    """

    def added(function: F) -> F:
        add_measure(own_measure(function, name, better=better, range=range, title=title))
        return function

    return added


def reranker(name: str, *, label: str = "", summary: str = "") -> Callable[[F], F]:
    """Add a re-ranker: a function that gives the positions of one query's documents in their new order.

    Its parameters say what it reads: ``groups`` (documents × groups, best first), ``target``, ``gains`` (None where
    nobody judged), ``n``, ``k``, ``rng``. Keyword-only parameters with a number as default are its options.

    Args:
        name: As typed, such as ``"round-robin"``.
        label: As printed; else the name.
        summary: What it does, in a sentence; else the first line of the docstring.

    Returns:
        A decorator that gives the function back.

    Raises:
        UsageError: Another re-ranker has the name, or a parameter is nothing that a re-ranker reads.
    """

    def added(function: F) -> F:
        add_reranker(own_reranker(function, name, label=label, summary=summary))
        return function

    return added


def format(label: str, role: Role, *, recognises: Callable[[str], bool]) -> Callable[[F], F]:
    """Add a format: a function that makes records of a file's text, which are read like any table.

    Args:
        label: In words for people, such as "lists of our search log".
        role: What files of it hold: "run" (records with query_id, doc_id, score or rank), "qrels" (query_id, doc_id,
            grade), "groups", "rag", "bias-predictions", "variants", and others, see the reference of formats.
        recognises: Whether the beginning of a text is of it.

    Returns:
        A decorator that gives the function back; it takes a text and returns mappings. What it raises is a line about
        the file that is read.

    Raises:
        UsageError: Nothing is read of this role.
    """
    if role not in READERS:
        raise UsageError(f"{role!r} is nothing that a file holds; there are {', '.join(READERS)}")

    def added(function: F) -> F:
        def translate(text: str, file: str) -> bytes:
            try:
                records: Iterable[Mapping[str, object]] = function(text)
                lines = [dumps(dict(record), ensure_ascii=False) for record in records]
            except Exception as error:  # whatever somebody's own function raises is about their function
                reason = f"{label}: {type(error).__name__}: {error}"
                raise InputError(reason, file=file, fix="Mend the file, or the function that reads it.") from error
            return "\n".join([*lines, ""]).encode()

        add_format(Format(role, label, lambda head: recognises(head.text), translate=translate))
        return function

    return added
