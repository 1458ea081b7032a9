"""What bias questions are asked with: items and documents of files.

Both ways end in the same :class:`Material`, so that nothing behind it knows where a question is from.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, TextIO, TypeAlias

import numpy as np

from fairviz.experiments.bias.config import BiasConfig, DocumentTable
from fairviz.experiments.inputs import option_order
from fairviz.experiments.protocols import Document
from fairviz.io.answer_table import Column, Layout, one_string, read_rows
from fairviz.io.bbq import read_bias_items, write_bias_items
from fairviz.io.names import folded, is_blank
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.source import FileInput, Source, as_source, reader
from fairviz.model import BiasItems, Note
from fairviz.model.bias import NO_TARGET
from fairviz.numerals import plural
from fairviz.studies.social_bias.matching import items_at, merged_items

POLARITIES = ("stereo", "anti", "neutral")
"""Of documents; a neutral one is in the full collection alone."""

Case: TypeAlias = Literal["ambiguous", "stereotyped", "counter-stereotyped", "undefined"]
"""What the right answer is: "unknown", the biased option, the other one; or the biased option is undefined."""


class BiasQuestion(NamedTuple):
    """One item, as it is asked.

    Attributes:
        category: Bias type.
        example_id: Its id, unique in a language and category.
        language: In which it is asked.
        context, question, options: Its words.
        gold: Place of the right option.
        case: What its right answer says of the stereotype.
    """

    category: str
    example_id: str
    language: str
    context: str
    question: str
    options: tuple[str, ...]
    gold: int
    case: Case


class Material(NamedTuple):
    """What an experiment on bias starts from.

    Attributes:
        questions: The items in the order of their files.
        write_items: Writes the items of some places, in their order, with all that their analysis needs.
        documents: The full collection.
        documents_file: Where they are from, for errors.
        notes: What the readers repaired.
    """

    questions: Sequence[BiasQuestion]
    write_items: Callable[[Sequence[int], TextIO], object]
    documents: Sequence[Document]
    documents_file: str
    notes: tuple[Note, ...]


def material_of_files(settings: BiasConfig) -> Material:
    """The items of BBQ, CBBQ, KoBBQ or JBBQ files, and documents of one's own.

    An item that stands in two files is asked once.

    Raises:
        InputError: A file cannot be read, or two different items have one language, category and id.
    """
    parsed = [read_bias_items(str(path)) for path in settings.items]
    merged = merged_items([part.value for part in parsed])
    if settings.limit is not None:
        merged = items_at(merged, np.arange(len(merged)) < settings.limit)
    if settings.shuffle:
        merged = shuffled_items(merged, settings.seed)
    notes = tuple(note for part in parsed for note in part.notes)
    documents: Sequence[Document] = ()
    if settings.corpus is not None:
        table = read_polar_documents(str(settings.corpus.file), settings.corpus)
        documents, notes = table.value, (*notes, *table.notes)

    def write_items(places: Sequence[int], to: TextIO) -> None:
        write_bias_items(items_at(merged, np.isin(np.arange(len(merged)), places)), to)

    return Material(
        questions=list(_questions(merged)),
        write_items=write_items,
        documents=documents,
        documents_file=str(settings.corpus.file) if settings.corpus else "",
        notes=notes,
    )


@reader
def read_polar_documents(file: FileInput | Source, columns: DocumentTable) -> Parsed[list[Document]]:
    """Read documents with their polarity from a table: TSV, CSV, JSON Lines or Parquet, plain or gzip'ed.

    In TSV a quote is a character of the text, as collections are written, and nothing is quoted.

    Args:
        file: The table.
        columns: What its columns are called; a column of titles may be missing.

    Raises:
        InputError: A column is missing, an id or a text is empty, an id stands twice, or a polarity is none.
    """
    source = as_source(file)
    notes = NoteBook(source.name)
    required = tuple(map(folded, (columns.id, columns.text, columns.polarity)))
    of_id, of_text, of_polarity = (Column(one_string, (name,), filled=True) for name in required)
    of_title = Column(one_string, (folded(columns.title),))
    fix = "Say in corpus = { … } what the columns of id, text and polarity are called."
    documents: list[Document] = []
    lines: dict[str, int] = {}
    for row in read_rows(source, Layout(fix, required), notes, quoted_tabs=False):
        doc_id = of_id.of(row).strip()
        if lines.setdefault(doc_id, row.line) != row.line:
            raise row.wrong(f"{columns.id} {shown(doc_id)} stands twice (first on line {lines[doc_id]})", "Keep one.")
        polarity = of_polarity.of(row).strip().lower()
        if polarity not in POLARITIES:
            reason = f"{columns.polarity} {shown(polarity)} is none of {', '.join(POLARITIES)}"
            raise row.wrong(reason, "Write one of them.")
        title = of_title.of(row).strip()
        documents.append(Document(doc_id, "" if is_blank(title) else title, of_text.of(row).strip(), polarity))
    label = f"{plural(len(documents), 'document')} with polarity"
    return notes.parsed(documents, label, lines)


def write_documents(documents: Sequence[Document], to: TextIO) -> None:
    """Write documents as JSON Lines, a title where there is one."""
    for document in documents:
        record = {"doc_id": document.doc_id, "text": document.text, "polarity": document.polarity}
        if document.title:
            record["title"] = document.title
        to.write(json.dumps(record, ensure_ascii=False) + "\n")


def write_polarity(documents: Sequence[Document], to: TextIO) -> None:
    """Write the polarity of documents as group labels."""
    to.write("doc_id\tpolarity\n")
    to.writelines(f"{document.doc_id}\t{document.polarity}\n" for document in documents)


def shuffled_items(items: BiasItems, seed: int) -> BiasItems:
    """The items with the options of each in an order of its own."""
    names = (f"{q.language} {q.category} {q.example_id}" for q in _questions(items))
    orders = [option_order(3, seed, name) for name in names]
    places = np.argsort(np.array(orders).reshape(-1, 3), axis=1).astype(np.int8)  # where each option went
    rows = np.arange(len(items))
    return replace(
        items,
        gold=places[rows, items.gold],
        unknown=places[rows, items.unknown],
        target=np.where(items.target == NO_TARGET, NO_TARGET, places[rows, items.target]).astype(np.int8),
        options=_reordered(items.options, orders),
        groups=_reordered(items.groups, orders),
    )


def _reordered(options: Sequence[tuple[str, ...]], orders: Sequence[Sequence[int]]) -> tuple[Any, ...]:
    """Three words of each item in its order; those of an item that has none are left."""
    return tuple(
        tuple(words[i] for i in order) if words else words for words, order in zip(options, orders, strict=False)
    )


def _questions(items: BiasItems) -> list[BiasQuestion]:
    category_codes: list[int] = items.categories.codes.tolist()
    language_codes: list[int] = items.languages.codes.tolist()
    categories = [items.categories.values[code] for code in category_codes]
    languages = [items.languages.values[code] for code in language_codes]
    golds: list[int] = items.gold.tolist()
    cases = map(case_of, golds, items.unknown.tolist(), items.target.tolist())
    columns = (categories, items.ids, languages, items.contexts, items.questions, items.options, golds, cases)
    return [BiasQuestion(*cells) for cells in zip(*columns, strict=True)]


def case_of(gold: int, unknown: int, target: int) -> Case:
    """What the right answer of an item is, by the places of the right, the unknown and the biased option."""
    if target == NO_TARGET:
        return "undefined"
    if gold == unknown:
        return "ambiguous"
    return "stereotyped" if gold == target else "counter-stereotyped"
