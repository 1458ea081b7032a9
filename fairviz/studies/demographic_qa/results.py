"""All that files of answers say, and all that runs of variants say, with notes on what to know of it.

Rows keep apart every recorded column (model, dataset, strategy, retriever, k) unless others are asked for; what varies
within a row is pooled, and a note says so. Of loaded files the page shows one combination of these columns at a time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.display.words import distinct_names
from fairviz.errors import UsageError
from fairviz.metrics.spec import parse_measures
from fairviz.model import Dataset, Note, Qrels, RankedRun, VariantAnswers
from fairviz.model.variants import UNKNOWN, AnswerKind
from fairviz.stats.disaggregation import Resampling
from fairviz.studies.demographic_qa.overlap import (
    CUTOFFS,
    NO_ATTRIBUTE,
    REPEATED,
    Overlap,
    lists_of_runs,
    retrieval_overlap,
)
from fairviz.studies.demographic_qa.questions import ErrorCase, error_cases
from fairviz.studies.demographic_qa.rows import (
    MIN_SIZE,
    Outcome,
    VariantRow,
    corrected,
    rows_of,
    variant_rows,
)
from fairviz.studies.demographic_qa.runs import MEASURES, VariantQuality, variant_quality
from fairviz.studies.demographic_qa.sheet import (
    ALL_VALUES,
    ANSWERABLE_WORDS,
    COLUMNS,
    Answerable,
    By,
    combinations,
    groupings,
)
from fairviz.studies.demographic_qa.strategies import VOTES, StrategyRow, corrected_votes, voted
from fairviz.studies.demographic_qa.tallies import Counting, overlaps, tallies_of
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
        seed=seed,
    )
    cases: tuple[ErrorCase, ...] = ()
    if evidence and not by_rouge:
        judged = qrels if answers.retrieved.size else None
        cases = error_cases(answers, by=by, threshold=threshold, qrels=judged, k=max(depths, default=None))
    tallies = tallies_of(answers, counting, by=by, pooled=True, answerable=answerable, qrels=qrels)
    resampling = Resampling(seed)
    rows = rows_of(tallies, rule=rule, min_size=min_size, resampling=resampling)
    single = tuple(row for row in rows if row.attribute != ALL_VALUES)
    return AnswerResults(
        rows=single,
        all_values=tuple(row for row in rows if row.attribute == ALL_VALUES),
        strategies=voted(tallies, single, rule, min_size=min_size, resampling=resampling),
        cases=cases,
        outcome=outcome if tallies.binary else "rouge_l",
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
        retrieval_overlap(lists, k=k, seed=seed)
        for attribute in attributes
        for lists in [lists_of_runs(runs, attribute)]
        for k in depths or CUTOFFS
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


PARTS = ("model", "dataset", "strategy", "retriever", "depth")
"""What a combination is called by."""


class Combination(NamedTuple):
    """The answers of one combination of columns, and the rates of its groups.

    Attributes:
        file: Place of the file among the loaded ones.
        by: The combination as the file has it.
        parts: What to call it: model, dataset, strategy, retriever, depth.
        kind: "closed" or "open".
        rows: One per attribute; combinations of attributes are measured apart.
    """

    file: int
    by: By
    parts: tuple[tuple[str, str], ...]
    kind: AnswerKind
    rows: tuple[VariantRow, ...]

    def part(self, name: str) -> str:
        """Value of model, dataset, strategy, retriever or depth; "" if not recorded."""
        return dict(self.parts)[name]

    @property
    def key(self) -> "Key":
        """What caches know it by."""
        return self.file, self.by


Key: TypeAlias = tuple[int, By]
"""File and columns of a combination."""


def measured_combinations(
    loaded: Dataset, threshold: float | None, min_size: int, answerable: Answerable
) -> tuple[Combination, ...]:
    """Every combination of every file, in the order of the files, by single attributes; see :func:`measured_rows`."""
    names = _models(loaded)
    answers = [
        Combination(file, by, _parts(dict(by), names, loaded.variants[file].name), loaded.variants[file].kind, rows)
        for (file, by), rows in measured_rows(loaded, threshold, min_size, answerable, cells=False).items()
    ]
    return tuple(_told_apart(answers, loaded))


def measured_rows(
    loaded: Dataset, threshold: float | None, min_size: int, answerable: Answerable, *, cells: bool
) -> dict[Key, tuple[VariantRow, ...]]:
    """Rows of every file by combination, corrected as one table.

    Args:
        loaded: All files.
        threshold: Open answers are right from this ROUGE-L on; None: ROUGE-L itself.
        min_size: Groups with fewer answers are marked small.
        answerable: Which questions are answerable, where a file does not say so.
        cells: Whether of combinations of attributes, too.
    """
    keyed: list[tuple[int, VariantRow]] = []
    for file, answers in enumerate(loaded.variants):
        rows = variant_rows(
            answers,
            by=[name for name in COLUMNS if name == "model" or answers.factor(name) is not None],
            threshold=None if answers.kind == "closed" else threshold,
            min_size=min_size,
            cells=cells,
            answerable=answerable,
            qrels=judgements(loaded),
            outcome="letters" if answers.kind == "closed" else "correct",
        )
        keyed += [(file, row) for row in rows]
    measured: dict[Key, tuple[VariantRow, ...]] = {}
    for (file, _), row in zip(keyed, corrected([row for _, row in keyed]), strict=True):
        measured[file, row.by] = (*measured.get((file, row.by), ()), row)
    return measured


def known_errors(loaded: Dataset, file: int, columns: Sequence[str], threshold: float | None) -> tuple[ErrorCase, ...]:
    """Evidence × answer of one file, by combination and group; none where nothing says what is right."""
    answers = loaded.variants[file]
    if answers.kind == "open" and threshold is None:
        return ()
    judged = None if bool((answers.evidence != UNKNOWN).any()) else judgements(loaded)
    known = judged is not None or bool((answers.evidence != UNKNOWN).any())
    own = None if answers.kind == "closed" else threshold
    return error_cases(answers, by=columns, threshold=own, qrels=judged) if known else ()


def cases_about(selected: Combination, cases: Sequence[ErrorCase]) -> tuple[ErrorCase, ...]:
    """Those of one combination, by single attributes."""
    return tuple(case for case in cases if case.by == selected.by and case.n and "+" not in case.attribute)


def alike(answers: Sequence[Combination], selected: Combination, *columns: str) -> tuple[Combination, ...]:
    """Answers that differ from the chosen ones in these columns at most, the chosen ones among them.

    Args:
        answers: Every combination.
        selected: The chosen one.
        columns: Any of :data:`PARTS`.
    """
    kept = [name for name in PARTS if name not in columns]
    return tuple(
        other
        for other in answers
        if other.kind == selected.kind and all(other.part(name) == selected.part(name) for name in kept)
    )


def recorded_overlaps(loaded: Dataset, key: Key, k: int) -> tuple[Overlap, ...]:
    """Overlap of the first k documents recorded with the answers of one combination, by single attributes."""
    file, by = key
    answers = loaded.variants[file]
    rows = dict(combinations(answers, [name for name, _ in by]))[by]
    return tuple(
        overlap
        for grouping in groupings(answers, rows)
        if "+" not in grouping.attribute
        for overlap in overlaps(answers, rows, grouping, (k,), seed=0)
    )


def judgements(loaded: Dataset) -> Qrels | None:
    """The judgements that say whether evidence was right: of several, those of the questions."""
    if len(loaded.qrels) < 2:
        return next(iter(loaded.qrels), None)
    asked = {question for answers in loaded.variants for question in answers.question_ids}
    return next((labels for labels in loaded.qrels if not asked.isdisjoint(labels.query_ids)), loaded.qrels[0])


def as_results(
    loaded: Dataset,
    answers: Sequence[Combination],
    *,
    threshold: float | None,
    votes: Mapping[Key, tuple[StrategyRow, ...]] | None = None,
    cells: Mapping[Key, tuple[VariantRow, ...]] | None = None,
) -> tuple[AnswerResults, ...]:
    """Answers as the results that tables are made of, their rows named by the columns that any file records.

    Args:
        loaded: All files.
        answers: Which combinations.
        threshold: Open answers are right from this ROUGE-L on.
        votes: Of these combinations, where tables need them.
        cells: Combinations of attributes, where tables need them.
    """
    results: list[AnswerResults] = []
    for combination in answers:
        by = columns_of(loaded, combination)
        rows = (*combination.rows, *(cells or {}).get(combination.key, ()))
        voted = (votes or {}).get(combination.key, ())
        by_rouge = combination.kind == "open" and threshold is None
        results.append(
            AnswerResults(
                rows=tuple(replace(row, by=by) for row in rows),
                strategies=tuple(replace(strategy, row=replace(strategy.row, by=by)) for strategy in voted),
                outcome="rouge_l" if by_rouge else ("letters" if combination.kind == "closed" else "correct"),
            )
        )
    return tuple(results)


def columns_of(loaded: Dataset, combination: Combination) -> By:
    """The recorded columns of a combination; a file is the dataset of answers that nothing else tells apart."""
    values = dict(combination.by)
    if combination.part("dataset"):
        values["dataset"] = combination.part("dataset")
    columns = {*recorded_columns(loaded.variants), *(["dataset"] if "dataset" in values else [])}
    return tuple((name, values.get(name, "")) for name in COLUMNS if name in columns)


def _models(loaded: Dataset) -> dict[str, str]:
    """Names of models without what all file names share."""
    models: list[str] = []
    for answers in loaded.variants:
        factor = answers.factor("model")
        models += factor.values if factor is not None else (answers.name,)
    names = list(dict.fromkeys(models))
    return dict(zip(names, distinct_names(names), strict=True))


def _parts(by: dict[str, str], models: dict[str, str], file: str) -> tuple[tuple[str, str], ...]:
    model = by.get("model", "") or file
    return (
        ("model", models.get(model, model)),
        ("dataset", by.get("dataset", "")),
        ("strategy", by.get("strategy", "")),
        ("retriever", by.get("retriever", "")),
        ("depth", by.get("k", "")),
    )


def _told_apart(answers: list[Combination], loaded: Dataset) -> list[Combination]:
    """Answers of different files with the same parts get their file as dataset."""
    files: dict[tuple[tuple[str, str], ...], set[int]] = {}
    for combination in answers:
        files.setdefault(combination.parts, set()).add(combination.file)
    names = distinct_names([of_file.name for of_file in loaded.variants])
    return [
        combination._replace(
            parts=tuple(
                (name, value or names[combination.file]) if name == "dataset" else (name, value)
                for name, value in combination.parts
            )
        )
        if len(files[combination.parts]) > 1
        else combination
        for combination in answers
    ]
