"""Measures of fairviz for ir_measures, and so for PyTerrier's ``Experiment``: importing this module registers them.

``ir_measures.calc_aggregate([nDCG @ 10, EED @ 5, AWRF(groups="region.tsv", target="uniform") @ 10], qrels, run)``.
Parameters are those of ``fairviz measures``; measures of groups take ``groups`` and ``target`` besides, whatever
:func:`fairviz.groups` and :func:`fairviz.target` read. A query without a value is NaN and leaves the mean, where
ir_measures has 0 (PyTerrier adds up by itself: there the mean is NaN, too). What is one value of a whole system has
none per query, as ir_measures wants them, and is refused: ``logDP(over='query')`` is asked instead.
"""

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, ClassVar, cast

import ir_measures
from ir_measures import measures, providers
from ir_measures.measures.base import Agg
from ir_measures.util import QrelsConverter, RunConverter

from fairviz.api.nouns import aim_for, groups_of
from fairviz.api.nouns import labels as read_labels
from fairviz.api.nouns import qrels as qrels_of
from fairviz.api.nouns import run as run_of
from fairviz.api.nouns import target as read_target
from fairviz.errors import UsageError
from fairviz.evaluation.evaluate import evaluate
from fairviz.kernels.grouping import Preset
from fairviz.metrics.catalogue import CATALOGUE, checked_measure
from fairviz.metrics.describe import Kind, Measure, Parameter, check_parameters
from fairviz.model import MeasureSpec, SystemScore, Target

TYPES: Mapping[Kind, object] = {
    "whole": int,
    "number": (int, float),
    "flag": bool,
    "text": str,
    "gains": dict,
    "attention": str,
}
GROUPS, TARGET = "groups", "target"


class DefinedMean(Agg):
    """The mean of what is defined, or the smallest or largest of it; NaN where nothing is."""

    def __init__(self, aggregate: object) -> None:
        self._values: list[float] = []
        self._of = {"min": min, "max": max}.get(str(aggregate), _mean)

    def add(self, value: float) -> None:
        """Take a query's value in."""
        if not math.isnan(value):
            self._values.append(value)

    def result(self) -> float:
        """What they come to."""
        return self._of(self._values) if self._values else math.nan


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


class FairvizMeasure(measures.Measure):
    """A measure of fairviz's catalogue, as ir_measures describes measures.

    Raises:
        UsageError: A parameter is not accepted; the text says what is.
        InputError: Groups or a target cannot be read.
    """

    DEFAULT = math.nan
    DESCRIBED: ClassVar[Measure]

    def __init__(self, **params: Any) -> None:
        for name, read in ((GROUPS, read_labels), (TARGET, read_target)):
            argument = params.get(name)
            if argument is not None and not isinstance(argument, str):
                params[name] = read(argument)
        super().__init__(**params)
        check_parameters(self.DESCRIBED.name, self.DESCRIBED.parameters, self._own())

    def _own(self) -> dict[str, Any]:
        """The parameters that fairviz describes."""
        params: Mapping[str, Any] = self.params
        return {name: value for name, value in params.items() if name not in (GROUPS, TARGET, self.AT_PARAM)}

    def spec(self) -> MeasureSpec:
        """The measure by which fairviz computes this one.

        Raises:
            UsageError: Parameters do not go together, or the cutoff is missing.
        """
        return checked_measure(self.DESCRIBED.name, self._own(), self.params.get(self.AT_PARAM))

    def validate_params(self) -> None:
        """Refuse what fairviz refuses, in its words."""
        if not self.validated:
            self.spec()
            self.validated = True

    def aggregator(self) -> DefinedMean:
        """What makes one value of those of queries."""
        return DefinedMean(self.DESCRIBED.with_defaults(self._own()).get("aggregate"))

    def _param_repr(self, v: Any) -> str:
        """Labels and targets by a mark of their content: equal marks are the same measure."""
        return repr(v) if isinstance(v, (str, int, float, dict)) else f"'{type(v).__name__} {_mark(v)}'"


def _mark(noun: Any) -> str:
    """Eight digits that change with the content."""
    content = hashlib.sha256()
    for field in fields(noun):
        value = getattr(noun, field.name)
        value = value.toarray() if hasattr(value, "toarray") else value
        content.update(value.tobytes() if hasattr(value, "tobytes") else repr(value).encode())
    return content.hexdigest()[:8]


def _described(parameter: Parameter) -> measures.ParamInfo:
    is_closed = parameter.choices and parameter.kind != "attention"
    accepted: dict[str, Any] = {"choices": list(parameter.choices)} if is_closed else {}
    return measures.ParamInfo(
        dtype=TYPES[parameter.kind], default=parameter.default, desc=parameter.meaning, **accepted
    )


def _registered(name: str) -> FairvizMeasure:
    """A measure of the catalogue, known to ``ir_measures.parse_measure`` from now on."""
    described = CATALOGUE[name]
    params = {parameter.name: _described(parameter) for parameter in described.parameters}
    params[GROUPS] = measures.ParamInfo(desc="groups of documents: a file, or what fairviz.groups takes")
    params[TARGET] = measures.ParamInfo(desc="share of attention of each group: a preset, or what fairviz.target takes")
    if described.cutoff != "none":
        params["cutoff"] = measures.ParamInfo(
            dtype=int, required=described.cutoff == "required", desc="ranks that count"
        )
    kind = type(
        name,
        (FairvizMeasure,),
        {
            "__doc__": described.summary,
            "__name__": name,
            "NAME": name,
            "PRETTY_NAME": f"{described.label}, {described.title}",
            "SHORT_DESC": described.summary,
            "SUPPORTED_PARAMS": params,
            "DESCRIBED": described,
        },
    )
    measure = kind()
    measures.register(measure)
    return measure


EED = _registered("EED")
EER = _registered("EER")
EEL = _registered("EEL")
AWRF = _registered("AWRF")
PreF = _registered("PreF")
FAIRBinomial = _registered("FAIRBinomial")
KL = _registered("KL")
nDKL = _registered("nDKL")
nDRKL = _registered("nDRKL")
Skew = _registered("Skew")
MinSkew = _registered("MinSkew")
MaxSkew = _registered("MaxSkew")
InfeasibleIndex = _registered("InfeasibleIndex")
InfeasibleCount = _registered("InfeasibleCount")
FeasibleRank = _registered("FeasibleRank")
logDP = _registered("logDP")
logEUR = _registered("logEUR")
logRUR = _registered("logRUR")
IAA = _registered("IAA")
PAIR = _registered("PAIR")
FAIR = _registered("FAIR")
FairTrecAWRF = _registered("FairTrecAWRF")
FairTrecScore = _registered("FairTrecScore")


# What computes them.


class FairvizEvaluator(providers.Evaluator):
    """Some measures over some judgements, for any number of runs.

    Args:
        sharing: The measures; those that share their groups and their target stand together.
        qrels: The judgements.
    """

    def __init__(self, sharing: Sequence[Sequence[FairvizMeasure]], qrels: Any) -> None:
        self._sharing = sharing
        rows = _rows(qrels)
        self._qrels = qrels_of(_table(rows, QrelsConverter)) if len(rows) else None
        query_ids = self._qrels.query_ids if self._qrels is not None else ()
        super().__init__([measure for together in sharing for measure in together], query_ids)

    def _iter_calc(self, run: Any) -> Iterator[ir_measures.Metric]:
        rows = _rows(run)
        if not len(rows):
            return
        system = run_of(_table(rows, RunConverter))
        judged = [] if self._qrels is None else [self._qrels]
        for sharing in self._sharing:
            groups, target = (sharing[0].params.get(name) for name in (GROUPS, TARGET))
            aim = aim_for(target, [], several_attributes=False, allow_missing_groups=True)
            evaluation = evaluate(
                [system],
                [measure.spec() for measure in sharing],
                qrels=judged,
                labels=next(iter(groups_of(groups, judged)), None),
                target=cast("Target | Preset | None", aim),
            )
            for measure, score in zip(sharing, evaluation.scores, strict=True):
                if isinstance(score, SystemScore):
                    fix = f"write {measure(over='query')!r}, or use fairviz.evaluate"
                    raise UsageError(f"{measure!r} is one value of a system, and ir_measures asks for queries: {fix}")
                values = zip(score.query_ids, score.values.tolist(), strict=True)
                yield from (ir_measures.Metric(query, measure, value) for query, value in values)


def _rows(rows: Any) -> Any:
    """What can be asked whether it is empty."""
    return rows if hasattr(rows, "__len__") else list(rows)


def _table(rows: Any, converter: type[QrelsConverter] | type[RunConverter]) -> Any:
    """What fairviz reads: dicts and frames as they are, rows as a frame."""
    is_table = isinstance(rows, Mapping) or hasattr(rows, "__arrow_c_stream__")
    return rows if is_table else converter(rows).as_pd_dataframe()


class FairvizProvider(providers.Provider):
    """Computes the measures above."""

    NAME = "fairviz"

    def supports(self, measure: measures.Measure) -> bool:
        """Whether it is one of them; its parameters are checked."""
        measure.validate_params()
        return isinstance(measure, FairvizMeasure)

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> FairvizEvaluator:
        apart: dict[str, list[FairvizMeasure]] = {}
        for measure in measures:
            key = f"{measure.params.get(GROUPS)!r} {measure.params.get(TARGET)!r}"
            apart.setdefault(key, []).append(measure)
        return FairvizEvaluator([*apart.values()], qrels)


provider: Any = providers.register(FairvizProvider())
cast("Any", ir_measures.DefaultPipeline).providers.append(provider)
