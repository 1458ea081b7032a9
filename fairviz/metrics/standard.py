"""Effectiveness measures (nDCG, AP, RBP, α-nDCG, …), as ir-measures defines them, and its providers, which are asked.

Every provider gets strictly falling scores n, n − 1, … after fairviz's own tie rule, so that all see one order.
"""

import io
import warnings
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr
from functools import cache
from threading import Lock
from typing import Any, TypeAlias, cast

import numpy as np
import polars as pl

from fairviz.errors import UsageError
from fairviz.metrics.describe import Kind, Parameter, Span, check_cutoff, check_parameters
from fairviz.model import FloatArray, MeasureSpec, Qrels, RankingSample, Run
from fairviz.remembered import forget

DEFINED_PROVIDER = "runtime"
PROVIDERS = ("pytrec_eval", "cwl_eval", "compat", "pyndeval", "judged", "msmarco", "accuracy", DEFINED_PROVIDER)
"""Providers in the order they are asked; msmarco and accuracy for RR@k and Accuracy, which no other has."""
READS = {"RUN_INPUTS": {"query_id", "doc_id", "score"}, "QREL_INPUTS": {"query_id", "doc_id", "relevance"}}
"""Columns that a function given to ``ir_measures.define`` can read."""

REFUSED = ("ERR",)
"""Computed by gdeval alone, which misreads query ids that are not numbers."""
DIVERSITY_PROVIDER = "pyndeval"
TREC_EVAL_PROVIDER = "pytrec_eval"
DIVERSITY_CUTOFF = 20
"""ndeval counts no deeper."""

DEFAULTS: Mapping[tuple[str, str], int] = {("RBP", "rel"): 1}
"""Parameters that have a default here and none in ir-measures."""

SPANS = {
    "p": Span(0, 1, open=True),
    "alpha": Span(0, 1),
    "beta": Span(0, open=True),
    "recall": Span(0, 1),
    "T": Span(0, open=True),
    "rel": Span(0),
    "min_rel": Span(0),
    "max_rel": Span(1),
}
"""Numbers that make sense, by parameter name; ir-measures checks types only."""

KIND_OF: Mapping[object, Kind] = {int: "whole", float: "number", bool: "flag", str: "text", dict: "gains"}

Lists = Mapping[str, Mapping[str, float]]
Grades = dict[str, dict[str, int]]

_STDERR = Lock()


StandardMeasure: TypeAlias = Any
"""A measure of ir-measures, whose own types leave ``PRETTY_NAME`` and its like out: ``NAME``, ``AT_PARAM``,
``SUPPORTED_PARAMS`` by name and, once parameters are set, ``params``; called, the same with more of them."""
Provider: TypeAlias = Any
"""What computes measures: ``NAME``, ``supports(measure)``, ``is_available()``, ``iter_calc(measures, qrels, run)``."""


# The effectiveness measures that ir-measures knows, described in fairviz's words.


@cache
def registry() -> Mapping[str, StandardMeasure]:
    """All measures of ir-measures by name, aliases included; without what others registered there, us among them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # of escapes in cwl's files, where no installer compiled them
        import ir_measures

    named: Mapping[str, StandardMeasure] = ir_measures.measures.registry
    return {name: measure for name, measure in named.items() if type(measure).__module__.startswith("ir_measures.")}


def is_defined(measure: object) -> bool:
    """Whether a measure was made by ``ir_measures.define`` or ``define_byquery``."""
    return hasattr(measure, "runtime_impl")


def add_defined(measure: StandardMeasure) -> None:
    """Put a measure of ``ir_measures.define`` beside ir-measures' own; one of its name takes the place of an earlier.

    Raises:
        UsageError: It has no name that can be typed, or that of another measure, or reads columns that are not kept.
    """
    if measure.NAME is None or not measure.NAME.isidentifier():
        raise UsageError(f"{measure.NAME} of ir_measures.define: give it name=…, of letters, digits and _")
    if measure.NAME in registry() and not is_defined(registry()[measure.NAME]):
        raise UsageError(f"{measure.NAME} is the name of another measure: choose one of your own")
    for attribute, columns in READS.items():
        if unknown := sorted({*getattr(measure, attribute)} - columns):
            raise UsageError(f"{measure.NAME} reads the column {unknown[0]!r}; there are {', '.join(sorted(columns))}")
    if type(registry().get(measure.NAME)) is not type(measure):
        cast("dict[str, StandardMeasure]", registry())[measure.NAME] = type(measure)()
        forget()


@cache
def providers() -> tuple[Provider, ...]:
    """The providers that fairviz trusts and that are installed."""
    import ir_measures

    candidates: Mapping[str, Provider] = ir_measures.providers.registry
    return tuple(candidates[name] for name in PROVIDERS if candidates[name].is_available())


def standard_names() -> tuple[str, ...]:
    """The names under which ir-measures' measures are listed: no aliases, none that is refused."""
    measures = registry().items()
    return tuple(name for name, measure in measures if name == measure.NAME and name not in REFUSED)


def standard_parameters(name: str) -> tuple[Parameter, ...]:
    """What may stand in parentheses, cutoff aside."""
    measure = registry()[name]
    return tuple(
        _described(measure.NAME, parameter, info)
        for parameter, info in measure.SUPPORTED_PARAMS.items()
        if parameter != "cutoff"
    )


def check_standard(name: str, params: Mapping[str, object], at: object) -> MeasureSpec:
    """Parameters and ``@k`` of an ir-measures measure, validated.

    Args:
        name: A name in :func:`registry`.
        params: Parameters as typed.
        at: What follows @, or None; for IPrec it is the recall level.

    Raises:
        UsageError: Naming what is accepted, or why no provider computes this.
    """
    typed = dict(params)
    measure = registry()[name]
    if at is not None and measure.AT_PARAM != "cutoff":
        typed, at = {**typed, measure.AT_PARAM: at}, None
    checked = check_parameters(name, standard_parameters(name), typed)
    takes_cutoff = "cutoff" in measure.SUPPORTED_PARAMS
    if at is not None and not takes_cutoff:
        raise UsageError(f"{name} takes no @k")
    if at is None and takes_cutoff and measure.SUPPORTED_PARAMS["cutoff"].required:
        raise UsageError(f"{name} needs a cutoff: write {name}@k, for example @5")
    cutoff = None if at is None else check_cutoff(name, at)
    spec = MeasureSpec(name, checked, cutoff)
    provider_of(spec)
    return spec


def standard_measure(spec: MeasureSpec) -> StandardMeasure:
    """The measure object of ir-measures, with :data:`DEFAULTS` for what was not typed."""
    measure = registry()[spec.name]
    ours = {name: default for (owner, name), default in DEFAULTS.items() if owner == measure.NAME}
    measure = measure(**(ours | spec.params))
    return measure if spec.cutoff is None else measure(cutoff=spec.cutoff)


def provider_of(spec: MeasureSpec) -> Provider:
    """The provider that computes a measure.

    Raises:
        UsageError: If none does, with the reason where it is known.
    """
    measure = standard_measure(spec)
    _refuse_what_breaks(measure)
    for provider in providers():
        if provider.supports(measure):
            _refuse_beyond_provider(measure, provider)
            return provider
    raise UsageError(f"{measure}: no provider computes it with these parameters and cutoff")


def _described(measure: str, name: str, info: Any) -> Parameter:
    default = info.default if isinstance(info.default, int | float | str) else None
    return Parameter(
        name=name,
        kind=KIND_OF[info.dtype],
        default=DEFAULTS.get((measure, name), default),
        meaning=(info.desc or "").partition(", or NOT_PROVIDED")[0],
        choices=tuple(info.choices) if isinstance(info.choices, list) else (),
        span=SPANS.get(name),
        required=info.required,
    )


def _refuse_what_breaks(measure: StandardMeasure) -> None:
    """Combinations that would crash, or be answered by gdeval, which is wrong silently."""
    params = measure.params
    if measure.NAME in REFUSED or params.get("dcg") == "exp-log2":
        raise UsageError(
            f"{measure} is refused: only gdeval computes it, which misreads query ids "
            "that are not numbers and returns wrong values"
        )
    low, high = params.get("min_rel", 0), params.get("max_rel")
    if isinstance(low, int) and isinstance(high, int) and low >= high:
        raise UsageError(f"{measure}: min_rel must be below max_rel")
    recall = params.get("recall")
    if isinstance(recall, float) and round(recall, 2) != recall:
        raise UsageError(f"{measure}: recall is computed to two decimals")


def _refuse_beyond_provider(measure: StandardMeasure, provider: Provider) -> None:
    """Limits that ndeval has and states only by crashing."""
    if provider.NAME != DIVERSITY_PROVIDER:
        return
    cutoff = measure.params.get("cutoff")
    if "cutoff" in measure.SUPPORTED_PARAMS and cutoff is None:
        raise UsageError(f"{measure} needs a cutoff, for example @20")
    if isinstance(cutoff, int) and cutoff > DIVERSITY_CUTOFF:
        raise UsageError(f"{measure}: ndeval counts no deeper than @{DIVERSITY_CUTOFF}")
    if measure.params.get("judged_only"):
        raise UsageError(f"{measure}: judged_only is not computed for diversity measures")


# Their values.


def provided_sums(
    measures: Sequence[tuple[StandardMeasure, Provider]], ranked: Run | RankingSample, qrels: Qrels, counts: FloatArray
) -> FloatArray:
    """(M, Q) values as the providers compute them, summed over the rankings of each query.

    Args:
        measures: Each with the provider that computes it.
        ranked: A run, or sampled rankings.
        qrels: Judgements of the Q queries.
        counts: (Q) rankings of each.
    """
    grades = _grades(qrels)
    sums = np.zeros((len(measures), counts.size))
    for scored in (False, True):
        rows = [row for row, (_, provider) in enumerate(measures) if (provider.NAME == DEFINED_PROVIDER) is scored]
        for s in range(int(counts.max(initial=0)) if rows else 0):
            lists = _lists(ranked, grades, s, scored=scored)
            sums[rows] += _values([measures[row] for row in rows], qrels, grades, lists) * (s < counts)
    return sums


def needs_subtopics(spec: MeasureSpec) -> bool:
    """Whether a measure is about diversity, so that judgements without subtopics fit it badly."""
    return provider_of(spec).NAME == DIVERSITY_PROVIDER


def _values(
    measures: Sequence[tuple[StandardMeasure, Provider]], qrels: Qrels, grades: Grades, lists: Lists
) -> FloatArray:
    """(M, Q) values in the order of the judgements; queries that a provider passes over are 0.

    trec_eval is asked for all its measures together, since it reads the judgements anew each time, but for the second
    of two that it takes for one (Bpref and Bpref(rel=1)). ndeval mixes up measures that differ in α.
    """
    values = np.zeros((len(measures), len(grades)))
    if not lists:
        return values
    column_of = {query: q for q, query in enumerate(qrels.query_ids)}
    missing = list(range(len(measures)))
    while missing:
        batch = missing[:1]
        provider = measures[missing[0]][1]
        if provider.NAME == TREC_EVAL_PROVIDER:
            same = {_key(measures[m][0]): m for m in reversed(missing) if measures[m][1] is provider}
            batch = sorted(same.values())
        row_of = {id(measures[m][0]): m for m in batch}
        for value in _answers(provider, [measures[m][0] for m in batch], qrels, grades, lists):
            values[row_of[id(value.measure)], column_of[value.query_id]] = value.value
        missing = [m for m in missing if m not in batch]
    return values


def _key(measure: StandardMeasure) -> tuple[object, ...]:
    """Equal for measures that trec_eval takes for one; asked for together, each would get some of the queries."""
    described = measure.SUPPORTED_PARAMS
    typed = {name: value for name, value in measure.params.items() if value != described[name].default}
    return measure.NAME, *sorted((name, str(value)) for name, value in typed.items())


def _answers(
    provider: Provider, measures: Sequence[StandardMeasure], qrels: Qrels, grades: Grades, lists: Lists
) -> list[Any]:
    if provider.NAME == DIVERSITY_PROVIDER:
        with _STDERR, redirect_stderr(io.StringIO()):  # it prints where subtopics are missing
            return list(provider.iter_calc(measures, _subtopic_rows(qrels), lists))
    if (
        provider.NAME == TREC_EVAL_PROVIDER
    ):  # of grades below −1 it counts outside its memory, which can end the process
        grades = {query: {doc: max(grade, -1) for doc, grade in judged.items()} for query, judged in grades.items()}
    try:
        return list(provider.iter_calc(measures, grades, lists))
    except Exception as error:
        if provider.NAME != DEFINED_PROVIDER:
            raise
        raise UsageError(f"{measures[0].NAME}: {type(error).__name__}: {error}") from error  # about their function


def _grades(qrels: Qrels) -> Grades:
    """{query: {document: largest grade}}."""
    grades: Grades = {query: {} for query in qrels.query_ids}
    rows = qrels.to_polars().group_by("query_id", "doc_id", maintain_order=True).agg(pl.col("grade").max())
    for query, doc, grade in rows.iter_rows():
        grades[query][doc] = grade
    return grades


def _subtopic_rows(qrels: Qrels) -> list[object]:
    """Judgements with their subtopics; "0" where there are none."""
    from ir_measures import Qrel

    rows = qrels.to_polars()
    rows = rows.with_columns(subtopic=pl.lit("0")) if qrels.subtopics is None else rows
    return [Qrel(*row) for row in rows.iter_rows()]


def _lists(ranked: Run | RankingSample, grades: Grades, s: int, *, scored: bool) -> Lists:
    """{query: {document: n − position}} of each judged query's ranking number ``s``; the run's scores where asked."""
    scores = getattr(ranked, "scores", None) if scored else None
    if isinstance(ranked, Run):
        bounds, per_query = ranked.offsets, np.arange(len(ranked.query_ids) + 1)
    else:
        bounds, per_query = ranked.sample_offsets, ranked.query_offsets
    rows = per_query[:-1] + s
    doc_ids = tuple(ranked.doc_ids)
    lists: dict[str, dict[str, float]] = {}
    for q in np.flatnonzero(rows < per_query[1:]).tolist():
        query = ranked.query_ids[q]
        ranking: list[int] = ranked.docs[bounds[rows[q]] : bounds[rows[q] + 1]].tolist()
        if query in grades and ranking:
            begin = bounds[rows[q]]
            falling = range(len(ranking), 0, -1) if scores is None else scores[begin : begin + len(ranking)].tolist()
            names = (doc_ids[doc] for doc in ranking)
            lists[query] = dict(zip(names, map(float, falling), strict=True))
    return lists
