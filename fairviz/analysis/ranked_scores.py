"""Scores of rankings per query, with the notes that a reader of them needs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np

from fairviz.errors import UsageError
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.metrics.expected import (
    ExposureEvidence,
    ExposureMeasure,
    ExposureOptions,
    exposure_evidence,
    exposure_values,
)
from fairviz.metrics.standard import needs_subtopics, standard_values
from fairviz.model import (
    FloatArray,
    MeasureSpec,
    Note,
    Pools,
    Qrels,
    RankingSample,
    Run,
    Scores,
)
from fairviz.pool import Members, pool

OUTSIDE = 1e-9
"""Values beyond [0, 1] by less than this are rounding."""


@dataclass(slots=True)
class RankedScorer:
    """Measures of one system's rankings against one set of judgements.

    Attributes:
        ranked: The system.
        qrels: Judgements; without them nothing here has a value.
        notes: What people should know, gathered while scoring.
    """

    ranked: Run | RankingSample
    qrels: Qrels
    notes: list[Note] = field(default_factory=list[Note])
    _pools: dict[Members, Pools] = field(default_factory=dict[Members, Pools])
    _evidence: dict[object, ExposureEvidence] = field(
        default_factory=dict[object, ExposureEvidence]
    )

    def scores(self, specs: Sequence[MeasureSpec]) -> list[Scores]:
        """Scores in the order of the measures."""
        ours = {i: m for i, spec in enumerate(specs) if (m := _exposure_measure(spec.name))}
        others = [i for i in range(len(specs)) if i not in ours]
        found = dict(zip(others, self._standard([specs[i] for i in others]), strict=True))
        found |= {i: self._exposure(measure, specs[i]) for i, measure in ours.items()}
        self._note_queries()
        return [found[i] for i in range(len(specs))]

    def _exposure(self, measure: ExposureMeasure, spec: MeasureSpec) -> Scores:
        params, cutoff = measure.check(spec.params, spec.cutoff)
        options = cast("ExposureOptions", measure.with_defaults(params))
        evidence = self._evidence_for(options, cutoff)
        pools = evidence.pools
        values = exposure_values(measure, evidence, options, cutoff)
        self._note_values(spec, options, values)
        if cutoff is not None:
            self._note_short(pools, cutoff)
        return self._scores(spec, values, pools.query_ids)

    def _standard(self, specs: list[MeasureSpec]) -> list[Scores]:
        if not specs:
            return []
        results = standard_values(self.ranked, self.qrels, specs)
        for spec in specs:
            if needs_subtopics(spec) and self.qrels.subtopics is None:
                self._note(f"{spec.text}: the judgements have no subtopics, it counts one")
        n_zero = max(result.n_zero_by_rule for result in results)
        if n_zero:
            self._note(
                f"{n_zero} {_queries(n_zero)} not ranked or without anything relevant: 0 in "
                "measures of ir-measures, by its rule"
            )
        return [
            self._scores(
                spec, one.values, self.qrels.query_ids, {"n_zero_by_rule": one.n_zero_by_rule}
            )
            for spec, one in zip(specs, results, strict=True)
        ]

    def _evidence_for(self, options: ExposureOptions, cutoff: int | None) -> ExposureEvidence:
        """Exposures, computed once for measures that differ in norm or estimate only."""
        shared = {**options, "norm": options["norm"] == "expeval", "estimate": None}
        key = (*shared.items(), cutoff)
        if key not in self._evidence:
            pools = self._pool(options["pool"])
            self._evidence[key] = exposure_evidence(self.ranked, pools, options, cutoff)
        return self._evidence[key]

    def _pool(self, members: Members) -> Pools:
        if members not in self._pools:
            self._pools[members] = pool(self.ranked, self.qrels, members=members)
        return self._pools[members]

    def _scores(
        self,
        spec: MeasureSpec,
        values: FloatArray,
        query_ids: tuple[str, ...],
        flags: Mapping[str, int] | None = None,
    ) -> Scores:
        return Scores(
            system=self.ranked.system,
            measure=spec.text or spec.name,
            query_ids=query_ids,
            values=values,
            flags=dict(flags or {}),
        )

    def _note(self, message: str) -> None:
        note = Note(self.ranked.system, None, message)
        if note not in self.notes:
            self.notes.append(note)

    def _note_queries(self) -> None:
        """Judged queries that were not ranked, and ranked ones that were not judged."""
        ranked, judged = _ranked_queries(self.ranked), set(self.qrels.query_ids)
        missing = [query for query in self.qrels.query_ids if query not in ranked]
        unjudged = [query for query in ranked if query not in judged]
        if missing:
            self._note(f"{named(missing)} judged but not ranked: no value in exposure measures")
        if unjudged:
            self._note(f"{named(unjudged)} ranked but not judged: left out")

    def _note_short(self, pools: Pools, cutoff: int) -> None:
        """Rankings that leave attention unused."""
        wanted = np.minimum(pools.sizes, cutoff)
        lengths = _shortest_lists(self.ranked, pools)
        short = (pools.n_retrieved > 0) & (lengths < wanted)
        if short.any():
            n = int(short.sum())
            self._note(
                f"{n} {_queries(n)} ranked shorter than min(k, n) at k = {cutoff}: exposure stays "
                "unused and values may lie outside [0, 1]"
            )

    def _note_values(self, spec: MeasureSpec, options: ExposureOptions, values: FloatArray) -> None:
        outside = (values < -OUTSIDE) | (values > 1 + OUTSIDE)
        if options["norm"] != "none" and outside.any():
            n = int(outside.sum())
            self._note(f"{spec.text}: {n} {_queries(n)} with a value outside [0, 1], not clipped")
        one_each = isinstance(self.ranked, Run) or (self.ranked.n_samples < 2).all()
        if options["estimate"] == "unbiased" and one_each and spec.name != "EER":
            self._note(f"{spec.text}: undefined, the estimate needs two rankings per query")


def judgements_for(qrels: Sequence[Qrels]) -> Qrels:
    """The judgements that rankings are measured against: people's, else the only ones.

    Raises:
        UsageError: If there are none, or only several generators' own.
    """
    peoples = [labels for labels in qrels if labels.generator is None]
    if len(peoples) == 1 or len(qrels) == 1:
        return (peoples or list(qrels))[0]
    if not qrels:
        raise UsageError("measures of rankings need judgements: give --qrels FILE")
    raise UsageError("several judgements: give one --qrels FILE without GENERATOR= for rankings")


def named(queries: Sequence[str], limit: int = 3) -> str:
    """How many queries, and the first of them.

    Examples:
        >>> named(["q1", "q2", "q3", "q4"])
        '4 queries (q1, q2, q3, …)'
    """
    shown = [*queries[:limit], "…"] if len(queries) > limit else queries
    return f"{len(queries)} {_queries(len(queries))} ({', '.join(shown)})"


def _queries(n: int) -> str:
    return "query" if n == 1 else "queries"


def _exposure_measure(name: str) -> ExposureMeasure | None:
    measure = CATALOGUE.get(name)
    return measure if isinstance(measure, ExposureMeasure) else None


def _ranked_queries(ranked: Run | RankingSample) -> dict[str, None]:
    """Queries with at least one ranked item, in their order."""
    one_each = isinstance(ranked, Run)
    ends = ranked.offsets if one_each else ranked.sample_offsets[ranked.query_offsets]
    sizes: list[int] = np.diff(ends).tolist()
    return {query: None for query, n in zip(ranked.query_ids, sizes, strict=True) if n}


def _shortest_lists(ranked: Run | RankingSample, pools: Pools) -> FloatArray:
    """(Q) items in the shortest ranking of each query of the pools; 0 where there is none."""
    if isinstance(ranked, Run):
        return pools.n_retrieved.astype(np.float64)
    lengths = np.diff(ranked.sample_offsets)
    shortest = {
        query: float(lengths[start:end].min(initial=np.iinfo(np.int64).max))
        for query, start, end in zip(
            ranked.query_ids,
            ranked.query_offsets[:-1].tolist(),
            ranked.query_offsets[1:].tolist(),
            strict=True,
        )
    }
    return np.array([shortest.get(query, 0.0) for query in pools.query_ids])
