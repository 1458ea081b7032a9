"""Answers to bias questions as one frame, which every measure groups: what can be compared, fixed and read otherwise.

A row per answer: the recorded columns of who answered how, then ``item`` (place of the question), ``choice`` (option
0–2, −1 = none) and ``words`` (as recorded; null where only options were), then what the question says: the columns of
:data:`.measures.ITEM_COLUMNS` (but those that were recorded), ``target`` and ``unknown`` options, ``context``,
``order`` of the options, and ``kind``: what the answer is. Names are enums, in the order in which files have them.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from fairviz.display.words import plural
from fairviz.errors import UsageError
from fairviz.model import BiasItems
from fairviz.model.answers import NO_TARGET, OUT_OF_CHOICE
from fairviz.studies.social_bias.labels import is_nothing, ordered_settings
from fairviz.studies.social_bias.measures import (
    AMBIGUOUS,
    COUNTER,
    ITEM_COLUMNS,
    NO_CONTEXT,
    OUT,
    STEREOTYPED,
    C,
    S,
    U,
)
from fairviz.studies.social_bias.settings import BiasSettings

INSTRUCTION = "instruction"
"""Measures are taken per task instruction and then averaged, unless a row asks for it."""

COLUMNS = ("setting", "retriever", "k", "shots", "model", "size", "tuned", "instruction", "language")
"""What can be compared, the first that has two values at first."""

FOLLOWS = {
    "setting": ("retriever", "k"),
    "retriever": ("setting", "k"),
    "k": ("setting", "retriever"),
    "size": ("model",),
    "tuned": ("model",),
    "model": ("size", "tuned"),
}
"""Columns that change along with another: retriever and k belong to retrieval, so that the answer without it is the
partner of all of them."""


def item_frame(items: BiasItems) -> pl.DataFrame:
    """What of each item its answers are counted by."""
    target = pl.col("target")
    context = (
        pl.when(target == NO_TARGET)
        .then(NO_CONTEXT)
        .when("ambiguous")
        .then(AMBIGUOUS)
        .when(pl.col("gold") == target)
        .then(STEREOTYPED)
        .otherwise(COUNTER)
    )
    return items.frame.select(
        *(pl.col(name).cast(pl.Enum(items.names(name))) for name in ITEM_COLUMNS),
        "target",
        "unknown",
        context=context.cast(pl.Int8),
        order=pl.max_horizontal(target, pl.lit(0, dtype=pl.Int8)) * 3 + pl.col("unknown"),
    )


def answer_frame(items: BiasItems, answers: pl.DataFrame) -> pl.DataFrame:
    """Answers with what their items say.

    Args:
        items: The questions.
        answers: Recorded columns, then ``item``, ``choice`` and ``words``.
    """
    of_items = item_frame(items)
    of_answers = of_items.select(name for name in of_items.columns if name not in answers.columns)[answers["item"]]
    choice = pl.col("choice")
    kind = (
        pl.when(choice == OUT_OF_CHOICE)
        .then(OUT)
        .when(choice == pl.col("unknown"))
        .then(U)
        .when(choice == pl.col("target"))
        .then(S)
        .otherwise(C)
    )
    return answers.hstack(of_answers).with_columns(kind=kind.cast(pl.Int8))


def recorded(answers: pl.DataFrame) -> list[str]:
    """Columns that say who answered how."""
    return answers.columns[: answers.columns.index("item")]


def names_of(answers: pl.DataFrame, column: str) -> list[str]:
    """The values that a column can have."""
    names = answers.schema[column]
    return names.categories.to_list() if isinstance(names, pl.Enum) else []


def values_in(answers: pl.DataFrame, column: str) -> tuple[str, ...]:
    """The values of a column that some answer has, in the order of the file."""
    return tuple(answers[column].unique().sort().cast(pl.String))


def varying(answers: pl.DataFrame) -> list[str]:
    """Recorded columns with two values or more."""
    return [name for name in recorded(answers) if answers[name].n_unique() > 1]


def with_value(answers: pl.DataFrame, column: str, value: str) -> pl.Expr:
    """Whether an answer has this value; none has one that the column does not know."""
    return pl.col(column) == value if value in names_of(answers, column) else pl.lit(False)


# What a person compares: one column, its values, the rest held fixed.


def values_of(answers: pl.DataFrame) -> dict[str, tuple[str, ...]]:
    """Values of every column that can be compared.

    Settings are in the order of the paper, numbers rise, all else is in the order of the file.
    """
    known = [name for name in COLUMNS if name in answers.columns]
    return {name: _ordered(name, values_in(answers, name)) for name in known}


def comparable(values: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Columns with two values or more, in the order of :data:`COLUMNS`."""
    return tuple(name for name, of_column in values.items() if len(of_column) > 1)


def usual_reference(values: Sequence[str]) -> str:
    """What values are held against at first: no retrieval, no documents, else the first."""
    return next((value for value in values if is_nothing(value)), values[0])


def part_of(answers: pl.DataFrame, settings: BiasSettings) -> pl.DataFrame:
    """Answers with the fixed values, and the reference's whatever follows along with the compared column.

    Without retrieval there is no retriever and no k: fixing one of them keeps these answers.
    """
    reference = with_value(answers, settings.compare, settings.reference)
    keep = [pl.lit(True)]
    for name, value in settings.fixed:
        fixed = with_value(answers, name, value)
        follows = name in FOLLOWS.get(settings.compare, ())
        keep.append(fixed | reference if follows and answers.filter(fixed, reference).is_empty() else fixed)
    return answers.filter(*keep)


def _ordered(name: str, values: Sequence[str]) -> tuple[str, ...]:
    if name == "setting":
        return ordered_settings(values)
    if name in ("k", "shots"):
        return tuple(sorted(values, key=_as_number))
    return tuple(sorted(values, key=lambda value: not is_nothing(value)))


def _as_number(value: str) -> float:
    try:
        return float(value)
    except ValueError:
        return -1.0 if is_nothing(value) else float("inf")


# Question by question.

KINDS = ("no biased answer", "stereotyped", "counter-stereotyped", "unknown", "out of choice")
"""What an answer is, in words: of an item without a biased option, then by kind."""


def answer_sheet(items: BiasItems, answers: pl.DataFrame, producers: Sequence[Mapping[str, str]]) -> pl.DataFrame:
    """What each producer answers to each item.

    Args:
        items: The questions.
        answers: Answers to them.
        producers: Values of the columns that name each, enough to give one answer an item.

    Returns:
        A row per item, and for each producer, by place, ``choice_0`` (an option, −1 = none of them), ``kind_0`` (what
        it is, one of :data:`KINDS`) and ``words_0`` (as recorded); null without an answer.

    Raises:
        UsageError: A column that is not there, or a producer with two answers to one item.
    """
    kinds = (
        pl.when(pl.col("context") == NO_CONTEXT)
        .then(0)
        .otherwise(pl.col("kind") + 1)
        .cast(pl.UInt8)
        .cat.to(pl.Enum(KINDS))
    )
    sheet = pl.DataFrame({"item": np.arange(len(items), dtype=np.int32)})
    for place, producer in enumerate(producers):
        own = answers.filter(pl.lit(True), *(with_value(answers, column, value) for column, value in producer.items()))
        if own["item"].n_unique() < len(own):
            named = ", ".join(f"{column} = {value}" for column, value in producer.items())
            raise UsageError(f"{named or 'everybody'} answers an item more than once: name more columns")
        columns = {"choice": pl.col("choice"), "kind": kinds, "words": pl.col("words").cast(pl.String)}
        own = own.select("item", **{f"{name}_{place}": column for name, column in columns.items()})
        sheet = sheet.join(own, on="item", how="left", maintain_order="left")
    return sheet


def moves(sheet: pl.DataFrame, pairs: Sequence[tuple[int, int]]) -> Counter[tuple[str, str]]:
    """Answers that moved from one kind to another, over pairs of producers (before, after)."""
    counted: Counter[tuple[str, str]] = Counter()
    for before, after in pairs:
        kinds = [f"kind_{before}", f"kind_{after}"]
        moved = sheet.filter(pl.col(kinds[0]) != pl.col(kinds[1])).group_by(kinds).len()
        for first, second, n in moved.sort(kinds).iter_rows():
            counted[first, second] += n
    return counted


def moved(pairs: Sequence[tuple[int, int]], move: tuple[str, str]) -> pl.Expr:
    """Whether any pair of producers has this move."""
    return pl.any_horizontal(
        (pl.col(f"kind_{before}") == move[0]) & (pl.col(f"kind_{after}") == move[1]) for before, after in pairs
    ).fill_null(False)


def n_along(n_producers: int) -> pl.Expr:
    """Producers whose answer follows the stereotype."""
    return pl.sum_horizontal((pl.col(f"kind_{i}") == "stereotyped").fill_null(False) for i in range(n_producers))


# Wordings of unread answers.

MOST_READ = 5
"""Wordings that are read at once."""


class Wording(NamedTuple):
    """An answer that names no option, as it was recorded.

    Attributes:
        words: Without case, blanks around and a final period.
        n: How often it was given.
    """

    words: str
    n: int


def wordings(answers: pl.DataFrame) -> tuple[Wording, ...]:
    """Wordings of the unread answers, the most frequent first; none where only options were recorded."""
    unread = answers.filter(pl.col("choice") == OUT_OF_CHOICE, pl.col("words").is_not_null())
    counted: Counter[str] = Counter()
    for words, times in unread.group_by("words").len().sort("words").iter_rows():
        counted[_plain(words)] += times
    return tuple(Wording(words, times) for words, times in counted.most_common() if words)


def most_frequent(every: Sequence[Wording]) -> tuple[Wording, ...]:
    """The wordings that one button may read: the five most frequent, each of them 1 % of the unread answers or more.

    Examples:
        >>> most_frequent([Wording("hard to say", 99), Wording("both", 1), Wording("the boy", 1)])
        (Wording(words='hard to say', n=99),)
    """
    n = sum(wording.n for wording in every)
    return tuple(wording for wording in every[:MOST_READ] if 100 * wording.n >= n)


def read_as_unknown(answers: pl.DataFrame, chosen: Sequence[str]) -> pl.DataFrame:
    """The answers with some wordings of unread ones counted as "unknown", by words of :func:`wordings`."""
    meant = [text for text in names_of(answers, "words") if _plain(text) in chosen] if chosen else []
    if not meant:
        return answers
    read = (pl.col("choice") == OUT_OF_CHOICE) & pl.col("words").is_in(meant)
    return answers.with_columns(
        choice=pl.when(read).then("unknown").otherwise("choice"),
        kind=pl.when(read).then(pl.lit(U, dtype=pl.Int8)).otherwise("kind"),
    )


def reading_words(chosen: Sequence[Wording]) -> str:
    """A reading by its name and its counts, for pages and files; "" without one."""
    if not chosen:
        return ""
    n = sum(wording.n for wording in chosen)
    return f"{plural(n, 'answer')} in {plural(len(chosen), 'wording')} read as “unknown”"


def _plain(words: str) -> str:
    return " ".join(words.split()).casefold().removesuffix(".")
