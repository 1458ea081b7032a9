"""Answers to demographic variants of questions: the same question about different people.

One row per answer, JSON Lines, CSV or TSV with the columns ``qid attribute value gold prediction``
and, where they are known, ``model dataset strategy retriever k retrieved answerable evidence
kind``. ``attribute`` none (or neutral, original, nothing) is a condition of reference;
"race+gender" with "Asian+female" is an intersectional variant.
"""

import json
from typing import TextIO

import numpy as np

from fairviz.formats.foreign import refuse_foreign_answers
from fairviz.formats.letters import LETTERS
from fairviz.formats.notes import NoteBook, Parsed, shown
from fairviz.formats.odd_ids import note_odd_ids
from fairviz.formats.source import FileInput, Source, as_source
from fairviz.formats.strict_json import Json
from fairviz.formats.text import head_of
from fairviz.formats.variant_checks import (
    check_distinct_rows,
    check_golds,
    check_values,
    note_blocks,
    note_unread,
    note_votes,
)
from fairviz.formats.variant_names import variant_names
from fairviz.formats.variant_options import read_answers
from fairviz.formats.variant_rows import FACTORS, VariantRow, joined, variant_rows
from fairviz.model import Factor, VariantAnswers
from fairviz.model.variants import UNKNOWN

_DATASET = FACTORS.index("dataset")


def read_variants(file: FileInput | Source) -> Parsed[VariantAnswers]:
    """Read answers to demographic variants.

    Whether answers are closed is said by the column ``kind``, or found by their golds:
    :func:`~fairviz.formats.variant_options.read_answers` says how. What a closed answer must look
    like to be read: :mod:`fairviz.formats.letters`.

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
    book = NoteBook(source.name)
    rows, columns = variant_rows(source, book)
    names = variant_names(rows, book)
    asked = _questions(rows)
    ids = tuple(dict.fromkeys(asked))
    places = {question: q for q, question in enumerate(ids)}
    questions = [places[question] for question in asked]
    keys = names.keys()
    check_distinct_rows(rows, questions, keys, source.name)
    check_values(names, source.name, book)
    read = read_answers(rows, source.name)
    check_golds(rows, questions, names, read, book)
    note_unread(rows, names, read, book)
    note_blocks(rows, questions, names, keys, book)
    note_votes(rows, questions, names, read, book)
    lines: dict[str, int] = {}
    for question, row in zip(asked, rows, strict=True):
        lines.setdefault(question, row.line)
    note_odd_ids(ids, "question id", lambda i: lines[ids[i]], book)
    docs: dict[str, int] = {}
    retrieved = [docs.setdefault(doc, len(docs)) for row in rows for doc in row.retrieved or ()]
    note_odd_ids(tuple(docs), "document id", lambda _: None, book)
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
    )
    n_variants = len(set(keys))
    n_questions = f"{len(ids):,} question{'s' if len(ids) > 1 else ''}"
    label = f"demographic variants: {n_questions} × {n_variants}, {_answers(value)}"
    return Parsed(value=value, file=source.name, format=label, notes=book.notes, lines=lines)


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


def _answers(value: VariantAnswers) -> str:
    if not any(value.words.values):
        return "documents only"
    if value.kind == "open":
        return "open answers"
    letters = all(len(option) == 1 and option in LETTERS for option in value.options)
    shortest = "".join(value.options) if letters else ", ".join(shown(o, 20) for o in value.options)
    return f"closed answers {shortest}"
