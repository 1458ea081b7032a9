"""The kind of recorded answers to variants, their options, and which of them each answer is."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

import polars as pl

from fairviz.errors import InputError
from fairviz.io.answer_table import AnswerTable
from fairviz.io.answer_text import (
    FAMILIES,
    LETTERS,
    WORDS,
    as_letter,
    as_word,
    boxed_in,
    is_letter,
    loosely,
    read_word,
    unwrapped,
)
from fairviz.io.answer_words import TEXT, Asked, read_asked
from fairviz.io.json import as_place
from fairviz.io.limits import MAX_VALUES
from fairviz.model.answers import AnswerKind
from fairviz.model.arrays import read_once
from fairviz.numerals import count

MAX_OPTIONS = 10
"""Distinct right answers that a closed question may have."""

_Offered: TypeAlias = Sequence[tuple[str, ...]]
"""Lists of options, by code."""


def read_options(
    answers: pl.DataFrame, offered: _Offered, table: AnswerTable
) -> tuple[AnswerKind, pl.DataFrame, Mapping[str, int]]:
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
        answers: (R) ``dataset``, ``question`` and ``options`` by code; ``kind``, ``gold`` and ``prediction`` in words.
        offered: The options by their code.
        table: Where the rows stand.

    Returns:
        Kind, (R) ``right`` and ``choice`` of :class:`~fairviz.model.answers.VariantAnswers`; and how many answers each
        rule read.

    Raises:
        InputError: Closed and open answers stand in one file, or closed ones have more options than an analysis.
    """
    answers = answers.with_row_index("row")

    def as_letters(gold: str, code: int) -> str:
        return _letter_of(gold, offered[code])

    answers = answers.with_columns(gold=read_once(answers.select("gold", "options"), as_letters))
    datasets = answers.partition_by("dataset", maintain_order=True)
    kinds = [_kind(own, offered, table) for own in datasets]
    for kind, own in zip(kinds, datasets, strict=True):
        if kind != kinds[0]:
            fix = "Put closed and open questions into files of their own, or give a column kind."
            raise table.row(own["row"][0]).wrong(f"answers are {kind} here and {kinds[0]} before", fix)
    if kinds[0] == "open":
        return (
            "open",
            pl.DataFrame([pl.Series(name, [None] * answers.height, pl.Enum([])) for name in ("right", "choice")]),
            {},
        )
    options: set[str] = set()
    rules: Counter[str] = Counter()
    parts: list[pl.DataFrame] = []
    for own in datasets:
        own_options, as_option, choose = _way(own, offered)
        options.update(own_options)
        parts.append(
            own.select("row", right=read_once(own.select("gold"), as_option), choice=_chosen(own, choose, rules))
        )
    if len(options) > MAX_VALUES:
        reason = f"{count(len(options))} different options of closed answers"
        raise InputError(reason, file=table.file, fix="Call answers in free words open in column kind.")
    read = pl.concat(parts).sort("row").select("right", "choice")
    named = pl.Enum(sorted({*read["right"].drop_nulls().unique(), *read["choice"].drop_nulls().unique()}))
    return "closed", read.cast(named), dict(sorted(rules.items()))


def _kind(answers: pl.DataFrame, offered: _Offered, table: AnswerTable) -> AnswerKind:
    """Whether the answers of a dataset are closed.

    Raises:
        InputError: Some rows say so, and others say that theirs are open.
    """
    kinds = answers.filter(pl.col("kind") != "").group_by("kind").agg(pl.col("row").first())
    if kinds.height > 1:
        fix = "Put closed and open questions into files of their own."
        raise table.row(max(kinds["row"])).wrong("closed and open answers in one file", fix)
    if not kinds.is_empty():
        return "open" if kinds["kind"][0] == "open" else "closed"
    golds = _golds(answers)
    if _has_options(answers, offered) and all(map(is_letter, golds)):
        return "closed"
    if not golds:
        filled = [(text, n) for text, n in _distinct_answers(answers) if text.strip()]
        n_known = sum(n for text, n in filled if _is_option(text))
        return "closed" if 2 * n_known >= sum(n for _, n in filled) else "open"
    if all(map(_is_option, golds)):
        return "closed"
    n_questions = answers.filter(pl.col("gold") != "")["question"].n_unique()
    few = len(golds) <= MAX_OPTIONS and 2 * len(golds) <= n_questions
    return "closed" if few and all(len(gold.split()) <= 3 for gold in golds) else "open"


_Chosen: TypeAlias = tuple[str | None, str]
"""The option that an answer names, None for none, and the rule that read it, "" for none."""
_Way: TypeAlias = tuple[Iterable[str], Callable[[str], str | None], Callable[[str, int], _Chosen]]
"""What answers may name, a right answer as an option, and an answer with the code of its question's options as one."""


def _way(answers: pl.DataFrame, offered: _Offered) -> _Way:
    """How the closed answers of a dataset are read: as letters, or as words."""
    golds, counts = _golds(answers), _distinct_answers(answers)
    n_letters = sum(n for text, n in counts if is_letter(text))
    if not golds and (_has_options(answers, offered) or 2 * n_letters > sum(n for _, n in counts)):
        return _letters((), offered)
    if golds and all(map(is_letter, golds)):
        return _letters(golds, offered)
    return _words(golds or [text for text, _ in counts if as_word(text) in WORDS])


def _letters(golds: Iterable[str], offered: _Offered) -> _Way:
    """Letters up to E, or to the last right one."""
    letters = tuple(LETTERS[: LETTERS.index(max(("E", *map(as_letter, golds)))) + 1])

    def choose(text: str, code: int) -> _Chosen:
        reading = read_asked(text, Asked(offered[code], None, "", letters))
        return letters[reading.option] if 0 <= reading.option < len(letters) else None, reading.rule

    return letters, lambda gold: as_letter(gold) if gold else None, choose


def _words(answers: Iterable[str]) -> _Way:
    """Words that are right, or known; of a family of which one is, all."""
    spelt: dict[str, str] = {}
    for answer in filter(as_word, answers):
        spelt.setdefault(as_word(answer), answer.strip().removesuffix("."))
    for family in FAMILIES:
        if spelt and spelt.keys() <= family:
            spelt.update((word, word) for word in sorted(family - spelt.keys()))

    def choose(text: str, _: int) -> _Chosen:
        answer = unwrapped(text)
        boxes = {*boxed_in(answer)}
        word = spelt.get(read_word(boxes.pop() if len(boxes) == 1 else answer, tuple(spelt)) or "")
        return word, TEXT if word else ""

    return spelt.values(), lambda gold: spelt.get(as_word(gold)), choose


def _chosen(answers: pl.DataFrame, choose: Callable[[str, int], _Chosen], rules: Counter[str]) -> pl.Series:
    """The option that each row chose; ``rules`` counts how they were read."""
    chosen: dict[tuple[str | None, int | None], str | None] = {}
    for text, code, n in answers.group_by("prediction", "options").len().drop_nulls().iter_rows():
        chosen[text, code], rule = choose(text, code)
        if rule:
            rules[rule] += n

    def option_of(text: str | None, code: int | None) -> str | None:
        return chosen.get((text, code))

    return read_once(answers.select("prediction", "options"), option_of)


def _golds(answers: pl.DataFrame) -> list[str]:
    """Distinct right answers."""
    return [gold for gold in answers["gold"].unique(maintain_order=True) if gold]


def _distinct_answers(answers: pl.DataFrame) -> list[tuple[str, int]]:
    """Distinct answers, and how often each is given."""
    counts = answers.group_by("prediction", maintain_order=True).len()
    return [(text, n) for text, n in counts.iter_rows() if text]


def _has_options(answers: pl.DataFrame, offered: _Offered) -> bool:
    """Whether any row says the options of its question."""
    places: list[int] = answers["options"].unique().to_list()
    return any(offered[code] for code in places)


def _letter_of(gold: str, options: tuple[str, ...]) -> str:
    """A right answer in the words of an option, or by its place, as its letter."""
    if not options or not gold or is_letter(gold):
        return gold
    names = [loosely(option) for option in options]
    index = names.index(loosely(gold)) if loosely(gold) in names else as_place(gold)
    return gold if index is None or index >= min(len(options), len(LETTERS)) else LETTERS[index]


def _is_option(text: str) -> bool:
    return is_letter(text) or as_word(text) in WORDS
