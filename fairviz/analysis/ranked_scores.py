"""Scores of rankings per query, with the notes that a reader of them needs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, cast

from fairviz.analysis.coverage import queries, query_notes, short_notes
from fairviz.analysis.group_scores import GroupScorer
from fairviz.errors import UsageError
from fairviz.groups import Preset
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.metrics.exposure_evidence import (
    ExposureEvidence,
    ExposureMeasure,
    ExposureOptions,
    exposure_evidence,
    exposure_values,
)
from fairviz.metrics.group_evidence import GroupMeasure
from fairviz.metrics.standard import needs_subtopics, standard_values
from fairviz.model import (
    FloatArray,
    GroupLabels,
    MeasureSpec,
    Note,
    Pools,
    Qrels,
    RankingSample,
    Run,
    Scores,
    SystemScore,
    Target,
)
from fairviz.pool import Members, pool

OUTSIDE = 1e-9
"""Values beyond [0, 1] by less than this are rounding."""


class Refusal(NamedTuple):
    """A measure that these data do not allow, and why."""

    system: str
    measure: str
    reason: str


@dataclass(slots=True)
class RankedScorer:
    """Measures of one system's rankings.

    Attributes:
        ranked: The system.
        qrels: Judgements; None where no measure needs them.
        labels: Groups of documents, for measures of groups.
        target: Shares of attention, by hand or set by the data.
        notes: What people should know, gathered while scoring.
    """

    ranked: Run | RankingSample
    qrels: Qrels | None
    labels: GroupLabels | None = None
    target: Target | Preset | None = None
    notes: list[Note] = field(default_factory=list[Note])
    _groups: GroupScorer = field(init=False)
    _pools: dict[Members, Pools] = field(default_factory=dict[Members, Pools])
    _evidence: dict[object, ExposureEvidence] = field(default_factory=dict[object, ExposureEvidence])

    def __post_init__(self) -> None:
        self._groups = GroupScorer(self.ranked, self.qrels, self.labels, self.target)

    def scores(
        self, specs: Sequence[MeasureSpec], *, refuse: bool = True
    ) -> tuple[list[Scores | SystemScore], list[Refusal]]:
        """Scores in the order of the measures.

        Args:
            specs: Measures of rankings.
            refuse: Whether a measure that the data do not allow is an error; otherwise it is
                among the refusals, with the reason.

        Raises:
            UsageError: With ``refuse``.
        """
        standard = [i for i, spec in enumerate(specs) if spec.name not in CATALOGUE]
        if self.qrels is not None and any(map(_judged, specs)):
            self._gather(query_notes(self.ranked, self.qrels))
        found: dict[int, Scores | SystemScore] = dict(
            zip(standard, self._standard([specs[i] for i in standard]), strict=True)
        )
        refused: list[Refusal] = []
        for i in sorted({*range(len(specs))} - {*standard}):
            try:
                found[i] = self._ours(specs[i])
            except UsageError as error:
                if refuse:
                    raise
                name = specs[i].text or specs[i].name
                refused.append(Refusal(self.ranked.system, name, str(error)))
        self._gather(self._groups.notes)
        return [found[i] for i in sorted(found)], refused

    def _ours(self, spec: MeasureSpec) -> Scores | SystemScore:
        measure = CATALOGUE[spec.name]
        if isinstance(measure, GroupMeasure):
            return self._groups.score(measure, spec)
        if isinstance(measure, ExposureMeasure):
            return self._exposure(measure, spec)
        raise UsageError(f"{spec.text or spec.name} is no measure of rankings")

    def _exposure(self, measure: ExposureMeasure, spec: MeasureSpec) -> Scores | SystemScore:
        params, cutoff = measure.check(spec.params, spec.cutoff)
        options = cast("ExposureOptions", measure.with_defaults(params))
        evidence = self._evidence_for(options, cutoff)
        pools = evidence.pools
        if options["by"] == "group":
            return self._groups.exposure_by_group(measure, spec, evidence, options)
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
        qrels = self._judgements()
        results = standard_values(self.ranked, qrels, specs)
        for spec in specs:
            if needs_subtopics(spec) and qrels.subtopics is None:
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
            self._scores(spec, one.values, qrels.query_ids, {"n_zero_by_rule": one.n_zero_by_rule})
            for spec, one in zip(specs, results, strict=True)
        ]

    def _evidence_for(self, options: ExposureOptions, cutoff: int | None) -> ExposureEvidence:
        """Exposures, computed once for measures that differ in norm or estimate only."""
        shared = {**options, "norm": options["norm"] == "expeval"}
        shared |= dict.fromkeys(("estimate", "by", "over", "missing"))
        key = (*shared.items(), cutoff)
        if key not in self._evidence:
            pools = self._pool(options["pool"])
            self._evidence[key] = exposure_evidence(
                self.ranked,
                pools,
                options,
                cutoff,
                largest_grade=int(self._judgements().grades.max(initial=0)),
            )
        return self._evidence[key]

    def _pool(self, members: Members) -> Pools:
        if members not in self._pools:
            self._pools[members] = pool(self.ranked, self._judgements(), members=members)
        return self._pools[members]

    def _judgements(self) -> Qrels:
        if self.qrels is None:
            raise UsageError("judgements are needed: give --qrels FILE")
        return self.qrels

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


def _judged(spec: MeasureSpec) -> bool:
    """Whether a measure is one of judged queries."""
    measure = CATALOGUE.get(spec.name)
    return measure is None or "qrels" in measure.needs
