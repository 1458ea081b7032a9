"""The three JSONL files an experiment starts from: documents, questions, reference answers."""

from pathlib import Path
from typing import NamedTuple

from fairviz.errors import InputError
from fairviz.experiment.protocols import Document
from fairviz.formats.notes import NoteBook, shown
from fairviz.formats.source import as_source
from fairviz.formats.strict_json import Json, json_type, parse_json
from fairviz.formats.text import whole_text


class _Record(NamedTuple):
    """One line of a JSONL file and where it stands."""

    file: str
    line: int
    fields: dict[str, Json]

    def text(self, name: str) -> str:
        """A field that must be a text with something in it."""
        value = self.fields.get(name)
        if not isinstance(value, str) or not value.strip():
            raise self.error(f'"{name}" must be a text')
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """A field that must be a list of at least one text."""
        value = self.fields.get(name)
        items = value if isinstance(value, list) else []
        texts = tuple(item for item in items if isinstance(item, str))
        if not texts or len(texts) < len(items):
            raise self.error(f'"{name}" must be a list of texts')
        return texts

    def error(self, reason: str) -> InputError:
        """An error at this line."""
        return InputError(reason, file=self.file, line=self.line)


def read_corpus(path: Path) -> list[Document]:
    """Documents ``{doc_id, title, text}`` in file order; further fields are left alone.

    Raises:
        InputError: If the file cannot be read or a document stands twice.
    """
    records = _distinct_records(path, "doc_id")
    return [
        Document(doc_id, record.text("title"), record.text("text"))
        for doc_id, record in records.items()
    ]


def read_questions(path: Path) -> dict[str, str]:
    """Questions ``{query_id, text}`` by query id, in file order.

    Raises:
        InputError: If the file cannot be read or a query stands twice.
    """
    records = _distinct_records(path, "query_id")
    return {query_id: record.text("text") for query_id, record in records.items()}


def read_references(path: Path) -> dict[str, tuple[str, ...]]:
    """Reference answers ``{query_id, answers[]}`` by query id.

    Raises:
        InputError: If the file cannot be read or a query stands twice.
    """
    records = _distinct_records(path, "query_id")
    return {query_id: record.texts("answers") for query_id, record in records.items()}


def _distinct_records(path: Path, key: str) -> dict[str, _Record]:
    found: dict[str, _Record] = {}
    for record in _records(path):
        name = record.text(key)
        if name in found:
            first = found[name].line
            raise record.error(f"{key} {shown(name)} stands twice, first on line {first}")
        found[name] = record
    if not found:
        raise InputError("the file is empty", file=str(path))
    return found


def _records(path: Path) -> list[_Record]:
    source = as_source(path)
    text = whole_text(source, NoteBook(source.name))
    records: list[_Record] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        fields = parse_json(line, file=source.name, line=number)
        if not isinstance(fields, dict):
            reason = f"expected a JSON object, got {json_type(fields)}"
            raise InputError(reason, file=source.name, line=number)
        records.append(_Record(source.name, number, fields))
    return records
