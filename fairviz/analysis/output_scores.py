"""Scores of recorded outputs per query: EU, EAR and EAE-D (DESIGN 2.5)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypedDict, cast

from fairviz.analysis.answer_utility import AnswerUtilities, Utility
from fairviz.analysis.consumption import (
    Estimate,
    attributed_disparity_scores,
    attribution_scores,
    single_sample,
    utility_scores,
)
from fairviz.attribution import Attribution, attribution
from fairviz.errors import UndefinedError, UsageError
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.metrics.consumption import DisparityNorm, UtilityNorm
from fairviz.model import MeasureSpec, Note, ParamValue, RagOutputs, RankingSample, Run, Scores

Options: TypeAlias = Mapping[str, ParamValue]
"""Parameters with their defaults, validated by the catalogue."""


class UtilityOptions(TypedDict):
    """Parameters of EU."""

    utility: Utility
    norm: UtilityNorm


class DisparityOptions(TypedDict):
    """Parameters of EAED."""

    norm: DisparityNorm
    estimate: Estimate


@dataclass(slots=True)
class OutputScorer:
    """Measures of one system's recorded outputs; the queries are those that have an output.

    Attributes:
        outputs: The system.
        recorded: All recorded outputs, among which the best utility is looked for.
        paired: The run that the outputs were made from, where known.
        answers: Utilities against references, shared by all systems that are measured together.
        notes: What people should know, gathered while scoring.
    """

    outputs: RagOutputs
    recorded: Sequence[RagOutputs]
    paired: Run | RankingSample | None = None
    answers: AnswerUtilities = field(default_factory=AnswerUtilities)
    notes: list[Note] = field(default_factory=list[Note])
    _attributions: dict[int, Attribution] = field(default_factory=dict[int, Attribution])

    def scores(self, specs: Sequence[MeasureSpec]) -> list[Scores]:
        """Scores in the order of the measures.

        Raises:
            UsageError: Answers are to be compared with references that were not given.
            UndefinedError: Nothing says which items an output was given.
        """
        return [self._score(spec) for spec in specs]

    def _score(self, spec: MeasureSpec) -> Scores:
        measure = CATALOGUE[spec.name]
        params, cutoff = measure.check(spec.params, spec.cutoff)
        text = spec.text or spec.name
        return OF_OUTPUTS[spec.name](self, measure.with_defaults(params), cutoff, text)

    def utility(self, options: Options, cutoff: int | None, text: str) -> Scores:
        """EU; ``cutoff`` is none of its."""
        scores = utility_scores(
            self.outputs,
            recorded=self.recorded,
            answers=self.answers,
            measure=text,
            **cast("UtilityOptions", options),
        )
        if scores.n_undefined:
            n, of = scores.n_undefined, scores.n_queries
            self._note(f"{text}: no utility for {n} of {of} queries")
        return scores

    def attribution_rate(self, options: Options, cutoff: int | None, text: str) -> Scores:
        """EAR."""
        return attribution_scores(self._attribution(cutoff), measure=text)

    def attributed_disparity(self, options: Options, cutoff: int | None, text: str) -> Scores:
        """EAE-D."""
        found = self._attribution(cutoff)
        return attributed_disparity_scores(found, measure=text, **cast("DisparityOptions", options))

    def _attribution(self, cutoff: int | None) -> Attribution:
        if cutoff is None:
            raise ValueError("a measure of attribution needs a cutoff")
        if cutoff not in self._attributions:
            try:
                found = attribution(self.outputs, k=cutoff, paired=self.paired)
            except ValueError as error:  # the paired sample holds another number of rankings
                raise UndefinedError(str(error)) from None
            self._attributions[cutoff] = found
            if found.warning:
                self._note(found.warning)
            if single_sample(self.outputs):
                self._note("one output per query: EAE-D/k equals EAR identically")
        return self._attributions[cutoff]

    def _note(self, message: str) -> None:
        note = Note(self.outputs.system, None, message)
        if note not in self.notes:
            self.notes.append(note)


OF_OUTPUTS: Mapping[str, Callable[[OutputScorer, Options, int | None, str], Scores]] = {
    "EU": OutputScorer.utility,
    "EAR": OutputScorer.attribution_rate,
    "EAED": OutputScorer.attributed_disparity,
}
"""(scorer, parameters, cutoff, text as typed) -> scores, by the name in the catalogue."""


def pairings(
    outputs: Sequence[RagOutputs],
    rankings: Sequence[Run | RankingSample],
    pairs: Mapping[str, str],
) -> list[Run | RankingSample | None]:
    """The run that each system's outputs were made from: as told, else the only one there is.

    Args:
        outputs: Systems of outputs.
        rankings: Systems of rankings.
        pairs: Name of an output system -> name of its run.

    Raises:
        UsageError: A pair names a system that is not there.
    """
    runs = {ranked.system: ranked for ranked in rankings}
    known = [each.system for each in outputs]
    for output, run in pairs.items():
        for name, names in ((output, known), (run, list(runs))):
            if name not in names:
                raise UsageError(f"--pair: no system {name!r}; there are: {', '.join(names)}")
    only = rankings[0] if len(rankings) == 1 else None
    return [runs[pairs[each]] if each in pairs else only for each in known]
