"""Recorded outputs in Parquet, a row per answer: system by system, and the answers of each sorted by query.

What `fairviz convert` writes of recorded outputs. What produced the answers stands once, at the end of the file, with
the row groups of each system; so a range of queries of one system is read alone, and without the words of its answers
where no measure reads them. Column `place` orders the queries as the file that was converted does.
"""

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, BinaryIO

import numpy as np
import pyarrow
import pyarrow.compute

from fairviz.io.arrow import numbers_of, text_ids
from fairviz.io.converted import as_it_says, damaged, said_in
from fairviz.io.rag import Producer
from fairviz.io.row_groups import TEXTS, GroupWriter, flat, lists, offsets_in, read_between, read_groups, texts
from fairviz.io.source import Source
from fairviz.lookup import encoded
from fairviz.model import GivenFrom, IndexArray, IntArray, Note, RagOutputs, Sentences
from fairviz.model.ranges import answers_to_queries

_pa: Any = pyarrow
_compute: Any = pyarrow.compute

KEY = b"fairviz outputs"
"""Under it the file says what it is, in JSON."""
VERSION = 1

_NEEDED = [
    ("query", _pa.string()),
    ("place", _pa.int64()),
    ("sample", _pa.string()),
    ("given", TEXTS),
    ("attributed", TEXTS),
    ("utility", _pa.float64()),
]
_WORDS = [
    ("text", _pa.string()),
    ("ends", _pa.list_(_pa.int64())),
    ("citations", _pa.list_(TEXTS)),
    ("question", _pa.string()),
]
SCHEMA = _pa.schema([*_NEEDED, *_WORDS])
"""Columns; the last four are the words of answers and of questions."""


def producer_of(outputs: RagOutputs) -> Producer:
    """What produced some outputs."""
    return Producer(**{name: getattr(outputs, name) for name in Producer._fields})


def produced_by(producer: Producer, outputs: RagOutputs) -> RagOutputs:
    """Outputs under the names of what produced them."""
    return replace(outputs, **producer._asdict())


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutOutputs:
    """What a file says of one system.

    Attributes:
        producer: What produced its answers.
        given_from: Where the documents given were recorded.
        sentences: Whether any answer records which sentence cites what.
        first_group: Its first row group.
        firsts: First query of each of its row groups.
        sizes: Answers, and documents in their lists, in each.
    """

    producer: Producer
    given_from: GivenFrom
    sentences: bool
    first_group: int
    firsts: tuple[str, ...]
    sizes: tuple[int, ...]


@dataclass(frozen=True)  # no slots: cached properties live in __dict__
class StoredOutputs:
    """One system of a converted file, of which any range of queries can be read.

    Attributes:
        path: Where it is; every process that reads of it finds it there.
        about: What the file says of the system.
    """

    path: str
    about: AboutOutputs

    def __getstate__(self) -> dict[str, object]:
        """What another process needs: it looks for the queries itself."""
        return {"path": self.path, "about": self.about}

    @cached_property
    def query_ids(self) -> tuple[str, ...]:
        """(Q) query ids in the order of the original."""
        table = read_groups(self.path, self._groups, ["query", "place"])
        codes, ids = encoded([text_ids(piece) for piece in table["query"].chunks])
        first = np.flatnonzero(np.diff(codes, prepend=-1))
        order: list[int] = np.argsort(numbers_of(table["place"].chunks)[first]).tolist()
        return tuple(ids[i] for i in order)

    def part(self, low: str = "", high: str | None = None, *, texts: bool = True) -> RagOutputs:
        """The answers to a range of queries, in the order of their ids.

        Args:
            low: First query.
            high: The query that follows the last; None = to the end.
            texts: Whether the words of the answers are read, and which sentence cites what.
        """
        columns = None if texts else [name for name, _ in _NEEDED]
        about = self.about
        table = read_between(self.path, "query", about.firsts, low, high, columns, first_group=about.first_group)
        return self._noun(table, texts=texts)[0]

    def whole(self) -> tuple[RagOutputs, dict[str, str]]:
        """All answers, in the order of the original, and the words of the questions that stand beside them."""
        table = read_groups(self.path, self._groups)
        outputs, places = self._noun(table, texts=True)
        asked = table.filter(_compute.is_valid(table["question"]))
        questions = dict(zip(asked["query"].to_pylist(), asked["question"].to_pylist(), strict=True))
        return answers_to_queries(outputs, np.argsort(places).astype(np.int64)), questions

    @property
    def _groups(self) -> range:
        return range(self.about.first_group, self.about.first_group + len(self.about.firsts))

    def _noun(self, table: Any, *, texts: bool) -> tuple[RagOutputs, IntArray]:
        """The noun that some rows are, and the place of each of its queries."""
        codes, ids = encoded([text_ids(piece) for piece in table["query"].chunks])
        first = np.flatnonzero(np.diff(codes, prepend=-1))
        given, attributed = table["given"].chunks, table["attributed"].chunks
        cited = flat(table["citations"].chunks) if texts and self.about.sentences else None
        held = [flat(one) for one in (given, attributed, cited or [])]
        docs, doc_ids = encoded([text_ids(piece) for pieces in held for piece in pieces])
        ends = np.cumsum([sum(map(len, pieces)) for pieces in held])
        outputs = RagOutputs(
            query_ids=tuple(ids),
            doc_ids=doc_ids,
            offsets=np.append(first, codes.size).astype(np.int64),
            samples=tuple(table["sample"].to_pylist()),
            given_from=self.about.given_from,
            given_offsets=offsets_in(given),
            given=docs[: ends[0]],
            attributed_offsets=offsets_in(attributed),
            attributed=docs[ends[0] : ends[1]],
            texts=tuple(table["text"].to_pylist()) if texts else ("",) * codes.size,
            utilities=numbers_of(table["utility"].chunks),
            sentences=_sentences(table, cited, docs[ends[1] :]) if cited else None,
            system="",
        )
        return produced_by(self.about.producer, outputs), numbers_of(table["place"].chunks)[first]


def stored_outputs(path: str | os.PathLike[str]) -> tuple[list[StoredOutputs], tuple[Note, ...]] | None:
    """The systems of a file and what reading the original left to be known; None where it is none of ours.

    Raises:
        InputError: It is damaged, or was written by another version.
    """
    found = said_in(path, KEY, VERSION)
    if found is None:
        return None
    with as_it_says(path):
        notes = tuple(Note(os.fspath(path), line, message) for line, message in found.said["notes"])
        systems = [AboutOutputs(**one | {"producer": Producer(**one["producer"])}) for one in found.said["systems"]]
        ends = [0, *(one.first_group + len(one.firsts) for one in systems)]
        if [one.first_group for one in systems] != ends[:-1] or ends[-1] != len(found.sizes):
            raise damaged(path)
        if any(len(one.firsts) != len(one.sizes) for one in systems) or set(SCHEMA.names) - found.columns:
            raise damaged(path)
    return [StoredOutputs(str(path), one) for one in systems], notes


def outputs_in_memory(source: Source) -> tuple[tuple[RagOutputs, ...], dict[str, str], tuple[Note, ...]] | None:
    """Converted outputs, all of them, the words of the questions, and notes; None where it is another file."""
    found = None if source.path is None else stored_outputs(source.path)
    if found is None:
        return None
    questions: dict[str, str] = {}
    outputs: list[RagOutputs] = []
    for stored in found[0]:
        noun, asked = stored.whole()
        outputs.append(noun)
        questions |= asked
    return tuple(outputs), questions, tuple(replace(note, file=source.name) for note in found[1])


class OutputsWriter(GroupWriter):
    """Writes a file range by range, one system after the other.

    Args:
        to: An open file.
    """

    def __init__(self, to: BinaryIO) -> None:
        super().__init__(to, SCHEMA, use_dictionary=["query"])
        self.systems: list[AboutOutputs] = []

    def write(self, part: RagOutputs, places: IntArray, questions: Sequence[str | None]) -> None:
        """Write a row group: queries sorted by id, behind all of their system that were written.

        Args:
            part: The answers.
            places: (Q) order of the queries in the original.
            questions: (O) words of the question of each answer, where they are kept with it.
        """
        producer = producer_of(part)
        if not self.systems or self.systems[-1].producer != producer:
            about = AboutOutputs(
                producer=producer,
                given_from=part.given_from,
                sentences=False,
                first_group=len(self.sizes),
                firsts=(),
                sizes=(),
            )
            self.systems.append(about)
        about = self.systems[-1]
        size = len(part.samples) + part.given.size + part.attributed.size
        self.systems[-1] = replace(
            about,
            sentences=about.sentences or part.sentences is not None,
            firsts=(*about.firsts, part.query_ids[0]),
            sizes=(*about.sizes, int(size)),
        )
        self._add(_cells(part, places, questions))

    def close(self, notes: Sequence[Note]) -> None:
        """Write what the file says of itself, and end it."""
        said = {
            "notes": [(note.line, note.message) for note in notes],
            "systems": [asdict(about) | {"producer": about.producer._asdict()} for about in self.systems],
        }
        self._end(KEY, VERSION, said)


def _cells(part: RagOutputs, places: IntArray, questions: Sequence[str | None]) -> list[Any]:
    owner = np.repeat(np.arange(len(part.query_ids)), part.n_samples)
    said = part.sentences or _none_of(len(part.samples))
    return [
        texts(owner.astype(np.int32), part.query_ids),
        _pa.array(places[owner]),
        _pa.array(part.samples, _pa.string()),
        lists(part.given_offsets, texts(part.given, part.doc_ids)),
        lists(part.attributed_offsets, texts(part.attributed, part.doc_ids)),
        _pa.array(part.utilities),
        _pa.array(part.texts, _pa.string()),
        lists(said.offsets, _pa.array(said.ends.astype(np.int64))),
        lists(said.offsets, lists(said.citation_offsets, texts(said.citations, part.doc_ids))),
        _pa.array(questions, _pa.string()),
    ]


def _none_of(n_answers: int) -> Sentences:
    nothing = np.empty(0, dtype=np.int32)
    offsets, none = np.zeros(n_answers + 1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    return Sentences(offsets=offsets, ends=np.empty(0, dtype=np.int64), citation_offsets=none, citations=nothing)


def _sentences(table: Any, cited: list[Any], citations: IndexArray) -> Sentences:
    ends = table["ends"].chunks
    return Sentences(
        offsets=offsets_in(ends), ends=numbers_of(flat(ends)), citation_offsets=offsets_in(cited), citations=citations
    )
