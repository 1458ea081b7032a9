"""Recorded outputs to per-query EU, EAR and EAE-D (Kim & Diaz, 3.3.2–3.3.5), and the utility of answers.

Utility is as recorded, or how well an answer matches its references (DESIGN 2.5).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias, cast

import numpy as np

from fairviz.errors import InputError, UndefinedError, UsageError
from fairviz.evaluation.rankings import MANY, Refusal
from fairviz.io.join import join_outputs
from fairviz.kernels.attention import TopK
from fairviz.kernels.attribution import (
    ONLY_CITED,
    Attribution,
    attribution,
    coverage,
    refuse_unknown,
    unlike,
    unlike_words,
)
from fairviz.kernels.exposure import sample_exposure
from fairviz.kernels.pool import pool
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.metrics.consumption import (
    DisparityNorm,
    UtilityNorm,
    attributed_disparity,
    attribution_rate,
    expected_utility,
    largest_utility,
    share_of_best,
)
from fairviz.metrics.exposure import unbiased_disparity
from fairviz.metrics.utility import Scale, StringUtility, reference_scale, string_utility
from fairviz.model import (
    BoolArray,
    Factors,
    FloatArray,
    MeasureSpec,
    Note,
    ParamValue,
    RagOutputs,
    RankingSample,
    Run,
    Scores,
    SystemScore,
)
from fairviz.model.arrays import positions, segment_ids

# Which run fed which recorded outputs: as told, the only one, else the one whose first k hold what the outputs cite.
#
# It is one setting of the data: command, pages, export and bundle read the same answer. Where two runs fit alike, a
# person is asked; a list of references is never silently taken for what a generator was given while a run is there.


RECORDED = "recorded"
"""Told in place of a run: what the outputs themselves list."""
MARGIN = 0.05
"""Share by which the best run must lead the next: below, both fit alike and a person is asked."""
USUAL_CONTEXT = 20
"""Documents that a context holds where outputs do not record it, as TREC RAG gives."""


How: TypeAlias = Literal["recorded", "told", "only", "guessed", "unclear", "alone"]


class Pairing(NamedTuple):
    """Which run fed the outputs of one system.

    Attributes:
        outputs: Name of the outputs' system.
        run: Name of the run; None: what the outputs list, if they do.
        how: "recorded" (the outputs hold the lists they were given), "told", "only" (there is one
            run), "guessed" by coverage, "unclear" (runs fit alike), "alone" (there is no run).
        candidates: Runs by the share of the documents that the outputs name which their first k hold, the largest
            first, where it was asked for.
        k: Documents that a context holds.
    """

    outputs: str
    run: str | None
    how: How
    candidates: tuple[tuple[str, float], ...] = ()
    k: int = USUAL_CONTEXT

    @property
    def evidence(self) -> str:
        """The best runs with their coverage, in words; empty where none was asked for."""
        named = [f"{name} {100 * share:.0f} %" for name, share in self.candidates[:2]]
        return f"of the documents cited, the first {self.k} of each list hold: {', '.join(named)}" if named else ""

    @property
    def question(self) -> str:
        """What to ask a person, where runs fit alike; otherwise empty."""
        if self.how != "unclear":
            return ""
        return f"several runs may have fed {self.outputs} ({self.evidence})"

    @property
    def note(self) -> Note | None:
        """What the reader of a guess should know."""
        if self.how != "guessed":
            return None
        message = f"taken as made from {self.run} ({self.evidence}); --pair {self.outputs}={self.run} says so"
        return Note(self.outputs, None, message)


def pairings(
    outputs: Sequence[RagOutputs],
    rankings: Sequence[Run | RankingSample],
    told: Mapping[str, str] | None = None,
    factors: Mapping[str, Factors] | None = None,
) -> tuple[Pairing, ...]:
    """Which run fed each system's outputs, in their order.

    Outputs of one system (at several α) were made from one run, and are judged together.

    Args:
        outputs: Systems of outputs.
        rankings: Systems of rankings.
        told: Name of an output system -> name of its run, or :data:`RECORDED`.
        factors: Name of a run -> what it is made of, where a table says so; else a run is named by its retriever.

    Raises:
        UsageError: A pair names a system that is not there.
    """
    told, factors = told or {}, factors or {}
    runs = {ranked.system: ranked for ranked in rankings}
    known = [recorded.system for recorded in outputs]
    for output, run in told.items():
        for name, names in ((output, known), (run, [*runs, RECORDED])):
            if name not in names:
                raise UsageError(f"--pair: no system {name!r}; there are: {', '.join(names)}")
    decided: dict[str, Pairing] = {}
    for name in dict.fromkeys(known):
        members = [recorded for recorded in outputs if recorded.system == name]
        decided[name] = _pairing(name, members, runs, told.get(name), factors)
    return tuple(decided[name] for name in known)


def _pairing(
    name: str,
    members: Sequence[RagOutputs],
    runs: Mapping[str, Run | RankingSample],
    told: str | None,
    factors: Mapping[str, Factors],
) -> Pairing:
    k = members[0].k or USUAL_CONTEXT
    if told is not None:
        return Pairing(name, None if told == RECORDED else told, "told", k=k)
    unrecorded = [recorded for recorded in members if recorded.given_from != "ranking"]
    if not unrecorded:
        return Pairing(name, _of_retriever(members[0], runs, factors), "recorded", k=k)
    if len(runs) < 2:
        return Pairing(name, next(iter(runs), None), "only" if runs else "alone", k=k)
    candidates = sorted(
        ((run, _share(unrecorded, ranked, k)) for run, ranked in runs.items()),
        key=lambda candidate: -candidate[1],
    )
    (best, share), (_, second) = candidates[:2]
    clear = share - second > MARGIN
    return Pairing(name, best if clear else None, "guessed" if clear else "unclear", tuple(candidates), k)


def _of_retriever(
    recorded: RagOutputs, runs: Mapping[str, Run | RankingSample], factors: Mapping[str, Factors]
) -> str | None:
    """The run of the retriever that the outputs record; None where none is, or several are."""
    if recorded.retriever is None or recorded.retriever in runs:
        return recorded.retriever
    said = {run: factors.get(run, Factors()) for run in runs}
    named = [run for run, made in said.items() if made.retriever == recorded.retriever]
    same_task = [run for run in named if said[run].task == recorded.task]
    found = same_task or [run for run in named if said[run].task is None]
    return found[0] if len(found) == 1 else None


def _share(members: Sequence[RagOutputs], ranked: Run | RankingSample, k: int) -> float:
    inside = of = 0
    for recorded in members:
        try:
            n_inside, n = coverage(recorded, ranked, k=k)
        except ValueError:  # a sample with another number of rankings fed no such outputs
            return 0.0
        inside, of = inside + n_inside, of + n
    return inside / of if of else 0.0


def generators_fed(
    outputs: Sequence[RagOutputs], found: Sequence[Pairing], rankings: Sequence[Run | RankingSample]
) -> dict[str, frozenset[str]]:
    """Generators whose outputs were made from each run, where both are known."""
    only = rankings[0].system if len(rankings) == 1 else None
    fed: dict[str, set[str]] = {}
    for recorded, pairing in zip(outputs, found, strict=True):
        run = pairing.run or only
        if run is not None and recorded.generator:
            fed.setdefault(run, set()).add(recorded.generator)
    return {run: frozenset(generators) for run, generators in fed.items()}


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
        self.references = references
        self._scale: Scale | None = None
        self._known: dict[tuple[int, Utility], tuple[RagOutputs, FloatArray]] = {}

    def of(self, outputs: RagOutputs, utility: Utility = "recorded") -> FloatArray:
        """(O) utility of each output, NaN = none recorded, or no reference for its query.

        ``mae`` is max − error; max is the distance between the smallest and the largest of all
        references. Equal answers to one query are scored once.

        Raises:
            UsageError: If references are needed and missing, or one for ``mae`` is no number.
        """
        if utility == "recorded":
            return outputs.utilities
        key = id(outputs), utility  # the outputs are held beside the values, so ids stay theirs
        if key not in self._known:
            self._known[key] = outputs, self._computed(outputs, utility)
        return self._known[key][1]

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
            reached = np.append(largest, np.nan)[positions(outputs.query_ids, other.query_ids)]
            best = np.fmax(best, reached)
        return best

    def scale(self, utility: Utility) -> Scale | None:
        """The scale of all references, for the utilities that have one.

        Raises:
            UsageError: As :meth:`of`.
        """
        if utility == "recorded":
            return None
        if self.references is None:
            raise UsageError(f"utility='{utility}' compares with reference answers: give references")
        if utility == "mae" and self._scale is None:
            self._scale = reference_scale(self.references)
        return self._scale

    def _computed(self, outputs: RagOutputs, utility: StringUtility) -> FloatArray:
        scale = self.scale(utility)
        references = self.references or {}
        score = string_utility(utility, references, scale)
        values = np.full(len(outputs.texts), np.nan)
        for query, query_id in enumerate(outputs.query_ids):
            right = references.get(query_id, ())
            known: dict[str, float] = {}
            for o in range(int(outputs.offsets[query]), int(outputs.offsets[query + 1])):
                text = outputs.texts[o]
                if text not in known:
                    known[text] = score(text, right)
                values[o] = known[text]
        return values


def same_generator(a: RagOutputs, b: RagOutputs) -> bool:
    """Whether the answers of one count among the best that the generator of the other reached."""
    same_task = a.task is None or b.task is None or a.task == b.task
    same_data = a.dataset is None or b.dataset is None or a.dataset == b.dataset
    return a.generator is not None and a.generator == b.generator and same_task and same_data


# Measures of outputs.


Estimate: TypeAlias = Literal["plugin", "unbiased"]
"""How ‖ε‖² is estimated from N samples."""


def utility_scores(
    outputs: RagOutputs,
    *,
    recorded: Sequence[RagOutputs] = (),
    utility: Utility = "recorded",
    norm: UtilityNorm = "none",
    answers: AnswerUtilities | None = None,
    measure: str = "EU",
) -> Scores:
    """EU per query: mean utility, or its share of the best the generator reached.

    Args:
        outputs: One system's outputs.
        recorded: All recorded runs, for ``norm="best"``.
        utility: As recorded, or a string utility against references.
        norm: "none", or "best" (0/0 undefined).
        answers: Utilities against references; None where only recorded ones are asked for.
        measure: What to call it, as typed.
    """
    answers = answers or AnswerUtilities()
    values = expected_utility(answers.of(outputs, utility), outputs.offsets)
    if norm == "best":
        values = share_of_best(values, answers.best(outputs, recorded, utility))
    return Scores(system=outputs.system, measure=measure, query_ids=outputs.query_ids, values=values)


def attribution_scores(matches: Attribution, *, measure: str = "EAR") -> Scores:
    """EAR per query; undefined where no output of the query was given an item."""
    values = attribution_rate(matches.n_attributed, matches.given.query_offsets, k=matches.k)
    return _scores(matches, measure, np.where(was_given(matches), values, np.nan))


def attributed_disparity_scores(
    matches: Attribution,
    *,
    norm: DisparityNorm = "k",
    estimate: Estimate = "plugin",
    measure: str = "EAED",
) -> Scores:
    """EAE-D per query; flag ``single_sample`` where one output per query makes it equal EAR.

    Args:
        matches: Given and attributed items.
        norm: "k" (default) or "none".
        estimate: "plugin", or "unbiased" (undefined for one output).
        measure: What to call it, as typed.
    """
    pools = pool(matches.given, None)
    drawn = sample_exposure(matches.attributed, pools, TopK(matches.k))
    values = attributed_disparity(drawn.exposure, pools.offsets, k=matches.k, norm="none")
    if estimate == "unbiased":
        values = unbiased_disparity(values, drawn.mean_square, drawn.n_samples)
    if norm == "k":
        values = values / matches.k
    return _scores(matches, measure, np.where(was_given(matches), values, np.nan))


def was_given(matches: Attribution) -> BoolArray:
    """(Q) queries with an output that was given at least one item."""
    owner = segment_ids(matches.given.query_offsets)
    n_queries = len(matches.given.query_ids)
    return np.bincount(owner, weights=matches.n_given, minlength=n_queries) > 0


def _scores(matches: Attribution, measure: str, values: FloatArray) -> Scores:
    single = int(matches.given.n_samples.max(initial=0)) <= 1
    return Scores(
        system=matches.given.system,
        measure=measure,
        query_ids=matches.given.query_ids,
        values=values,
        flags={"single_sample": single, "n_cited": matches.n_cited, "n_outside": matches.n_outside},
    )


Options: TypeAlias = Mapping[str, ParamValue]
"""Parameters with their defaults, validated by the catalogue."""


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
        notes: What people should know, gathered while scoring.
    """

    outputs: RagOutputs
    recorded: Sequence[RagOutputs]
    paired: Run | RankingSample | None = None
    answers: AnswerUtilities = field(default_factory=AnswerUtilities)
    pairing: Pairing | None = None
    notes: list[Note] = field(default_factory=list[Note])
    _attributions: dict[int, Attribution] = field(default_factory=dict[int, Attribution])

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
                scores.append(OF_OUTPUTS[spec.name](self, options, cutoff, name))
            except InputError as error:
                reason = f"{error.reason}. {error.fix}".rstrip(" .")
                refused.append(Refusal(self.outputs.system, name, reason))
                if refuse:
                    self._note(f"left out of {name}: {reason}")
            except (UsageError, UndefinedError) as error:
                if refuse:
                    raise
                refused.append(Refusal(self.outputs.system, name, str(error)))
        return scores, refused

    def _check(self, options: Options) -> None:
        """Refuse a measure that queries, pairing or references do not allow; note what to know of it.

        Raises:
            InputError: There is no query in common with what the outputs are measured against.
            UsageError: Answers are to be compared with references that were not given, or several runs may have fed
                the outputs.
            UndefinedError: Nothing says which items an output was given.
        """
        if "utility" in options:
            utility: Utility = cast("Any", options["utility"])
            if utility != "recorded" and self.answers.references:
                join_outputs(self.outputs, list(self.answers.references), there="the references")
            self.answers.scale(utility)
            return
        pairing = self.pairing
        if pairing is not None and pairing.question:
            name = pairing.outputs
            also = f", or {name}={RECORDED} for what they list" if self.outputs.given_from == "references" else ""
            raise UsageError(f"{pairing.question}: give --pair {name}=RUN{also}")
        if self.paired is not None and self.outputs.given_from != "ranking":
            join_outputs(self.outputs, self.paired.query_ids, there=self.paired.system)
        refuse_unknown(self.outputs, self.paired)
        if pairing is not None and pairing.note is not None:
            self._note(pairing.note.message)

    def utility(self, options: Options, cutoff: int | None, text: str) -> Scores:
        """EU; ``cutoff`` is none of its."""
        own: Any = options
        scores = utility_scores(self.outputs, recorded=self.recorded, answers=self.answers, measure=text, **own)
        if scores.n_undefined:
            self._note(f"{text}: no utility for {scores.n_undefined} of {scores.n_queries} queries")
        return scores

    def attribution_rate(self, options: Options, cutoff: int | None, text: str) -> Scores:
        """EAR."""
        return attribution_scores(self._attribution(cutoff), measure=text)

    def attributed_disparity(self, options: Options, cutoff: int | None, text: str) -> Scores:
        """EAE-D."""
        own: Any = options
        return attributed_disparity_scores(self._attribution(cutoff), measure=text, **own)

    def _attribution(self, cutoff: int | None) -> Attribution:
        if cutoff is None:
            raise ValueError("a measure of attribution needs a cutoff")
        if cutoff not in self._attributions:
            paired = None if self.outputs.given_from == "ranking" else self.paired
            if paired is not None and (queries := unlike(self.outputs, paired)):
                raise UndefinedError(unlike_words(queries[0], self.outputs, paired))
            matches = self._attributions[cutoff] = attribution(self.outputs, k=cutoff, paired=self.paired)
            if matches.n_outside > MANY * matches.n_cited:
                self._note(f"{matches.n_outside} of {matches.n_cited} {matches.outside}")
            if matches.from_references and matches.attributed.docs.size >= ONLY_CITED * matches.given.docs.size:
                self._note(ONLY_CITED_NOTE)
            if not (self.outputs.n_samples > 1).any():
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
