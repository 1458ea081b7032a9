"""Answers by combination of columns (model, dataset, strategy, retriever, depth): what is counted of each, once.

Rows, votes, cases and overlaps of a combination are parts of an analysis that the dashboard keeps.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import polars as pl

from fairviz.display.words import distinct_names
from fairviz.model import Dataset, Qrels, VariantAnswers
from fairviz.model.answers import AnswerKind
from fairviz.remembered import remembered
from fairviz.studies.demographic_qa.answers import (
    ALL_VALUES,
    COLUMNS,
    COUNTED,
    GROUP,
    By,
    Record,
    combined,
    error_cases,
)
from fairviz.studies.demographic_qa.names import condition_name
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
from fairviz.studies.demographic_qa.settings import USUAL, VariantsSettings

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
    def model(self) -> str:
        """What the model is called: by all parts where it is not told apart by name."""
        return self.parts["model"] or self.words or "the model"

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


def recorded_columns(answers: Sequence[VariantAnswers]) -> list[str]:
    """Columns that any file records; the model (a file's name if it records none) of several."""
    several = len(answers) > 1
    return [name for name in COLUMNS if any(name in each.factors for each in answers) or (name == "model" and several)]


def pooled_columns(answers: VariantAnswers, by: Sequence[str]) -> list[str]:
    """Recorded columns that vary within a combination of the columns of ``by``."""
    factors = [name for name in answers.factors if name not in by]
    n_values = combined(answers, by).group_by("combination").agg(pl.col(factors).n_unique())
    return [name for name in factors if (n_values[name] > 1).any()]


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
def cases_about(loaded: Dataset, key: Key, shown: By, settings: VariantsSettings) -> pl.DataFrame:
    """Evidence × answer of one combination by single attributes; none where nothing says what is right."""
    answers, by = loaded.variants[key[0]], [name for name, _ in key[1]]
    qrels = None if answers.frame["evidence"].is_not_null().any() else judgements(loaded)
    threshold = settings.threshold if answers.kind == "open" else None
    cases = error_cases(answers, replace(settings, threshold=threshold), by, qrels=qrels)
    single = ~pl.col("attribute").str.contains("+", literal=True)
    own = cases.filter(pl.col("n") > 0, single, *(pl.col(name) == value for name, value in key[1]))
    return own.select(*(pl.lit(value).alias(name) for name, value in shown), *GROUP, *COUNTED)


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
