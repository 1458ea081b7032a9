"""Recorded answers matched with their questions: one frame, which every measure groups; what can be compared in it.

A row per answer: the recorded columns of who answered how, then ``item`` (place of the question), ``choice`` (option
0–2, −1 = none) and ``words`` (as recorded; null where only options were), then what the question says: the columns of
:data:`.measures.ITEM_COLUMNS` (but those that were recorded), ``target`` and ``unknown`` options, ``context``,
``order`` of the options, and ``kind``: what the answer is. Names are enums, in the order in which files have them.

An answer belongs to the item of its language, category and example id. Names of categories match without case, blanks
and underscores; a file without categories (or languages) is joined by the rest where that names one item. A file of
answers is read without its questions and matched here, so that uploads may come in any order.

Of answers in words BBQ's own rule comes first (lower case, blanks around and one final period dropped, "pantsu" at the
end completed to "pantsuit" and "o'brien" written "obrien", since its models and items spell them so; then equality with
an option), then the rules of :mod:`fairviz.io.answer_words`. Anything else is out of choice. Source of the first: the
analysis published with BBQ (Parrish et al. 2022).
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import cast

import numpy as np
import polars as pl

from fairviz.display.words import plural
from fairviz.errors import InputError, UsageError
from fairviz.io.answer_words import (
    LETTER,
    NOTHING,
    RECORDED,
    RULES,
    TEXT,
    OptionQuestion,
    Reading,
    asserted_option,
    letter_alone,
)
from fairviz.io.bbq_answers import FACTORS
from fairviz.io.bbq_targets import folded, language_named, option_named
from fairviz.io.logs import text_key
from fairviz.io.notes import shown
from fairviz.model import BiasItems, BiasPredictions
from fairviz.model.answers import NO_TARGET, OUT_OF_CHOICE, UNREAD
from fairviz.model.arrays import distinct_rows, read_once
from fairviz.numerals import count, part_of
from fairviz.studies.shared import MOST_UNREAD
from fairviz.studies.social_bias.labels import is_nothing, ordered_settings, short_names
from fairviz.studies.social_bias.measures import AMBIGUOUS, COUNTER, ITEM_COLUMNS, NO_CONTEXT, OUT, STEREOTYPED, C, S, U
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
    """The values that a column can have; none of one that was not recorded."""
    names = answers.schema.get(column)
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
    columns = [name for name in COLUMNS if name in answers.columns]
    return {name: _ordered(name, values_in(answers, name)) for name in columns}


def comparable(values: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Columns with two values or more, in the order of :data:`COLUMNS`."""
    return tuple(name for name, of_column in values.items() if len(of_column) > 1)


def usual_reference(values: Sequence[str]) -> str:
    """What values are held against at first: no retrieval, no documents, else the first."""
    return next((value for value in values if is_nothing(value)), values[0])


def at_fixed_values(answers: pl.DataFrame, settings: BiasSettings) -> pl.DataFrame:
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
    are_numbers = name in ("k", "shots")
    return tuple(sorted(values, key=lambda value: (not is_nothing(value), _as_number(value) if are_numbers else 0.0)))


def _as_number(value: str) -> float:
    try:
        return float(value)
    except ValueError:
        return math.inf


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
    for index, producer in enumerate(producers):
        own = answers.filter(pl.lit(True), *(with_value(answers, column, value) for column, value in producer.items()))
        if own["item"].n_unique() < len(own):
            named = ", ".join(f"{column} = {value}" for column, value in producer.items())
            raise UsageError(f"{named or 'everybody'} answers an item more than once: name more columns")
        columns = {"choice": pl.col("choice"), "kind": kinds, "words": pl.col("words").cast(pl.String)}
        own = own.select("item", **{f"{name}_{index}": column for name, column in columns.items()})
        sheet = sheet.join(own, on="item", how="left", maintain_order="left")
    return sheet


def moves(sheet: pl.DataFrame, pairs: Sequence[tuple[int, int]]) -> Counter[tuple[str, str]]:
    """Answers that moved from one kind to another, over pairs of producers (before, after)."""
    both = pl.concat(sheet.select(before=f"kind_{before}", after=f"kind_{after}") for before, after in pairs)
    moved = both.filter(pl.col("before") != pl.col("after")).group_by("before", "after").len().sort("before", "after")
    return Counter({(before, after): n for before, after, n in moved.rows()})


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


def wordings(answers: pl.DataFrame) -> dict[str, int]:
    """How often each wording of unread answers was given, the most frequent first; none of recorded options.

    Wordings are without case, blanks around and a final period.
    """
    unread = answers.filter(pl.col("choice") == OUT_OF_CHOICE, pl.col("words").is_not_null())
    plain = unread.select(words=read_once(unread.select("words"), _plain)).filter(pl.col("words") != "")
    counted = plain.group_by("words", maintain_order=True).len()
    return dict(counted.sort("len", descending=True, maintain_order=True).rows())


def most_frequent(every: Mapping[str, int]) -> list[str]:
    """The wordings that one button may read: the five most frequent, each of them 1 % of the unread answers or more.

    Examples:
        >>> most_frequent({"hard to say": 99, "both": 1, "the boy": 1})
        ['hard to say']
    """
    n = sum(every.values())
    return [words for words in [*every][:MOST_READ] if 100 * every[words] >= n]


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


def reading_words(every: Mapping[str, int], chosen: Sequence[str]) -> str:
    """A reading by its name and its counts, for pages and files; "" without one.

    Args:
        every: How often each wording was given.
        chosen: Those that are read as "unknown".
    """
    counts = [n for words, n in every.items() if words in chosen]
    return f"{plural(sum(counts), 'answer')} in {plural(len(counts), 'wording')} read as “unknown”" if counts else ""


def _plain(words: str) -> str:
    return " ".join(words.split()).casefold().removesuffix(".")


# Answers matched with their questions.


@dataclass(frozen=True, eq=False)
class MatchedAnswers:
    """Answers with their items.

    Attributes:
        items: All questions.
        answers: Every answer to a known item, files one after the other.
        read_by: How many answers each rule read (:data:`~fairviz.io.answer_words.RULES`), rules that read any.
        n_unmatched: Answers to items that are not known; they are left out.
        how_read: How answers in words were read, and how many were not, a sentence each.
        left_out: What was left out.
    """

    items: BiasItems
    answers: pl.DataFrame
    read_by: dict[str, int]
    n_unmatched: int
    how_read: tuple[str, ...]
    left_out: tuple[str, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """All that a person should know of the matching."""
        return (*self.how_read, *self.left_out)

    @cached_property
    def values(self) -> dict[str, tuple[str, ...]]:
        """Values of each column that can be compared or fixed."""
        return values_of(self.answers)

    @cached_property
    def names(self) -> dict[str, str]:
        """Models by the part of their names that tells them apart."""
        return short_names(self.values["model"])

    def name(self, model: str) -> str:
        """A model as it is shown; what is none stays as it is."""
        return self.names.get(model, model)

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that have values to compare."""
        return comparable(self.values)

    @property
    def n_unread(self) -> int:
        """Answers that name no option, as they are read now."""
        return int((self.answers["choice"] == OUT_OF_CHOICE).sum())

    @property
    def models(self) -> list[tuple[str, int, int, int]]:
        """Counts per model: answers, distinct items, and answers that name none of the three options."""
        out = (pl.col("choice") == OUT_OF_CHOICE).sum()
        counted = self.answers.group_by("model").agg(pl.len(), pl.col("item").n_unique(), out)
        return counted.sort("model").rows()


def answered(items: BiasItems, predictions: Sequence[BiasPredictions]) -> MatchedAnswers:
    """Match recorded answers with items, and read those in words.

    Missing columns are filled, so that several files make one table: the model is then the name of
    the file, others are "".

    Args:
        items: The questions.
        predictions: Answers of one or more files.

    Raises:
        InputError: There are no answers, none is to a known item, an answer could be to several
            items, or two files answer an item for the same producer.
    """
    if not predictions:
        fix = "Load the answers too: a table of example_id, model, pred or raw_prediction."
        raise InputError("no answers are loaded", fix=fix)
    items_by_file = [items_of(items, file) for file in predictions]
    for file, places in zip(predictions, items_by_file, strict=True):
        if places["several"].any():
            raise _several(items, file, int(places["several"].arg_max() or 0))
    if all(places["item"].null_count() == len(places) for places in items_by_file):
        raise _nothing_matches(items, predictions[0])
    names = {column for file in predictions for column in file.factors} | {"model"}
    columns = [name for name in (*FACTORS, *sorted(names - set(FACTORS))) if name in names]
    parts = [
        _matched(items, file, places["item"], columns, at)
        for at, (file, places) in enumerate(zip(predictions, items_by_file, strict=True))
    ]
    answers = pl.concat(part.cast({name: _enum_of(parts, name) for name in (*columns, "words")}) for part in parts)
    _refuse_second_answers(items, answers.select(*columns, "item", "file"), predictions)
    n_by_rule = answers["rule"].drop_nulls().value_counts(name="n").sort("rule")
    read_by = {RULES[code]: n for code, n in cast("list[tuple[int, int]]", n_by_rule.rows())}
    unmatched = [places["item"].null_count() for places in items_by_file]
    return MatchedAnswers(
        items,
        answer_frame(items, answers.drop("rule", "file")),
        read_by,
        sum(unmatched),
        tuple(_how_read(read_by, len(answers))),
        tuple(_unmatched(predictions, items_by_file)),
    )


def _enum_of(parts: Sequence[pl.DataFrame], column: str) -> pl.Enum:
    """The names of a column in all parts; a name stands where it first does."""
    return pl.Enum([*dict.fromkeys(name for part in parts for name in names_of(part, column))])


def items_of(items: BiasItems, predictions: BiasPredictions) -> pl.DataFrame:
    """(R) the ``item`` of each answer, null where it is not known; and whether what it says fits ``several``.

    What was asked in words fits the first of equal items.
    """
    if predictions.has("asked"):
        texts = [text_key(*words) for words in items.frame.select("context", "question", "options").iter_rows()]
        keys = {"asked": (pl.Series(texts), _named(predictions, "asked"))}
    else:
        keys = {"id": (items.frame["id"], _named(predictions, "example_id"))}
        for column, reading in (("category", folded), ("language", language_named)):
            if predictions.has(column):
                of_items = read_once(items.frame.select(column), reading)
                keys[column] = (of_items, _named(predictions, column, reading))
    of_items = {name: values.cast(named.dtype, strict=False) for name, (values, named) in keys.items()}
    by_key = pl.DataFrame(of_items).with_row_index("item").drop_nulls()
    is_several = (pl.len() > 1) & pl.lit(not predictions.has("asked"))
    by_key = by_key.group_by(list(keys)).agg(pl.col("item").min().cast(pl.Int32), several=is_several)
    answers = pl.DataFrame({name: of_answers for name, (_, of_answers) in keys.items()})
    matched = answers.join(by_key, on=list(keys), how="left", maintain_order="left")
    return matched.select("item", pl.col("several").fill_null(False))


def _named(predictions: BiasPredictions, column: str, reading: Callable[[str], str] = str) -> pl.Series:
    """(R) the value of each row, as it is read: an enum, whose codes are joined sooner than texts."""
    names = [*map(reading, predictions.names(column))]
    return pl.Series(names, dtype=pl.Enum([*dict.fromkeys(names)])).gather(predictions.frame[column].to_physical())


def _matched(
    items: BiasItems, file: BiasPredictions, places: pl.Series, columns: Sequence[str], at: int
) -> pl.DataFrame:
    """The matched answers of a file: recorded columns, ``item``, ``choice``, ``words``, ``rule``, place of the file."""
    fills = dict.fromkeys(columns, "") | {"model": file.name}
    missing = {name: pl.lit(fill, dtype=pl.Enum([fill])) for name, fill in fills.items() if not file.has(name)}
    if not file.has("words"):
        missing["words"] = pl.lit(None, dtype=pl.Enum([]))
    own = file.frame.with_columns(item=places, **missing).filter(pl.col("item").is_not_null())
    by_rule = pl.when(pl.col("choice") >= 0).then(pl.lit(RULES.index(RECORDED), dtype=pl.Int8))
    own = own.with_columns(rule=by_rule)
    if file.has("words"):
        own = _with_words_read(items, own)
    return own.select(*columns, "item", "choice", "words", "rule", file=pl.lit(at))


READ = pl.Struct({"choice": pl.Int8, "rule": pl.Int8})
"""What an answer in words is read as."""


def _with_words_read(items: BiasItems, own: pl.DataFrame) -> pl.DataFrame:
    """Matched answers with the options of those in words, and the rules by which they were read."""
    letters = read_once(own.select("words"), _lone_letter, pl.Int8)
    is_letter = (pl.col("choice") >= 0) & (pl.col("choice") == letters)
    own = own.with_columns(rule=pl.when(is_letter).then(pl.lit(RULES.index(LETTER), dtype=pl.Int8)).otherwise("rule"))
    if not (own["choice"] == UNREAD).any():
        return own
    questions = items.frame.select("options", "unknown", "question")
    of_items, firsts = distinct_rows(questions)
    distinct_questions = [
        OptionQuestion(tuple(options), unknown, question)
        for options, unknown, question in questions[firsts].iter_rows()
    ]

    def read(words: str | None, question: int) -> dict[str, int | None]:
        reading = NOTHING if words is None else read_answer(words, distinct_questions[question])
        return {"choice": reading.option, "rule": RULES.index(reading.rule) if reading.rule else None}

    is_unread = pl.col("choice") == UNREAD
    pairs = own.select(pl.when(is_unread).then("words"), question=pl.Series(of_items)[own["item"]])
    readings = read_once(pairs, read, READ).struct.unnest()
    return own.with_columns(
        pl.when(is_unread).then(readings[name]).otherwise(name).alias(name) for name in ("choice", "rule")
    )


def _lone_letter(words: str) -> int | None:
    """The option that a letter or "ans1" names; numbers are none, they are what is recorded."""
    return option_named(words) if any(map(str.isalpha, words)) else None


def read_answer(words: str, question: OptionQuestion) -> Reading:
    """The option that an answer in words names, by BBQ's rule, then by those of :mod:`fairviz.io.answer_words`."""
    names = [_bbq(option) for option in question.options]
    if _bbq(words) in names:
        return Reading(names.index(_bbq(words)), TEXT)
    alone = _letter_alone(words, "ABC")
    return asserted_option(words, question) if alone.option == OUT_OF_CHOICE else alone


_letter_alone = lru_cache(maxsize=2**16)(letter_alone)  # models answer in the same few words


@lru_cache(maxsize=2**16)
def _bbq(text: str) -> str:
    plain = text.lower().strip().removesuffix(".")
    plain = plain.replace("o'brien", "obrien")
    return plain + "it" if plain.endswith("pantsu") else plain


def _unmatched(predictions: Sequence[BiasPredictions], items_by_file: Sequence[pl.DataFrame]) -> list[str]:
    """How many answers of each file are to items that are not known."""
    notes: list[str] = []
    for file, places in zip(predictions, items_by_file, strict=True):
        unknown = places["item"].is_null()
        if n := int(unknown.sum()):
            message = f"{part_of(n, plural(len(file), 'answer'), 'is', 'are')} to items that are not loaded"
            notes.append(f"{file.name}: {message} (first: {_item_name(file, int(unknown.arg_max() or 0))})")
    return notes


def _how_read(read_by: Mapping[str, int], n_answers: int) -> list[str]:
    """How many answers were not read, and how those in words were."""
    notes: list[str] = []
    if n_unread := n_answers - sum(read_by.values()):
        share = 100 * n_unread / n_answers
        whole = f"{plural(n_answers, 'answer')} ({share:.3g} %)"
        message = part_of(n_unread, whole, "names no option and is left unread", "name no option and are left unread")
        notes.append(message + (": above 20 %, no verdict is drawn" if share > MOST_UNREAD else ""))
    if in_words := {rule: n for rule, n in read_by.items() if rule != RECORDED}:
        notes.append("answers read by: " + ", ".join(f"{rule} {count(n)}" for rule, n in in_words.items()))
    return notes


def _item_name(predictions: BiasPredictions, row: int) -> str:
    return shown(" ".join(predictions.frame.select(predictions.of_items).row(row)))


def _several(items: BiasItems, predictions: BiasPredictions, row: int) -> InputError:
    one_category = len(items.names("category")) == 1 and not predictions.has("language")
    lacks = "language" if predictions.has("category") or one_category else "category"
    reason = f"example_id {_item_name(predictions, row)} is that of several items"
    fix = f"Add a column {lacks}, so that an answer belongs to one item."
    return InputError(f"{reason}: the answers say no {lacks}", file=predictions.name, fix=fix)


def _nothing_matches(items: BiasItems, file: BiasPredictions) -> InputError:
    fix = "Load the questions that were answered; example_id must be theirs."
    categories = file.names("category") if file.has("category") else []
    if categories and not set(map(folded, items.names("category"))) & set(map(folded, categories)):
        theirs = ", ".join(shown(name, 20) for name in categories[:4])
        ours = ", ".join(shown(name, 20) for name in items.names("category")[:4])
        reason = f"no answer is to a loaded question: answers are about {theirs}, questions {ours}"
    else:
        first = _item_name(file, 0) if len(file) else ""
        reason = f"no answer is to a loaded question (first: {first})"
    return InputError(reason, file=file.name, fix=fix)


def _refuse_second_answers(items: BiasItems, answers: pl.DataFrame, predictions: Sequence[BiasPredictions]) -> None:
    """Refuse an answer that another file has given already."""
    keys = answers.drop("file")
    if len(predictions) == 1 or keys.n_unique() == len(keys):
        return
    row = int(keys.to_struct().is_first_distinct().arg_min() or 0)
    alike_answers = answers.join(keys[[row]], on=keys.columns, maintain_order="left")
    item, who = int(answers["item"][row]), shown(answers["model"][row])
    category, name = items.frame.select("category", "id").row(item)
    files = ", ".join(
        dict.fromkeys(predictions[int(at)].name for at in (alike_answers["file"][0], answers["file"][row]))
    )
    reason = f"two files answer {category} {shown(name)} for {who}: {files}"
    fix = "Name what differs in a column (model, setting, instruction, …), or load one of them."
    raise InputError(reason, fix=fix)


# Questions of several files as one.


def merged_items(items: Sequence[BiasItems]) -> BiasItems:
    """Items of several files as one noun; an item that stands in two files equally is kept once.

    Raises:
        InputError: There are no items, or two different ones of a language and category share an
            id.
    """
    if not items:
        fix = "Load the questions too: BBQ's JSONL, or an item table."
        raise InputError("no bias questions are loaded", fix=fix)
    if len(items) == 1:
        return items[0]
    together = pl.concat(file.frame for file in items)
    keys = ("language", "category", "id")
    words = ("context", "question", "options", "ambiguous")
    differ = together.unique([*keys, *words], maintain_order=True).filter(~pl.struct(keys).is_first_distinct())
    for category, name in differ.select("category", "id").iter_rows():
        reason = f"two different questions are {category} {shown(name)}"
        raise InputError(reason, fix="Number the questions of a category through, over all files.")
    return BiasItems(together.unique(keys, keep="first", maintain_order=True))
