"""From recorded outputs to :mod:`fairviz.io.by_output`, sorted by system and query, however large the file.

Answers are read once and put on the disk one behind the other; what is sorted is where they stand. Then they are taken
query by query, some at a time, and made into nouns as those of a whole file are. Memory holds one range of answers, and
each query id twice.
"""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import BinaryIO, NamedTuple

import numpy as np

from fairviz.errors import InputError
from fairviz.io.by_output import AboutOutputs, OutputsWriter
from fairviz.io.convert import ANY_SIZE, Told
from fairviz.io.door import reader
from fairviz.io.notes import NoteBook
from fairviz.io.rag import Answers, OutputRow, Producer, check_queries, given_to_some, outputs_of
from fairviz.io.sorted_pieces import SortedPieces, folder_beside
from fairviz.io.source import FileInput, Source, as_source
from fairviz.io.whole import whole_file
from fairviz.model import IntArray, Note

PIECE = 2_000_000
"""Answers whose places are sorted at a time."""
GROUP = 16_000_000
"""Bytes of answers in a row group, the least that is read of a file: a query more or less."""
BATCH = 4_096
"""Answers whose places are handed on at a time."""
DIGITS = 8
"""Of the number of a system, which stands before the id of a query."""


class ConvertedOutputs(NamedTuple):
    """What was written.

    Attributes:
        systems: What the file says of each system.
        n_queries: Distinct queries of all systems.
        n_answers: Answers of all systems.
        notes: What the reader repaired.
    """

    systems: tuple[AboutOutputs, ...]
    n_queries: int
    n_answers: int
    notes: tuple[Note, ...]


@reader
def convert_outputs(
    file: FileInput | Source,
    to: str,
    *,
    told: Told = Told(),  # noqa: B008 -- it has no state
    piece: int = PIECE,
    group: int = GROUP,
) -> ConvertedOutputs:
    """Write recorded outputs as Parquet, system by system and sorted by query.

    Args:
        file: A path or ``(name, bytes)`` of any format that :func:`~fairviz.io.rag.read_outputs` reads; JSON Lines and
            arrays of any size, but logs of other tools are read in memory.
        to: The file to write, whole or not at all.
        told: Who is told how far it is, in answers.
        piece: Answers sorted at a time.
        group: Bytes of answers in a row group.

    Raises:
        InputError: The file cannot be read.
        OutputError: The result cannot be written.
    """
    source = replace(as_source(file), limit=ANY_SIZE, told=told.read)
    notes = NoteBook(source.name)
    with whole_file(to) as result, folder_beside(to) as folder, (folder / "answers").open("wb+") as kept:
        held = _Held(kept, SortedPieces(folder, piece))
        with closing(Answers(source, notes).rows()) as rows:
            for row in rows:
                held.add(row, source.name)
        check_queries(held.lines, notes)
        if held.refused:
            raise held.refused[min(held.refused)]
        told.sorting(held.n_answers)
        with OutputsWriter(result) as writer:
            for producer, answers, places in held.ranges(group):
                part = outputs_of(producer, answers, source.name)
                writer.write(part, places, [row.question for row in answers])
                told.wrote(len(answers))
            writer.close(notes.collected)
    return ConvertedOutputs(tuple(writer.systems), len(held.lines), held.n_answers, notes.collected)


@dataclass(slots=True)
class _Held:
    """The answers of a file on the disk, and where each stands, sorted by system and query.

    Attributes:
        kept: The answers, as JSON.
        places: Where they are.
        lines: First line of each query.
        refused: Why answers of a system cannot be one noun, by its number.
    """

    kept: BinaryIO
    places: SortedPieces
    lines: dict[str, int] = field(default_factory=dict[str, int])
    refused: dict[int, InputError] = field(default_factory=dict[int, InputError])
    n_answers: int = 0
    _producers: dict[Producer, int] = field(default_factory=dict[Producer, int])
    _given_from: list[str] = field(default_factory=list[str])
    _asked: set[str] = field(default_factory=set[str])
    _end: int = 0
    _waiting: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])

    def add(self, row: OutputRow, file: str) -> None:
        """Take one answer."""
        number = self._producers.setdefault(row.producer, len(self._producers))
        if number == len(self._given_from):
            self._given_from.append(row.given_from)
        elif row.given_from != self._given_from[number]:
            self.refused.setdefault(number, given_to_some(row, file))
        self.lines.setdefault(row.query, row.line)
        if row.query in self._asked:  # the words of a question stand with the first answer that has them
            row = row._replace(question=None)
        elif row.question:
            self._asked.add(row.query)
        said = json.dumps(row[:1] + row[2:], ensure_ascii=False).encode()
        self.kept.write(said)
        ids = self.places.ids.codes
        known = ids.setdefault(f"{number:0{DIGITS}d}{row.query}", len(ids))
        self._waiting.append((known, self._end, len(said)))
        self._end += len(said)
        self.n_answers += 1
        if len(self._waiting) >= BATCH:
            self._hand_on()

    def _hand_on(self) -> None:
        if self._waiting:
            known, starts, sizes = np.array(self._waiting, dtype=np.int64).T
            self.places.add(known.astype(np.int32), {"start": starts.copy(), "size": sizes.copy()})
            self._waiting = []

    def ranges(self, size: int) -> Iterator[tuple[Producer, list[OutputRow], IntArray]]:
        """All answers, some queries of one system at a time, and the place of each of these in the file.

        Args:
            size: Bytes at a time, but for a query that has more.
        """
        self._hand_on()
        self.kept.flush()
        producers = list(self._producers)
        at_a_time = max(size * self.n_answers // max(self._end, 1), 1)
        for one in self.places.ranges(at_a_time):
            starts, sizes = one.columns["start"], one.columns["size"]
            of: list[int] = one.of.tolist()
            numbers = [int(name[:DIGITS]) for name in one.ids]
            for number, rows in groupby(range(len(of)), key=lambda row: numbers[of[row]]):
                chosen = list(rows)
                answers = [self._read(starts[row], sizes[row], producers[number]) for row in chosen]
                yield producers[number], answers, one.places[of[chosen[0]] : of[chosen[-1]] + 1]

    def _read(self, start: int, size: int, producer: Producer) -> OutputRow:
        self.kept.seek(int(start))
        line, *rest = json.loads(self.kept.read(int(size)))
        return OutputRow(line, producer, *rest)
