"""The kind of recorded answers to variants, their options, and which of them each answer is."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from fairviz.errors import InputError
from fairviz.io.answer_text import boxed_in, loosely, unwrapped
from fairviz.io.answer_words import TEXT, Asked, read_asked
from fairviz.io.closed_answers import (
    FAMILIES,
    LETTERS,
    WORDS,
    as_letter,
    as_word,
    is_letter,
    read_word,
)
from fairviz.io.json import as_place
from fairviz.io.limits import MAX_VALUES
from fairviz.io.variant_rows import FACTORS, VariantColumns
from fairviz.model.variants import UNKNOWN, AnswerKind
from fairviz.numerals import count

MAX_OPTIONS = 10
"""Distinct right answers that a closed question may have."""

_DATASET = FACTORS.index("dataset")


class ReadAnswers(NamedTuple):
    """Answers as options; see :class:`~fairviz.model.variants.VariantAnswers`.

    Attributes:
        kind: Whether answers are closed.
        options: Those that are right or chosen; golds, choices: (R) which is right and which is chosen.
        read_by: How many answers each rule read.
        right: Every option that is ever right.
    """

    kind: AnswerKind
    options: tuple[str, ...]
    golds: NDArray[np.int16]
    choices: NDArray[np.int16]
    read_by: dict[str, int]
    right: frozenset[str]


def read_answers(rows: VariantColumns, file: str) -> ReadAnswers:
    """Whether the answers are closed, and closed ones as options.

    The column ``kind`` decides where there is one. Otherwise the right answers of each dataset do:
    answers are closed where all are letters A–J, or known words (yes, no, maybe, …), or where at
    most ten distinct answers of at most three words are each right for two questions on average.
    Without any right answer they are closed where most answers are letters or known words.

    Options are the right answers of the dataset. Where they are letters, or of yes, no, maybe, or
    of true, false, what answers plainly name of the same (letters up to E, or to the last right
    one) is an option, too: "C" is a wrong answer also where C is never right.

    Where rows say their options (column ``options``), answers in the words of one are its letter, and so are right
    answers in words.

    Args:
        rows: All rows of a file.
        file: Name of the file.

    Raises:
        InputError: Closed and open answers stand in one file, or closed ones have more options than an analysis.
    """
    options = rows.options.values
    answers = pl.DataFrame(
        {
            "dataset": rows.of_producer(_DATASET).codes,
            "question": rows.question.codes,
            "kind": rows.kind.column,
            "gold": rows.gold.column,
            "prediction": rows.prediction.column.cast(pl.String),
            "options": rows.options.codes,
        }
    ).with_row_index("row")

    def as_letter(gold: str, place: int) -> str:
        return _as_letter_of(gold, options[place])

    answers = answers.with_columns(gold=_made(answers, as_letter, "gold", "options"))
    datasets = answers.partition_by("dataset", maintain_order=True)
    kinds = [_kind(own, rows, file) for own in datasets]
    for kind, own in zip(kinds, datasets, strict=True):
        if kind != kinds[0]:
            reason = f"answers are {kind} here and {kinds[0]} before"
            fix = "Put closed and open questions into files of their own, or give a column kind."
            raise InputError(reason, file=file, line=rows.line(own["row"][0]), fix=fix)
    if kinds[0] == "open":
        none = np.full(rows.n_rows, UNKNOWN, dtype=np.int16)
        return ReadAnswers("open", (), none, none, {}, frozenset())
    ways = [_way(own, options) for own in datasets]
    n_options = len({option for way in ways for option in way.options})
    if n_options > MAX_VALUES:
        reason = f"{count(n_options)} different options of closed answers"
        raise InputError(reason, file=file, fix="Call answers in free words open in column kind.")
    rules: Counter[str] = Counter()
    read = pl.concat(
        own.select("row", _made(own, way.gold, "gold").alias("gold"), way.choices(own, options, rules).alias("choice"))
        for own, way in zip(datasets, ways, strict=True)
    ).sort("row")
    right = frozenset(read["gold"].drop_nulls().unique())
    named = sorted(right.union(read["choice"].drop_nulls().unique()))
    codes = read.select(pl.col("gold", "choice").cast(pl.Enum(named)).to_physical().cast(pl.Int16).fill_null(UNKNOWN))
    return ReadAnswers(
        kind="closed",
        options=tuple(named),
        golds=codes["gold"].to_numpy(),
        choices=codes["choice"].to_numpy(),
        read_by=dict(sorted(rules.items())),
        right=right,
    )


def _made(answers: pl.DataFrame, read: Callable[..., str | None], *columns: str) -> pl.Series:
    """What is made of some columns of each row, once for rows that are alike in them."""
    alike = answers.select(columns).unique(maintain_order=True)
    made = alike.with_columns(pl.Series("made", [read(*cells) for cells in alike.iter_rows()], dtype=pl.String))
    return answers.select(columns).join(made, on=columns, how="left", nulls_equal=True, maintain_order="left")["made"]


def _kind(answers: pl.DataFrame, rows: VariantColumns, file: str) -> AnswerKind:
    """Whether the answers of a dataset are closed.

    Raises:
        InputError: Some rows say so, and others say that theirs are open.
    """
    kinds = answers.filter(pl.col("kind") != "").group_by("kind").agg(pl.col("row").first())
    if kinds.height > 1:
        fix = "Put closed and open questions into files of their own."
        reason = "closed and open answers in one file"
        raise InputError(reason, file=file, line=rows.line(max(kinds["row"])), fix=fix)
    if not kinds.is_empty():
        return "open" if kinds["kind"][0] == "open" else "closed"
    golds = _golds(answers)
    if _has_options(answers, rows.options.values) and all(map(is_letter, golds)):
        return "closed"
    if not golds:
        filled = [(said, n) for said, n in _said(answers) if said.strip()]
        n_known = sum(n for said, n in filled if _is_option(said))
        return "closed" if 2 * n_known >= sum(n for _, n in filled) else "open"
    if all(map(_is_option, golds)):
        return "closed"
    n_questions = answers.filter(pl.col("gold") != "")["question"].n_unique()
    few = len(golds) <= MAX_OPTIONS and 2 * len(golds) <= n_questions
    return "closed" if few and all(len(gold.split()) <= 3 for gold in golds) else "open"


def _way(answers: pl.DataFrame, options: Sequence[tuple[str, ...]]) -> "_Letters | _Words":
    """How the closed answers of a dataset are read."""
    golds = _golds(answers)
    if golds:
        return _Letters.of(golds) if all(map(is_letter, golds)) else _Words.of(golds)
    said = _said(answers)
    n_letters = sum(n for text, n in said if is_letter(text))
    if _has_options(answers, options) or 2 * n_letters > sum(n for _, n in said):
        return _Letters.of(())
    return _Words.of(text for text, _ in said if as_word(text) in WORDS)


def _golds(answers: pl.DataFrame) -> list[str]:
    """Distinct right answers."""
    return [gold for gold in answers["gold"].unique(maintain_order=True) if gold]


def _said(answers: pl.DataFrame) -> list[tuple[str, int]]:
    """Distinct answers, and how often each is given."""
    said = answers.group_by("prediction", maintain_order=True).len()
    return [(text, n) for text, n in said.iter_rows() if text]


def _has_options(answers: pl.DataFrame, options: Sequence[tuple[str, ...]]) -> bool:
    """Whether any row says the options of its question."""
    places: list[int] = answers["options"].unique().to_list()
    return any(options[place] for place in places)


def _as_letter_of(gold: str, options: tuple[str, ...]) -> str:
    if not options or not gold or is_letter(gold):
        return gold
    names = [loosely(option) for option in options]
    place = names.index(loosely(gold)) if loosely(gold) in names else as_place(gold)
    if place is None or place >= min(len(options), len(LETTERS)):
        return gold
    return LETTERS[place]


def _is_option(text: str) -> bool:
    return is_letter(text) or as_word(text) in WORDS


class _Words(NamedTuple):
    """Answers are words.

    Attributes:
        spelt: What each word is shown as.
    """

    spelt: dict[str, str]

    @classmethod
    def of(cls, known: Iterable[str]) -> "_Words":
        """Words that are right, or known."""
        spelt: dict[str, str] = {}
        for answer in filter(as_word, known):
            spelt.setdefault(as_word(answer), answer.strip().removesuffix("."))
        for family in FAMILIES:
            if spelt and spelt.keys() <= family:
                spelt.update((word, word) for word in sorted(family - spelt.keys()))
        return cls(spelt)

    @property
    def options(self) -> Iterable[str]:
        """What answers may name."""
        return self.spelt.values()

    def gold(self, gold: str) -> str | None:
        """A right answer as an option."""
        return self.spelt.get(as_word(gold))

    def choices(self, answers: pl.DataFrame, options: Sequence[tuple[str, ...]], rules: Counter[str]) -> pl.Series:
        """The option that each row chose; ``rules`` counts how they were read."""
        words = tuple(self.spelt)

        def option(said: str | None) -> str | None:
            return self.spelt.get(read_word(_inner(said or ""), words) or "")

        chosen = _made(answers, option, "prediction")
        if chosen.count():
            rules[TEXT] += chosen.count()
        return chosen


def _inner(prediction: str) -> str:
    """An answer without thinking, and out of its box."""
    answer = unwrapped(prediction)
    boxes = set(boxed_in(answer))
    return boxes.pop() if len(boxes) == 1 else answer


class _Letters(NamedTuple):
    """Answers are letters.

    Attributes:
        letters: From A to the last one.
    """

    letters: str

    @classmethod
    def of(cls, golds: Iterable[str]) -> "_Letters":
        """Up to E, or to the last right one."""
        return cls(LETTERS[: LETTERS.index(max(("E", *map(as_letter, golds)))) + 1])

    @property
    def options(self) -> Iterable[str]:
        """What answers may name."""
        return self.letters

    def gold(self, gold: str) -> str | None:
        """A right answer as an option."""
        return as_letter(gold) if gold else None

    def choices(self, answers: pl.DataFrame, options: Sequence[tuple[str, ...]], rules: Counter[str]) -> pl.Series:
        """The option that each row chose; ``rules`` counts how they were read."""
        letters = tuple(self.letters)
        chosen: dict[tuple[str, int], str] = {}
        for said, place, n in answers.group_by("prediction", "options").len().drop_nulls().iter_rows():
            reading = read_asked(said, Asked(options[place], None, "", letters))
            if reading.rule:
                rules[reading.rule] += n
            if 0 <= reading.option < len(letters):
                chosen[said, place] = letters[reading.option]

        def letter(said: str, place: int) -> str | None:
            return chosen.get((said, place))

        return _made(answers, letter, "prediction", "options")
