"""Answers to demographic variants of questions: all of them, or some beside others of their kind; and retrieval.

Rows keep apart every recorded column (model, dataset, strategy, retriever, k) unless others are asked for; what varies
within a row is pooled, and a note says so. Of loaded files the page shows one combination of these columns at a time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import polars as pl

from fairviz.display.table import Table
from fairviz.display.words import Finding, distinct_names
from fairviz.errors import UndefinedError, UsageError
from fairviz.model import Dataset, Note, Qrels, VariantAnswers
from fairviz.model.answers import AnswerKind
from fairviz.remembered import remembered
from fairviz.studies.demographic_qa.answers import (
    ALL_VALUES,
    COLUMNS,
    By,
    Record,
    combined,
    dependent_questions,
    error_cases,
)
from fairviz.studies.demographic_qa.columns import (
    answer_tables,
    dependent_table,
    errors_table,
    groups_table,
    overlap_pairs_table,
    overlap_table,
    overlap_values_table,
    quality_gaps_table,
    quality_table,
    rows_table,
)
from fairviz.studies.demographic_qa.findings import headline
from fairviz.studies.demographic_qa.names import condition_name, words_of
from fairviz.studies.demographic_qa.retrieval import REPEATED, VariantQuality, retrieval_results, variant_families
from fairviz.studies.demographic_qa.rows import (
    BOTH,
    Counts,
    corrected,
    counts_of,
    overlaps_of,
    rows_of,
    vote_gain,
    with_votes,
)
from fairviz.studies.demographic_qa.settings import CUTOFFS, USUAL, VariantsSettings
from fairviz.studies.study import Analysis

CONDITIONS = {"models": ("model",), "prompts": ("strategy",), "retrieval": ("retriever", "k")}
"""Tables of answers that differ from the chosen ones in these parts at most."""
READ = ("n_questions", "score", "dp", "best", "worst", "dp_p_holm", "eo", "vote_accuracy", "n_ties", "overlap_all")
"""Columns of rows that a terminal has room for, behind those that name them."""
NAMED = (*COLUMNS, "attribute")
"""Columns that name rows."""
COUNTING = ("threshold", "min_size", "answerable")
"""Settings by which answers are counted before they vote."""


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
    parts: dict[str, str]
    kind: AnswerKind
    rows: Sequence[Record]

    @property
    def words(self) -> str:
        """The combination's parts in a line."""
        return condition_name(self.parts)

    @property
    def shown(self) -> By:
        """The recorded columns, by which tables name it."""
        return self.rows[0]["shown"]

    @property
    def key(self) -> "Key":
        """What caches know it by."""
        return self.file, self.by


Key: TypeAlias = tuple[int, By]
"""File and columns of a combination."""


def analyse(data: Dataset, settings: VariantsSettings) -> Analysis:
    """Rates of groups, their gaps, votes and errors; what was retrieved for whom, and how good it is.

    Args:
        data: Answers to variants, or runs of variants; judgements by question.
        settings: How answers vote, which are right, which are looked at.

    Raises:
        UndefinedError: There are no answers, and no runs of variants.
        UsageError: A column, a part or an attribute is not there.
    """
    families = variant_families(data, settings.value)
    if not data.variants and not families:
        raise UndefinedError("there are no answers to variants of questions, and no runs: give --answers FILE")
    between = [(name, overlap) for name, runs in families.items() for overlap in runs.overlaps(settings.compared)]
    if data.variants and settings.only:
        return _chosen(data, settings, between)
    depths: list[Record] = []
    quality: VariantQuality | None = None
    notes: list[Note] = []
    if families:
        first, *others = families
        depths, quality, texts = retrieval_results(families[first].runs, judgements(data), settings)
        notes += [*(Note(first, None, text) for text in texts), *(quality.notes if quality else ())]
        notes += [Note(name, None, f"only the runs of {first} are measured: give these alone") for name in others]
    columns = settings.by or tuple(recorded_columns(data.variants))
    rows, cases = answer_rows(data, settings, columns)
    of_files = [[row for row in own if row["attribute"] != ALL_VALUES] for own in rows]
    notes = [*answer_notes(data.variants, of_files, columns), *notes]
    recorded = [("answers", overlap) for own in of_files for row in own for overlap in row["overlap"]]
    answers = [row for own in rows for row in own]
    overlaps = [*recorded, *between]
    tables = answer_tables(answers, cases) if answers else {}
    if depths:
        tables |= {"overlap": overlap_table(depths), "overlap_values": overlap_values_table(depths)}
    if quality:
        tables |= {"quality": quality_table(quality), "quality_gaps": quality_gaps_table(quality)}
    if overlaps:
        tables["overlap_pairs"] = overlap_pairs_table(overlaps)
    return Analysis(
        findings=_headlines(data, of_files),
        tables=tables,
        printed={stem: _room(stem, table) for stem, table in tables.items() if table.audience == "all" and table.rows},
        notes=tuple(notes),
    )


def _room(stem: str, table: Table) -> Sequence[str]:
    few = {"rows": READ, "strategies": ("score", "vote_score", "change", "low", "high", "dp", "vote_within_dp", "eo")}
    if stem not in few:
        return table.keys
    return [key for key in table.keys if key in (*NAMED, *few[stem])]


def answer_rows(
    data: Dataset, settings: VariantsSettings, by: Sequence[str]
) -> tuple[list[list[Record]], list[Record]]:
    """Rows of each file, single attributes before all their values side by side; and its evidence × answer by group.

    The files are one table, over which p is corrected. Words of open answers alone are compared.
    """
    of_files: list[list[Record]] = []
    cases: list[Record] = []
    for file, answers in enumerate(data.variants):
        counts = counted(data, file, settings, by, voters=(*BOTH, settings.vote), pooled=True)
        rows = with_votes(counts, rows_of(counts, vote=True))
        of_files.append(sorted(rows, key=lambda row: row["attribute"] == ALL_VALUES))
        cases += error_cases(answers, counts.settings, by, qrels=judgements(data))
    every = iter(corrected([row for rows in of_files for row in rows]))
    return [[next(every) for _ in rows] for rows in of_files], cases


def _headlines(data: Dataset, of_files: Sequence[Sequence[Record]]) -> tuple[Finding, ...]:
    """Headlines of each combination of columns, in the order of the files."""
    findings: list[Finding] = []
    for answered, of_file in zip(data.variants, of_files, strict=True):
        for by in dict.fromkeys(row["by"] for row in of_file):
            rows = [row for row in of_file if row["by"] == by and "+" not in row["attribute"]]
            who = f"answers of {condition_name(dict(by)) or answered.name}"
            findings += [headline(rows, who=who)] if rows else []
    return tuple(findings)


# Some answers beside others of their kind.


def _chosen(data: Dataset, settings: VariantsSettings, between: Sequence[tuple[str, Record]]) -> Analysis:
    """Groups of all answers and of the chosen ones, gaps by condition, errors, dependent questions, overlap."""
    how = replace(settings, only=(), attribute="", compared=CUTOFFS[0])
    answers = measured_combinations(data, how)
    selected = _selected(answers, settings.only)
    cells = measured_rows(data, how, cells=True)

    of_kind = [other for other in answers if other.kind == selected.kind]
    made = {
        stem: groups_table(
            [row for combination in some for row in (*combination.rows, *cells.get(combination.key, ()))],
            captioned=True,
        )
        for stem, some in (("groups", of_kind), ("groups-printed", [selected]))
    }
    for stem, parts in CONDITIONS.items():
        made[stem] = rows_table(
            [row for combination in comparable_answers(answers, selected, *parts) for row in combination.rows]
        )
    made["errors"] = errors_table(cases_about(data, selected.key, selected.shown, how))
    made |= _dependent(data, selected, settings)
    recorded = [("answers", overlap) for overlap in recorded_overlaps(data, selected.key, settings.compared)]
    if recorded or between:
        made["overlap_pairs"] = overlap_pairs_table([*recorded, *between])
    who = f"answers of {condition_name(dict(selected.shown)) or data.variants[selected.file].name}"
    return Analysis(findings=(headline(selected.rows, who=who),), tables=made)


def _dependent(data: Dataset, selected: Combination, settings: VariantsSettings) -> Mapping[str, Table]:
    attributes: list[str] = [row["attribute"] for row in selected.rows]
    if settings.attribute and settings.attribute not in attributes:
        raise UsageError(f"--attribute {settings.attribute}: expected one of {', '.join(attributes)}")
    attribute = settings.attribute or attributes[0]
    of_file = data.variants[selected.file]
    questions = dependent_questions(of_file, attribute, settings, where=selected.by)
    return {"dependent": dependent_table(questions)}


def _selected(answers: Sequence[Combination], only: Sequence[str]) -> Combination:
    """The first of the answers whose parts are as chosen."""
    left = answers
    for text in only:
        name, _, value = text.partition("=")
        values = list(dict.fromkeys(other.parts.get(name) for other in left))
        if value not in values:
            expected = ", ".join(f"{name}={choice}" for choice in values if choice is not None)
            raise UsageError(f"--only {text}: expected {expected or 'one of model, dataset, strategy, …'}")
        left = [other for other in left if other.parts[name] == value]
    return left[0]


# What is loaded, combination by combination of columns, and what to know of results.


def recorded_columns(answers: Sequence[VariantAnswers]) -> list[str]:
    """Columns that any file records; the model (a file's name if it records none) of several."""
    several = len(answers) > 1
    return [
        name for name in COLUMNS if any(name in of_file.factors for of_file in answers) or (name == "model" and several)
    ]


def pooled_columns(answers: VariantAnswers, by: Sequence[str]) -> list[str]:
    """Recorded columns that vary within a combination of the columns of ``by``."""
    factors = [name for name in answers.factors if name not in by]
    n_values = combined(answers, by).group_by("combination").agg(pl.col(factors).n_unique())
    return [name for name in factors if (n_values[name] > 1).any()]


def answer_notes(
    answers: Sequence[VariantAnswers], results: Sequence[Sequence[Record]], by: Sequence[str]
) -> list[Note]:
    """Notes on the rows of every file, then one on the columns that they pool.

    Args:
        answers: Of the files.
        results: Rows of each, by single attributes and combinations of them.
        by: Columns that rows are kept apart by.
    """
    notes = [
        Note(of_file.name, None, text)
        for of_file, rows in zip(answers, results, strict=True)
        for text in _notes_on_rows(rows)
    ]
    pooled = {of_file.name: pooled_columns(of_file, by) for of_file in answers}
    names = [name for name in COLUMNS if any(name in columns for columns in pooled.values())]
    if names:
        rows = [row for of_file in results for row in of_file]
        documents = any(
            note.endswith(REPEATED) for row in rows for overlap in row["overlap"] for note in overlap["notes"]
        )
        overlap = ", the overlap is of the first list of each question and value" if documents else ""
        them = "it" if len(names) == 1 else "them"
        text = f"rows pool {', '.join(names)}: rates are over all of them{overlap}; add {them} to --by"
        notes.append(Note(next(file for file, columns in pooled.items() if columns), None, text))
    return notes


def _notes_on_rows(rows: Sequence[Record]) -> list[str]:
    notes = [note for row in rows for overlap in row["overlap"] for note in overlap["notes"]]
    notes = [note for note in notes if not note.endswith(REPEATED)]
    if rows and not any(row["answerable"] for row in rows):
        why = "eo is undefined (null); --answerable neutral or any defines it by the answers"
        notes.append(f"no row says whether its question is answerable, or whether its evidence was right: {why}")
    elif any(group["n"] for row in rows for group in row["groups"]):
        notes += [text for row in rows for text in _notes_on_eo(row)]
    for row in rows:
        small = [group["value"] for group in row["groups"] if group["small"]]
        if small and any(group["n"] for group in row["groups"]):
            all_small = "; all are compared" if row["small"] else ""
            notes.append(f"{row['attribute']}: fewer than the minimum of answers for {', '.join(small)}{all_small}")
        if not row["alone"]:
            notes.append(f"{row['attribute']} is varied in combinations only: their answers count for it")
    return list(dict.fromkeys(notes))


def _notes_on_eo(row: Record) -> list[str]:
    """By which definition questions are answerable; why eo is undefined, leaves groups out, or says what dp says."""
    groups, definition = row["groups"], row["answerable"]
    notes: list[str] = []
    if definition not in ("", "column"):
        notes.append(f"eo is over answers to questions that are answerable as: {words_of('answerable')[definition]}")
    if not any(group["n_answerable"] for group in groups):
        return [*notes, "no question is answerable: eo is undefined (null)"]
    without = [group["value"] for group in groups if group["n"] and not group["n_answerable"]]
    if without:
        consequence = "is undefined (null)" if row["eo"] != row["eo"] else "leaves them out"
        notes.append(f"{row['attribute']}: no answerable question about {', '.join(without)}: eo {consequence}")
    elif all(group["n_answerable"] == group["n"] for group in groups):
        notes.append("every question is answerable: eo is dp")
    return notes


@remembered
def measured_combinations(loaded: Dataset, settings: VariantsSettings) -> tuple[Combination, ...]:
    """Every combination of every file, in the order of the files, by single attributes; see :func:`measured_rows`."""
    return tuple(
        Combination(file, by, rows[0]["parts"], loaded.variants[file].kind, rows)
        for (file, by), rows in measured_rows(loaded, settings, cells=False).items()
    )


def counted(
    loaded: Dataset, file: int, settings: VariantsSettings, by: Sequence[str] | None = None, **how: Any
) -> Counts:
    """All that is counted of a file, every recorded column apart unless others are named; a threshold is for open ones.

    Args:
        loaded: All files.
        file: Place of the file.
        settings: How answers are looked at.
        by: Columns to separate.
        how: Who votes, and whether the values of all attributes are counted side by side.
    """
    answers = loaded.variants[file]
    if answers.kind == "closed" and any(other.kind == "open" for other in loaded.variants):
        settings = replace(settings, threshold=None)
    if by is None:
        by = [name for name in COLUMNS if name == "model" or name in answers.factors]
    return counts_of(answers, settings, by, qrels=judgements(loaded), **how)


@remembered
def measured_rows(loaded: Dataset, settings: VariantsSettings, *, cells: bool) -> dict[Key, list[Record]]:
    """Rows of every file by combination, corrected as one table; shown: the columns that tables name them by.

    Args:
        loaded: All files.
        settings: Which answers are right (threshold), which groups are small, which questions are answerable.
        cells: Whether of combinations of attributes, or of single ones.
    """
    keyed: list[tuple[int, Record]] = []
    for file, answers in enumerate(loaded.variants):
        outcome = "letters" if answers.kind == "closed" else "correct"
        counts = counted(loaded, file, replace(settings, outcome=outcome))
        keyed += [(file, row) for row in rows_of(counts, wanted=lambda attribute: ("+" in attribute) == cells)]
    measured: dict[Key, list[Record]] = {}
    for (file, _), row in zip(keyed, corrected([row for _, row in keyed]), strict=True):
        measured.setdefault((file, row["by"]), []).append(row)
    for key, parts in zip(measured, _parts(loaded, list(measured)), strict=True):
        named = {"parts": parts, "shown": _columns_of(loaded, key, parts)}
        measured[key] = [row | named for row in measured[key]]
    return measured


@remembered
def measured_votes(loaded: Dataset, settings: VariantsSettings) -> dict[Key, list[Record]]:
    """Rows of single attributes by combination, with both votes beside them, corrected as one table."""
    measured = measured_rows(loaded, settings.restricted_to(*COUNTING), cells=False)
    every: list[Record] = []
    for file in range(len(loaded.variants)):
        rows = [row for (index, _), own in measured.items() if index == file for row in own]
        every += with_votes(counted(loaded, file, settings, voters=BOTH), rows)
    voted = iter(corrected(every))
    return {key: [next(voted) for _ in own] for key, own in measured.items()}


@remembered
def cases_about(loaded: Dataset, key: Key, shown: By, settings: VariantsSettings) -> list[Record]:
    """Evidence × answer of one combination by single attributes; none where nothing says what is right."""
    answers, by = loaded.variants[key[0]], [name for name, _ in key[1]]
    qrels = None if answers.frame["evidence"].is_not_null().any() else judgements(loaded)
    threshold = settings.threshold if answers.kind == "open" else None
    cases = error_cases(answers, replace(settings, threshold=threshold), by, qrels=qrels)
    own = (case for case in cases if case["by"] == key[1] and case["n"] and "+" not in case["attribute"])
    return [case | {"shown": shown} for case in own]


@remembered
def vote_gains(loaded: Dataset, settings: VariantsSettings, wanted: Sequence[Key]) -> list[Record]:
    """What a vote over all variants changes, of each combination that asks about groups."""
    files = dict.fromkeys(file for file, _ in wanted)
    counts = {file: counted(loaded, file, settings, voters=("all",), pooled=True) for file in files}
    gains: list[Record] = []
    for file, by in wanted:
        tallies = {
            attribute: tally for (own, attribute), tally in counts[file].tallies.items() if own == by and attribute
        }
        if tallies:
            whole = tallies.get(ALL_VALUES) or next(iter(tallies.values()))
            votes = counts[file].votes["all"][by, ""]
            gains.append(vote_gain(whole.scored, votes.scored, counts[file].resampling))
    return gains


def comparable_answers(answers: Sequence[Combination], selected: Combination, *columns: str) -> tuple[Combination, ...]:
    """Answers that differ from the chosen ones in these columns at most, the chosen ones among them.

    Args:
        answers: Every combination.
        selected: The chosen one.
        columns: Any of :data:`PARTS`.
    """
    kept = [name for name in COLUMNS if name not in columns]
    return tuple(
        other
        for other in answers
        if other.kind == selected.kind and all(other.parts[name] == selected.parts[name] for name in kept)
    )


@remembered
def recorded_overlaps(loaded: Dataset, key: Key, k: int) -> list[Record]:
    """Overlap of the first k documents recorded with the answers of one combination, by single attributes."""
    file, by = key
    counts = counted(loaded, file, USUAL)
    own = [each for each in counts.tallies if each[0] == by and each[1] and "+" not in each[1]]
    return [overlap for each in own for overlap in overlaps_of(counts, each, (k,))]


def judgements(loaded: Dataset) -> Qrels | None:
    """The judgements that say whether evidence was right: of several, those of the questions."""
    if len(loaded.qrels) < 2:
        return next(iter(loaded.qrels), None)
    questions = {question for answers in loaded.variants for question in answers.names("question")}
    return next((labels for labels in loaded.qrels if not questions.isdisjoint(labels.query_ids)), loaded.qrels[0])


def _columns_of(loaded: Dataset, key: Key, parts: Mapping[str, str]) -> By:
    """The recorded columns of a combination; a file is the dataset of answers that nothing else tells apart."""
    values = dict(key[1])
    if parts["dataset"]:
        values["dataset"] = parts["dataset"]
    columns = {*recorded_columns(loaded.variants), *(["dataset"] if "dataset" in values else [])}
    return tuple((name, values.get(name, "")) for name in COLUMNS if name in columns)


def _parts(loaded: Dataset, keys: Sequence[Key]) -> list[dict[str, str]]:
    """What combinations are called: models without what all names share; of equal ones the file is the dataset."""
    models: list[str] = []
    for answers in loaded.variants:
        models += answers.names("model") or [answers.name]
    names = list(dict.fromkeys(models))
    short = dict(zip(names, distinct_names(names), strict=True))
    parts: list[dict[str, str]] = []
    for file, by in keys:
        values = dict(by)
        model = values.get("model", "") or loaded.variants[file].name
        parts.append({name: values.get(name, "") for name in COLUMNS} | {"model": short.get(model, model)})
    files = distinct_names([answers.name for answers in loaded.variants])
    sharing = [{file for (file, _), other in zip(keys, parts, strict=True) if other == own} for own in parts]
    return [
        own | {"dataset": own["dataset"] or files[file]} if len(alike) > 1 else own
        for (file, _), own, alike in zip(keys, parts, sharing, strict=True)
    ]
