"""Recorded answers read as options and matched with their questions, files put together.

An answer belongs to the item of its language, category and example id. Names of categories match without case, blanks
and underscores; a file without categories (or languages) is joined by the rest where that names one item. A file of
answers is read without its questions and matched here, so that uploads may come in any order.

Of answers in words BBQ's own rule comes first (lower case, blanks around and one final period dropped, "pantsu" at the
end completed to "pantsuit" and "o'brien" written "obrien", since its models and items spell them so; then equality with
an option), then the rules of :mod:`fairviz.io.answer_words`. Anything else is out of choice. Source of the first: the
analysis published with BBQ (Parrish et al. 2022).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
import polars as pl

from fairviz.errors import InputError
from fairviz.io.answer_words import LETTER, RECORDED, RULES, TEXT, TWO_WORDS, Asked, letter_alone, read_asked
from fairviz.io.bbq_targets import folded, language_named, option_named
from fairviz.io.logs import text_key
from fairviz.io.notes import shown
from fairviz.model import BiasItems, BiasPredictions, BoolArray, IndexArray
from fairviz.model.answers import OUT_OF_CHOICE, UNREAD, ChoiceArray
from fairviz.model.arrays import alike, read_once
from fairviz.numerals import count, part_of, plural
from fairviz.studies.shared import MOST_UNREAD
from fairviz.studies.social_bias.answers import answer_frame, comparable, recorded, values_of
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
    names = {column for file in predictions for column in file.factors} | {"model"}
    columns = [name for name in (*FACTORS, *sorted(names - set(FACTORS))) if name in names]
    read = [
        _choices(items, file, places[keep], keep)
        for file, (places, _), keep in zip(predictions, found, kept, strict=True)
    ]
    answers = pl.DataFrame([_column(name, predictions, kept) for name in columns]).with_columns(
        item=np.concatenate([places[keep] for (places, _), keep in zip(found, kept, strict=True)]),
        choice=np.concatenate([choices for choices, _ in read]),
        words=_column("words", predictions, kept),
    )
    answers = answer_frame(items, answers)
    _refuse_second_answers(items, answers, predictions, kept)
    return MatchedAnswers(items, answers, _reading(predictions, kept, np.concatenate([rules for _, rules in read])))


def _column(name: str, files: Sequence[BiasPredictions], kept: Sequence[BoolArray]) -> pl.Series:
    """A recorded column of the kept answers, files one after the other; a name stands where it first does.

    Of a file without it "", of the model the file's name, of words null.
    """
    columns: list[pl.Series] = []
    known: dict[str, None] = {}
    for file, keep in zip(files, kept, strict=True):
        fill = [] if name == "words" else [file.name if name == "model" else ""]
        if file.has(name):
            column = file.frame[name].filter(pl.Series(keep))
        else:
            column = pl.repeat(fill[0] if fill else None, int(keep.sum()), dtype=pl.Enum(fill), eager=True)
        known |= dict.fromkeys(file.names(name) if file.has(name) else fill)
        columns.append(column)
    return pl.concat([column.cast(pl.Enum(list(known))) for column in columns]).alias(name)


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
    """(R) index of each answer's item, −1 where it is not known; and whether what it says fits several.

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
    known = pl.DataFrame({name: of_items for name, (of_items, _) in keys.items()}).with_row_index("item")
    known = known.group_by(list(keys)).agg(pl.col("item").min().cast(pl.Int32), several=pl.len() > 1)
    answers = pl.DataFrame({name: of_answers for name, (_, of_answers) in keys.items()})
    found = answers.join(known, on=list(keys), how="left", maintain_order="left")
    several = found["several"].fill_null(False).to_numpy()
    return found["item"].fill_null(-1).to_numpy(), several & (not predictions.has("asked"))


def _named(predictions: BiasPredictions, column: str, reading: Callable[[str], str] = str) -> pl.Series:
    """(R) the value of each row, as it is read."""
    names = pl.Series(map(reading, predictions.names(column)), dtype=pl.String)
    return names.gather(predictions.frame[column].to_physical())


def _choices(
    items: BiasItems, predictions: BiasPredictions, rows: IndexArray, keep: BoolArray
) -> tuple[ChoiceArray, ChoiceArray]:
    """Options of the matched answers, and the rule by which each was read."""
    own = predictions.frame.filter(pl.Series(keep))
    choices = own["choice"].to_numpy()
    rules = np.where(choices >= 0, np.int8(RULES.index(RECORDED)), np.int8(-1))
    if not predictions.has("words"):
        return choices, rules
    words, codes = predictions.names("words"), own["words"].to_physical().to_numpy()
    named = [option_named(word) if any(map(str.isalpha, word)) else None for word in words]
    letters = np.array([OUT_OF_CHOICE if option is None else option for option in named], dtype=np.int8)
    by_letter = (choices >= 0) & (letters[codes] == choices)
    rules[by_letter] = RULES.index(LETTER)
    unread = choices == UNREAD
    if not unread.any():
        return choices, rules
    questions = items.frame.select("options", "unknown", "question")
    of_items, firsts = alike(questions)
    asked = [Asked(tuple(options), unknown, question) for options, unknown, question in questions[firsts].iter_rows()]
    choices = choices.copy()
    choices[unread], rules[unread] = read_words(words, asked, codes[unread], of_items[rows[unread]])
    return choices, rules


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
    category, name = items.frame.select("category", "id").row(item)
    owners = np.repeat(np.arange(len(predictions)), [int(keep.sum()) for keep in kept])
    files = ", ".join(dict.fromkeys(predictions[int(owners[at])].name for at in (first, row)))
    reason = f"two files answer {category} {shown(name)} for {who}: {files}"
    fix = "Name what differs in a column (model, setting, instruction, …), or load one of them."
    raise InputError(reason, fix=fix)


_CODES = {rule: code for code, rule in enumerate(RULES)} | {"": -1}


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

    def read(word: str, question: Asked) -> tuple[int, int]:
        names = [_bbq(option) for option in question.options]
        if _bbq(word) in names:
            return names.index(_bbq(word)), _CODES[TEXT]
        alone = _letter_alone(word, "ABC")
        reading = read_asked(word, question) if alone.option == OUT_OF_CHOICE else alone
        return reading.option, _CODES[reading.rule]

    pairs, of = np.unique(word_of.astype(np.int64) * len(asked) + asked_of, return_inverse=True)
    known: list[int] = pairs.tolist()
    readings = [read(words[pair // len(asked)], asked[pair % len(asked)]) for pair in known]
    options, rules = np.array(readings, dtype=np.int8).reshape(-1, 2)[of].T
    return options, rules


_letter_alone = lru_cache(maxsize=2**16)(letter_alone)  # models answer in the same few words


@lru_cache(maxsize=2**16)
def _bbq(text: str) -> str:
    plain = text.lower().strip().removesuffix(".")
    plain = plain.replace("o'brien", "obrien")
    return plain + "it" if plain.endswith("pantsu") else plain


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
