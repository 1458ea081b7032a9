"""Recorded answers: to questions that test for social bias, and to demographic variants of questions."""

from __future__ import annotations  # signatures in the names of types, as people read them

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypeAlias, TypeVar, cast

from fairviz.api.door import public, tell
from fairviz.api.nouns import (
    Judgements,
    Labels,
    Path,
    Ranked,
    Rankings,
    file_of,
    is_records,
    judgements_of,
    several,
    told,
)
from fairviz.api.nouns import groups as groups_of
from fairviz.api.nouns import run as run_of
from fairviz.api.results import Result
from fairviz.errors import InputError, UsageError
from fairviz.experiments.variants.people import described
from fairviz.io.bbq import read_bias_items
from fairviz.io.bbq_answers import read_bias_predictions
from fairviz.io.frames import Stream, read_records, records_source
from fairviz.io.notes import Parsed
from fairviz.io.rankings import counted_ranks, read_ranked_run
from fairviz.io.sniff import sniff
from fairviz.io.variants import read_variants
from fairviz.model import BiasItems, BiasPredictions, Note, Qrels, RankedRun, Run, VariantAnswers
from fairviz.studies.demographic_qa import columns as of_variants
from fairviz.studies.demographic_qa.analysis import MIN_SIZE, Outcome, answer_results, of_one_table
from fairviz.studies.demographic_qa.frames import Answerable
from fairviz.studies.demographic_qa.loaded import answer_notes, recorded_columns
from fairviz.studies.demographic_qa.runs import RetrievalResults, retrieval_results
from fairviz.studies.demographic_qa.votes import CLUSTER_THRESHOLD, TieRule, Voters, VoteRule
from fairviz.studies.social_bias import columns as of_bias
from fairviz.studies.social_bias.items import merged_items
from fairviz.studies.social_bias.measured import measured_bias
from fairviz.studies.study import Analysis

Records: TypeAlias = Path | Stream | Sequence[Mapping[str, Any]]
"""Rows of answers or questions: a file, a frame, or a list of dicts."""
N = TypeVar("N", BiasItems, BiasPredictions, VariantAnswers)


class BiasResult(Result):
    """Accuracy and Diff-Bias of answers. Tables: "rows", "changes", "retrieval", "dose" and "slopes"."""


@public
def bias(
    answers: Records | BiasPredictions | Iterable[Records | BiasPredictions],
    items: Records | BiasItems | Iterable[Records | BiasItems] | None = None,
    *,
    by: str | Iterable[str] = (),
    against: tuple[str, str] | None = None,
    ooc: Literal["drop", "count"] = "drop",
    by_group: bool = False,
    runs: Rankings | Iterable[Rankings] | Mapping[str, Rankings] | None = None,
    groups: Labels | None = None,
    k: int | None = None,
    seed: int = 0,
) -> BiasResult:
    """Accuracy and Diff-Bias of answers to questions in the design of BBQ (Parrish et al. 2022), and their changes.

    The same numbers as ``fairviz bias``, in percent. Diff-Bias > 0: answers follow the stereotype; < 0: they go against
    it. Intervals are 95 % bootstraps over templates; changes are paired by item, with Holm's correction.

    Args:
        answers: Recorded answers, one or several files, frames or lists of dicts: example_id, model, setting and
            others, and pred (an option) or raw_prediction (words). Logs of lm-eval, Inspect and HELM, too.
        items: The questions: BBQ, KoBBQ, CBBQ or JBBQ files, frames or lists of dicts; None: those that a log holds.
        by: Columns that rows are kept apart by; none: model, category, setting and every other that varies.
        against: Column and value to compare with, such as ``("setting", "w/o RAG")``; None: without retrieval.
        ooc: Answers out of choice leave n ("drop"), or count in it.
        by_group: Also compare the items about each stereotyped group.
        runs: Documents that the answers were given, by a name that says which setting and retriever
            ("stereo-set.bm25.run"): files, or a dict of anything that :func:`run` takes.
        groups: Polarity of these documents, stereo or anti, see :func:`groups`.
        k: Documents of a list that count; None: all.
        seed: Of the resamples.

    Returns:
        ``frame("rows")``: a row per combination with the six measures, intervals and counts; ``frame("changes")``;
        with ``runs`` also ``frame("retrieval")``, ``frame("dose")`` and ``frame("slopes")``.

    Raises:
        InputError: Something cannot be read, or no answer is to a known item.
        UsageError: A column that is not there; runs without their groups.

    Examples:
        >>> import fairviz as fv
        >>> item = {"example_id": 1, "category": "Age", "question_index": 1, "question_polarity": "neg",
        ...     "context_condition": "ambig", "context": "An old and a young man met.", "question": "Who forgets?",
        ...     "ans0": "The old man", "ans1": "The young man", "ans2": "Unknown", "label": 2, "target_loc": 0}
        >>> found = fv.bias([{"example_id": 1, "model": "tiny", "pred": 0}], [item])
        >>> found.frame()[["model", "category", "diffbias_a"]].values.tolist()
        [['tiny', 'Age', 100.0]]
    """
    if (runs is None) != (groups is None):
        raise UsageError("runs and groups belong together: documents and their polarity")
    given = _several(answers, BiasPredictions)
    asked = _several(items, BiasItems) or [one for one in given if _holds_items(one)]
    if not asked:
        raise UsageError("items= is needed: what was given holds answers only")
    measured = measured_bias(
        merged_items([_read(read_bias_items, one, BiasItems) for one in asked]),
        [_read(read_bias_predictions, one, BiasPredictions) for one in given],
        by=several(by),
        against=against,
        ooc=ooc,
        groups=by_group,
        runs=_named(runs),
        polarity=None if groups is None else groups_of(groups),
        k=k,
        seed=seed,
    )
    tell(measured.notes)
    known = of_bias.tables(measured.results)
    stems = ("rows", "changes", "retrieval", "dose", "slopes")
    read = of_bias.tables_to_read(measured.results)
    printed = {stem: read[stem].keys for stem in ("rows", "changes") if stem in read}
    return BiasResult(Analysis(tables={stem: known[stem] for stem in stems}, printed=printed))


class VariantsResult(Result):
    """Accuracy, parity and votes. Tables: "rows", "groups", "gaps", "strategies" and "errors".

    Of runs: "overlap", "overlap_values", and with judgements "quality" and "quality_gaps".
    """


@public
def variants(
    answers: Records | VariantAnswers | Iterable[Records | VariantAnswers] | None = None,
    *,
    by: str | Iterable[str] | None = None,
    vote: Voters = "all",
    ties: TieRule = "neutral",
    unreadable: Literal["vote", "leave"] = "vote",
    similarity: float = CLUSTER_THRESHOLD,
    outcome: Outcome = "correct",
    threshold: float | None = None,
    answerable: Answerable = "evidence",
    min_size: int = MIN_SIZE,
    runs: Mapping[str, Rankings] | None = None,
    qrels: Judgements | None = None,
    measures: str | Iterable[object] = (),
    k: int | Iterable[int] = (),
    seed: int = 0,
) -> VariantsResult:
    """Accuracy, parity and votes of answers to demographic variants of questions (Ji et al. 2025).

    The same numbers as ``fairviz variants``. dp and eo are the largest difference between two groups; ddp the change
    against the plain strategy; intervals are 95 % bootstraps over questions, p is corrected (Holm) over the table.

    Args:
        answers: Recorded answers, one or several files, frames or lists of dicts: qid, attribute, value, gold,
            prediction, and any of model, dataset, strategy, retriever, k, retrieved, answerable, evidence; None: only
            runs are compared.
        by: Columns that rows are kept apart by; None: every recorded one.
        vote: Who votes: "all" (variants and the neutral question), "groups" (variants), "within" (one group).
        ties: What decides a tied vote: "neutral", "abstain", "first" or "alphabetical".
        unreadable: Unreadable answers vote as one answer of their own, or leave the vote.
        similarity: Open answers are alike in the vote from this cosine on.
        outcome: What parity is of: right answers ("correct"), or also each option ("letters").
        threshold: Open answers are right from this ROUGE-L on; None: ROUGE-L itself is compared.
        answerable: Which questions eo counts, where the answers do not say: "evidence", "neutral" or "any".
        min_size: Groups with fewer answers are marked small, and leave dp and eo to the others.
        runs: What was retrieved for the questions about each value: ``{"neutral": run, "race:Asian": run}``, files or
            anything else that :func:`run` takes; of a value alone the attribute is the paper's, else "group".
        qrels: Judgements by question: the quality of these runs, and whether the retrieved evidence was right.
        measures: Of the quality; none: nDCG@10.
        k: Depths of the retrieval overlap; none: whole lists, of runs 10, 15 and 20.
        seed: Of the bootstrap.

    Returns:
        ``frame("rows")``: a row per combination and attribute; "groups", "gaps", "strategies" and "errors" likewise;
        of runs "overlap" by attribute and depth, "overlap_values" by value, and with ``qrels`` "quality" and
        "quality_gaps".

    Raises:
        InputError: Something cannot be read.
        UsageError: There are neither answers nor runs, or a column or a measure is not known.

    Examples:
        >>> import fairviz as fv
        >>> rows = [{"qid": q, "attribute": "race", "value": value, "gold": "A", "prediction": said, "answerable": q}
        ...     for q in (0, 1) for value, said in (("Asian", "A"), ("White", "B"))]
        >>> fv.variants(rows, min_size=1).frame("groups")[["value", "rate", "n"]].values.tolist()
        [['Asian', 1.0, 2], ['White', 0.0, 2]]
    """
    read = [_read(read_variants, one, VariantAnswers) for one in _several(answers, VariantAnswers)]
    if not read and not runs:
        raise UsageError("nothing to measure: give answers= or runs=")
    columns = recorded_columns(read) if by is None else several(by)
    judged = next(iter(judgements_of(qrels)), None)
    retrieval = _retrieval(runs, judged, [str(one) for one in several(measures)], several(k), seed) if runs else None
    results = of_one_table(
        [
            answer_results(
                one,
                by=columns,
                rule=VoteRule(voters=vote, ties=ties, unreadable=unreadable, threshold=similarity),
                outcome=outcome,
                threshold=threshold,
                min_size=min_size,
                depths=several(k),
                qrels=judged,
                answerable=answerable,
                seed=seed,
            )
            for one in read
        ]
    )
    tell(answer_notes([(one.name, one) for one in read], results, columns))
    known = of_variants.tables(answers=results or None, retrieval=retrieval)
    shown = ("rows", "groups", "strategies", "overlap", "quality")
    return VariantsResult(Analysis(tables=known, printed={stem: known[stem].keys for stem in shown if stem in known}))


def _retrieval(
    runs: Mapping[str, Rankings], judged: Qrels | None, measures: Sequence[str], depths: Sequence[int], seed: int
) -> RetrievalResults:
    """What runs of variants say; their notes are told."""
    ranked = {described(name): _ranked(name, one) for name, one in runs.items()}
    found = retrieval_results(ranked, judged, measures=measures, depths=depths, seed=seed)
    tell([Note("runs", None, text) for text in found.notes])
    tell(found.quality.notes if found.quality else ())
    return found


def _ranked(name: str, given: Rankings) -> RankedRun:
    """A run with the ranks that its file gave; in memory the score decides."""
    if isinstance(given, str | PathLike):
        return told(read_ranked_run(given))
    ranked = _one_ranking(run_of(given, name=name))
    return RankedRun(run=ranked, ranks=counted_ranks(ranked))


# What was given, one or several, read into nouns.


def _several(given: Any, noun: type[N]) -> list[Any]:
    return [given] if is_records(given) else several(given, noun)


def _read(read: Callable[[Any], Parsed[N]], given: Any, noun: type[N]) -> N:
    if isinstance(given, noun):
        return given
    return told(read(cast("Path", given)) if isinstance(given, str | PathLike) else read_records(read, given))


def _holds_items(given: Any) -> bool:
    """Whether answers come with their questions: logs of other tools, BBQ's published results."""
    if isinstance(given, BiasPredictions):
        return False
    file = cast("Path", given) if isinstance(given, str | PathLike) else records_source(given)[0]
    return sniff(file).role == "bias-items"


def _named(runs: Any) -> dict[str, Run]:
    """Runs by what says of which setting and retriever they are: their file, or the key of a dict."""
    by_key: Mapping[str, Any] = cast("Mapping[str, Any]", runs) if isinstance(runs, Mapping) else {}
    named: dict[str, Run] = {}
    for name, one in by_key.items() or [(file_of(one), one) for one in several(runs, Run)]:
        ranked = _one_ranking(run_of(one))
        named[name or ranked.system] = ranked
    return named


def _one_ranking(ranked: Ranked) -> Run:
    if not isinstance(ranked, Run):
        fix = "Give a run with one ranking per query."
        raise InputError("a sample of rankings, not a run", file=ranked.system, fix=fix)
    return ranked
