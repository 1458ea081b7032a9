"""Scores of rankings per query, with the notes that a reader of them needs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from fairviz.analysis.coverage import queries, query_notes, short_notes
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.metrics.exposure_evidence import (
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
        self._gather(query_notes(self.ranked, self.qrels))
        found = dict(zip(others, self._standard([specs[i] for i in others]), strict=True))
        found |= {i: self._exposure(measure, specs[i]) for i, measure in ours.items()}
        return [found[i] for i in range(len(specs))]

    def _exposure(self, measure: ExposureMeasure, spec: MeasureSpec) -> Scores:
        params, cutoff = measure.check(spec.params, spec.cutoff)
        options = cast("ExposureOptions", measure.with_defaults(params))
        evidence = self._evidence_for(options, cutoff)
        pools = evidence.pools
        values = exposure_values(measure, evidence, options, cutoff)
        for name, beside in measure.idle(params).items():
            self._note(f"{spec.text}: {name} has no effect, it goes with {beside}")
        self._note_values(spec, measure, options, values)
        if cutoff is not None:
            self._gather(short_notes(self.ranked, pools, cutoff))
        return self._scores(spec, values, pools.query_ids)

    def _standard(self, specs: list[MeasureSpec]) -> list[Scores]:
        if not specs:
            return []
        results = standard_values(self.ranked, self.qrels, specs)
        for spec in specs:
            if needs_subtopics(spec) and self.qrels.subtopics is None:
                self._note(f"{spec.text}: the judgements have no subtopics, it counts one")
        by_count: dict[int, list[str]] = {}
        for spec, one in zip(specs, results, strict=True):
            by_count.setdefault(one.n_zero_by_rule, []).append(spec.text or spec.name)
        for n, texts in by_count.items():
            if n:
                self._note(
                    f"{n} {queries(n)} not ranked or without anything relevant: 0 in "
                    f"{', '.join(texts)}, by ir-measures' rule"
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
            self._evidence[key] = exposure_evidence(
                self.ranked,
                pools,
                options,
                cutoff,
                largest_grade=int(self.qrels.grades.max(initial=0)),
            )
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
        self._gather([Note(self.ranked.system, None, message)])

    def _gather(self, notes: Sequence[Note]) -> None:
        self.notes += [note for note in notes if note not in self.notes]

    def _note_values(
        self,
        spec: MeasureSpec,
        measure: ExposureMeasure,
        options: ExposureOptions,
        values: FloatArray,
    ) -> None:
        outside = (values < -OUTSIDE) | (values > 1 + OUTSIDE)
        if options["norm"] != "none" and outside.any():
            n = int(outside.sum())
            self._note(f"{spec.text}: {n} {queries(n)} with a value outside [0, 1], not clipped")
        one_each = isinstance(self.ranked, Run) or (self.ranked.n_samples < 2).all()
        corrected = options["estimate"] == "unbiased" and measure.unbiased is not measure.plugin
        if corrected and one_each:
            self._note(f"{spec.text}: undefined, the estimate needs two rankings per query")


def _exposure_measure(name: str) -> ExposureMeasure | None:
    measure = CATALOGUE.get(name)
    return measure if isinstance(measure, ExposureMeasure) else None
