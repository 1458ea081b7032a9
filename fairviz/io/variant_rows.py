"""Tables of answers to variants as the one that is read, a row for each answer; and which options closed ones are.

A table has ``qid attribute value gold prediction`` under the names that other tables use; a column per group that holds
its answers (``qid, gold, neutral, Black, White``); or a column per attribute beside the answer (``qid, gold, race,
gender, prediction``), of which those that a row fills are mentioned together.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
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
from fairviz.io.answer_words import TEXT, OptionQuestion, asserted_option
from fairviz.io.cells import Cells
from fairviz.io.json import as_place, as_text
from fairviz.io.limits import MAX_VALUES
from fairviz.io.notes import NoteBook, shown
from fairviz.model.answers import AnswerKind
from fairviz.model.arrays import read_once
from fairviz.numerals import count

NAMES = {
    "qid": ("qid", "question_id", "example_id", "sample_id", "item_id", "id"),
    "attribute": ("attribute", "demographic"),
    "value": ("value", "attribute_value", "group"),
    "gold": ("gold", "gold_answer", "correct_answer", "ground_truth"),
    "prediction": ("prediction", "raw_prediction", "pred", "raw_answer", "response", "output"),
}
"""What columns are called; where several are there, the first counts."""
_QUESTION = NAMES["qid"][:2]
"""Names that say that it is a question: "id" is of anything."""
ATTRIBUTES = frozenset(
    (
        *("race", "ethnicity", "gender", "sex", "age", "religion", "nationality", "country", "disability", "income"),
        *("sexual_orientation", "sexual orientation", "socioeconomic_status", "socioeconomic status", "education"),
    )
)
"""Columns in place of ``attribute`` and ``value``: any others may hold anything."""
REFERENCES = frozenset(("none", "neutral", "original", "reference", "baseline"))
"""What conditions of reference are called."""
_NO_GROUPS = frozenset(("question", "query", "text", "context", "options", "choices", "subject", "topic", "category"))
"""Columns that hold no answers, whatever else does."""
_NO_VALUE = frozenset(("", "none", "null", "n/a", "na", "-"))
GROUP = "group"
"""The attribute of groups that have a column each."""


def has_column_per_group(names: Set[str]) -> bool:
    """Whether a table has answers in columns that are called as groups are, one of them neutral.

    Examples:
        >>> has_column_per_group({"qid", "gold", "neutral", "black"}), has_column_per_group({"qid", "gold", "black"})
        (True, False)
    """
    answered = names & {*NAMES["prediction"], *NAMES["attribute"], *NAMES["value"]}
    matches = [names & {*_QUESTION}, names & {*NAMES["gold"]}, names & REFERENCES]
    return all(matches) and not answered


def has_column_per_attribute(names: Set[str]) -> bool:
    """Whether a table has the values of attributes in columns that are called as these are.

    Examples:
        >>> has_column_per_attribute({"qid", "race", "prediction"}), has_column_per_attribute({"qid", "prediction"})
        (True, False)
    """
    named = names & {*NAMES["attribute"], *NAMES["value"]}
    matches = [names & {*_QUESTION}, names & {*NAMES["prediction"]}, names & ATTRIBUTES]
    return all(matches) and not named


def one_row_per_answer(cells: Cells, columns: Set[str], notes: NoteBook) -> Cells:
    """The cells under the names that are read, a row for each answer.

    Args:
        cells: Those of the file.
        columns: All columns that are read.
        notes: Where it is noted what columns were taken for.
    """
    names = {*cells.names} & {*cells.frame.columns}
    written: Callable[[str], str] = str if cells.in_table else json.dumps
    if has_column_per_group(names):
        others = columns | _NO_GROUPS | _IDS | {""}
        groups = [name for name in cells.names if name in names - others]
        listed = ", ".join(shown(cells.names[name], 30) for name in groups)
        notes.add(f"read as answers, a column for each group: {listed}", 1 if cells.in_table else None)
        cells = _unpivoted(cells, groups, written)
    elif has_column_per_attribute(names):
        attributes = [name for name in cells.names if name in names & ATTRIBUTES]
        cells = _joined(cells, attributes, written)
    firsts = {name: next(filter(cells.names.__contains__, aliases), name) for name, aliases in NAMES.items()}
    called = {alias: name for name, alias in firsts.items() if alias != name}
    renamed = {called.get(name, name): text for name, text in cells.names.items()}
    return cells._replace(frame=cells.frame.rename(called, strict=False), names=renamed)


_IDS = frozenset((*NAMES["qid"], *NAMES["gold"]))


def _unpivoted(cells: Cells, groups: list[str], written: Callable[[str], str]) -> Cells:
    """A row for each cell of the columns of groups, in the order of the file."""
    rest = cells.frame.drop(groups).with_columns(line=cells.lines).with_row_index("row")
    parts = [
        rest.with_columns(
            attribute=pl.lit(written("none" if name in REFERENCES else GROUP)),
            value=pl.lit(written(cells.names[name])),
            prediction=cells.frame[name],
        )
        for name in groups
    ]
    frame = pl.concat(parts).sort("row", maintain_order=True)
    names = {name: text for name, text in cells.names.items() if name not in groups}
    names |= {name: name for name in ("attribute", "value", "prediction")}
    return cells._replace(frame=frame.drop("row", "line"), names=names, lines=frame["line"])


def _joined(cells: Cells, attributes: list[str], written: Callable[[str], str]) -> Cells:
    """The attributes that each row fills, and their values, joined by "+"; a row that fills none is of no group."""
    frame = cells.frame

    def filled(*row: str | None) -> dict[str, str]:
        """What a row fills, by attribute."""
        texts = [cell if cells.in_table or cell is None else as_text(json.loads(cell)) for cell in row]
        values = {cells.names[name]: (text or "").strip() for name, text in zip(attributes, texts, strict=True)}
        return {name: text for name, text in values.items() if text.casefold() not in _NO_VALUE}

    def attribute_of(*row: str | None) -> str:
        return written("+".join(filled(*row)) or "none")

    def value_of(*row: str | None) -> str:
        return written("+".join(filled(*row).values()))

    rows = frame.select(attributes)
    columns = {"attribute": read_once(rows, attribute_of), "value": read_once(rows, value_of)}
    names = {name: text for name, text in cells.names.items() if name not in attributes}
    frame = frame.drop(attributes).with_columns(**columns)
    return cells._replace(frame=frame, names=names | {name: name for name in columns})


# How tables are laid out.


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
        nothing = [pl.Series(name, [None] * answers.height, pl.Enum([])) for name in ("right", "choice")]
        return "open", pl.DataFrame(nothing), {}
    options: set[str] = set()
    rules: Counter[str] = Counter()
    parts: list[pl.DataFrame] = []
    for own in datasets:
        own_options, as_option, choose = _way(own, offered)
        options.update(own_options)
        right = read_once(own.select("gold"), as_option)
        parts.append(own.select("row", right=right, choice=_chosen(own, choose, rules)))
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
        reading = asserted_option(text, OptionQuestion(offered[code], None, "", letters))
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
