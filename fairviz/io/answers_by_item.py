"""Recorded answers to bias questions in Parquet, sorted by item: answers larger than memory.

What ``fairviz convert`` writes: a table of answers as any other (:mod:`fairviz.io.bbq_answers`), in which all answers
to an item stand together, whoever gave them, so that a range of items is read, matched and counted alone. Column
``place`` is the row of the file that was converted: what is said of the first answer of a kind is said of the same one.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, BinaryIO

import numpy as np
import pyarrow

from fairviz.io.arrow import numbers_of
from fairviz.io.converted import as_it_says, damaged, said_in
from fairviz.io.notes import Parsed
from fairviz.io.row_groups import CODES, GroupWriter, coded, factor_among, factor_of, numbers_or, read_between
from fairviz.io.source import Source
from fairviz.model import BiasPredictions, Factor, IntArray, Note
from fairviz.model.bias import UNREAD, PartOfAnswers

_pa: Any = pyarrow

KEY = b"fairviz answers"
"""Under it the file says what it is, in JSON."""
VERSION = 1

PLACE, ID, ASKED, CHOICE, WORDS, CATEGORY = "place", "example_id", "question_key", "pred", "raw_prediction", "category"


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutAnswers:
    """What a file says of itself.

    Attributes:
        name: What to call the answers.
        factors: Columns that say who answered how, and their values in the order of the original.
        categories: Bias types; None where the original names none.
        has_words: Whether answers are recorded in words.
        by_words: Whether items are known by the words that were asked, not by an id.
        firsts: First item of each row group.
        sizes: Answers in each row group.
        notes: What reading the original left to be known: lines and messages.
    """

    name: str
    factors: dict[str, tuple[str, ...]]
    categories: tuple[str, ...] | None
    has_words: bool
    by_words: bool
    firsts: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()
    notes: tuple[tuple[int | None, str], ...] = ()

    @property
    def columns(self) -> dict[str, Any]:
        """Names and types of the columns of the file."""
        texts = [ID, *([ASKED] if self.by_words else []), *([WORDS] if self.has_words else [])]
        codes = [*([CATEGORY] if self.categories is not None else []), *self.factors]
        types = {**dict.fromkeys(codes, CODES), **dict.fromkeys(texts, _pa.string())}
        return {**types, CHOICE: _pa.int8(), PLACE: _pa.int64()}

    @property
    def item(self) -> str:
        """The column that answers are sorted by."""
        return ASKED if self.by_words else ID


@dataclass(frozen=True)
class StoredAnswers:
    """A file of answers, of which any range of items can be read.

    Attributes:
        path: Where it is; every process that reads of it finds it there.
        about: What it says of itself.
    """

    path: str
    about: AboutAnswers

    def notes(self, file: str) -> tuple[Note, ...]:
        """What reading the original left to be known."""
        return tuple(Note(file, line, message) for line, message in self.about.notes)

    def part(self, low: str = "", high: str | None = None) -> PartOfAnswers:
        """The answers to a range of items, in the order of the original.

        Args:
            low: First item.
            high: The item that follows the last; None = to the end.
        """
        about = self.about
        table = read_between(self.path, about.item, about.firsts, low, high)
        places = numbers_of(table[PLACE].chunks)
        order = np.argsort(places)

        def codes(name: str, values: tuple[str, ...]) -> Factor:
            return _taken(factor_among(name, values, table[name].chunks), order)

        def texts(name: str, column: str) -> Factor:
            return _taken(factor_of(name, table[column].chunks), order)

        with as_it_says(self.path):
            predictions = BiasPredictions(
                name=about.name,
                factors=tuple(codes(name, values) for name, values in about.factors.items()),
                categories=None if about.categories is None else codes(CATEGORY, about.categories),
                example_ids=texts(ID, ID),
                choices=numbers_or(UNREAD, table[CHOICE].chunks)[order],
                words=texts("words", WORDS) if about.has_words else None,
                asked=texts("asked", ASKED) if about.by_words else None,
            )
        return PartOfAnswers(predictions, places[order])


def _taken(factor: Factor, rows: IntArray) -> Factor:
    return replace(factor, codes=factor.codes[rows])


def stored_answers(path: str | os.PathLike[str]) -> StoredAnswers | None:
    """The file, where it is one of ours; nothing but its last lines is read.

    Raises:
        InputError: It is damaged, or was written by another version.
    """
    found = said_in(path, KEY, VERSION)
    if found is None:
        return None
    with as_it_says(path):
        about = AboutAnswers(**found.said)
        if about.sizes != found.sizes or len(about.firsts) != len(found.sizes) or set(about.columns) - found.columns:
            raise damaged(path)
    return StoredAnswers(str(path), about)


def answers_in_memory(source: Source) -> Parsed[BiasPredictions] | None:
    """All of a converted file; None where it is none."""
    stored = None if source.path is None else stored_answers(source.path)
    if stored is None:
        return None
    value = stored.part().predictions
    return Parsed(value=value, file=source.name, format="converted answers", notes=stored.notes(source.name))


class Writer(GroupWriter):
    """Writes a file range by range.

    Args:
        to: An open file.
        about: What it will say of itself, but for ranges.
    """

    def __init__(self, to: BinaryIO, about: AboutAnswers) -> None:
        super().__init__(to, _pa.schema(list(about.columns.items())), write_statistics=[about.item])
        self._about = about
        self._firsts: list[str] = []

    def write(self, columns: Mapping[str, Any]) -> None:
        """Write a row group: answers sorted by item, behind all that were written.

        Args:
            columns: Texts as Arrow has them, all else as arrays: codes of bias types and of what says who answered how.
        """
        about, cells = self._about, dict(columns)
        for name, values in [*about.factors.items(), *([(CATEGORY, about.categories)] if about.categories else [])]:
            cells[name] = coded(cells[name], values)
        cells[CHOICE] = _pa.array(cells[CHOICE], mask=cells[CHOICE] == UNREAD)
        table = self._add(cells)
        self._firsts.append(str(table[about.item][0]))

    def close(self, notes: Sequence[Note]) -> AboutAnswers:
        """Write what the file says of itself, and end it."""
        about = replace(
            self._about,
            firsts=tuple(self._firsts),
            sizes=tuple(self.sizes),
            notes=tuple((note.line, note.message) for note in notes),
        )
        self._end(KEY, VERSION, asdict(about))
        return about
