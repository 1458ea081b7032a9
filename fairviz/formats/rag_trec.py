"""Answers of the TREC RAG track: ``references`` and an ``answer`` of cited sentences.

2024 (https://trec-rag.github.io): ``run_id``, ``topic_id``, ``topic``, citations as positions in
``references``, from 0. 2025: the same under ``metadata`` with ``narrative_id`` and ``narrative``;
citations as positions or as document ids.
"""

from dataclasses import dataclass
from typing import NamedTuple

from fairviz.errors import InputError
from fairviz.formats.fields import Fields
from fairviz.formats.limits import LONG_ANSWER
from fairviz.formats.notes import NoteBook, shown
from fairviz.formats.output_rows import OutputRow, Producer
from fairviz.formats.strict_json import Json, json_type


@dataclass
class CitationBase:
    """Whether the citations of a file look as if they counted from 1."""

    any_zero: bool = False
    reach_end: int | None = None  # first line with a citation equal to the number of references
    n_references: int = 0
    beyond: bool = False

    def see(self, citation: int, n_references: int, line: int) -> None:
        """Take in one citation."""
        self.any_zero |= citation == 0
        self.beyond |= citation > n_references
        if citation == n_references and self.reach_end is None:
            self.reach_end, self.n_references = line, n_references

    def note(self, book: NoteBook) -> None:
        """Say so where they do."""
        if self.reach_end is not None and not self.any_zero and not self.beyond:
            n = self.n_references
            message = f"citations look 1-based (never 0, reach {n} of {n} references)"
            book.add(f"{message}; they are read from 0", self.reach_end)


class _Where(NamedTuple):
    line: int
    book: NoteBook

    def refuse(self, reason: str) -> InputError:
        return InputError(reason, file=self.book.file, line=self.line, fix="See the track's format description.")

    def note(self, message: str, kind: str) -> None:
        self.book.add(message, self.line, kind=kind)


def is_trec_rag(record: dict[str, Json]) -> bool:
    """Whether a record is meant as a TREC RAG answer."""
    return "metadata" in record or "topic_id" in record or "narrative_id" in record


def trec_row(record: dict[str, Json], line: int, stem: str, base: CitationBase, book: NoteBook) -> OutputRow:
    """One TREC RAG answer.

    Args:
        record: The object on the line.
        line: Its line.
        stem: The system's name where the record has no run id.
        base: Takes in the citations.
        book: Where oddities are noted.

    Raises:
        InputError: A field is missing or of another type.
    """
    where = _Where(line, book)
    metadata = record.get("metadata", record)
    if not isinstance(metadata, dict):
        raise where.refuse(f"metadata must be an object, found {json_type(metadata)}")
    about = Fields(metadata, line, book.file)
    key = "topic_id" if "topic_id" in metadata else "narrative_id"
    query = about.identifier(key)
    if "\0" in query:
        where.note(f"NUL character in {key}", "nul id")
    missing = [key for key in ("references", "answer") if key not in record]
    if missing:
        raise where.refuse(f"missing {'/'.join(missing)}")
    references = _references(record["references"], where)
    answer = record["answer"]
    if not isinstance(answer, list):
        raise where.refuse(f"answer must be an array of sentences, found {json_type(answer)}")
    if not answer:
        where.note("empty answer", "empty answer")
    sentences: list[str] = []
    known = set(references)
    cited: dict[str, None] = {}
    for i, sentence in enumerate(answer):
        text, docs = _sentence(sentence, i, references, known, base, where)
        sentences.append(text)
        cited.update(dict.fromkeys(docs))
    text = " ".join(sentences)
    n_words = len(text.split())
    if n_words > LONG_ANSWER:
        where.note(f"answer is {n_words} words long", "long answer")
    _check_length(metadata.get("response_length", record.get("response_length")), n_words, where)
    return OutputRow(
        line=line,
        producer=Producer(about.optional_text("run_id") or stem),
        query=query,
        sample="1",
        given_from="references",
        given=list(dict.fromkeys(references)),
        attributed=list(cited),
        text=text,
        utility=float("nan"),
        question=about.optional_text("topic" if key == "topic_id" else "narrative"),
        id_type=json_type(metadata[key]),
    )


def _references(value: Json, where: _Where) -> list[str]:
    if not isinstance(value, list):
        raise where.refuse(f"references must be an array, found {json_type(value)}")
    references: list[str] = []
    seen: set[str] = set()
    for reference in value:
        if not isinstance(reference, str):
            raise where.refuse(f"a reference must be a string, found {json_type(reference)}")
        if reference in seen:
            where.note(f"duplicate reference {shown(reference)}", "duplicate reference")
        references.append(reference)
        seen.add(reference)
    return references


def _sentence(
    sentence: Json,
    i: int,
    references: list[str],
    known: set[str],
    base: CitationBase,
    where: _Where,
) -> tuple[str, list[str]]:
    if not isinstance(sentence, dict):
        raise where.refuse(f"answer[{i}] must be an object, found {json_type(sentence)}")
    for key in ("text", "citations"):
        if key not in sentence:
            raise where.refuse(f"answer[{i}].{key} missing")
    text, citations = sentence["text"], sentence["citations"]
    if not isinstance(text, str):
        raise where.refuse(f"answer[{i}].text must be a string, found {json_type(text)}")
    if not isinstance(citations, list):
        raise where.refuse(f"answer[{i}].citations must be an array, found {json_type(citations)}")
    if not text.strip():
        where.note(f"answer[{i}].text is blank", "blank sentence")
    docs = [_cited(citation, i, references, known, base, where) for citation in citations]
    return text.strip(), [doc for doc in docs if doc is not None]


def _cited(
    citation: Json,
    i: int,
    references: list[str],
    known: set[str],
    base: CitationBase,
    where: _Where,
) -> str | None:
    """The document that a citation means, or None with a note where there is no such reference."""
    if isinstance(citation, str):
        if citation in known:
            return citation
        message = f"answer[{i}] cites {shown(citation)} which is not in references: ignored"
        where.note(message, "unknown citation")
        return None
    if isinstance(citation, bool) or not isinstance(citation, int):
        raise where.refuse(f"citation must be an integer: {_json_text(citation)}")
    if citation < 0:
        raise where.refuse(f"answer[{i}] has a negative citation: {citation}")
    base.see(citation, len(references), where.line)
    if citation >= len(references):
        where.note(
            f"answer[{i}] cites reference {citation} but there are {len(references)} references (0-based): ignored",
            "citation out of range",
        )
        return None
    return references[citation]


def _json_text(value: Json) -> str:
    return str(value) if isinstance(value, float) else json_type(value)


def _check_length(stated: Json, counted: int, where: _Where) -> None:
    """Note a length that no way of counting words explains."""
    if isinstance(stated, bool) or not isinstance(stated, int | float):
        return
    if abs(stated - counted) > max(10, counted // 10):
        where.note(f"response_length {stated:g} but counted {counted}", "response length")
