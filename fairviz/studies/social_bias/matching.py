"""Recorded answers matched with their questions, files put together.

An answer belongs to the item of its language, category and example id. Names of categories match without case, blanks
and underscores; a file without categories (or languages) is joined by the rest where that names one item. A file of
answers is read without its questions and matched here, so that uploads may come in any order.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fairviz.counts import count
from fairviz.errors import InputError
from fairviz.io.answer_words import LETTER, RECORDED, RULES, TWO_WORDS, Asked
from fairviz.io.bbq_targets import folded, language_named, option_named
from fairviz.io.ids import first_repetition
from fairviz.io.json import Json
from fairviz.io.logs import text_key
from fairviz.io.notes import shown
from fairviz.model import BiasAnswers, BiasItems, BiasPredictions, BoolArray, Factor, IndexArray
from fairviz.model.bias import OUT_OF_CHOICE, UNREAD, ChoiceArray
from fairviz.studies.social_bias.option_words import read_words

FACTORS = ("model", "setting", "retriever", "k", "language", "instruction", "shots", "size", "tuned")
"""Columns that say who answered how, in the order in which they are kept."""


class Answered(NamedTuple):
    """Answers with their items.

    Attributes:
        answers: Every answer to a known item, files one after the other.
        n_unmatched: Answers to items that are not known; they are left out.
        n_fallback: Answers read by the first two words of an option.
        read_by: How many answers each rule read (:data:`~fairviz.io.answer_words.RULES`), rules that read any.
        n_unread: Answers that name no option: empty, of two options, of something else.
        notes: What was left out or guessed, a sentence each.
    """

    answers: BiasAnswers
    n_unmatched: int
    n_fallback: int
    read_by: dict[str, int]
    n_unread: int
    notes: tuple[str, ...]


def answered(items: BiasItems, predictions: Sequence[BiasPredictions]) -> Answered:
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
    notes: list[str] = []
    rows_of = [_items_of(items, file) for file in predictions]
    n_unmatched = 0
    for file, rows in zip(predictions, rows_of, strict=True):
        missing = rows < 0
        n = int(missing.sum())
        n_unmatched += n
        if n:
            first = _item_name(file, int(np.argmax(missing)))
            message = f"{count(n)} of {count(rows.size)} answers are to items that are not loaded"
            notes.append(f"{file.name}: {message} (first: {first})")
    if not any((rows >= 0).any() for rows in rows_of):
        raise _nothing_matches(items, predictions[0])
    keep_of = [rows >= 0 for rows in rows_of]
    read = [_choices(items, file, rows, keep) for file, rows, keep in zip(predictions, rows_of, keep_of, strict=True)]
    read_by = _read_by(np.concatenate([rules for _, rules in read]))
    n_fallback = read_by.get(TWO_WORDS, 0)
    notes += reading_notes(read_by, n_answers := sum(rules.size for _, rules in read))
    if n_fallback:
        message = f"{count(n_fallback)} answers are read by the first two words of an option"
        notes.append(f"{message} (BBQ's fallback rule)")
    has_words = any(file.words is not None for file in predictions)
    words = [
        (file.words or constant("words", "", keep.size), keep) for file, keep in zip(predictions, keep_of, strict=True)
    ]
    answers = BiasAnswers(
        factors=_factors(predictions, keep_of),
        items=np.concatenate([rows[keep] for rows, keep in zip(rows_of, keep_of, strict=True)]),
        choices=np.concatenate([choices for choices, _ in read]),
        words=joined("words", [factor_at(factor, keep) for factor, keep in words]) if has_words else None,
    )
    if len(predictions) > 1:
        _refuse_second_answers(items, answers, [file.name for file in predictions])
    return Answered(answers, n_unmatched, n_fallback, read_by, n_answers - sum(read_by.values()), tuple(notes))


def _read_by(rules: ChoiceArray) -> dict[str, int]:
    counts = np.bincount(rules[rules >= 0], minlength=len(RULES)).tolist()
    return {rule: n for rule, n in zip(RULES, counts, strict=True) if n}


def reading_notes(read_by: dict[str, int], n_answers: int) -> list[str]:
    """How answers in words were read, and how many were not."""
    notes: list[str] = []
    in_words = {rule: n for rule, n in read_by.items() if rule != RECORDED}
    if in_words:
        notes.append("answers read by: " + ", ".join(f"{rule} {count(n)}" for rule, n in in_words.items()))
    n_unread = n_answers - sum(read_by.values())
    if n_unread:
        share = 100 * n_unread / n_answers
        message = f"{count(n_unread)} of {count(n_answers)} answers ({share:.3g} %) name no option and are left unread"
        notes.insert(0, message + (": above 20 %, no verdict is drawn" if share > 20 else ""))
    return notes


def reading_json(matched: Answered) -> dict[str, Json]:
    """How answers were read, as an object for programs."""
    n = matched.answers.items.size
    share = 100 * matched.n_unread / n if n else None
    read_by: dict[str, Json] = {**matched.read_by}
    return {"read_by": read_by, "unread": {"n": matched.n_unread, "n_answers": n, "share": share}}


def _factors(predictions: Sequence[BiasPredictions], keep_of: Sequence[BoolArray]) -> tuple[Factor, ...]:
    known = [{factor.name: factor for factor in file.factors} for file in predictions]
    names = {name for factors in known for name in factors} | {"model"}
    columns: list[Factor] = []
    for name in (*FACTORS, *sorted(names - set(FACTORS))):
        if name not in names:
            continue
        parts: list[Factor] = []
        for file, factors, keep in zip(predictions, known, keep_of, strict=True):
            filled = constant(name, file.name if name == "model" else "", keep.size)
            parts.append(factor_at(factors.get(name, filled), keep))
        columns.append(joined(name, parts))
    return tuple(columns)


def _items_of(items: BiasItems, predictions: BiasPredictions) -> IndexArray:
    """(R) index of each answer's item, −1 where it is not known.

    Raises:
        InputError: What the answers say of their item fits several.
    """
    if predictions.asked is not None:
        return _items_asked(items, predictions.asked)
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
    doubtful = (rows >= 0) & several[place]
    if doubtful.any():
        raise _several(items, predictions, int(np.argmax(doubtful)), has_language=languages is not None)
    return rows.astype(np.int32)


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
    asked_of = np.array(asked, dtype=np.int32)[rows[keep][unread]]
    read = read_words(words.values, tuple(places), words.codes[keep][unread], asked_of)
    choices = choices.copy()
    choices[unread] = read.choices
    rules[unread] = read.rules
    return choices, rules


def _item_name(predictions: BiasPredictions, row: int) -> str:
    identifier = predictions.example_ids.values[int(predictions.example_ids.codes[row])]
    categories = predictions.categories
    category = "" if categories is None else categories.values[int(categories.codes[row])] + " "
    return shown(category + identifier)


def _several(items: BiasItems, predictions: BiasPredictions, row: int, *, has_language: bool) -> InputError:
    lacks = "category" if predictions.categories is None else "language"
    if predictions.categories is None and len(items.categories.values) == 1 and not has_language:
        lacks = "language"
    reason = f"example_id {_item_name(predictions, row)} is that of several items"
    fix = f"Add a column {lacks}, so that an answer belongs to one item."
    return InputError(f"{reason}: the answers say no {lacks}", file=predictions.name, fix=fix)


def _nothing_matches(items: BiasItems, predictions: BiasPredictions) -> InputError:
    categories, answered_categories = items.categories.values, predictions.categories
    fix = "Load the questions that were answered; example_id must be theirs."
    if answered_categories is not None and not set(map(folded, categories)) & set(
        map(folded, answered_categories.values)
    ):
        theirs = ", ".join(shown(name, 20) for name in answered_categories.values[:4])
        ours = ", ".join(shown(name, 20) for name in categories[:4])
        reason = f"no answer is to a loaded question: answers are about {theirs}, questions {ours}"
    else:
        reason = f"no answer is to a loaded question (first: {_item_name(predictions, 0)})"
    return InputError(reason, file=predictions.name, fix=fix)


def _refuse_second_answers(items: BiasItems, answers: BiasAnswers, files: Sequence[str]) -> None:
    keys = answers.items.astype(np.int64)
    for factor in answers.factors:
        keys = keys * len(factor.values) + factor.codes
        if int(keys.max()) > 2**40:
            keys = np.unique(keys, return_inverse=True)[1]
    repeated = first_repetition(keys)
    if repeated is None:
        return
    item = int(answers.items[repeated[0]])
    model = next(factor for factor in answers.factors if factor.name == "model")
    who = shown(model.values[int(model.codes[repeated[0]])])
    category = items.categories.values[int(items.categories.codes[item])]
    reason = f"two files answer {category} {shown(items.ids[item])} for {who}: {', '.join(files)}"
    fix = "Name what differs in a column (model, setting, instruction, …), or load one of them."
    raise InputError(reason, fix=fix)


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
    together = BiasItems(
        categories=joined("category", [file.categories for file in items]),
        languages=joined("language", [file.languages for file in items]),
        ids=tuple(name for file in items for name in file.ids),
        templates=joined("template", [file.templates for file in items]),
        ambiguous=np.concatenate([file.ambiguous for file in items]),
        nonnegative=np.concatenate([file.nonnegative for file in items]),
        gold=np.concatenate([file.gold for file in items]),
        unknown=np.concatenate([file.unknown for file in items]),
        target=np.concatenate([file.target for file in items]),
        stereotyped=joined("stereotyped", [file.stereotyped for file in items]),
        contexts=tuple(text for file in items for text in file.contexts),
        questions=tuple(text for file in items for text in file.questions),
        options=tuple(text for file in items for text in file.options),
        groups=tuple(labels for file in items for labels in file.groups or (("", "", ""),) * len(file))
        if any(file.groups for file in items)
        else (),
    )
    keep = _without_copies(together)
    return together if keep.all() else items_at(together, keep)


def _without_copies(items: BiasItems) -> BoolArray:
    """(N) False for an item that stood before.

    Raises:
        InputError: Two different items share language, category and id.
    """
    first: dict[tuple[int, int, str], int] = {}
    keep = np.ones(len(items), dtype=np.bool_)
    languages: list[int] = items.languages.codes.tolist()
    categories: list[int] = items.categories.codes.tolist()
    for i, key in enumerate(zip(languages, categories, items.ids, strict=True)):
        before = first.setdefault(key, i)
        if before == i:
            continue
        same = all(
            column[before] == column[i] for column in (items.contexts, items.questions, items.options, items.ambiguous)
        )
        if not same:
            category = items.categories.values[key[1]]
            reason = f"two different questions are {category} {shown(key[2])}"
            fix = "Number the questions of a category through, over all files."
            raise InputError(reason, fix=fix)
        keep[i] = False
    return keep


def items_at(items: BiasItems, keep: BoolArray) -> BiasItems:
    """Some of the items."""
    places: list[int] = np.flatnonzero(keep).tolist()
    return BiasItems(
        categories=factor_at(items.categories, keep),
        languages=factor_at(items.languages, keep),
        ids=tuple(items.ids[i] for i in places),
        templates=factor_at(items.templates, keep),
        ambiguous=items.ambiguous[keep],
        nonnegative=items.nonnegative[keep],
        gold=items.gold[keep],
        unknown=items.unknown[keep],
        target=items.target[keep],
        stereotyped=factor_at(items.stereotyped, keep),
        contexts=tuple(items.contexts[i] for i in places),
        questions=tuple(items.questions[i] for i in places),
        options=tuple(items.options[i] for i in places),
        groups=tuple(items.groups[i] for i in places) if items.groups else (),
    )


# Columns of several files as one, and the rows of a column.


def joined(name: str, factors: Sequence[Factor]) -> Factor:
    """One column of several, one after the other."""
    if len(factors) == 1:
        return Factor(name, factors[0].values, factors[0].codes)
    places: dict[str, int] = {}
    codes: list[IndexArray] = []
    for factor in factors:
        new = [places.setdefault(value, len(places)) for value in factor.values]
        codes.append(np.array(new, dtype=np.int32)[factor.codes])
    return Factor(name, tuple(places), np.concatenate(codes))


def constant(name: str, value: str, n: int) -> Factor:
    """A column that says the same in all of ``n`` rows."""
    return Factor(name, (value,), np.zeros(n, dtype=np.int32))


def factor_at(factor: Factor, keep: BoolArray) -> Factor:
    """The column of these rows, without values that none of them has."""
    if keep.all():
        return factor
    codes = factor.codes[keep]
    used, new = np.unique(codes, return_inverse=True)
    values = tuple(factor.values[int(code)] for code in used)
    return Factor(factor.name, values, new.astype(np.int32))
