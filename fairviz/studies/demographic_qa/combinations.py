"""Loaded answers to variants, combination by combination of their columns: what page and command both show."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from fairviz.display.words import distinct_names
from fairviz.model import Dataset, Qrels
from fairviz.model.variants import UNKNOWN, AnswerKind
from fairviz.studies.demographic_qa.answerable import Answerable
from fairviz.studies.demographic_qa.overlap import Overlap
from fairviz.studies.demographic_qa.questions import ErrorCase, error_cases
from fairviz.studies.demographic_qa.results import AnswerResults, recorded_columns
from fairviz.studies.demographic_qa.rows import VariantRow, corrected, overlaps, variant_rows
from fairviz.studies.demographic_qa.sheet import COLUMNS, By, combinations, groupings
from fairviz.studies.demographic_qa.strategies import StrategyRow

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
