"""All that one file of answers says, and all that runs of variants say, with notes on what to know of it.

Rows keep apart every recorded column (model, dataset, strategy, retriever, k) unless others are asked for; what varies
within a row is pooled, and a note says so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from fairviz.errors import UsageError
from fairviz.metrics.spec import parse_measures
from fairviz.model import Note, Qrels, RankedRun, VariantAnswers
from fairviz.model.variants import UNKNOWN
from fairviz.stats.bootstrap import N_RESAMPLES
from fairviz.stats.disaggregation import Resampling
from fairviz.studies.demographic_qa.answerable import ANSWERABLE_WORDS, Answerable
from fairviz.studies.demographic_qa.chance import N_PERMUTATIONS
from fairviz.studies.demographic_qa.overlap import (
    CUTOFFS,
    NO_ATTRIBUTE,
    REPEATED,
    Overlap,
    lists_of_runs,
    retrieval_overlaps,
)
from fairviz.studies.demographic_qa.quality import MEASURES, VariantQuality, variant_quality
from fairviz.studies.demographic_qa.questions import ErrorCase, cases_of
from fairviz.studies.demographic_qa.rows import MIN_SIZE, Outcome, VariantRow, corrected, rows_of
from fairviz.studies.demographic_qa.sheet import ALL_VALUES, COLUMNS, combinations
from fairviz.studies.demographic_qa.strategies import VOTES, StrategyRow, corrected_votes, voted
from fairviz.studies.demographic_qa.tallies import Counting, Tallies, tallies_of
from fairviz.studies.demographic_qa.votes import VoteRule

MeasuredOutcome: TypeAlias = Outcome | Literal["rouge_l"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerResults:
    """What one file of answers says.

    Attributes:
        rows: One per combination of columns and attribute.
        all_values: One per combination: the values of all attributes side by side.
        strategies: The same rows with both votes.
        cases: Evidence × answer by group, where the evidence is known.
        outcome: What is measured of an answer: whether it is right ("correct"; "letters" also names the options), or
            its "rouge_l".
    """

    rows: tuple[VariantRow, ...]
    all_values: tuple[VariantRow, ...] = ()
    strategies: tuple[StrategyRow, ...] = ()
    cases: tuple[ErrorCase, ...] = ()
    outcome: MeasuredOutcome = "correct"


def answer_results(
    answers: VariantAnswers,
    *,
    by: Sequence[str],
    rule: VoteRule,
    outcome: Outcome = "correct",
    threshold: float | None = None,
    min_size: int = MIN_SIZE,
    depths: Sequence[int] = (),
    qrels: Qrels | None = None,
    answerable: Answerable = "evidence",
    seed: int = 0,
    n_resamples: int = N_RESAMPLES,
    n_permutations: int = N_PERMUTATIONS,
) -> AnswerResults:
    """Measure a file of answers.

    Args:
        answers: The answers.
        by: Columns that rows are kept apart by, such as :func:`recorded_columns`.
        rule: Who votes, and how votes are counted.
        outcome: What parity is of: right answers, or also each option.
        threshold: Open answers are right from this ROUGE-L on; None: ROUGE-L itself.
        min_size: Groups with fewer answers are marked small.
        depths: Of the retrieval overlap; none: whole lists.
        qrels: Judgements by question id, that say whether the retrieved evidence was right.
        answerable: Which questions are answerable, where the file does not say so.
        seed: Of the bootstrap over questions.
        n_resamples: Resamples.
        n_permutations: Permutations behind the chance level of DP and EO.
    """
    by_rouge = answers.kind == "open" and threshold is None
    evidence = bool((answers.evidence != UNKNOWN).any()) or (qrels is not None and answers.retrieved.size > 0)
    counting = Counting(
        threshold=threshold,
        letters=outcome == "letters",
        rule=rule,
        voters=tuple(dict.fromkeys((*VOTES, rule.voters))),
        all_values=rule.voters == "within",
        depths=tuple(depths) or (None,),
        cases=evidence and not by_rouge,
        evidence_depth=max(depths, default=None),
    )
    tallies = tallies_of(answers, counting, by=by, pooled=True, answerable=answerable, qrels=qrels)
    resampling = Resampling(seed, n_resamples)
    rows = rows_of(
        tallies, rule=rule, min_size=min_size, depths=depths, resampling=resampling, n_permutations=n_permutations
    )
    single = tuple(row for row in rows if row.attribute != ALL_VALUES)
    return AnswerResults(
        rows=single,
        all_values=tuple(row for row in rows if row.attribute == ALL_VALUES),
        strategies=voted(
            tallies, single, rule, min_size=min_size, resampling=resampling, n_permutations=n_permutations
        ),
        cases=_cases(tallies),
        outcome=outcome if tallies.binary else "rouge_l",
    )


def _cases(tallies: Tallies) -> tuple[ErrorCase, ...]:
    return tuple(
        case
        for combination in tallies.combinations
        for tally in (*combination.attributes, combination.references)
        if tally.cases is not None and tally.attribute != ALL_VALUES
        for case in cases_of(combination.by, tally.attribute, tally.values, tally.cases)
    )


def of_one_table(results: Sequence[AnswerResults]) -> list[AnswerResults]:
    """Results of several files whose gaps stand in one table: p is corrected over all of them."""
    rows = iter(corrected([row for result in results for row in result.rows]))
    pooled = iter(corrected([row for result in results for row in result.all_values]))
    votes = iter(corrected_votes([each for result in results for each in result.strategies]))
    together: list[AnswerResults] = []
    for result in results:
        own = {(row.by, row.attribute): row for row in (next(rows) for _ in result.rows)}
        voted = [next(votes) for _ in result.strategies]
        strategies = tuple(replace(each, row=own[each.row.by, each.row.attribute]) for each in voted)
        all_values = tuple(next(pooled) for _ in result.all_values)
        together.append(replace(result, rows=tuple(own.values()), all_values=all_values, strategies=strategies))
    return together


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalResults:
    """What the runs of variants say.

    Attributes:
        overlaps: By attribute, then depth; by rank.
        quality: Ranking quality by score, None without judgements.
        notes: What to know of the overlaps.
    """

    overlaps: tuple[Overlap, ...] = ()
    quality: VariantQuality | None = None
    notes: tuple[str, ...] = ()


def retrieval_results(
    runs: Mapping[tuple[str, str], RankedRun],
    qrels: Qrels | None = None,
    *,
    measures: Sequence[str] = (),
    depths: Sequence[int] = (),
    seed: int = 0,
) -> RetrievalResults:
    """Overlap of runs at each depth and, with judgements, their quality.

    Args:
        runs: (attribute, value) -> run of the questions with that value; "none" or "neutral" for nobody mentioned.
        qrels: Judgements by question id.
        measures: Of the quality; none: nDCG@10.
        depths: Of the overlap; none: those of the paper.
        seed: Of the bootstrap over questions.

    Raises:
        UsageError: No run has a value.
    """
    attributes = dict.fromkeys(name for name, _ in runs if name not in NO_ATTRIBUTE)
    if not attributes:
        raise UsageError("give the run of at least one value besides neutral")
    overlaps = tuple(
        overlap
        for attribute in attributes
        for overlap in retrieval_overlaps(lists_of_runs(runs, attribute), cutoffs=depths or CUTOFFS, seed=seed)
    )
    quality = None
    if qrels is not None:
        by_score = {key: run.run for key, run in runs.items()}  # as every measure orders a run
        quality = variant_quality(by_score, qrels, parse_measures(list(measures or MEASURES)), seed=seed)
    notes = dict.fromkeys(f"{overlap.attribute}: {text}" for overlap in overlaps for text in overlap.notes)
    return RetrievalResults(overlaps=overlaps, quality=quality, notes=tuple(notes))


def recorded_columns(answers: Sequence[VariantAnswers]) -> list[str]:
    """Columns that any file records; the model (a file's name if it records none) of several."""
    several = len(answers) > 1
    return [
        name
        for name in COLUMNS
        if any(of_file.factor(name) is not None for of_file in answers) or (name == "model" and several)
    ]


def pooled_columns(answers: VariantAnswers, by: Sequence[str]) -> list[str]:
    """Recorded columns that vary within a combination of the columns of ``by``."""
    factors = [factor for factor in answers.factors if factor.name not in by]
    rows_of_combinations = [rows for _, rows in combinations(answers, by)]
    return [
        factor.name
        for factor in factors
        if any(np.unique(factor.codes[rows]).size > 1 for rows in rows_of_combinations)
    ]


def answer_notes(
    answers: Sequence[tuple[str, VariantAnswers]], results: Sequence[AnswerResults], by: Sequence[str]
) -> list[Note]:
    """Notes on the rows of every file, then one on the columns that they pool.

    Args:
        answers: Names of files with their answers, at least one of each kind.
        results: One per file.
        by: Columns that rows are kept apart by.
    """
    notes = [
        Note(file, None, text)
        for (file, _), result in zip(answers, results, strict=True)
        for text in _notes_on_rows(result)
    ]
    pooled = {file: pooled_columns(of_file, by) for file, of_file in answers}
    names = [name for name in COLUMNS if any(name in columns for columns in pooled.values())]
    if names:
        rows = [row for result in results for row in result.rows]
        documents = any(note.endswith(REPEATED) for row in rows for overlap in row.overlap for note in overlap.notes)
        overlap = ", the overlap is of the first list of each question and value" if documents else ""
        them = "it" if len(names) == 1 else "them"
        text = f"rows pool {', '.join(names)}: rates are over all of them{overlap}; add {them} to --by"
        notes.append(Note(next(file for file, columns in pooled.items() if columns), None, text))
    return notes


def _notes_on_rows(result: AnswerResults) -> list[str]:
    notes = [note for row in result.rows for overlap in row.overlap for note in overlap.notes]
    notes = [note for note in notes if not note.endswith(REPEATED)]
    scored = any(group.n for row in result.rows for group in row.groups)
    if not any(row.definition for row in result.rows):
        why = "eo is undefined (null); --answerable neutral or any defines it by the answers"
        notes += [f"no row says whether its question is answerable, or whether its evidence was right: {why}"] * bool(
            result.rows
        )
    elif scored:
        notes += [text for row in result.rows for text in _notes_on_eo(row)]
    for row in result.rows:
        small = [group.value for group in row.groups if group.small]
        if small and any(group.n for group in row.groups):
            all_small = "; all are compared" if row.small else ""
            notes.append(f"{row.attribute}: fewer than the minimum of answers for {', '.join(small)}{all_small}")
        if not row.alone:
            notes.append(f"{row.attribute} is varied in combinations only: their answers count for it")
    return list(dict.fromkeys(notes))


def _notes_on_eo(row: VariantRow) -> list[str]:
    """By which definition questions are answerable; why eo is undefined, leaves groups out, or says what dp says."""
    said: list[str] = []
    if row.definition not in ("", "column"):
        said.append(f"eo is over answers to questions that are answerable as: {ANSWERABLE_WORDS[row.definition]}")
    if not any(group.n_answerable for group in row.groups):
        return [*said, "no question is answerable: eo is undefined (null)"]
    without = [group.value for group in row.groups if group.n and not group.n_answerable]
    if without:
        consequence = "is undefined (null)" if row.eo != row.eo else "leaves them out"
        said.append(f"{row.attribute}: no answerable question about {', '.join(without)}: eo {consequence}")
    elif all(group.n_answerable == group.n for group in row.groups):
        said.append("every question is answerable: eo is dp")
    return said
