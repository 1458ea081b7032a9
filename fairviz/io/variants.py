"""Answers to demographic variants of questions: the same question about different people.

One row per answer, JSON Lines, CSV or TSV with the columns ``qid attribute value gold prediction``
and, where they are known, ``model dataset strategy retriever k retrieved answerable evidence
kind``. ``attribute`` none (or neutral, original, nothing) is a condition of reference;
"race+gender" with "Asian+female" is an intersectional variant.
"""

import json
from collections import Counter
from typing import NamedTuple, TextIO

import numpy as np
from numpy.typing import NDArray

from fairviz.counts import count
from fairviz.errors import InputError
from fairviz.io.answer_words import LETTER, LETTER_IN_WORDS, TEXT
from fairviz.io.closed_answers import LETTERS
from fairviz.io.door import reader
from fairviz.io.foreign import refuse_foreign_answers
from fairviz.io.ids import check_ids
from fairviz.io.json import Json
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.source import FileInput, Source, as_source
from fairviz.io.text import head_of
from fairviz.io.variant_columns import Coded, VariantColumns, distinct, pairs
from fairviz.io.variant_options import ReadAnswers, read_answers
from fairviz.io.variant_rows import FACTORS, VariantNames, joined, variant_names, variant_rows
from fairviz.model import Factor, IndexArray, IntArray, VariantAnswers
from fairviz.model.variants import NOT_MENTIONED, UNKNOWN

_VOTERS = 3
"""Two voters that differ are always tied: a vote begins with three."""
_NEUTRAL = "neutral"
"""The condition of reference that votes."""

_DATASET = FACTORS.index("dataset")


@reader
def read_variants(file: FileInput | Source) -> Parsed[VariantAnswers]:
    """Read answers to demographic variants.

    Whether answers are closed is said by the column ``kind``, or found by their golds:
    :func:`~fairviz.io.variant_options.read_answers` says how. What a closed answer must look
    like to be read: :mod:`fairviz.io.closed_answers`.

    Args:
        file: A path or ``(name, bytes)``: JSON Lines, CSV or TSV, plain or gzip'ed.

    Returns:
        The answers with notes; ``lines`` holds the first line of each question.

    Raises:
        InputError: The file cannot be read, no two groups can be compared, a variant of a question
            is answered twice, or its variants have different right answers.
    """
    source = as_source(file)
    refuse_foreign_answers(head_of(source).decode(errors="replace"), source.name)
    notes = NoteBook(source.name)
    rows = variant_rows(source, notes)
    names = variant_names(rows, notes)
    asked = _questions(rows)
    ids, questions = asked.values, asked.codes.astype(np.int32)
    blocks = blocks_of(rows, questions, len(ids))
    check_distinct_rows(rows, blocks, names, source.name)
    check_values(names, source.name, notes)
    read = read_answers(rows, source.name)
    check_golds(rows, questions, names, read, notes)
    note_unread(rows, names, read, notes)
    note_blocks(rows, blocks, names, notes)
    note_votes(blocks, names, read, notes)
    lines = dict(zip(ids, map(rows.line, distinct(questions).first.tolist()), strict=True))
    check_ids(ids, "question id", lambda i: lines[ids[i]], notes)
    documents = _documents(rows.retrieved)
    check_ids(documents.ids, "document id", lambda _: None, notes)
    value = VariantAnswers(
        name=source.stem,
        factors=_factors(rows),
        question_ids=ids,
        questions=questions,
        attributes=names.attributes,
        values=names.values,
        given=names.given,
        conditions=names.conditions,
        condition=names.condition,
        kind=read.kind,
        options=read.options,
        golds=read.golds,
        choices=read.choices,
        gold_words=_factor("gold", rows.gold),
        words=_factor("prediction", rows.prediction.mapped(lambda said: said or "")),
        answerable=_truths(rows.answerable),
        evidence=_truths(rows.evidence),
        doc_ids=documents.ids,
        retrieved_offsets=documents.offsets,
        retrieved=documents.retrieved,
        offered=_offered(rows.options),
    )
    n_variants = len(names.codes)
    n_questions = f"{count(len(ids))} question{'s' if len(ids) > 1 else ''}"
    label = f"demographic variants: {n_questions} × {n_variants}, {_answers(value)}"
    return Parsed(value=value, file=source.name, format=label, notes=notes.collected, lines=lines)


def write_variants(answers: VariantAnswers, to: TextIO) -> None:
    """Write answers as JSON Lines; :func:`read_variants` gives them back.

    Args:
        answers: The answers.
        to: An open text file.

    Raises:
        ValueError: Names of attributes or values leave no character to join them with.
    """
    for r, question in enumerate(answers.questions.tolist()):
        record: dict[str, Json] = {factor.name: factor.values[int(factor.codes[r])] for factor in answers.factors}
        record["qid"] = answers.question_ids[question]
        record["attribute"], record["value"] = _variant(answers, r)
        record["gold"] = answers.gold_words.values[int(answers.gold_words.codes[r])]
        words = answers.words.values[int(answers.words.codes[r])]
        start, end = answers.retrieved_offsets[r : r + 2].tolist()
        if words or answers.retrieved.size == 0:
            record["prediction"] = words
        if start < end:
            record["retrieved"] = [answers.doc_ids[d] for d in answers.retrieved[start:end].tolist()]
        for name in ("answerable", "evidence"):
            known = int(getattr(answers, name)[r])
            if known != UNKNOWN:
                record[name] = known == 1
        record["kind"] = answers.kind
        if answers.offered is not None:
            record["options"] = json.loads(answers.offered.values[int(answers.offered.codes[r])])
        to.write(json.dumps(record, ensure_ascii=False) + "\n")


def n_not_read(answers: VariantAnswers) -> int:
    """Recorded answers to closed questions that name no option."""
    if answers.kind == "open" or not any(answers.words.values):
        return 0
    return int((answers.choices == UNKNOWN).sum())


def _questions(rows: VariantColumns) -> Coded[str]:
    """The question of each row; ids that several datasets use are told apart by dataset."""
    datasets = rows.of_producer(_DATASET)
    found = distinct(pairs(rows.question.codes, datasets.codes))
    if found.first.size == len(rows.question.values):
        return rows.question
    ids = [f"{datasets.at(row)}/{rows.question.at(row)}" for row in found.first.tolist()]
    return Coded(tuple(ids), found.of).mapped(str)


def _factors(rows: VariantColumns) -> tuple[Factor, ...]:
    """Who answered how: the columns of producers that say anything."""
    said = {name: rows.of_producer(place) for place, name in enumerate(FACTORS) if name in rows.names}
    return tuple(_factor(name, column) for name, column in said.items() if any(column.values))


def _factor(name: str, column: Coded[str]) -> Factor:
    return Factor(name, column.values, column.codes.astype(np.int32))


def _truths(column: Coded[int]) -> NDArray[np.int8]:
    return np.array(column.values, dtype=np.int8)[column.codes]


class _Documents(NamedTuple):
    """Retrieved documents; see :class:`~fairviz.model.variants.VariantAnswers`."""

    ids: tuple[str, ...]
    offsets: IntArray
    retrieved: IndexArray


def _documents(lists: Coded[tuple[str, ...] | None]) -> _Documents:
    """The documents of each row's list."""
    places: dict[str, int] = {}
    by_list: list[IndexArray] = [
        np.array([places.setdefault(doc, len(places)) for doc in docs or ()], dtype=np.int32) for docs in lists.values
    ]
    sizes = np.array([docs.size for docs in by_list], dtype=np.int64)[lists.codes]
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    if not places:
        return _Documents((), offsets, np.zeros(0, dtype=np.int32))
    codes: list[int] = lists.codes.tolist()
    return _Documents(tuple(places), offsets, np.concatenate([by_list[code] for code in codes]))


def _variant(answers: VariantAnswers, row: int) -> tuple[str, str]:
    mentioned = [a for a, code in enumerate(answers.given[row].tolist()) if code >= 0]
    if not mentioned:
        return "none", answers.conditions[int(answers.condition[row])]
    names = tuple(answers.attributes[a] for a in mentioned)
    values = tuple(answers.values[a][int(answers.given[row, a])] for a in mentioned)
    return joined(names, values)


def _offered(options: Coded[tuple[str, ...]]) -> Factor | None:
    """The options of each row as a JSON list, None where no row has any."""
    if not any(options.values):
        return None
    return _factor("options", options.mapped(lambda words: json.dumps(words, ensure_ascii=False)))


def _answers(value: VariantAnswers) -> str:
    if not any(value.words.values):
        return "documents only"
    if value.kind == "open":
        return "open answers"
    letters = all(len(option) == 1 and option in LETTERS for option in value.options)
    shortest = "".join(value.options) if letters else ", ".join(shown(o, 20) for o in value.options)
    return f"closed answers {shortest}"


# What the rows say together: refused where they contradict themselves, noted where they are odd.


class Blocks(NamedTuple):
    """The answers of one producer to the variants of one question.

    Attributes:
        of: (R) block of each row: its producer's number and its question's, as one.
        producers: (R) producer of each row.
        n_questions: Questions that there are.
    """

    of: IntArray
    producers: IntArray
    n_questions: int


def blocks_of(rows: VariantColumns, questions: IndexArray, n_questions: int) -> Blocks:
    """The block that each row is of."""
    producers = rows.producer.codes.astype(np.int64)
    return Blocks(producers * n_questions + questions, producers, n_questions)


def check_distinct_rows(rows: VariantColumns, blocks: Blocks, names: VariantNames, file: str) -> None:
    """Refuse a second answer of one producer to one variant of a question.

    Raises:
        InputError: It names both lines.
    """
    found = distinct(pairs(blocks.of, names.of))
    if found.first.size == rows.n_rows:
        return
    row = int(np.argmax(found.first[found.of] != np.arange(rows.n_rows)))
    before = int(found.first[found.of[row]])
    by = ", ".join(filter(None, rows.producer.at(row)))
    who = f" by {shown(by)}" if by else ""
    what = f"{shown(rows.question.at(row))} / {shown(rows.variant.at(row).words)}{who}"
    reason = f"duplicate prediction for {what} (line {rows.line(before)})"
    raise InputError(reason, file=file, line=rows.line(row), fix="Keep one answer of each.")


def check_values(names: VariantNames, file: str, notes: NoteBook) -> None:
    """Refuse a file in which no two groups can be compared; note an attribute of one value.

    Raises:
        InputError: No row mentions an attribute, or no attribute has two values.
    """
    if not names.attributes:
        reason = "no demographic variants found"
        fix = "Put all variants of a question into one file, with attribute and value on each row."
        raise InputError(reason, file=file, fix=fix)
    single = [a for a, values in zip(names.attributes, names.values, strict=True) if len(values) < 2]
    for attribute in single:
        reason = f"attribute {shown(attribute)} has a single value: nothing to compare"
        if len(single) == len(names.attributes):
            fix = "Put all variants of a question into one file."
            raise InputError(reason, file=file, fix=fix)
        notes.add(reason)


def check_golds(
    rows: VariantColumns,
    questions: IndexArray,
    names: VariantNames,
    read: ReadAnswers,
    notes: NoteBook,
) -> None:
    """Refuse right answers that differ between the variants of a question.

    A file in which every group has one right answer in all its (two or more) questions is of
    another design: the group decides the answer. That is noted, not refused.

    Raises:
        InputError: It names both lines.
    """
    words, golds = _golds(rows, read)
    known = np.flatnonzero(golds != UNKNOWN)
    if not known.size and rows.has_predictions:
        notes.add("no gold answers: accuracy and equal opportunity unavailable", rows.line(0))
        return
    if 0 < known.size < rows.n_rows:
        message = f"{count(rows.n_rows - known.size)} of {count(rows.n_rows)} rows have no gold answer"
        notes.add(message, rows.line(int(np.argmax(golds == UNKNOWN))))
    by_question = distinct(questions[known])
    before = known[by_question.first[by_question.of]]  # the first row of the question that has one
    differs = golds[before] != golds[known]
    differing = known[differs]
    if differing.size and not _group_decides(questions[known], golds[known], names.of[known]):
        first, row = int(before[differs][0]), int(differing[0])
        reason = (
            f"gold answer of {shown(rows.question.at(row))} is {shown(words[int(golds[row])])} here "
            f"but {shown(words[int(golds[first])])} on line {rows.line(first)}"
        )
        fix = "All variants of a question have one right answer; correct it or drop the question."
        raise InputError(reason, file=notes.file, line=rows.line(row), fix=fix)
    if differing.size:
        n_questions = _many(np.unique(questions[differing]).size, "question")
        line = rows.line(int(differing[0]))
        notes.add(f"gold answers differ between the variants of {n_questions}, by group", line)
    if read.kind == "closed":
        _note_golds_by_group(names, read, notes)


def note_unread(rows: VariantColumns, names: VariantNames, read: ReadAnswers, notes: NoteBook) -> None:
    """Note, per group, answers that name no option.

    The number of those that need parsing counts beside them the answers that are no right option
    as it stands, such as "B. Cross-linking".
    """
    if not rows.has_predictions:
        return
    if read.kind == "open":
        empty = np.flatnonzero(rows.prediction.told(lambda said: not (said or "").strip()))
        if empty.size:
            notes.add(f"{count(empty.size)} of {count(rows.n_rows)} answers are empty", rows.line(int(empty[0])))
        return
    if set(read.read_by) - {LETTER, LETTER_IN_WORDS, TEXT}:
        notes.add("answers read by: " + ", ".join(f"{rule} {count(n)}" for rule, n in read.read_by.items()))
    unread = np.flatnonzero(read.choices == UNKNOWN)
    if unread.size:
        golds: list[int] = np.unique(read.golds).tolist()
        right = {read.options[code] for code in golds if code != UNKNOWN}
        odd = np.flatnonzero(rows.prediction.told(lambda said: (said or "").strip() not in right))
        unread_variants = names.of[unread]
        by_variant = distinct(unread_variants)
        by_label: Counter[str] = Counter()
        variants: list[int] = unread_variants[by_variant.first].tolist()
        for variant, n in zip(variants, np.bincount(by_variant.of).tolist(), strict=True):
            by_label[names.label(variant)] += n
        by_group = by_label.most_common()
        groups = ", ".join(f"{shown(label, 30)} {count(n)}" for label, n in by_group[:12])
        more = ", …" if len(by_group) > 12 else ""
        message = f"{count(odd.size)} of {count(rows.n_rows)} predictions need parsing"
        unclear = f"{count(unread.size)} name no option and count as no answer: {groups}{more}"
        notes.add(f"{message}; {unclear}", rows.line(int(odd[0])))


def note_blocks(rows: VariantColumns, blocks: Blocks, names: VariantNames, notes: NoteBook) -> None:
    """Note questions that lack a variant which others of their producer have; no block has one twice."""
    found = distinct(blocks.of)
    n_there = np.bincount(found.of)
    producers = blocks.producers[found.first]
    any_question = distinct(pairs(blocks.producers, names.of))
    n_expected = np.bincount(blocks.producers[any_question.first])[producers]
    lacking = np.flatnonzero(n_there < n_expected)
    if not lacking.size:
        return
    first = int(lacking[np.argmin(producers[lacking])])  # of the first producer that lacks any
    own = np.flatnonzero(blocks.producers == producers[first])
    in_order = np.lexsort((_places(names)[names.of[own]], found.of[own]))
    expected = names.of[own][in_order]
    missing = expected[~np.isin(expected, names.of[found.of == first])]
    question = int(np.argmax(blocks.of % blocks.n_questions == blocks.of[found.first[first]] % blocks.n_questions))
    what = "questions" if len(rows.producer.values) == 1 else "sets of variants"
    complete = f"{count(n_there.size - lacking.size)} of {count(n_there.size)} {what} are complete"
    lacks = f"question {shown(rows.question.at(question))} lacks variant {shown(names.label(int(missing[0])))}"
    notes.add(f"{lacks}; {complete}")


def _places(names: VariantNames) -> IntArray:
    """The place of each distinct variant among all, by the codes of its values."""
    places = np.empty(len(names.codes), dtype=np.int64)
    places[np.lexsort(names.codes.T[::-1])] = np.arange(len(names.codes))
    return places


def note_votes(blocks: Blocks, names: VariantNames, read: ReadAnswers, notes: NoteBook) -> None:
    """Note tied majority votes, and a file of one question.

    Those vote who vote by default where votes are measured: every variant about somebody and the
    neutral question; an original question does not. Unreadable answers are one answer of their own.

    One question with two values is a pair that speaks for itself; with more values the largest
    difference over groups looks like a rate, and can only be 0 or 1.
    """
    if read.kind != "closed" or not read.options:
        return
    neutral = names.conditions.index(_NEUTRAL) if _NEUTRAL in names.conditions else None
    voters = np.isin(names.condition, [NOT_MENTIONED] if neutral is None else [NOT_MENTIONED, neutral])
    of_voters = blocks.of[voters]
    n_choices = len(read.options) + 1  # the last is that of unreadable answers
    cast = distinct(of_voters * n_choices + read.choices[voters] % n_choices)
    n = np.bincount(cast.of)
    votes = distinct(of_voters[cast.first]).of
    largest = np.zeros(int(votes.max(initial=-1)) + 1, dtype=np.int64)
    np.maximum.at(largest, votes, n)
    decided = np.bincount(votes, weights=n) >= _VOTERS
    tied = decided & (np.bincount(votes, weights=n == largest[votes]) > 1)
    if tied.any():
        what = "question" if np.unique(blocks.producers[voters]).size == 1 else "vote"
        message = f"majority vote tied on {count(int(tied.sum()))} of {_many(int(decided.sum()), what)}"
        who = "all groups vote" if neutral is None else "all groups and the neutral question vote"
        notes.add(f"{message} ({who}, unreadable answers as one answer)")
    if blocks.n_questions == 1 and any(len(values) > 2 for values in names.values):
        notes.add("1 question: disparity can only be 0 or 1")


def _many(n: int, noun: str) -> str:
    return f"{count(n)} {noun}" if n == 1 else f"{count(n)} {noun}s"


def _golds(rows: VariantColumns, read: ReadAnswers) -> tuple[tuple[str, ...], IndexArray]:
    """Right answers as they are compared, and the code of each row's, :data:`UNKNOWN` where none is recorded."""
    if read.kind == "closed":
        return read.options, read.golds.astype(np.int32)
    golds = rows.gold.mapped(lambda gold: " ".join(gold.split()))
    return golds.values, np.where(golds.told(bool), golds.codes, UNKNOWN).astype(np.int32)


def _group_decides(questions: IndexArray, golds: IndexArray, variants: IntArray) -> bool:
    """Whether each variant has one right answer in all its questions, two at least; of rows that have one."""
    n_golds = np.bincount(variants[distinct(pairs(variants, golds)).first])
    n_questions = np.bincount(variants[distinct(pairs(variants, questions)).first])
    there = n_golds > 0
    return bool((n_golds[there] == 1).all() and (n_questions[there] >= 2).all())


def _note_golds_by_group(names: VariantNames, read: ReadAnswers, notes: NoteBook) -> None:
    """Note the options that are right for one group of an attribute, and never for another."""
    found = distinct(pairs(names.of, read.golds.astype(np.int64) - UNKNOWN)).first
    golds, given = read.golds[found], names.codes[names.of[found]]
    for a, values in enumerate(names.values):
        mentioned = given[:, a] != NOT_MENTIONED
        right: set[int] = set(golds[mentioned & (golds != UNKNOWN)].tolist())
        for code, value in enumerate(values):
            own = set(golds[given[:, a] == code].tolist())
            for option in sorted(right - own):
                lacks = f"group {shown(value)} has no gold {shown(read.options[option])}"
                notes.add(f"{lacks}: TPR undefined", kind="no gold")
