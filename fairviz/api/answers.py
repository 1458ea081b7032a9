"""Recorded answers as people hold them, to bias questions or to variants: files, frames, lists of dicts."""

from __future__ import annotations  # signatures in the names of types, as people read them

from collections.abc import Callable, Mapping
from os import PathLike
from typing import Any, TypeVar, cast

from fairviz.api.nouns import Path, Ranked, file_of, is_records, several, told
from fairviz.api.nouns import run as run_of
from fairviz.errors import InputError, UsageError
from fairviz.io.bbq import read_bias_items
from fairviz.io.bbq_answers import read_bias_predictions
from fairviz.io.columns import read_records, records_source
from fairviz.io.formats import sniff
from fairviz.io.notes import Parsed
from fairviz.io.variants import read_variants
from fairviz.model import BiasItems, BiasPredictions, Run, VariantAnswers

N = TypeVar("N", BiasItems, BiasPredictions, VariantAnswers)


def bias_of(answers: Any, items: Any) -> tuple[list[BiasItems], list[BiasPredictions]]:
    """Questions and answers to them.

    Args:
        answers: One or several files, frames or lists of dicts.
        items: Likewise; None: those that logs hold.

    Raises:
        InputError: Something cannot be read.
        UsageError: There are no questions.
    """
    given = _several(answers, BiasPredictions)
    asked = _several(items, BiasItems) or [one for one in given if _holds_items(one)]
    if not asked:
        raise UsageError("items= is needed: what was given holds answers only")
    return (
        [_read(read_bias_items, one, BiasItems) for one in asked],
        [_read(read_bias_predictions, one, BiasPredictions) for one in given],
    )


def variants_of(answers: Any) -> list[VariantAnswers]:
    """Answers to variants of questions, one or several files, frames or lists of dicts."""
    return [_read(read_variants, one, VariantAnswers) for one in _several(answers, VariantAnswers)]


def runs_by_name(runs: Any) -> dict[str, Run]:
    """Runs by what says of which questions they are: the key of a dict, else their file."""
    by_key: Mapping[str, Any] = cast("Mapping[str, Any]", runs) if isinstance(runs, Mapping) else {}
    named: dict[str, Run] = {}
    for name, one in by_key.items() or [(file_of(one), one) for one in several(runs, Run)]:
        ranked = _one_ranking(run_of(one))
        named[name or ranked.system] = ranked
    return named


def _several(given: Any, noun: type[N]) -> list[Any]:
    return [given] if is_records(given) else several(given, noun)


def _read(read: Callable[[Any], Parsed[N]], given: Any, noun: type[N]) -> N:
    if isinstance(given, noun):
        return given
    return told(read_records(read, given))


def _holds_items(given: Any) -> bool:
    """Whether answers come with their questions: logs of other tools, BBQ's published results."""
    if isinstance(given, BiasPredictions):
        return False
    file = cast("Path", given) if isinstance(given, str | PathLike) else records_source(given)[0]
    return sniff(file).role == "bias-items"


def _one_ranking(ranked: Ranked) -> Run:
    if not isinstance(ranked, Run):
        fix = "Give a run with one ranking per query."
        raise InputError("a sample of rankings, not a run", file=ranked.system, fix=fix)
    return ranked
