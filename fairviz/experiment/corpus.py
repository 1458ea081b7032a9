"""The documents of an experiment; questions and answers are read by ``formats.words``."""

from contextlib import closing
from pathlib import Path

from fairviz.errors import InputError
from fairviz.experiment.protocols import Document
from fairviz.formats.fields import Fields
from fairviz.formats.json_lines import json_records
from fairviz.formats.notes import NoteBook, Parsed, shown
from fairviz.formats.source import as_source


def read_documents(path: Path) -> Parsed[list[Document]]:
    """Read documents ``{doc_id, title?, text}`` in file order; further fields are left alone.

    Unlike :func:`fairviz.formats.words.read_corpus` it keeps titles apart: they are searched, and
    are no sentence of an answer.

    Raises:
        InputError: If the file cannot be read or a document stands twice.
    """
    source = as_source(str(path))
    book = NoteBook(source.name)
    documents: list[Document] = []
    lines: dict[str, int] = {}
    with closing(json_records(source, book)) as records:
        for line, record in records:
            fields = Fields(record, line, source.name)
            doc_id = fields.identifier("doc_id")
            if doc_id in lines:
                reason = f"doc_id {shown(doc_id)} stands twice (first on line {lines[doc_id]})"
                raise InputError(reason, file=source.name, line=line, fix="Keep one.")
            lines[doc_id] = line
            documents.append(Document(doc_id, fields.text("title"), fields.text("text")))
    label = f"{len(documents):,} documents"
    return Parsed(value=documents, file=source.name, format=label, notes=book.notes, lines=lines)
