"""Answers to demographic variants of questions: the same question about different people.

One row per answer, JSON Lines, CSV or TSV with the columns ``qid attribute value gold prediction``
and, where they are known, ``model dataset strategy retriever k retrieved answerable evidence
kind``. ``attribute`` none (or neutral, original, nothing) is a condition of reference;
"race+gender" with "Asian+female" is an intersectional variant.
"""

import json
from typing import NamedTuple, TextIO

import numpy as np
from numpy.typing import NDArray

from fairviz.counts import count
from fairviz.io.closed_answers import LETTERS
from fairviz.io.ids import check_ids
from fairviz.io.json import Json
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.source import FileInput, Source, as_source, reader
from fairviz.io.variant_checks import Block, Checks, check_values
from fairviz.io.variant_columns import Coded, VariantColumns, distinct, pairs
from fairviz.io.variant_options import ReadAnswers, Recorded, named_options
from fairviz.io.variant_rows import FACTORS, VariantNames, joined, variant_names, variant_rows
from fairviz.model import Factor, IndexArray, IntArray, VariantAnswers
from fairviz.model.variants import UNKNOWN

_DATASET = FACTORS.index("dataset")


@reader
def read_variants(file: FileInput | Source) -> Parsed[VariantAnswers]:
    """Read answers to demographic variants.

    Whether answers are closed is said by the column ``kind``, or found by their golds:
    :meth:`~fairviz.io.variant_options.Recorded.decided` says how. What a closed answer must look
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
    notes = NoteBook(source.name)
    rows = variant_rows(source, notes)
    names = variant_names(rows.variant, rows.line, notes)
    asked = questions_of(rows)
    recorded = Recorded()
    recorded.add(rows)
    decided = recorded.decided(rows.line, source.name)
    read = decided.read(rows)
    checks = Checks(names, decided.right)
    producers, questions = rows.producer.codes.astype(np.int64), asked.codes.astype(np.int32)
    checks.add(Block(rows, np.arange(rows.n_rows), questions, names.of, producers, read))
    checks.refuse(rows.line, source.name)
    check_values(names, source.name, notes)
    checks.note(read.kind, read.options, rows.line, notes)
    lines = dict(zip(asked.values, map(rows.line, distinct(questions).first.tolist()), strict=True))
    check_ids(asked.values, "question id", lambda i: lines[asked.values[i]], notes)
    options, codes = named_options(read.options, np.union1d(read.golds, read.choices))
    read = read._replace(options=options, golds=codes[read.golds], choices=codes[read.choices])
    value = answers_of(source.stem, rows, asked, names, read)
    check_ids(value.doc_ids, "document id", lambda _: None, notes)
    n_questions = f"{count(len(asked.values))} question{'s' if len(asked.values) > 1 else ''}"
    label = f"demographic variants: {n_questions} × {len(names.codes)}, {answers_in_words(value)}"
    return Parsed(value=value, file=source.name, format=label, notes=notes.collected, lines=lines)


def answers_of(
    name: str, rows: VariantColumns, asked: Coded[str], names: VariantNames, read: ReadAnswers
) -> VariantAnswers:
    """The noun of some rows.

    Args:
        name: What to call the file.
        rows: The rows.
        asked: The question of each.
        names: What they mention.
        read: What was answered.
    """
    documents = _documents(rows.retrieved)
    return VariantAnswers(
        name=name,
        factors=_factors(rows),
        question_ids=asked.values,
        questions=asked.codes.astype(np.int32),
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


def questions_of(rows: VariantColumns) -> Coded[str]:
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


def answers_in_words(value: VariantAnswers) -> str:
    """What kind of answers they are, and their options."""
    if not any(value.words.values):
        return "documents only"
    if value.kind == "open":
        return "open answers"
    letters = all(len(option) == 1 and option in LETTERS for option in value.options)
    shortest = "".join(value.options) if letters else ", ".join(shown(o, 20) for o in value.options)
    return f"closed answers {shortest}"
