"""Answers to demographic variants of questions: the same question about different people.

One row per answer, JSON Lines, CSV or TSV with the columns ``qid attribute value gold prediction``
and, where they are known, ``model dataset strategy retriever k retrieved answerable evidence
kind``. ``attribute`` none (or neutral, original, nothing) is a condition of reference;
"race+gender" with "Asian+female" is an intersectional variant.
"""

import json
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple, TextIO

import numpy as np

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
from fairviz.io.variant_options import ReadAnswers, read_answers
from fairviz.io.variant_rows import (
    FACTORS,
    VariantNames,
    VariantRow,
    joined,
    variant_names,
    variant_rows,
)
from fairviz.model import Factor, IntArray, VariantAnswers
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
    rows, columns = variant_rows(source, notes)
    names = variant_names(rows, notes)
    row_ids = _questions(rows)
    ids = tuple(dict.fromkeys(row_ids))
    places = {question: q for q, question in enumerate(ids)}
    questions = [places[question] for question in row_ids]
    blocks = blocks_of(rows, questions)
    check_distinct_rows(rows, blocks, names, source.name)
    check_values(names, source.name, notes)
    read = read_answers(rows, source.name)
    check_golds(rows, questions, names, read, notes)
    note_unread(rows, names, read, notes)
    if not are_complete(blocks, names):
        note_blocks(rows, questions, names, notes)
    note_votes(blocks, names, read, notes)
    lines: dict[str, int] = {}
    for question, row in zip(row_ids, rows, strict=True):
        lines.setdefault(question, row.line)
    check_ids(ids, "question id", lambda i: lines[ids[i]], notes)
    docs: dict[str, int] = {}
    retrieved = [docs.setdefault(doc, len(docs)) for row in rows for doc in row.retrieved or ()]
    check_ids(tuple(docs), "document id", lambda _: None, notes)
    value = VariantAnswers(
        name=source.stem,
        factors=tuple(
            Factor.of(name, [row.producer[f] for row in rows])
            for f, name in enumerate(FACTORS)
            if name in columns and any(row.producer[f] for row in rows)
        ),
        question_ids=ids,
        questions=np.array(questions, dtype=np.int32),
        attributes=names.attributes,
        values=names.values,
        given=names.given,
        conditions=names.conditions,
        condition=names.condition,
        kind=read.kind,
        options=read.options,
        golds=read.golds,
        choices=read.choices,
        gold_words=Factor.of("gold", [row.gold for row in rows]),
        words=Factor.of("prediction", [row.prediction or "" for row in rows]),
        answerable=np.array([row.answerable for row in rows], dtype=np.int8),
        evidence=np.array([row.evidence for row in rows], dtype=np.int8),
        doc_ids=tuple(docs),
        retrieved_offsets=np.cumsum([0, *(len(row.retrieved or ()) for row in rows)]),
        retrieved=np.array(retrieved, dtype=np.int32),
        offered=_offered(rows),
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


def _questions(rows: list[VariantRow]) -> list[str]:
    """The question of each row; ids that several datasets use are told apart by dataset."""
    datasets: dict[str, set[str]] = {}
    for row in rows:
        datasets.setdefault(row.question, set()).add(row.producer[_DATASET])
    if max(map(len, datasets.values())) < 2:
        return [row.question for row in rows]
    return [f"{row.producer[_DATASET]}/{row.question}" for row in rows]


def _variant(answers: VariantAnswers, row: int) -> tuple[str, str]:
    mentioned = [a for a, code in enumerate(answers.given[row].tolist()) if code >= 0]
    if not mentioned:
        return "none", answers.conditions[int(answers.condition[row])]
    names = tuple(answers.attributes[a] for a in mentioned)
    values = tuple(answers.values[a][int(answers.given[row, a])] for a in mentioned)
    return joined(names, values)


def _offered(rows: Sequence[VariantRow]) -> Factor | None:
    """The options of each row as a JSON list, None where no row has any."""
    if not any(row.options for row in rows):
        return None
    lists = {row.options: json.dumps(row.options, ensure_ascii=False) for row in rows}
    return Factor.of("options", [lists[row.options] for row in rows])


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
        n_questions: Questions that there are.
    """

    of: IntArray
    n_questions: int

    @property
    def producers(self) -> IntArray:
        """(R) producer of each row."""
        return self.of // self.n_questions


def blocks_of(rows: Sequence[VariantRow], questions: Sequence[int]) -> Blocks:
    """The block that each row is of."""
    producers: dict[tuple[str, ...], int] = {}
    of_rows = np.array([producers.setdefault(row.producer, len(producers)) for row in rows], dtype=np.int64)
    n_questions = max(questions) + 1
    return Blocks(of_rows * n_questions + np.array(questions, dtype=np.int64), n_questions)


def check_distinct_rows(rows: Sequence[VariantRow], blocks: Blocks, names: VariantNames, file: str) -> None:
    """Refuse a second answer of one producer to one variant of a question.

    Raises:
        InputError: It names both lines.
    """
    _, first, of = np.unique(blocks.of * len(names.codes) + names.of, return_index=True, return_inverse=True)
    again: list[int] = np.flatnonzero(first[of] != np.arange(len(rows))).tolist()
    if again:
        row, before = rows[again[0]], rows[int(first[of[again[0]]])]
        by = ", ".join(filter(None, row.producer))
        who = f" by {shown(by)}" if by else ""
        what = f"{shown(row.question)} / {shown(row.variant)}{who}"
        reason = f"duplicate prediction for {what} (line {before.line})"
        raise InputError(reason, file=file, line=row.line, fix="Keep one answer of each.")


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
    rows: Sequence[VariantRow],
    questions: Sequence[int],
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
    golds = _golds(rows, read)
    n_known = sum(gold != "" for gold in golds)
    if not n_known and any(row.prediction is not None for row in rows):
        notes.add("no gold answers: accuracy and equal opportunity unavailable", rows[0].line)
        return
    if n_known < len(rows) and n_known:
        at = golds.index("")
        message = f"{count(len(rows) - n_known)} of {count(len(rows))} rows have no gold answer"
        notes.add(message, rows[at].line)
    first: dict[int, int] = {}
    differing: list[tuple[int, int]] = []
    for r, (question, gold) in enumerate(zip(questions, golds, strict=True)):
        before = first.setdefault(question, r) if gold else r
        if golds[before] != gold:
            differing.append((before, r))
    if differing and not _group_decides(questions, golds, names):
        before, r = differing[0]
        reason = (
            f"gold answer of {shown(rows[r].question)} is {shown(golds[r])} here "
            f"but {shown(golds[before])} on line {rows[before].line}"
        )
        fix = "All variants of a question have one right answer; correct it or drop the question."
        raise InputError(reason, file=notes.file, line=rows[r].line, fix=fix)
    if differing:
        n = len({questions[r] for _, r in differing})
        line = rows[differing[0][1]].line
        n_questions = _many(n, "question")
        notes.add(f"gold answers differ between the variants of {n_questions}, by group", line)
    if read.kind == "closed":
        _note_golds_by_group(names, read, notes)


def note_unread(rows: Sequence[VariantRow], names: VariantNames, read: ReadAnswers, notes: NoteBook) -> None:
    """Note, per group, answers that name no option.

    The number of those that need parsing counts beside them the answers that are no right option
    as it stands, such as "B. Cross-linking".
    """
    if not any(row.prediction is not None for row in rows):
        return
    if read.kind == "open":
        empty = [row.line for row in rows if not (row.prediction or "").strip()]
        if empty:
            notes.add(f"{count(len(empty))} of {count(len(rows))} answers are empty", empty[0])
        return
    if set(read.read_by) - {LETTER, LETTER_IN_WORDS, TEXT}:
        notes.add("answers read by: " + ", ".join(f"{rule} {count(n)}" for rule, n in read.read_by.items()))
    unread = np.flatnonzero(read.choices == UNKNOWN).tolist()
    if unread:
        golds: list[int] = read.golds.tolist()
        right = {read.options[code] for code in set(golds) if code != UNKNOWN}
        odd = [row.line for row in rows if (row.prediction or "").strip() not in right]
        by_group = Counter(names.label(r) for r in unread).most_common()
        groups = ", ".join(f"{shown(label, 30)} {count(n)}" for label, n in by_group[:12])
        more = ", …" if len(by_group) > 12 else ""
        message = f"{count(len(odd))} of {count(len(rows))} predictions need parsing"
        unclear = f"{count(len(unread))} name no option and count as no answer: {groups}{more}"
        notes.add(f"{message}; {unclear}", odd[0])


def are_complete(blocks: Blocks, names: VariantNames) -> bool:
    """Whether every block has each variant that any of its producer has; no block has one twice."""
    there, n = np.unique(blocks.of, return_counts=True)
    n_variants = len(names.codes)
    of_producers = np.bincount(np.unique(blocks.producers * n_variants + names.of) // n_variants)
    return bool((n == of_producers[there // blocks.n_questions]).all())


def note_blocks(
    rows: Sequence[VariantRow],
    questions: Sequence[int],
    names: VariantNames,
    notes: NoteBook,
) -> None:
    """Note questions that lack a variant which others of their producer have."""
    answered: dict[tuple[str, ...], dict[int, set[tuple[int, ...]]]] = {}
    labels: dict[tuple[int, ...], str] = {}
    ids: dict[int, str] = {}
    for r, (row, question, key) in enumerate(zip(rows, questions, names.keys(), strict=True)):
        answered.setdefault(row.producer, {}).setdefault(question, set()).add(key)
        if key not in labels:
            labels[key] = names.label(r)
        ids.setdefault(question, row.question)
    n_blocks = sum(len(blocks) for blocks in answered.values())
    lacking: list[tuple[int, tuple[int, ...]]] = []
    for blocks in answered.values():
        expected = dict.fromkeys(key for variants in blocks.values() for key in sorted(variants))
        for question, variants in blocks.items():
            missing = [key for key in expected if key not in variants]
            if missing:
                lacking.append((question, missing[0]))
    if lacking:
        question, key = lacking[0]
        blocks = "questions" if len(answered) == 1 else "sets of variants"
        complete = f"{count(n_blocks - len(lacking))} of {count(n_blocks)} {blocks} are complete"
        lacks = f"question {shown(ids[question])} lacks variant {shown(labels[key])}"
        notes.add(f"{lacks}; {complete}")


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
    n_choices = len(read.options) + 1  # the last is that of unreadable answers
    cast, n = np.unique(blocks.of[voters] * n_choices + read.choices[voters] % n_choices, return_counts=True)
    _, votes = np.unique(cast // n_choices, return_inverse=True)
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


def _golds(rows: Sequence[VariantRow], read: ReadAnswers) -> list[str]:
    """The right answer of each row as it is compared, "" where none is recorded."""
    if read.kind == "open":
        return [" ".join(row.gold.split()) for row in rows]
    return ["" if code == UNKNOWN else read.options[code] for code in read.golds.tolist()]


def _group_decides(questions: Sequence[int], golds: Sequence[str], names: VariantNames) -> bool:
    """Whether each variant has one right answer in all its questions, two at least."""
    seen: dict[tuple[int, ...], set[str]] = {}
    questions_of: dict[tuple[int, ...], set[int]] = {}
    for question, gold, key in zip(questions, golds, names.keys(), strict=True):
        if gold:
            seen.setdefault(key, set()).add(gold)
            questions_of.setdefault(key, set()).add(question)
    return all(len(golds_of) == 1 for golds_of in seen.values()) and min(map(len, questions_of.values())) >= 2


def _note_golds_by_group(names: VariantNames, read: ReadAnswers, notes: NoteBook) -> None:
    """Note the options that are right for one group of an attribute, and never for another."""
    for a, values in enumerate(names.values):
        mentioned = names.given[:, a] != NOT_MENTIONED
        right: set[int] = set(read.golds[mentioned & (read.golds != UNKNOWN)].tolist())
        for code, value in enumerate(values):
            own = set(read.golds[names.given[:, a] == code].tolist())
            for option in sorted(right - own):
                lacks = f"group {shown(value)} has no gold {shown(read.options[option])}"
                notes.add(f"{lacks}: TPR undefined", kind="no gold")
