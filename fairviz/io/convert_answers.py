"""From recorded answers to bias questions to :mod:`fairviz.io.answers_by_item`, sorted by item, however many they are.

A table or JSON whose rows are plain is read some rows at a time and sorted in pieces
(:mod:`fairviz.io.sorted_pieces`). Logs of other tools, answers within the questions, and tables that only all rows at
once can tell, are read whole first, and then must fit into memory.
"""

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pyarrow

from fairviz.errors import InputError
from fairviz.io.answers_by_item import CATEGORY, CHOICE, ID, PLACE, WORDS, AboutAnswers, Writer
from fairviz.io.arrow import text_array
from fairviz.io.bbq_answers import (
    FACTORS,
    OddAnswers,
    answer_parts,
    note_case,
    note_unread,
    nothing_recorded,
    odd_answers,
    read_bias_predictions,
    refuse_blank_id,
    refuse_second_answers,
)
from fairviz.io.convert import ANY_SIZE, GROUP, PIECE, Told
from fairviz.io.door import reader
from fairviz.io.limits import MAX_TEXT
from fairviz.io.notes import NoteBook
from fairviz.io.sorted_pieces import Names, SortedPieces, SortedRange, folder_beside
from fairviz.io.source import FileInput, Source, as_source
from fairviz.io.whole import whole_file
from fairviz.model import BiasPredictions, Factor, IndexArray, Note


class ConvertedAnswers(NamedTuple):
    """What was written.

    Attributes:
        about: What the file says of itself.
        n_items: Items answered, as far as their ids tell.
        notes: What the reader repaired.
    """

    about: AboutAnswers
    n_items: int
    notes: tuple[Note, ...]


@reader
def convert_answers(
    file: FileInput | Source,
    to: str,
    *,
    told: Told = Told(),  # noqa: B008 -- it has no state
    piece: int = PIECE,
    group: int = GROUP,
) -> ConvertedAnswers:
    """Write recorded answers to bias questions as Parquet, sorted by item.

    Args:
        file: A path or ``(name, bytes)``, as :func:`fairviz.io.bbq_answers.read_bias_predictions` reads it; rows that
            are plain may be of any size together.
        to: The file to write, whole or not at all.
        told: Who is told how far it is.
        piece: Answers sorted at a time.
        group: Answers in a row group.

    Raises:
        InputError: The file cannot be read, or one producer answers an item twice.
        OutputError: The result cannot be written.
    """
    source = as_source(file)
    with whole_file(to) as result, folder_beside(to) as folder:
        try:
            found = _in_parts(replace(source, limit=ANY_SIZE, told=told.read), SortedPieces(folder, piece))
        except InputError:
            if source.stamp is not None and source.stamp.size > MAX_TEXT:
                raise
            found = _whole(replace(source, told=told.read), SortedPieces(folder, piece))
        told.sorting(found.pieces.n_rows)
        notes = NoteBook(source.name)
        with Writer(result, found.about) as writer:
            for one in found.pieces.ranges(group):
                _refuse_second(found, one, source.name)
                item = text_array(one.ids).take(pyarrow.array(one.of))
                writer.write({**one.columns, found.about.item: item})
                told.wrote(one.of.size)
            found.note(notes)
            about = writer.close(notes.collected)
    return ConvertedAnswers(about, len(found.pieces.ids.codes), notes.collected)


class _Found(NamedTuple):
    """Answers on the disk.

    Attributes:
        pieces: The answers.
        about: What their file will say of itself.
        line: The line of a row; None where no answer is a second one.
        note: Notes what is known of all.
    """

    pieces: SortedPieces
    about: AboutAnswers
    line: Callable[[int], int] | None
    note: Callable[[NoteBook], object]


class _Gathered:
    """Answers that are put on the disk part by part, and what is said of all of them."""

    def __init__(self, pieces: SortedPieces) -> None:
        self.pieces = pieces
        self.name = ""
        self.odd: list[OddAnswers] = []
        self._values = {name: Names() for name in (*FACTORS, CATEGORY)}
        self._known: BiasPredictions | None = None

    def add(self, part: BiasPredictions) -> None:
        """Take answers, which follow those before."""
        self.name, self._known = part.name, part
        n, first = part.choices.size, self.pieces.n_rows
        self.odd.append(odd_answers(part, first))
        codes = {factor.name: self._numbered(factor) for factor in part.factors}
        if part.categories is not None:
            codes[CATEGORY] = self._numbered(part.categories)
        texts = {ID: part.example_ids} if part.asked is not None else {}
        texts |= {} if part.words is None else {WORDS: part.words}
        item = part.example_ids if part.asked is None else part.asked
        self.pieces.add(
            self.pieces.ids.added(item.values)[item.codes],
            {
                PLACE: np.arange(first, first + n, dtype=np.int64),
                CHOICE: part.choices,
                **codes,
                **{name: text_array(factor.values).take(pyarrow.array(factor.codes)) for name, factor in texts.items()},
            },
        )

    def _numbered(self, factor: Factor) -> IndexArray:
        return self._values[factor.name].added(factor.values)[factor.codes]

    @property
    def about(self) -> AboutAnswers:
        """What the file will say of itself."""
        known = self._known
        if known is None:
            raise ValueError("no answers")
        return AboutAnswers(
            name=self.name,
            factors={factor.name: tuple(self._values[factor.name].codes) for factor in known.factors},
            categories=None if known.categories is None else tuple(self._values[CATEGORY].codes),
            has_words=known.words is not None,
            by_words=known.asked is not None,
        )

    @property
    def factors(self) -> list[Factor]:
        """Columns that say who answered how, without their rows."""
        none = np.empty(0, dtype=np.int32)
        return [Factor(name, values, none) for name, values in self.about.factors.items()]


def _in_parts(source: Source, pieces: SortedPieces) -> _Found:
    """Answers of a table whose rows are plain, some rows at a time."""
    gathered = _Gathered(pieces)
    recorded, first, near, line = False, None, True, None
    of_parts = NoteBook(source.name)
    with closing(answer_parts(source, of_parts)) as parts:
        for table, part, any_recorded in parts:
            if part.asked is not None:
                fix = "Convert files that fit into memory."
                raise InputError("names questions by their words", file=source.name, fix=fix)
            refuse_blank_id(part, table, source.name, first=pieces.n_rows)
            first = first or table
            near, line, recorded = table.finds_lines, table.line, recorded or any_recorded
            gathered.add(part)
    if first is None or not recorded:
        raise nothing_recorded(first, source.name) if first else InputError("no data rows", file=source.name)

    def note(notes: NoteBook) -> None:
        _add(of_parts.collected, notes)
        note_unread(gathered.odd, pieces.n_rows, lambda row: line(row) if near and line else None, notes)
        note_case(gathered.factors, notes)

    return _Found(pieces, gathered.about, line, note)


def _whole(source: Source, pieces: SortedPieces) -> _Found:
    """Answers of any file that is read at once."""
    parsed = read_bias_predictions(source)
    gathered = _Gathered(pieces)
    gathered.add(parsed.value)

    def note(notes: NoteBook) -> None:
        _add(parsed.notes, notes)

    return _Found(pieces, gathered.about, None, note)


def _add(found: tuple[Note, ...], notes: NoteBook) -> None:
    for one in found:
        notes.add(one.message, one.line)


def _refuse_second(found: _Found, one: SortedRange, file: str) -> None:
    """Refuse two answers of one producer to one of some items."""
    about, columns, line = found.about, one.columns, found.line
    if line is None:
        return
    factors = [Factor(name, values, columns[name]) for name, values in about.factors.items()]
    places = columns[PLACE]
    order = np.argsort(places)
    part = BiasPredictions(
        name=about.name,
        factors=tuple(Factor(factor.name, factor.values, factor.codes[order]) for factor in factors),
        categories=None if about.categories is None else Factor(CATEGORY, about.categories, columns[CATEGORY][order]),
        example_ids=Factor(ID, tuple(one.ids), one.of[order]),
        choices=columns[CHOICE][order],
        words=Factor(WORDS, ("",), np.zeros(order.size, dtype=np.int32)),
    )
    refuse_second_answers(part, lambda row: line(int(places[order][row])), order.size, file)
