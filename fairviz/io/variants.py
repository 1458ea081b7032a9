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
import polars as pl

from fairviz.errors import InputError
from fairviz.io.answer_table import Coded
from fairviz.io.answer_words import LETTER, LETTER_IN_WORDS, TEXT
from fairviz.io.closed_answers import LETTERS
from fairviz.io.ids import check_ids, first_repeated
from fairviz.io.json import Json
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.source import FileInput, Source, as_source, reader
from fairviz.io.variant_options import ReadAnswers, read_answers
from fairviz.io.variant_rows import (
    FACTORS,
    VariantColumns,
    VariantNames,
    variant_names,
    variant_rows,
)
from fairviz.kernels.lookup import encoded
from fairviz.model import Factor, IndexArray, IntArray, VariantAnswers
from fairviz.model.variants import NOT_MENTIONED, UNKNOWN
from fairviz.numerals import count, part_of, plural

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
    notes = NoteBook(source.name)
    rows = variant_rows(source, notes)
    names = variant_names(rows.variant, rows.line, notes)
    asked = questions_of(rows)
    read = read_answers(rows, source.name)
    _check(_Answered.of(rows, names, asked, read), notes)
    lines = dict(zip(asked.values, map(rows.line, asked.firsts), strict=True))
    check_ids(asked.values, "question id", lambda i: lines[asked.values[i]], notes)
    doc_ids, retrieved_offsets, retrieved = _documents(rows.retrieved)
    producers = {name: rows.of_producer(place) for place, name in enumerate(FACTORS) if name in rows.names}
    value = VariantAnswers(
        name=source.stem,
        factors=tuple(said.factor(name) for name, said in producers.items() if any(said.values)),
        question_ids=asked.values,
        questions=asked.codes,
        attributes=names.attributes,
        values=names.values,
        given=names.given,
        conditions=names.conditions,
        condition=names.condition,
        kind=read.kind,
        options=read.options,
        golds=read.golds,
        choices=read.choices,
        gold_words=rows.gold.factor("gold"),
        words=rows.prediction.mapped(lambda said: said or "").factor("prediction"),
        answerable=rows.answerable.numbers,
        evidence=rows.evidence.numbers,
        doc_ids=doc_ids,
        retrieved_offsets=retrieved_offsets,
        retrieved=retrieved,
        offered=_offered(rows.options),
    )
    check_ids(value.doc_ids, "document id", lambda _: None, notes)
    n_questions = f"{count(len(asked.values))} question{'s' if len(asked.values) > 1 else ''}"
    label = f"demographic variants: {n_questions} × {len(names.codes)}, {answers_in_words(value)}"
    return notes.parsed(value, label, lines)


def write_variants(answers: VariantAnswers, to: TextIO) -> None:
    """Write answers as JSON Lines; :func:`read_variants` gives them back.

    Args:
        answers: The answers.
        to: An open text file.

    Raises:
        ValueError: Names of attributes or values leave no character to join them with.
    """
    producers = {factor.name: factor.rows for factor in answers.factors}
    golds, words_of = answers.gold_words.rows, answers.words.rows
    offered = None if answers.offered is None else answers.offered.rows
    for r, question in enumerate(answers.questions.tolist()):
        record: dict[str, Json] = {name: rows[r] for name, rows in producers.items()}
        record["qid"] = answers.question_ids[question]
        record["attribute"], record["value"] = _variant(answers, r)
        record["gold"], words = golds[r], words_of[r]
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
        if offered is not None:
            record["options"] = json.loads(offered[r])
        to.write(json.dumps(record, ensure_ascii=False) + "\n")


def n_not_read(answers: VariantAnswers) -> int:
    """Recorded answers to closed questions that name no option."""
    if answers.kind == "open" or not any(answers.words.values):
        return 0
    return int((answers.choices == UNKNOWN).sum())


def questions_of(rows: VariantColumns) -> Coded[str]:
    """The question of each row; ids that several datasets use are told apart by dataset."""
    datasets, questions = rows.of_producer(_DATASET), rows.question
    pairs = pl.DataFrame({"dataset": datasets.codes, "question": questions.codes})
    if pairs.unique().height == len(questions.values):
        return questions
    ids = encoded(datasets.column + "/" + questions.column)
    return Coded(tuple(ids.values), ids.codes)


def _documents(lists: Coded[tuple[str, ...] | None]) -> tuple[tuple[str, ...], IntArray, IndexArray]:
    """The documents of all rows, and where each row's list begins among them, by code."""
    places: dict[str, int] = {}
    by_list: list[IndexArray] = [
        np.array([places.setdefault(doc, len(places)) for doc in docs or ()], dtype=np.int32) for docs in lists.values
    ]
    sizes = np.array([docs.size for docs in by_list], dtype=np.int64)[lists.codes]
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    codes: list[int] = lists.codes.tolist() if places else []
    retrieved = [np.zeros(0, dtype=np.int32), *(by_list[code] for code in codes)]
    return tuple(places), offsets, np.concatenate(retrieved)


def _variant(answers: VariantAnswers, row: int) -> tuple[str, str]:
    """An attribute and a value as a row of a file has them.

    Raises:
        ValueError: No character that joins attributes is free of use in them.
    """
    mentioned = [a for a, code in enumerate(answers.given[row].tolist()) if code >= 0]
    names = [answers.attributes[a] for a in mentioned]
    values = [answers.values[a][int(answers.given[row, a])] for a in mentioned]
    if not names:
        return "none", answers.conditions[int(answers.condition[row])]
    for join in "+|×&":
        if len(names) == 1 or not any(join in name for name in (*names, *values)):
            return join.join(names), join.join(values)
    raise ValueError(f"no character is left to join {tuple(names)} and {tuple(values)} with")


def _offered(options: Coded[tuple[str, ...]]) -> Factor | None:
    """The options of each row as a JSON list, None where no row has any."""
    lists = options.mapped(lambda words: json.dumps(words, ensure_ascii=False))
    return lists.factor("options") if any(options.values) else None


def answers_in_words(value: VariantAnswers) -> str:
    """What kind of answers they are, and their options."""
    if not any(value.words.values):
        return "documents only"
    if value.kind == "open":
        return "open answers"
    letters = all(len(option) == 1 and option in LETTERS for option in value.options)
    shortest = "".join(value.options) if letters else ", ".join(shown(o, 20) for o in value.options)
    return f"closed answers {shortest}"


# What the rows say together: refused where they contradict themselves, noted where they are odd.

_VOTERS = 3
"""Two voters that differ are always tied: a vote begins with three."""
_NEUTRAL = "neutral"
"""The condition of reference that votes."""


class _Answered(NamedTuple):
    """All rows of a file.

    Attributes:
        rows: The rows.
        names: What they mention.
        questions: Their questions.
        read: What was answered.
        frame: (R) the number of each row, its ``producer``, ``question``, ``variant``, ``gold`` and ``choice`` by code.
        golds: Right answers in words, by code.
    """

    rows: VariantColumns
    names: VariantNames
    questions: Coded[str]
    read: ReadAnswers
    frame: pl.DataFrame
    golds: tuple[str, ...]

    @classmethod
    def of(cls, rows: VariantColumns, names: VariantNames, questions: Coded[str], read: ReadAnswers) -> "_Answered":
        """The rows with their codes."""
        words, golds = read.options, read.golds.astype(np.int32)
        if read.kind == "open":
            gold = rows.gold.mapped(lambda gold: " ".join(gold.split()))
            words, golds = gold.values, np.where(gold.told(bool), gold.codes, UNKNOWN).astype(np.int32)
        codes = {"producer": rows.producer.codes, "question": questions.codes, "variant": names.of}
        frame = pl.DataFrame(codes | {"gold": golds, "choice": read.choices}).with_row_index("row")
        return cls(rows, names, questions, read, frame, words)


_KNOWN = pl.col("gold") != UNKNOWN


def _check(answered: _Answered, notes: NoteBook) -> None:
    """Refuse rows that contradict each other, and a file that compares nothing; note what is odd.

    Raises:
        InputError: One producer answers a variant twice; right answers differ between the variants of a question; no
            two groups can be compared.
    """
    rows, read = answered.rows, answered.read
    _refuse_repeated(answered, notes.file)
    differing = _differing_golds(answered, notes.file)
    _check_values(answered.names, notes)
    if rows.has_predictions and not answered.frame.select(_KNOWN.any()).item():
        notes.add("no gold answers: accuracy and equal opportunity unavailable", rows.line(0))
    else:
        _note_golds(answered, differing, notes)
    if rows.has_predictions:
        _note_unread(answered, notes)
    _note_incomplete(answered, notes)
    if read.kind == "closed" and read.options:
        _note_tied_votes(answered, notes)


def _refuse_repeated(answered: _Answered, file: str) -> None:
    """Refuse a second answer of one producer to a variant of a question."""
    rows = answered.rows
    repeated = first_repeated(answered.frame.select("producer", "question", "variant"))
    if repeated is None:
        return
    row, before = repeated
    by = ", ".join(filter(None, rows.producer.at(row)))
    who = f" by {shown(by)}" if by else ""
    what = f"{shown(rows.question.at(row))} / {shown(rows.variant.at(row).words)}{who}"
    reason = f"duplicate prediction for {what} (line {rows.line(before)})"
    raise InputError(reason, file=file, line=rows.line(row), fix="Keep one answer of each.")


def _check_values(names: VariantNames, notes: NoteBook) -> None:
    """Refuse a file in which no two groups can be compared; note an attribute of one value."""
    if not names.attributes:
        reason = "no demographic variants found"
        fix = "Put all variants of a question into one file, with attribute and value on each row."
        raise InputError(reason, file=notes.file, fix=fix)
    single = [a for a, values in zip(names.attributes, names.values, strict=True) if len(values) < 2]
    for attribute in single:
        reason = f"attribute {shown(attribute)} has a single value: nothing to compare"
        if len(single) == len(names.attributes):
            raise InputError(reason, file=notes.file, fix="Put all variants of a question into one file.")
        notes.add(reason)


def _differing_golds(answered: _Answered, file: str) -> pl.DataFrame:
    """The rows whose right answer is not that of the first row of their question.

    A file in which every group has one right answer in all its (two or more) questions is of another design: the group
    decides the answer. Any other is refused.

    Raises:
        InputError: Right answers differ between the variants of a question.
    """
    known = answered.frame.filter(_KNOWN)
    differing = known.with_columns(pl.col("gold", "row").first().over("question").name.prefix("first_"))
    differing = differing.filter(pl.col("gold") != pl.col("first_gold"))
    by_variant = known.group_by("variant").agg(pl.col("gold", "question").n_unique())
    if by_variant.select(((pl.col("gold") == 1) & (pl.col("question") > 1)).all()).item():
        return differing
    rows: list[tuple[int, int, int, int]] = differing.select("row", "gold", "first_row", "first_gold").rows()
    for row, gold, before, first in rows[:1]:
        here, other = shown(answered.golds[gold]), shown(answered.golds[first])
        question = shown(answered.rows.question.at(row))
        reason = f"gold answer of {question} is {here} here but {other} on line {answered.rows.line(before)}"
        fix = "All variants of a question have one right answer; correct it or drop the question."
        raise InputError(reason, file=file, line=answered.rows.line(row), fix=fix)
    return differing


def _note_golds(answered: _Answered, differing: pl.DataFrame, notes: NoteBook) -> None:
    """Note rows without a right answer, that the group decides it, and options never right for one group."""
    rows, frame = answered.rows, answered.frame
    without = frame.filter(~_KNOWN)["row"]
    if 0 < without.len() < rows.n_rows:
        message = f"{part_of(without.len(), plural(rows.n_rows, 'row'), 'has', 'have')} no gold answer"
        notes.add(message, rows.line(without[0]))
    if not differing.is_empty():
        n_questions = plural(differing["question"].n_unique(), "question")
        message = f"gold answers differ between the variants of {n_questions}, by group"
        notes.add(message, rows.line(differing["row"][0]))
    if answered.read.kind == "closed":
        _note_groups(answered, notes)


def _note_groups(answered: _Answered, notes: NoteBook) -> None:
    """Note the options that are right for one group of an attribute, and never for another."""
    names = answered.names
    golds = answered.frame.select("variant", "gold").unique()
    for a, values in enumerate(names.values):
        given = names.codes[golds["variant"].to_numpy(), a]
        right = [set(golds["gold"].filter(given == code)) - {UNKNOWN} for code in range(len(values))]
        for own, value in zip(right, values, strict=True):
            for option in sorted(set[int]().union(*right) - own):
                lacks = f"group {shown(value)} has no gold {shown(answered.golds[option])}"
                notes.add(f"{lacks}: TPR undefined", kind="no gold")


def _note_unread(answered: _Answered, notes: NoteBook) -> None:
    """Note answers that are empty, or name no option.

    The number of those that need parsing counts beside them the answers that are no right option
    as it stands, such as "B. Cross-linking".
    """
    rows, read = answered.rows, answered.read
    if read.kind == "open":
        odd = np.flatnonzero(rows.prediction.told(lambda said: not (said or "").strip()))
        if odd.size:
            message = f"{part_of(odd.size, plural(rows.n_rows, 'answer'), 'is', 'are')} empty"
            notes.add(message, rows.line(int(odd[0])))
        return
    if set(read.read_by) - {LETTER, LETTER_IN_WORDS, TEXT}:
        by = ", ".join(f"{rule} {count(n)}" for rule, n in read.read_by.items())
        notes.add(f"answers read by: {by}")
    unread = answered.frame.filter(pl.col("choice") == UNKNOWN)
    if unread.is_empty():
        return
    odd = np.flatnonzero(rows.prediction.told(lambda said: (said or "").strip() not in read.right))
    by_label: Counter[str] = Counter()
    for variant, n in unread.group_by("variant", maintain_order=True).len().iter_rows():
        by_label[answered.names.label(variant)] += n
    by_group = by_label.most_common()
    groups = ", ".join(f"{shown(label, 30)} {count(n)}" for label, n in by_group[:12])
    more = ", …" if len(by_group) > 12 else ""
    message = f"{part_of(odd.size, plural(rows.n_rows, 'prediction'), 'needs', 'need')} parsing"
    n_unread = unread.height
    says = "one names no option and counts" if n_unread == 1 else f"{count(n_unread)} name no option and count"
    notes.add(f"{message}; {says} as no answer: {groups}{more}", rows.line(int(odd[0])))


def _note_incomplete(answered: _Answered, notes: NoteBook) -> None:
    """Note questions that lack a variant which others of their producer have."""
    frame, names = answered.frame, answered.names
    sets = frame.group_by("producer", "question", maintain_order=True).agg(pl.col("row").first(), "variant")
    all_variants = frame.group_by("producer").agg(pl.col("variant").unique().alias("all"))
    sets = sets.join(all_variants, on="producer", maintain_order="left")
    lacking = sets.filter(pl.col("variant").list.len() < pl.col("all").list.len())
    if lacking.is_empty():
        return
    first = lacking.filter(pl.col("producer") == pl.col("producer").min()).row(0, named=True)
    missing = set(first["all"]) - set(first["variant"])
    variant = next(v for v in np.lexsort(names.codes.T[::-1]).tolist() if v in missing)
    what = "questions" if all_variants.height == 1 else "sets of variants"
    complete = part_of(sets.height - lacking.height, f"{count(sets.height)} {what}", "is", "are")
    question = answered.rows.question.at(first["row"])
    notes.add(f"question {shown(question)} lacks variant {shown(names.label(variant))}; {complete} complete")


def _note_tied_votes(answered: _Answered, notes: NoteBook) -> None:
    """Note tied majority votes, and a file of one question.

    Those vote who vote by default where votes are measured: every variant about somebody and the
    neutral question; an original question does not. Unreadable answers are one answer of their own.

    One question with two values is a pair that speaks for itself; with more values the largest
    difference over groups looks like a rate, and can only be 0 or 1.
    """
    names = answered.names
    neutral = [names.conditions.index(_NEUTRAL)] if _NEUTRAL in names.conditions else []
    voters = answered.frame.filter(np.isin(names.condition, [NOT_MENTIONED, *neutral]))
    cast_votes = voters.group_by("producer", "question", "choice").len("n")
    is_largest = pl.col("n") == pl.col("n").max()
    votes = cast_votes.group_by("producer", "question").agg(pl.col("n").sum(), is_largest.sum().alias("n_largest"))
    decided = votes.filter(pl.col("n") >= _VOTERS)
    n_tied = decided.filter(pl.col("n_largest") > 1).height
    if n_tied:
        what = "question" if voters["producer"].n_unique() == 1 else "vote"
        message = f"majority vote tied on {count(n_tied)} of {plural(decided.height, what)}"
        who = "all groups and the neutral question vote" if neutral else "all groups vote"
        notes.add(f"{message} ({who}, unreadable answers as one answer)")
    if len(answered.questions.values) == 1 and any(len(values) > 2 for values in names.values):
        notes.add("1 question: disparity can only be 0 or 1")
