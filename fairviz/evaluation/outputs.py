"""Recorded outputs to per-query EU, EAR and EAE-D (Kim & Diaz, 3.3.2–3.3.5), and the utility of answers.

Utility is as recorded, or how well an answer matches its references (DESIGN 2.5).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, TypeAlias, cast

import numpy as np

from fairviz.errors import InputError, UndefinedError, UsageError
from fairviz.evaluation.rankings import Refusal
from fairviz.evaluation.systems import RECORDED, Pairing
from fairviz.io.join import join_outputs
from fairviz.io.notes import NoteBook, literal
from fairviz.kernels.attention import TopK
from fairviz.kernels.attribution import ONLY_CITED, Attribution, attribution, refuse_unknown, unlike, unlike_words
from fairviz.kernels.exposure import sample_exposure
from fairviz.kernels.pool import moved, pool
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.metrics.consumption import (
    UtilityNorm,
    attributed_disparity,
    attribution_rate,
    expected_utility,
    largest_utility,
    share_of_best,
)
from fairviz.metrics.exposure import unbiased_disparity
from fairviz.metrics.utility import StringUtility, string_utility
from fairviz.model import BoolArray, FloatArray, MeasureSpec, RagOutputs, RankingSample, Run, Scores, SystemScore
from fairviz.model.arrays import segment_ids
from fairviz.model.results import Flags

# Utility of answers.


Utility: TypeAlias = Literal["recorded"] | StringUtility
"""Utilities as recorded with the outputs, or computed against references."""

References: TypeAlias = Mapping[str, Sequence[str]]
"""Right answers by query id."""


class AnswerUtilities:
    """Utilities of answers against one set of references, computed once per system.

    ``norm='best'`` looks at every run of a generator for each of them; without remembering, twelve
    systems would be compared with their references twelve times.

    Args:
        references: Right answers.
    """

    def __init__(self, references: References | None = None) -> None:
        self.references = references or {}
        self._against_references = cache(self._compare)

    def of(self, outputs: RagOutputs, utility: Utility = "recorded") -> FloatArray:
        """(O) utility of each output, NaN = none recorded, or no reference for its query.

        ``mae`` is max − error; max is the distance between the smallest and the largest of all
        references. Equal answers to one query are scored once.

        Raises:
            UsageError: If references are needed and missing, or one for ``mae`` is no number.
        """
        return outputs.utilities if utility == "recorded" else self._against_references(outputs, utility)

    def best(self, outputs: RagOutputs, recorded: Sequence[RagOutputs], utility: Utility = "recorded") -> FloatArray:
        """(Q) the largest utility that the generator reached for each query in any recorded run.

        Runs of one generator count together, of one task where tasks are recorded; oracle runs are
        among them. Without a named generator, the outputs themselves count alone.

        Args:
            outputs: Whose queries are asked about; it counts whether or not ``recorded`` has it.
            recorded: All recorded runs of any generator.
            utility: As in :meth:`of`.
        """
        best = np.full(len(outputs.query_ids), np.nan)
        for other in (outputs, *recorded):
            if other is not outputs and not same_generator(outputs, other):
                continue
            largest = largest_utility(self.of(other, utility), other.offsets)
            best = np.fmax(best, moved(largest, other.query_ids, outputs.query_ids))
        return best

    def _compare(self, outputs: RagOutputs, utility: StringUtility) -> FloatArray:
        """(O) utilities of some outputs; equal answers to one query are compared once."""
        if not self.references:
            raise UsageError(f"utility='{utility}' compares with reference answers: give references")
        score, references = string_utility(utility, self.references), self.references
        queries: list[int] = segment_ids(outputs.offsets).tolist()

        @cache
        def utility_of(text: str, query: str) -> float:
            return score(text, references.get(query, ()))

        values = [utility_of(text, outputs.query_ids[q]) for text, q in zip(outputs.texts, queries, strict=True)]
        return np.array(values, dtype=np.float64)


def same_generator(a: RagOutputs, b: RagOutputs) -> bool:
    """Whether the answers of one count among the best that the generator of the other reached."""
    same_task = a.task is None or b.task is None or a.task == b.task
    same_data = a.dataset is None or b.dataset is None or a.dataset == b.dataset
    return a.generator is not None and a.generator == b.generator and same_task and same_data


# Measures of outputs.


Estimate: TypeAlias = Literal["plugin", "unbiased"]
"""How ‖ε‖² is estimated from N samples."""


def utility_values(
    outputs: RagOutputs,
    answers: AnswerUtilities,
    recorded: Sequence[RagOutputs] = (),
    *,
    utility: Utility = "recorded",
    norm: UtilityNorm = "none",
) -> FloatArray:
    """(Q) EU: mean utility, or its share of the best the generator reached.

    Args:
        outputs: One system's outputs.
        answers: Utilities against references.
        recorded: All recorded runs, for ``norm="best"``.
        utility: As recorded, or a string utility against references.
        norm: "none", or "best" (0/0 undefined).
    """
    values = expected_utility(answers.of(outputs, utility), outputs.offsets)
    return share_of_best(values, answers.best(outputs, recorded, utility)) if norm == "best" else values


def attribution_values(matches: Attribution) -> FloatArray:
    """(Q) EAR; undefined where no output of the query was given an item."""
    values = attribution_rate(matches.n_attributed, matches.given.query_offsets, k=matches.k)
    return np.where(was_given(matches), values, np.nan)


def attributed_disparity_values(
    matches: Attribution, *, norm: Literal["k", "none"] = "k", estimate: Estimate = "plugin"
) -> FloatArray:
    """(Q) EAE-D.

    Args:
        matches: Given and attributed items.
        norm: "k" divides by the size of the context, the largest value there can be.
        estimate: "plugin", or "unbiased" (undefined for one output).
    """
    pools = pool(matches.given, None)
    drawn = sample_exposure(matches.attributed, pools, TopK(matches.k))
    values = attributed_disparity(drawn.exposure, pools.offsets)
    if estimate == "unbiased":
        values = unbiased_disparity(values, drawn.mean_square, drawn.n_samples)
    if norm == "k":
        values = values / matches.k
    return np.where(was_given(matches), values, np.nan)


def was_given(matches: Attribution) -> BoolArray:
    """(Q) queries with an output that was given at least one item."""
    owner = segment_ids(matches.given.query_offsets)
    n_queries = len(matches.given.query_ids)
    return np.bincount(owner, weights=matches.n_given, minlength=n_queries) > 0


ONLY_CITED_NOTE = (
    "what was given is taken from the references, which hold what was cited and hardly more: no value says anything of "
    "the documents that were given and not cited; give the run that fed the generator"
)


@dataclass(slots=True)
class OutputScorer:
    """Measures of one system's recorded outputs; the queries are those that have an output.

    Attributes:
        outputs: The system.
        recorded: All recorded outputs, among which the best utility is looked for.
        paired: The run that the outputs were made from, where known.
        answers: Utilities against references, shared by all systems that are measured together.
        pairing: How ``paired`` is known, or which runs it could be.
        book: What people should know, noted while scoring.
    """

    outputs: RagOutputs
    recorded: Sequence[RagOutputs]
    paired: Run | RankingSample | None
    answers: AnswerUtilities
    pairing: Pairing
    book: NoteBook = field(init=False)
    _attributions: dict[int, Attribution] = field(default_factory=dict[int, Attribution])

    def __post_init__(self) -> None:
        self.book = NoteBook(self.outputs.system)

    def scores(
        self, specs: Sequence[MeasureSpec], *, refuse: bool = True
    ) -> tuple[list[Scores | SystemScore], list[Refusal]]:
        """Scores in the order of the measures, and measures that these outputs join nothing for.

        Args:
            specs: Measures of outputs.
            refuse: Whether what the data do not say is an error; otherwise it is a refusal. Files
                without a query in common are a refusal, noted, in any case.

        Raises:
            UsageError: Answers are to be compared with references that were not given, or several
                runs may have fed the outputs.
            UndefinedError: Nothing says which items an output was given.
        """
        scores: list[Scores | SystemScore] = []
        refused: list[Refusal] = []
        for spec in specs:
            name = spec.shown
            try:
                measure = CATALOGUE[spec.name]
                params, cutoff = measure.check(spec.params, spec.cutoff)
                options = measure.with_defaults(params)
                self._check(options)
                scores.append(self._scores(spec.name, options, cutoff, name))
            except InputError as error:
                reason = f"{error.reason}. {error.fix}".rstrip(" .")
                refused.append(Refusal(self.outputs.system, name, reason))
                if refuse:
                    self.book.tally(literal(f"left out of {name}: {reason}"))
            except (UsageError, UndefinedError) as error:
                if refuse:
                    raise
                refused.append(Refusal(self.outputs.system, name, str(error)))
        return scores, refused

    def _check(self, options: Mapping[str, Any]) -> None:
        """Refuse a measure that queries, pairing or references do not allow; note what to know of it.

        Raises:
            InputError: There is no query in common with what the outputs are measured against.
            UsageError: Several runs may have fed the outputs.
            UndefinedError: Nothing says which items an output was given.
        """
        if "utility" in options:
            utility: Utility = options["utility"]
            if utility != "recorded" and self.answers.references:
                join_outputs(self.outputs, list(self.answers.references), other_file="the references")
            return
        pairing = self.pairing
        if pairing.question:
            name = pairing.outputs
            also = f", or {name}={RECORDED} for what they list" if self.outputs.given_from == "references" else ""
            raise UsageError(f"{pairing.question}: give --pair {name}=RUN{also}")
        if self.paired is not None and self.outputs.given_from != "ranking":
            join_outputs(self.outputs, self.paired.query_ids, other_file=self.paired.system)
        refuse_unknown(self.outputs, self.paired)
        if pairing.note is not None:
            self.book.tally(literal(pairing.note.message))

    def _scores(self, name: str, options: Mapping[str, Any], cutoff: int | None, measure: str) -> Scores:
        """Scores of a measure by its name in the catalogue; ``measure`` is what it is called, as typed.

        The flag ``single_sample`` says where one output per query makes EAE-D equal EAR.
        """
        if name == "EU":
            values = utility_values(self.outputs, self.answers, self.recorded, **options)
            scores = Scores(
                system=self.outputs.system, measure=measure, query_ids=self.outputs.query_ids, values=values
            )
            words = f"{literal(measure)}: no utility for {{n}} of {{of}} queries"
            self.book.tally(words, scores.n_undefined, scores.n_queries)
            return scores
        matches = self._attribution(cast("int", cutoff))
        values = attribution_values(matches) if name == "EAR" else attributed_disparity_values(matches, **options)
        single = int(matches.given.n_samples.max(initial=0)) <= 1
        flags: Flags = {"single_sample": single, "n_cited": matches.n_cited, "n_outside": matches.n_outside}
        return Scores(
            system=self.outputs.system, measure=measure, query_ids=matches.given.query_ids, values=values, flags=flags
        )

    def _attribution(self, cutoff: int) -> Attribution:
        if cutoff not in self._attributions:
            paired = None if self.outputs.given_from == "ranking" else self.paired
            if paired is not None and (queries := unlike(self.outputs, paired)):
                raise UndefinedError(unlike_words(queries[0], self.outputs, paired))
            matches = self._attributions[cutoff] = attribution(self.outputs, k=cutoff, paired=self.paired)
            outside = f"{{n}} of {{of}} {literal(matches.outside)}"
            self.book.tally(outside, matches.n_outside, matches.n_cited, kind=f"outside {cutoff}", shown="many")
            if matches.from_references and matches.attributed.docs.size >= ONLY_CITED * matches.given.docs.size:
                self.book.tally(ONLY_CITED_NOTE)
            if not (self.outputs.n_samples > 1).any():
                self.book.tally("one output per query: EAE-D/k equals EAR identically")
        return self._attributions[cutoff]
