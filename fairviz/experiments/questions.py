"""Questions with options, in the layouts in which medical questions are given away.

========= =========================================================================================
own       ``query_id text options[] gold evidence[]``: gold a letter, evidence the documents that show it
MedQA     ``question options{A: …} answer answer_idx``, without ids (Jin et al. 2021)
MedMCQA   ``id question opa opb opc opd cop``: 1 to 4, or 0 to 3 (Pal et al. 2022)
MMLU      ``question choices[] answer``: 0 to 3 (Hendrycks et al. 2021)
MIRAGE    ``{DATASET: {ID: {question, options{A: …}, answer}}}``, or one dataset of it (Xiong et al. 2024)
AMQA      ``question_id original_question desensitized_question adv_question_white … options answer_idx``: every
          question is there about eight people, which take the place of variants made here
variants  ``qid attribute value text gold``, a line each: as :mod:`fairviz.experiments.people` writes them;
          right answers yes, no, maybe or true, false need no options
========= =========================================================================================
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from fairviz.errors import InputError
from fairviz.experiments.people import NEUTRAL, Variant
from fairviz.experiments.protocols import Document
from fairviz.io.answer_table import AnswerColumn, ids, one_string, read_rows, text_or_number
from fairviz.io.answer_text import FAMILIES, LETTERS, as_word, loosely
from fairviz.io.corpus import read_queries, read_references, read_titled
from fairviz.io.json import FileRow, Json, are_lines, as_place, as_text, json_records, key_line, parse_json
from fairviz.io.names import folded, is_blank
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.source import FileInput, Source, as_source, reader
from fairviz.io.text import head_of, whole_text
from fairviz.model import IndexArray, Note
from fairviz.numerals import plural
from fairviz.resources import content


def chance(seed: int, name: str) -> np.random.Generator:
    """The source of chance of one thing, whatever the others are."""
    return np.random.default_rng([seed, int.from_bytes(sha256(name.encode()).digest()[:8], "big")])


def option_order(n: int, seed: int, name: str) -> list[int]:
    """Which option stands where when the options of an item are shuffled.

    Args:
        n: Options.
        seed: Of the experiment.
        name: Of the item; each has an order of its own, whatever the others are.

    Examples:
        >>> option_order(3, 0, "Age-1") == option_order(3, 0, "Age-1"), sorted(option_order(4, 1, "q"))
        (True, [0, 1, 2, 3])
    """
    order: list[int] = chance(seed, name).permutation(n).tolist()
    return order


def read_documents(file: FileInput | Source) -> Parsed[list[Document]]:
    """Read documents ``{doc_id or _id, title?, text}`` in file order; further fields are left alone.

    Unlike :func:`fairviz.io.corpus.read_corpus` it keeps titles apart: they are searched, and
    are no sentence of an answer.

    Raises:
        InputError: If the file cannot be read or a document stands twice.
    """
    parsed = read_titled(file, "doc_id", required=False)
    return replace(cast("Parsed[Any]", parsed), value=[Document(doc_id, *of) for doc_id, of in parsed.value.items()])


def read_profiles(file: FileInput | Source, questions: Mapping[str, str]) -> dict[str, IndexArray]:
    """Ascending positions of each question's own documents: those whose ``query_id`` is its id, as in LaMP.

    Raises:
        InputError: If the file cannot be read, or a document names no question, or one that is not asked.
    """
    source = as_source(file)
    positions: dict[str, list[int]] = {query_id: [] for query_id in questions}
    notes = NoteBook(source.name)
    with closing(json_records(source, notes)) as records:
        for position, (line, record) in enumerate(records):
            query_id = FileRow(record, line, notes).identifier("query_id")
            if query_id not in positions:
                reason = f"query_id {shown(query_id)} is that of no question"
                raise source.wrong(reason, "Leave the document out, or ask the question.", line)
            positions[query_id].append(position)
    return {query_id: np.array(own, dtype=np.int32) for query_id, own in positions.items()}


def read_collection(paths: Sequence[Path]) -> Parsed[list[Document]]:
    """Read the documents of several files, together one collection.

    Raises:
        InputError: If a file cannot be read or a document is in two of them.
    """
    parsed = [read_documents(path) for path in paths]
    documents = [document for part in parsed for document in part.value]
    seen: set[str] = set()
    for document in documents:
        if document.doc_id in seen:
            reason = f"doc_id {document.doc_id!r} is in two files of the collection"
            raise InputError(reason, file=str(paths[-1]), fix="Give each its own id.")
        seen.add(document.doc_id)
    label = f"{plural(len(documents), 'document')}"
    notes = tuple(note for part in parsed for note in part.notes)
    return Parsed(value=documents, file=str(paths[0]), format=label, notes=notes, lines={})


def read_referenced_questions(
    queries: Path, references: Path
) -> tuple[Mapping[str, str], Mapping[str, Sequence[str]], tuple[Note, ...]]:
    """Read questions, the right answers to each, at least one, and notes of what was repaired.

    Raises:
        InputError: If a file cannot be read, or a question has no answer.
    """
    questions, answers = read_queries(str(queries)), read_references(str(references))
    for query_id in questions.value:
        if not answers.value.get(query_id):
            fix = "Add a line with its query_id and answers."
            raise InputError(f"no answer to question {query_id}", file=answers.file, fix=fix)
    return questions.value, answers.value, (*questions.notes, *answers.notes)


# Documents, and questions with reference answers.


class ClosedQuestion(NamedTuple):
    """One question.

    Attributes:
        text: What is asked.
        options: Its options, in the order of their letters.
        gold: Letter of the right one.
        evidence: Ids of documents that show it, none: the collection cannot answer it; None: not known.
        people: The question about each person, where the file has them.
    """

    text: str
    options: tuple[str, ...]
    gold: str
    evidence: frozenset[str] | None = None
    people: tuple[Variant, ...] = ()


def shuffled(question: ClosedQuestion, seed: int, query_id: str) -> ClosedQuestion:
    """The question with its options in an order of its own.

    Examples:
        >>> asked = shuffled(ClosedQuestion("Why?", ("a", "b", "c"), "A"), 0, "q1")
        >>> sorted(asked.options), asked.options["ABC".index(asked.gold)]
        (['a', 'b', 'c'], 'a')
    """
    order = option_order(len(question.options), seed, query_id)
    gold = order.index(LETTERS.index(question.gold))
    return question._replace(options=tuple(question.options[i] for i in order), gold=LETTERS[gold])


_ID = AnswerColumn(text_or_number, ("query_id", "question_id", "qid", "id"))
_TEXT = AnswerColumn(one_string, ("text", "question", "original_question"), filled=True)
_OPTIONS = ("options", "choices")
_FOUR = tuple(AnswerColumn(text_or_number, (name,)) for name in ("opa", "opb", "opc", "opd"))
_COP = AnswerColumn(text_or_number, ("cop",))
_GOLD = AnswerColumn(text_or_number, ("gold", "answer_idx", "answer"))
_EVIDENCE = AnswerColumn(ids, ("evidence",))
_ATTRIBUTE, _VALUE = (AnswerColumn(one_string, (name,), filled=True) for name in ("attribute", "value"))

_FIX = "Known are the fields of MedQA, MedMCQA, MMLU and AMQA, and query_id, text, options, gold."


@reader
def read_closed_questions(source: Source) -> Parsed[dict[str, ClosedQuestion]]:
    """Read questions with options in file order: JSON Lines, a JSON array, CSV, TSV or Parquet, plain or gzip'ed.

    A question without an id is called by its place, from 0.

    Raises:
        InputError: If the file cannot be read, an id or a person stands twice, or a right answer is no option.
    """
    notes = NoteBook(source.name)
    rows = _nested(source, notes) or list(read_rows(source, _FIX, notes))
    first_option = _first_option(rows)
    questions: dict[str, ClosedQuestion] = {}
    lines: dict[str, int] = {}
    for number, row in enumerate(rows):
        if _ID.name_in(row.record) is None:
            notes.add("no query_id: questions are numbered from 0", row.line, kind="no id")
        query_id = str(number) if is_blank(_ID.of(row)) else _ID.of(row).strip()
        of_person = _ATTRIBUTE.name in row.record
        question = _question(row, query_id, first_option)
        before = questions.get(query_id)
        if before is not None:
            question = _joined(query_id, before, question, row, lines[query_id]) if of_person else None
        if question is None:
            reason = f"query_id {shown(query_id)} stands twice (first on line {lines[query_id]})"
            raise row.wrong(reason, "Keep one.")
        lines.setdefault(query_id, row.line)
        questions[query_id] = question
    label = f"{plural(len(questions), 'question')} with options"
    return notes.parsed(questions, label, lines)


def _nested(source: Source, notes: NoteBook) -> list[FileRow]:
    """The questions of MIRAGE's file, called DATASET-ID; none where it is another."""
    if source.is_parquet or head_of(source).lstrip()[:1] != b"{":
        return []
    text = whole_text(source, NoteBook(source.name))
    if are_lines(text):
        return []
    content = parse_json(text, file=source.name)
    whole = content if isinstance(content, dict) else {}
    if "question" in whole or not all(isinstance(entry, dict) for entry in whole.values()):
        return []
    rows: list[FileRow] = []
    for path, record in _records_in(whole, ()):
        fields = {folded(key): value for key, value in record.items()}
        rows.append(FileRow({**fields, _ID.name: "-".join(path)}, key_line(text, *path) or 1, notes, False))
    return rows


def _records_in(of: Mapping[str, Json], path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Mapping[str, Json]]]:
    """The innermost objects that are questions, and the names that lead to them."""
    for name, entry in of.items():
        if isinstance(entry, dict) and "question" in entry:
            yield (*path, name), entry
        elif isinstance(entry, dict) and len(path) < 1:
            yield from _records_in(entry, (*path, name))


def _question(row: FileRow, query_id: str, first_option: int | None) -> ClosedQuestion:
    options = _options(row)
    people = tuple(_people(row, query_id))
    neutral = [person.text for person in people if person.value == NEUTRAL]
    text = neutral[0] if neutral else _TEXT.of(row)
    evidence = _EVIDENCE.of(row)
    return ClosedQuestion(
        text, options, _gold(row, options, first_option), None if evidence is None else frozenset(evidence), people
    )


def _options(row: FileRow) -> tuple[str, ...]:
    name = next((name for name in _OPTIONS if name in row.record), None)
    if name is not None:
        options = _texts(row.record[name], row)
    elif all(column.name in row.record for column in _FOUR):
        options = tuple(column.of(row) for column in _FOUR)
    else:
        word = as_word(_GOLD.of(row))
        family = next((family for family in FAMILIES if word in family), frozenset[str]())
        options = tuple(name for name in ("yes", "true", "no", "false", "maybe") if name in family)
    if not 2 <= len(options) <= len(LETTERS) or any(map(is_blank, options)):
        raise row.wrong("options are no list of 2 to 10 texts", 'Write "options": ["…", "…"].')
    return options


def _texts(value: Json, row: FileRow) -> tuple[str, ...]:
    """Words of options from a list, an object with their letters, or either as text in a cell."""
    if isinstance(value, str) and value.strip()[:1] in ("[", "{"):
        value = parse_json(value, file=row.notes.file, line=row.line)
    if isinstance(value, dict):
        inner = value.get("text")
        value = inner if isinstance(inner, list) else [value[letter] for letter in sorted(value)]
    texts = [as_text(element) for element in value] if isinstance(value, list) else []
    return tuple(text.strip() for text in texts if text is not None) if None not in texts else ()


def _gold(row: FileRow, options: Sequence[str], first_option: int | None) -> str:
    """Letter of the right option, said by letter, in words, or by its place: from 0, MedMCQA's as it counts."""
    gold = _GOLD.of(row).strip() if _GOLD.name_in(row.record) else ""
    names = [loosely(option) for option in options]
    index: int | None = None
    if _COP.name in row.record and not gold:
        gold = _COP.of(row).strip()
        number = as_place(gold)
        index = None if number is None or first_option is None else number - first_option
    elif len(gold) == 1 and gold in LETTERS:
        index = LETTERS.index(gold)
    elif names.count(loosely(gold)) == 1:
        index = names.index(loosely(gold))
    else:
        index = as_place(gold)
    if index is None or not 0 <= index < len(options):
        reason = f"gold {shown(gold)} is the letter of no option"
        raise row.wrong(reason, f"Write one of {', '.join(LETTERS[: len(options)])}.")
    return LETTERS[index]


def _first_option(rows: Sequence[FileRow]) -> int | None:
    """What MedMCQA's ``cop`` calls the first option: 1 as it is published, 0 in mirrors; None where nothing says it."""
    places = {as_place(_COP.of(row).strip()) for row in rows if _COP.name in row.record}
    if 0 in places:
        return 0
    return 1 if 4 in places else None


def _people(row: FileRow, query_id: str) -> Iterator[Variant]:
    if _ATTRIBUTE.name in row.record:
        yield Variant(query_id, _ATTRIBUTE.of(row).strip(), _VALUE.of(row).strip(), _TEXT.of(row))
    elif "desensitized_question" in row.record:
        for name, (attribute, value) in content("experiments")["amqa"].items():
            text = as_text(row.record.get(name))
            if text is not None and not is_blank(text):
                yield Variant(query_id, attribute, value, text)


def _joined(query_id: str, before: ClosedQuestion, new: ClosedQuestion, row: FileRow, first: int) -> ClosedQuestion:
    """A question with one person more."""
    person = new.people[0]
    if (person.attribute, person.value) in {(other.attribute, other.value) for other in before.people}:
        reason = f"{shown(query_id)} / {shown(person.value)} stands twice"
        raise row.wrong(reason, "Keep one line for each person.")
    if (new.gold, new.options) != (before.gold, before.options):
        reason = f"options or gold of {shown(query_id)} are not those of line {first}"
        raise row.wrong(reason, "All people are asked one question.")
    text = person.text if person.value == NEUTRAL else before.text
    return before._replace(text=text, people=(*before.people, person))
