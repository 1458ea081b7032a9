"""Controls of the Demographic QA page: whose answers, to what, and what counts as right."""

from contextlib import AbstractContextManager
from typing import NamedTuple

import streamlit as st

from fairviz.model import Dataset
from fairviz.show.words import distinct_names, plural
from fairviz.studies.demographic_qa.conditions import Condition, StrategyRow, with_votes
from fairviz.studies.demographic_qa.findings import condition_name
from fairviz.studies.demographic_qa.overlap import Overlap
from fairviz.studies.demographic_qa.rows import VariantRow, overlaps, variant_rows
from fairviz.studies.demographic_qa.sheet import ALL_VALUES, COLUMNS, By, combinations, groupings
from fairviz.studies.demographic_qa.votes import VoteRule
from fairviz.studies.demographic_qa.voting import TieRule
from pages._kit.cache import cached

# What the Demographic QA page shows of loaded answers, computed once per setting.


LONG = 20_000
"""Answers from which on the time of counting is shown."""


class Answers(NamedTuple):
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
    kind: str
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


@cached
def all_answers(loaded: Dataset, threshold: float | None, min_size: int) -> tuple[Answers, ...]:
    """Every combination of every file, in the order of the files."""
    names = _models(loaded)
    found: list[Answers] = []
    for file in range(len(loaded.variants)):
        found += _of_file(loaded, file, names, threshold, min_size)
    return tuple(_told_apart(found, loaded))


@cached
def all_votes(loaded: Dataset, threshold: float | None, min_size: int, ties: TieRule) -> dict[tuple[int, By], Voted]:
    """The votes of every combination, by file and columns."""
    found: dict[tuple[int, By], Voted] = {}
    for one in all_answers(loaded, threshold, min_size):
        every = (*one.rows, one.pooled) if one.pooled else one.rows
        voted = with_votes(
            loaded.variants[one.file],
            every,
            rule=VoteRule(voters="all", ties=ties),
            min_size=min_size,
            threshold=None if one.kind == "closed" else threshold,
        )
        whole = voted[-1] if voted and one.pooled else (voted[0] if voted else None)
        found[one.file, one.by] = Voted(voted[: len(one.rows)], whole)
    return found


@cached
def overlaps_of(loaded: Dataset, file: int, by: By, k: int) -> tuple[Overlap, ...]:
    """Overlap of the first k documents recorded with the answers of one combination."""
    answers = loaded.variants[file]
    rows = dict(combinations(answers, [name for name, _ in by]))[by]
    return tuple(
        one
        for grouping in groupings(answers, rows)
        if "+" not in grouping.attribute
        for one in overlaps(answers, rows, grouping, (k,), seed=0)
    )


def _of_file(
    loaded: Dataset, file: int, names: dict[str, str], threshold: float | None, min_size: int
) -> list[Answers]:
    """Every combination of one file."""
    answers = loaded.variants[file]
    by = [name for name in COLUMNS if name == "model" or answers.factor(name) is not None]
    rows = variant_rows(
        answers,
        by=by,
        threshold=None if answers.kind == "closed" else threshold,
        min_size=min_size,
        pooled=True,
        outcome="letters" if answers.kind == "closed" else "correct",
    )
    found: list[Answers] = []
    for combination in dict.fromkeys(row.by for row in rows):
        own = [row for row in rows if row.by == combination]
        found.append(
            Answers(
                file,
                combination,
                _parts(dict(combination), names, answers.name),
                answers.kind,
                tuple(row for row in own if row.attribute != ALL_VALUES),
                next((row for row in own if row.attribute == ALL_VALUES), None),
            )
        )
    return found


def counting(loaded: Dataset) -> AbstractContextManager[None]:
    """Says that it counts, where that takes a while."""
    n = sum(len(answers) for answers in loaded.variants)
    return st.spinner(f"Counting {plural(n, 'answer')} …", show_time=n > LONG)


def conditions(answers: tuple[Answers, ...], *, all_rows: bool = False) -> tuple[Condition, ...]:
    """Answers as conditions, named by the parts in which they differ besides the strategy.

    Args:
        answers: Which.
        all_rows: Intersectional cells, too.
    """
    names = short_names(answers, without=("strategy",))
    return tuple(
        Condition(name=name, strategy=one.part("strategy"), rows=one.rows if all_rows else one.single)
        for one, name in zip(answers, names, strict=True)
    )


def comparable(answers: tuple[Answers, ...], chosen: Answers) -> tuple[Answers, ...]:
    """Answers to the same dataset with one retriever and depth: the one with most conditions.

    That of the chosen answers counts first where there are as many.
    """
    alike = [one for one in answers if one.kind == chosen.kind and one.part("dataset") == chosen.part("dataset")]
    settings = [_setting(chosen), *(_setting(one) for one in alike)]
    most = max(dict.fromkeys(settings), key=lambda s: sum(_setting(one) == s for one in alike))
    return tuple(one for one in alike if _setting(one) == most)


def setting_words(one: Answers) -> str:
    """Retriever and depth, "" where neither was recorded."""
    return condition_name({"retriever": one.part("retriever"), "k": one.part("depth")})


def short_names(answers: tuple[Answers, ...], *, without: tuple[str, ...] = ()) -> list[str]:
    """What each is called among the others: the parts in which they differ, else the model."""
    kept_parts = [
        name
        for name, _ in (answers[0].parts if answers else ())
        if name not in without and len({one.part(name) for one in answers}) > 1
    ]
    return [condition_name({_plain(name): one.part(name) for name in kept_parts or ["model"]}) for one in answers]


def _setting(one: Answers) -> tuple[str, str]:
    return one.part("retriever"), one.part("depth")


def _models(loaded: Dataset) -> dict[str, str]:
    """Names of models without what all file names share."""
    every: list[str] = []
    for answers in loaded.variants:
        factor = answers.factor("model")
        every += factor.values if factor is not None else (answers.name,)
    names = list(dict.fromkeys(every))
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


def _told_apart(found: list[Answers], loaded: Dataset) -> list[Answers]:
    """Answers of different files with the same parts get their file as dataset."""
    files: dict[tuple[tuple[str, str], ...], set[int]] = {}
    for one in found:
        files.setdefault(one.parts, set()).add(one.file)
    names = distinct_names([answers.name for answers in loaded.variants])
    return [
        one._replace(
            parts=tuple(
                (name, value or names[one.file]) if name == "dataset" else (name, value) for name, value in one.parts
            )
        )
        if len(files[one.parts]) > 1
        else one
        for one in found
    ]


def _plain(name: str) -> str:
    return "k" if name == "depth" else name


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

MIN_SIZE = 10

NOT_GIVEN = "not given"
"""What an option is called whose column a file does not have."""


class Settings(NamedTuple):
    """What is looked at."""

    threshold: float | None
    ties: TieRule
    min_size: int
    answers: tuple[Answers, ...]
    chosen: Answers


def settings(loaded: Dataset) -> Settings:
    """The row of controls; a control stands only where there is a choice."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        place = st.container(horizontal=True, vertical_alignment="bottom", gap="small")
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
    with counting(loaded):
        answers = all_answers(loaded, None, int(min_size))
    with place:
        chosen = _choose(answers)
        threshold = _threshold() if chosen.kind == "open" else None
    if threshold is not None:
        at = answers.index(chosen)
        with counting(loaded):
            answers = all_answers(loaded, threshold, int(min_size))
        chosen = answers[at]
    return Settings(threshold, ties, int(min_size), answers, chosen)


def _choose(answers: tuple[Answers, ...]) -> Answers:
    """Narrow down, part by part."""
    left = list(answers)
    for name, label in LABELS.items():
        values = list(dict.fromkeys(one.part(name) or NOT_GIVEN for one in left))
        if len({one.part(name) for one in answers}) > 1:
            width = 190 if name == "model" else 150
            picked = st.selectbox(label, values, key=name, bind="query-params", width=width)
            left = [one for one in left if (one.part(name) or NOT_GIVEN) == picked] or left
    return left[0]


def _threshold() -> float | None:
    picked = st.selectbox(
        "Right from ROUGE-L",
        THRESHOLDS,
        key="rouge",
        bind="query-params",
        width=150,
        help="mean: groups are compared by their mean ROUGE-L. A number: an open answer counts as "
        "right from this ROUGE-L on; the paper does not say which it used.",
    )
    return None if picked == "mean" else float(picked)


def whose(chosen: Settings) -> str:
    """Whose answers these are, to what."""
    one = chosen.chosen
    parts = {
        "model": one.part("model"),
        "dataset": one.part("dataset"),
        "strategy": one.part("strategy"),
        "retriever": one.part("retriever"),
        "k": one.part("depth"),
    }
    return f"answers of {condition_name(parts)}"
