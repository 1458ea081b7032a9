"""Recorded answers read as options and matched with their questions, files put together.

An answer belongs to the item of its language, category and example id. Names of categories match without case, blanks
and underscores; a file without categories (or languages) is joined by the rest where that names one item. A file of
answers is read without its questions and matched here, so that uploads may come in any order.

Of answers in words BBQ's own rule comes first (lower case, blanks around and one final period dropped, "pantsu" at the
end completed to "pantsuit" and "o'brien" written "obrien", since its models and items spell them so; then equality with
an option), then the rules of :mod:`fairviz.io.answer_words`. Anything else is out of choice. Source of the first: the
analysis published with BBQ (Parrish et al. 2022).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from fairviz.errors import InputError
from fairviz.io.answer_words import LETTER, RECORDED, RULES, TEXT, TWO_WORDS, Asked, letter_alone, read_asked
from fairviz.io.answer_words import Reading as AnswerReading
from fairviz.io.bbq_targets import folded, language_named, option_named
from fairviz.io.logs import text_key
from fairviz.io.notes import shown
from fairviz.model import BiasItems, BiasPredictions, BoolArray, Factor, IndexArray
from fairviz.model.bias import OUT_OF_CHOICE, UNREAD, ChoiceArray
from fairviz.numerals import count, part_of, plural
from fairviz.studies.shared import MOST_UNREAD
from fairviz.studies.social_bias.answers import answer_frame, comparable, enum_of, recorded, values_of
from fairviz.studies.social_bias.labels import short_names

FACTORS = ("model", "setting", "retriever", "k", "language", "instruction", "shots", "size", "tuned")
"""Columns that say who answered how, in the order in which they are kept."""


class Reading(NamedTuple):
    """How answers were matched with items, and read.

    Attributes:
        n_answers: Answers to known items.
        n_unmatched: Answers to items that are not known; they are left out.
        read_by: How many answers each rule read (:data:`~fairviz.io.answer_words.RULES`), rules that read any.
        notes: What was left out or guessed, a sentence each.
    """

    n_answers: int
    n_unmatched: int
    read_by: dict[str, int]
    notes: tuple[str, ...]

    @property
    def n_unread(self) -> int:
        """Answers that name no option: empty, of two options, of something else."""
        return self.n_answers - sum(self.read_by.values())

    @property
    def how(self) -> list[str]:
        """Those notes that say how answers in words were read, and how many were not."""
        return reading_notes(self.read_by, self.n_answers)

    @property
    def others(self) -> list[str]:
        """All other notes."""
        return [note for note in self.notes if note not in self.how]


@dataclass(frozen=True, eq=False)
class MatchedAnswers:
    """Answers with their items.

    Attributes:
        items: All questions.
        answers: Every answer to a known item, files one after the other (:mod:`.answers`).
        reading: How they were matched and read.
    """

    items: BiasItems
    answers: pl.DataFrame
    reading: Reading

    @cached_property
    def values(self) -> dict[str, tuple[str, ...]]:
        """Values of each column that can be compared or fixed."""
        return values_of(self.answers)

    @cached_property
    def names(self) -> dict[str, str]:
        """Models by the part of their names that tells them apart."""
        return short_names(self.values["model"])

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
        """Of each model its answers, distinct items among them, and answers that name none of the three options."""
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
    found = [items_of(items, file) for file in predictions]
    for file, (_, several) in zip(predictions, found, strict=True):
        if several.any():
            raise _several(items, file, int(np.argmax(several)))
    kept = [places >= 0 for places, _ in found]
    if not any(keep.any() for keep in kept):
        raise _nothing_matches(items, predictions[0])
    names = {factor.name for file in predictions for factor in file.factors} | {"model"}
    columns = [name for name in (*FACTORS, *sorted(names - set(FACTORS))) if name in names]
    read = [
        _choices(items, file, places[keep], keep)
        for file, (places, _), keep in zip(predictions, found, kept, strict=True)
    ]
    frames = [
        _recorded(file, columns)
        .filter(keep)
        .select(*columns, item=pl.lit(pl.Series(places[keep])), choice=pl.lit(pl.Series(choices)), words="words")
        for file, (places, _), keep, (choices, _) in zip(predictions, found, kept, read, strict=True)
    ]
    answers = answer_frame(items, _together(frames))
    _refuse_second_answers(items, answers, predictions, kept)
    return MatchedAnswers(items, answers, _reading(predictions, kept, np.concatenate([rules for _, rules in read])))


def _recorded(file: BiasPredictions, columns: Sequence[str]) -> pl.DataFrame:
    """Who answered how and in which words: "" where a file has no such column, of the model the name of the file."""
    factors = {factor.name: factor for factor in file.factors}
    made = {name: enum_of(factors[name]) for name in columns if name in factors}
    for name in columns:
        fill = file.name if name == "model" else ""
        made.setdefault(name, pl.repeat(fill, file.choices.size, dtype=pl.Enum([fill]), eager=True))
    none = pl.repeat(None, file.choices.size, dtype=pl.Enum([]), eager=True)
    return pl.DataFrame({name: made[name] for name in columns}).with_columns(
        words=none if file.words is None else enum_of(file.words)
    )


def _together(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Rows of several files; a name stands where it first does."""
    if len(frames) == 1:
        return frames[0]
    values: dict[str, dict[str, None]] = {}
    for frame in frames:
        for name, dtype in frame.schema.items():
            if isinstance(dtype, pl.Enum):
                values.setdefault(name, {}).update(dict.fromkeys(dtype.categories))
    enums = {name: pl.Enum(list(known)) for name, known in values.items()}
    return pl.concat([frame.with_columns(pl.col(name).cast(enum) for name, enum in enums.items()) for frame in frames])


def _reading(predictions: Sequence[BiasPredictions], kept: Sequence[BoolArray], rules: ChoiceArray) -> Reading:
    """How answers were matched and read, by the rule (place among :data:`RULES`, −1 = none) that read each kept one."""
    notes: list[str] = []
    for file, keep in zip(predictions, kept, strict=True):
        if not keep.all():
            n = int((~keep).sum())
            message = f"{part_of(n, plural(keep.size, 'answer'), 'is', 'are')} to items that are not loaded"
            notes.append(f"{file.name}: {message} (first: {_item_name(file, int(np.argmin(keep)))})")
    n_by_rule: list[int] = np.bincount(rules[rules >= 0], minlength=len(RULES)).tolist()
    read_by = {rule: n for rule, n in zip(RULES, n_by_rule, strict=True) if n}
    notes += reading_notes(read_by, rules.size)
    if n_fallback := read_by.get(TWO_WORDS, 0):
        message = f"{plural(n_fallback, 'answer is', 'answers are')} read by the first two words of an option"
        notes.append(f"{message} (BBQ's fallback rule)")
    return Reading(rules.size, sum(int((~keep).sum()) for keep in kept), read_by, tuple(notes))


def reading_notes(read_by: dict[str, int], n_answers: int) -> list[str]:
    """How answers in words were read, and how many were not."""
    notes: list[str] = []
    in_words = {rule: n for rule, n in read_by.items() if rule != RECORDED}
    if in_words:
        notes.append("answers read by: " + ", ".join(f"{rule} {count(n)}" for rule, n in in_words.items()))
    n_unread = n_answers - sum(read_by.values())
    if n_unread:
        share = 100 * n_unread / n_answers
        whole = f"{plural(n_answers, 'answer')} ({share:.3g} %)"
        message = part_of(n_unread, whole, "names no option and is left unread", "name no option and are left unread")
        notes.insert(0, message + (": above 20 %, no verdict is drawn" if share > MOST_UNREAD else ""))
    return notes


def items_of(items: BiasItems, predictions: BiasPredictions) -> tuple[IndexArray, BoolArray]:
    """(R) index of each answer's item, −1 where it is not known; and whether what it says fits several."""
    if predictions.asked is not None:
        return _items_asked(items, predictions.asked), np.zeros(predictions.choices.size, dtype=np.bool_)
    ids: dict[str, int] = {}
    of_item = np.array([ids.setdefault(name, len(ids)) for name in items.ids], dtype=np.int64)
    of_answer = _looked_up(predictions.example_ids, ids).astype(np.int64)
    languages = next((factor for factor in predictions.factors if factor.name == "language"), None)
    columns = (
        (items.categories, predictions.categories, folded),
        (items.languages, languages, language_named),
    )
    for of_items, of_answers, reading in columns:
        if of_answers is None:
            continue
        names: dict[str, int] = {}
        codes = [names.setdefault(reading(value), len(names)) for value in of_items.values]
        of_item = of_item * len(names) + np.array(codes)[of_items.codes]
        code = np.array([names.get(reading(value), -1) for value in of_answers.values])[of_answers.codes]
        unknown = (code < 0) | (of_answer < 0)
        of_answer = np.where(unknown, -1, of_answer * len(names) + code)
    order = np.argsort(of_item, kind="stable")
    keys = of_item[order]
    place = np.searchsorted(keys, of_answer)
    place[place == keys.size] = 0
    rows = np.where(keys[place] == of_answer, order[place], -1)
    several = np.zeros(keys.size, dtype=np.bool_)
    several[:-1] = keys[1:] == keys[:-1]
    return rows.astype(np.int32), (rows >= 0) & several[place]


def _items_asked(items: BiasItems, asked: Factor) -> IndexArray:
    """(R) index of the item with the words that each answer says were asked; the first of equal ones."""
    places: dict[str, int] = {}
    for i, (context, question, options) in enumerate(zip(items.contexts, items.questions, items.options, strict=True)):
        places.setdefault(text_key(context, question, options), i)
    return _looked_up(asked, places)


def _looked_up(factor: Factor, places: dict[str, int]) -> IndexArray:
    known = np.array([places.get(value, -1) for value in factor.values], dtype=np.int32)
    return known[factor.codes]


def _choices(
    items: BiasItems, predictions: BiasPredictions, rows: IndexArray, keep: BoolArray
) -> tuple[ChoiceArray, ChoiceArray]:
    """Options of the matched answers, and the rule by which each was read."""
    choices = predictions.choices[keep]
    rules = np.where(choices >= 0, np.int8(RULES.index(RECORDED)), np.int8(-1))
    words = predictions.words
    if words is None:
        return choices, rules
    named = [option_named(word) if any(map(str.isalpha, word)) else None for word in words.values]
    letters = np.array([OUT_OF_CHOICE if option is None else option for option in named], dtype=np.int8)
    by_letter = (choices >= 0) & (letters[words.codes[keep]] == choices)
    rules[by_letter] = RULES.index(LETTER)
    unread = choices == UNREAD
    if not unread.any():
        return choices, rules
    places: dict[Asked, int] = {}
    unknown: list[int] = items.unknown.tolist()
    asked = [
        places.setdefault(Asked(options, k, question), len(places))
        for options, k, question in zip(items.options, unknown, items.questions, strict=True)
    ]
    asked_of = np.array(asked, dtype=np.int32)[rows[unread]]
    choices = choices.copy()
    choices[unread], rules[unread] = read_words(words.values, tuple(places), words.codes[keep][unread], asked_of)
    return choices, rules


def _item_name(predictions: BiasPredictions, row: int) -> str:
    identifier = predictions.example_ids.values[int(predictions.example_ids.codes[row])]
    categories = predictions.categories
    category = "" if categories is None else categories.values[int(categories.codes[row])] + " "
    return shown(category + identifier)


def _several(items: BiasItems, predictions: BiasPredictions, row: int) -> InputError:
    has_language = any(factor.name == "language" for factor in predictions.factors)
    lacks = "category" if predictions.categories is None else "language"
    if predictions.categories is None and len(items.categories.values) == 1 and not has_language:
        lacks = "language"
    reason = f"example_id {_item_name(predictions, row)} is that of several items"
    fix = f"Add a column {lacks}, so that an answer belongs to one item."
    return InputError(f"{reason}: the answers say no {lacks}", file=predictions.name, fix=fix)


def _nothing_matches(items: BiasItems, file: BiasPredictions) -> InputError:
    fix = "Load the questions that were answered; example_id must be theirs."
    categories = None if file.categories is None else file.categories.values
    if categories is not None and not set(map(folded, items.categories.values)) & set(map(folded, categories)):
        theirs = ", ".join(shown(name, 20) for name in categories[:4])
        ours = ", ".join(shown(name, 20) for name in items.categories.values[:4])
        reason = f"no answer is to a loaded question: answers are about {theirs}, questions {ours}"
    else:
        first = _item_name(file, 0) if file.choices.size else ""
        reason = f"no answer is to a loaded question (first: {first})"
    return InputError(reason, file=file.name, fix=fix)


def _refuse_second_answers(
    items: BiasItems, answers: pl.DataFrame, predictions: Sequence[BiasPredictions], kept: Sequence[BoolArray]
) -> None:
    """Refuse an answer that another file has given already."""
    keys = answers.select(*recorded(answers), "item")
    if len(predictions) == 1 or keys.n_unique() == len(keys):
        return
    row = int(keys.to_struct().is_first_distinct().arg_min() or 0)
    first = keys.with_row_index().join(keys[[row]], on=keys.columns)["index"].sort()[0]
    item, who = int(answers["item"][row]), shown(answers["model"][row])
    category = items.categories.values[int(items.categories.codes[item])]
    owners = np.repeat(np.arange(len(predictions)), [int(keep.sum()) for keep in kept])
    files = ", ".join(dict.fromkeys(predictions[int(owners[at])].name for at in (first, row)))
    reason = f"two files answer {category} {shown(items.ids[item])} for {who}: {files}"
    fix = "Name what differs in a column (model, setting, instruction, …), or load one of them."
    raise InputError(reason, fix=fix)


_CODES = {rule: code for code, rule in enumerate(RULES)}
_UNREAD = -1


def read_words(
    words: Sequence[str], asked: Sequence[Asked], word_of: IndexArray, asked_of: IndexArray
) -> tuple[ChoiceArray, ChoiceArray]:
    """Read R rows whose answers and questions are kept once each.

    Args:
        words: W distinct answers.
        asked: Q distinct questions.
        word_of: (R) the answer of each row.
        asked_of: (R) the question of each row.

    Returns:
        (R) options, and (R) the rule that read each as its place among :data:`~fairviz.io.answer_words.RULES`.
    """
    codes: dict[str, int] = {}
    plain = _codes((_bbq(word) for word in words), codes)
    names = _codes((_bbq(option) for each in asked for option in each.options), codes).reshape(-1, 3)
    choices = _equal(plain[word_of], names[asked_of])
    rules = np.where(choices == OUT_OF_CHOICE, np.int8(_UNREAD), np.int8(_CODES[TEXT]))
    rest = np.flatnonzero(choices == OUT_OF_CHOICE)
    used, place = np.unique(word_of[rest], return_inverse=True)
    used_words: list[int] = used.tolist()
    alone = [letter_alone(words[word], "ABC") for word in used_words]
    _fill(choices, rules, rest, alone, place)
    rest = np.flatnonzero(choices == OUT_OF_CHOICE)
    pairs, inverse = np.unique(word_of[rest].astype(np.int64) * len(asked) + asked_of[rest], return_inverse=True)
    pair_codes: list[int] = pairs.tolist()
    readings = [read_asked(words[pair // len(asked)], asked[pair % len(asked)]) for pair in pair_codes]
    _fill(choices, rules, rest, readings, inverse)
    return choices, rules


def _fill(
    choices: ChoiceArray,
    rules: ChoiceArray,
    rows: NDArray[np.intp],
    readings: Sequence[AnswerReading],
    places: NDArray[np.intp],
) -> None:
    """Write readings into the rows that have them."""
    if readings:
        choices[rows] = np.array([reading.option for reading in readings], dtype=np.int8)[places]
        rules[rows] = np.array([_CODES.get(reading.rule, _UNREAD) for reading in readings], dtype=np.int8)[places]


def _equal(answers: IndexArray, names: IndexArray) -> ChoiceArray:
    """The first of three names that equals an answer, by code; −1 means no name."""
    choices = np.full(answers.size, OUT_OF_CHOICE, dtype=np.int8)
    for option in (2, 1, 0):
        choices[(answers == names[:, option]) & (answers >= 0)] = option
    return choices


def _codes(texts: Iterable[str], codes: dict[str, int]) -> IndexArray:
    return np.array([codes.setdefault(text, len(codes)) for text in texts], dtype=np.int32)


def _bbq(text: str) -> str:
    plain = text.lower().strip().removesuffix(".")
    plain = plain.replace("o'brien", "obrien")
    return plain + "it" if plain.endswith("pantsu") else plain
