"""What the Demographic QA page is set to, and what it shows of loaded answers, computed once per setting."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import NamedTuple, TypeAlias

import streamlit as st

from fairviz.model import Dataset, Qrels
from fairviz.model.variants import UNKNOWN, AnswerKind
from fairviz.show.words import distinct_names, plural
from fairviz.studies.demographic_qa.answerable import ANSWERABLE, Answerable
from fairviz.studies.demographic_qa.conditions import Condition
from fairviz.studies.demographic_qa.names import condition_name
from fairviz.studies.demographic_qa.overlap import Overlap
from fairviz.studies.demographic_qa.results import AnswerResults, recorded_columns
from fairviz.studies.demographic_qa.rows import MIN_SIZE, VariantRow, corrected, overlaps, variant_rows
from fairviz.studies.demographic_qa.sheet import ALL_VALUES, COLUMNS, By, combinations, groupings
from fairviz.studies.demographic_qa.strategies import StrategyRow, corrected_votes, with_votes
from fairviz.studies.demographic_qa.votes import VoteRule
from fairviz.studies.demographic_qa.voting import TieRule
from pages._kit.cache import cached

LONG = 20_000
"""Answers from which on the time of counting is shown."""
LABELS = {
    "model": "Model",
    "dataset": "Dataset",
    "strategy": "Strategy",
    "retriever": "Retriever",
    "depth": "k, documents",
}
THRESHOLDS = ("mean", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8")
"""Open answers: their mean ROUGE-L, or right from this ROUGE-L on."""
TIES: tuple[TieRule, ...] = ("neutral", "alphabetical", "first", "abstain")
NOT_GIVEN = "not given"
"""What an option is called whose column a file does not have."""


class Combination(NamedTuple):
    """The answers of one combination of columns, and the rates of its groups.

    Attributes:
        file: Place of the file among the loaded ones.
        by: The combination as the file has it.
        parts: What to call it: model, dataset, strategy, retriever, depth.
        kind: "closed" or "open".
        rows: One per attribute, single attributes first, then intersectional cells.
        pooled: The values of all attributes side by side; None where there is one attribute.
    """

    file: int
    by: By
    parts: tuple[tuple[str, str], ...]
    kind: AnswerKind
    rows: tuple[VariantRow, ...]
    pooled: VariantRow | None

    def part(self, name: str) -> str:
        """Value of model, dataset, strategy, retriever or depth; "" if not recorded."""
        return dict(self.parts)[name]

    @property
    def single(self) -> tuple[VariantRow, ...]:
        """Rows of single attributes."""
        return tuple(row for row in self.rows if "+" not in row.attribute)

    @property
    def cells(self) -> tuple[VariantRow, ...]:
        """Rows of intersectional cells."""
        return tuple(row for row in self.rows if "+" in row.attribute)


class Voted(NamedTuple):
    """The majority votes of one combination.

    Attributes:
        rows: One per attribute, as the answers have them.
        whole: Every variant together; None where nobody is mentioned.
    """

    rows: tuple[StrategyRow, ...]
    whole: StrategyRow | None


Votes: TypeAlias = dict[tuple[int, By], Voted]
"""Votes of each combination, by file and columns."""


class Settings(NamedTuple):
    """What the page is set to: every combination that is loaded, and the one that is shown."""

    threshold: float | None
    ties: TieRule
    min_size: int
    answers: tuple[Combination, ...]
    selected: Combination
    answerable: Answerable = "evidence"


def controls(loaded: Dataset) -> Settings:
    """The row of controls; a control stands only where there is a choice."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        row_of_controls = st.container(horizontal=True, vertical_alignment="bottom", gap="small")
        with st.popover("More", type="tertiary"):
            ties = st.selectbox(
                "Ties of the majority vote",
                TIES,
                key="ties",
                bind="query-params",
                help="neutral: the answer to the variant without attribute, if it is tied, else "
                "the first in the alphabet. abstain: no answer, which counts as wrong.",
            )
            min_size = st.number_input(
                "Small groups have fewer answers than",
                1,
                1000,
                MIN_SIZE,
                key="min_size",
                bind="query-params",
                help="They are shown in grey and left out of the largest difference.",
            )
            answerable = _answerable(loaded)
    with counting(loaded):
        answers = all_answers(loaded, None, int(min_size), answerable)
    with row_of_controls:
        selected = _choose(answers)
        threshold = _threshold() if selected.kind == "open" else None
    if threshold is not None:
        place_of_selected = answers.index(selected)
        with counting(loaded):
            answers = all_answers(loaded, threshold, int(min_size), answerable)
        selected = answers[place_of_selected]
    return Settings(threshold, ties, int(min_size), answers, selected, answerable)


def whose(settings: Settings) -> str:
    """Whose answers these are, to what."""
    selected = settings.selected
    parts = {
        "model": selected.part("model"),
        "dataset": selected.part("dataset"),
        "strategy": selected.part("strategy"),
        "retriever": selected.part("retriever"),
        "k": selected.part("depth"),
    }
    return f"answers of {condition_name(parts)}"


@cached
def all_answers(
    loaded: Dataset, threshold: float | None, min_size: int, answerable: Answerable = "evidence"
) -> tuple[Combination, ...]:
    """Every combination of every file, in the order of the files."""
    names = _models(loaded)
    answers: list[Combination] = []
    for file in range(len(loaded.variants)):
        answers += _of_file(loaded, file, names, threshold, min_size, answerable)
    rows = iter(corrected([row for combination in answers for row in combination.rows]))  # one table, one family
    answers = [combination._replace(rows=tuple(next(rows) for _ in combination.rows)) for combination in answers]
    return tuple(_told_apart(answers, loaded))


@cached
def all_votes(
    loaded: Dataset, threshold: float | None, min_size: int, ties: TieRule, answerable: Answerable = "evidence"
) -> Votes:
    """The votes of every combination, by file and columns."""
    votes: dict[tuple[int, By], Voted] = {}
    for combination in all_answers(loaded, threshold, min_size, answerable):
        rows = (*combination.rows, combination.pooled) if combination.pooled else combination.rows
        strategies = with_votes(
            loaded.variants[combination.file],
            rows,
            rule=VoteRule(voters="all", ties=ties),
            min_size=min_size,
            threshold=None if combination.kind == "closed" else threshold,
            answerable=answerable,
            qrels=judgements(loaded),
        )
        whole = strategies[-1] if strategies and combination.pooled else (strategies[0] if strategies else None)
        votes[combination.file, combination.by] = Voted(strategies[: len(combination.rows)], whole)
    rows = iter(corrected_votes([row for voted in votes.values() for row in voted.rows]))  # one table, one family
    return {key: voted._replace(rows=tuple(next(rows) for _ in voted.rows)) for key, voted in votes.items()}


@cached
def overlaps_of(loaded: Dataset, file: int, by: By, k: int) -> tuple[Overlap, ...]:
    """Overlap of the first k documents recorded with the answers of one combination."""
    answers = loaded.variants[file]
    rows = dict(combinations(answers, [name for name, _ in by]))[by]
    return tuple(
        overlap
        for grouping in groupings(answers, rows)
        if "+" not in grouping.attribute
        for overlap in overlaps(answers, rows, grouping, (k,), seed=0)
    )


def counting(loaded: Dataset) -> AbstractContextManager[None]:
    """Says that it counts, where that takes a while."""
    n = sum(len(answers) for answers in loaded.variants)
    return st.spinner(f"Counting {plural(n, 'answer')} …", show_time=n > LONG)


def conditions(answers: tuple[Combination, ...], *, all_rows: bool = False) -> tuple[Condition, ...]:
    """Answers as conditions, named by the parts in which they differ besides the strategy.

    Args:
        answers: Which.
        all_rows: Intersectional cells, too.
    """
    names = short_names(answers, without=("strategy",))
    return tuple(
        Condition(
            name=name, strategy=combination.part("strategy"), rows=combination.rows if all_rows else combination.single
        )
        for combination, name in zip(answers, names, strict=True)
    )


def as_results(
    loaded: Dataset, answers: Sequence[Combination], *, threshold: float | None, votes: Votes | None = None
) -> tuple[AnswerResults, ...]:
    """Answers as the results that tables are made of, their rows named by the columns that any file records.

    Args:
        loaded: All files.
        answers: Which combinations.
        threshold: Open answers are right from this ROUGE-L on.
        votes: Of these combinations, where tables need them.
    """
    results: list[AnswerResults] = []
    for combination in answers:
        by = columns_of(loaded, combination)
        voted = votes[combination.file, combination.by].rows if votes else ()
        by_rouge = combination.kind == "open" and threshold is None
        results.append(
            AnswerResults(
                rows=tuple(replace(row, by=by) for row in combination.rows),
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


def comparable(answers: tuple[Combination, ...], selected: Combination) -> tuple[Combination, ...]:
    """Answers to the same dataset with one retriever and depth: the one with most conditions.

    That of the chosen answers counts first where there are as many.
    """
    alike = [
        combination
        for combination in answers
        if combination.kind == selected.kind and combination.part("dataset") == selected.part("dataset")
    ]
    settings = [_setting(selected), *(_setting(combination) for combination in alike)]
    most_common = max(
        dict.fromkeys(settings), key=lambda setting: sum(_setting(combination) == setting for combination in alike)
    )
    return tuple(combination for combination in alike if _setting(combination) == most_common)


def setting_words(combination: Combination) -> str:
    """Retriever and depth, "" where neither was recorded."""
    return condition_name({"retriever": combination.part("retriever"), "k": combination.part("depth")})


def short_names(answers: tuple[Combination, ...], *, without: tuple[str, ...] = ()) -> list[str]:
    """What each is called among the others: the parts in which they differ, else the model."""
    parts = [
        name
        for name, _ in (answers[0].parts if answers else ())
        if name not in without and len({combination.part(name) for combination in answers}) > 1
    ]
    return [
        condition_name({_plain(name): combination.part(name) for name in parts or ["model"]}) for combination in answers
    ]


def _of_file(
    loaded: Dataset, file: int, names: dict[str, str], threshold: float | None, min_size: int, answerable: Answerable
) -> list[Combination]:
    """Every combination of one file."""
    answers = loaded.variants[file]
    by = [name for name in COLUMNS if name == "model" or answers.factor(name) is not None]
    rows = variant_rows(
        answers,
        by=by,
        threshold=None if answers.kind == "closed" else threshold,
        min_size=min_size,
        pooled=True,
        answerable=answerable,
        qrels=judgements(loaded),
        outcome="letters" if answers.kind == "closed" else "correct",
    )
    combinations_of_file: list[Combination] = []
    for columns in dict.fromkeys(row.by for row in rows):
        own_rows = [row for row in rows if row.by == columns]
        combinations_of_file.append(
            Combination(
                file,
                columns,
                _parts(dict(columns), names, answers.name),
                answers.kind,
                tuple(row for row in own_rows if row.attribute != ALL_VALUES),
                next((row for row in own_rows if row.attribute == ALL_VALUES), None),
            )
        )
    return combinations_of_file


def _setting(combination: Combination) -> tuple[str, str]:
    return combination.part("retriever"), combination.part("depth")


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


def _plain(name: str) -> str:
    return "k" if name == "depth" else name


def _choose(answers: tuple[Combination, ...]) -> Combination:
    """Narrow down, part by part."""
    remaining = list(answers)
    for name, label in LABELS.items():
        values = list(dict.fromkeys(combination.part(name) or NOT_GIVEN for combination in remaining))
        if len({combination.part(name) for combination in answers}) > 1:
            width = 190 if name == "model" else 150
            value = st.selectbox(label, values, key=name, bind="query-params", width=width)
            remaining = [
                combination for combination in remaining if (combination.part(name) or NOT_GIVEN) == value
            ] or remaining
    return remaining[0]


def judgements(loaded: Dataset) -> Qrels | None:
    """The judgements that say whether evidence was right."""
    return loaded.qrels[0] if loaded.qrels else None


def _answerable(loaded: Dataset) -> Answerable:
    """Which questions EO counts; the file's own column wins, and then there is nothing to choose."""
    if all(bool((answers.answerable != UNKNOWN).any()) for answers in loaded.variants):
        return "evidence"
    return st.selectbox(
        "EO counts answers with",
        ANSWERABLE,
        key="answerable",
        bind="query-params",
        help="Where a file has no column “answerable”. evidence: right evidence was given, by the judgements or the "
        "column “evidence”. neutral: the neutral question was answered right. any: any variant was. The last two "
        "look at the answers themselves to choose which of them count.",
    )


def _threshold() -> float | None:
    value = st.selectbox(
        "Right from ROUGE-L",
        THRESHOLDS,
        key="rouge",
        bind="query-params",
        width=150,
        help="mean: groups are compared by their mean ROUGE-L. A number: an open answer counts as "
        "right from this ROUGE-L on; the paper does not say which it used.",
    )
    return None if value == "mean" else float(value)
