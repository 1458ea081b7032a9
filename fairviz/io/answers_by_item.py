"""Recorded answers to bias questions in Parquet, sorted by item: answers larger than memory.

What ``fairviz convert`` writes: a table of answers as any other (:mod:`fairviz.io.bbq_answers`), in which all answers
to an item stand together, whoever gave them, so that a range of items is read, matched and counted alone. Column
``place`` is the row of the file that was converted: what is said of the first answer of a kind is said of the same one.
"""

import json
import os
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
import pyarrow
import pyarrow.compute
import pyarrow.parquet

from fairviz.io.arrow import numbers_of, text_array, text_ids
from fairviz.io.converted import as_it_says, damaged, said_in
from fairviz.io.notes import Parsed
from fairviz.io.source import Source
from fairviz.lookup import encoded
from fairviz.model import BiasPredictions, Factor, IndexArray, Note
from fairviz.model.bias import UNREAD, PartOfAnswers

_pa: Any = pyarrow
_pq: Any = pyarrow.parquet
_compute: Any = pyarrow.compute

KEY = b"fairviz answers"
"""Under it the file says what it is, in JSON."""
VERSION = 1

PLACE, ID, ASKED, CHOICE, WORDS, CATEGORY = "place", "example_id", "question_key", "pred", "raw_prediction", "category"

_CODES = _pa.dictionary(_pa.int32(), _pa.string())


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

    def written(self) -> bytes:
        """As JSON."""
        return json.dumps({"version": VERSION} | {name: getattr(self, name) for name in self.__slots__}).encode()

    @classmethod
    def read(cls, said: dict[str, Any]) -> "AboutAnswers":
        """From JSON."""
        said["factors"] = {name: tuple(values) for name, values in said["factors"].items()}
        said["notes"] = tuple((line, message) for line, message in said["notes"])
        for name in ("categories", "firsts", "sizes"):
            said[name] = None if said[name] is None else tuple(said[name])
        return cls(**said)

    @property
    def columns(self) -> dict[str, Any]:
        """Names and types of the columns of the file."""
        texts = [ID, *([ASKED] if self.by_words else []), *([WORDS] if self.has_words else [])]
        codes = [*([CATEGORY] if self.categories is not None else []), *self.factors]
        types = {**dict.fromkeys(codes, _CODES), **dict.fromkeys(texts, _pa.string())}
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
        firsts = self.about.firsts
        first = max(bisect_right(firsts, low) - 1, 0)
        behind = len(firsts) if high is None else bisect_left(firsts, high)
        pieces = [_between(self._row_group(i), self.about.item, low, high) for i in range(first, behind)]
        return self._noun([piece for piece in pieces if piece.num_rows])

    def _row_group(self, i: int) -> Any:
        with as_it_says(self.path):
            return _pq.ParquetFile(self.path).read_row_group(i, use_threads=False)

    def _noun(self, pieces: Sequence[Any]) -> PartOfAnswers:
        about = self.about
        if not pieces:
            return self._nothing()
        table = _pa.concat_tables(pieces)
        places = numbers_of(table[PLACE].chunks)
        order = np.argsort(places)

        def codes(name: str, values: tuple[str, ...]) -> Factor:
            known = {value: code for code, value in enumerate(values)}
            numbered: list[IndexArray] = []
            for chunk in table[name].chunks:
                own = np.array([known.get(value, -1) for value in chunk.dictionary.to_pylist()], dtype=np.int32)
                numbered.append(own[numbers_of([chunk.indices])])
            found = np.concatenate(numbered)[order]
            if (found < 0).any():
                raise damaged(self.path)
            return Factor(name, values, found)

        def texts(name: str, column: str) -> Factor:
            found, values = encoded([text_ids(chunk) for chunk in table[column].chunks])
            return Factor(name, tuple(values), found[order])

        predictions = BiasPredictions(
            name=about.name,
            factors=tuple(codes(name, values) for name, values in about.factors.items()),
            categories=None if about.categories is None else codes(CATEGORY, about.categories),
            example_ids=texts(ID, ID),
            choices=numbers_of(table[CHOICE].fill_null(UNREAD).chunks)[order],
            words=texts("words", WORDS) if about.has_words else None,
            asked=texts("asked", ASKED) if about.by_words else None,
        )
        return PartOfAnswers(predictions, places[order])

    def _nothing(self) -> PartOfAnswers:
        """No answers, in the columns of the file."""
        about, none = self.about, np.empty(0, dtype=np.int32)
        predictions = BiasPredictions(
            name=about.name,
            factors=tuple(Factor(name, values, none) for name, values in about.factors.items()),
            categories=None if about.categories is None else Factor(CATEGORY, about.categories, none),
            example_ids=Factor(ID, (), none),
            choices=np.empty(0, dtype=np.int8),
            words=Factor("words", (), none) if about.has_words else None,
            asked=Factor("asked", (), none) if about.by_words else None,
        )
        return PartOfAnswers(predictions, np.empty(0, dtype=np.int64))


def stored_answers(path: str | os.PathLike[str]) -> StoredAnswers | None:
    """The file, where it is one of ours; nothing but its last lines is read.

    Raises:
        InputError: It is damaged, or was written by another version.
    """
    found = said_in(path, KEY, VERSION)
    if found is None:
        return None
    with as_it_says(path):
        about = AboutAnswers.read(found.said)
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


class Writer:
    """Writes a file range by range.

    Args:
        to: An open file.
        about: What it will say of itself, but for ranges.
    """

    def __init__(self, to: BinaryIO, about: AboutAnswers) -> None:
        self._about = about
        self._schema = _pa.schema(list(about.columns.items()))
        self._writer = _pq.ParquetWriter(
            to, self._schema, compression="zstd", compression_level=1, write_statistics=[about.item]
        )
        self._firsts: list[str] = []
        self._sizes: list[int] = []

    def write(self, columns: Mapping[str, Any]) -> None:
        """Write a row group: answers sorted by item, behind all that were written.

        Args:
            columns: Texts as Arrow has them, all else as arrays: codes of bias types and of what says who answered how.
        """
        about, cells = self._about, dict(columns)
        for name, values in [*about.factors.items(), *([(CATEGORY, about.categories)] if about.categories else [])]:
            cells[name] = _pa.DictionaryArray.from_arrays(_pa.array(cells[name]), text_array(values))
        cells[CHOICE] = _pa.array(cells[CHOICE], mask=cells[CHOICE] == UNREAD)
        table = _pa.table({name: cells[name] for name in self._schema.names}, schema=self._schema)
        self._writer.write_table(table, row_group_size=max(len(table), 1))
        self._firsts.append(str(table[about.item][0]))
        self._sizes.append(len(table))

    def __enter__(self) -> "Writer":
        return self

    def __exit__(self, *error: object) -> None:
        self._writer.close()  # where it is closed already, nothing happens

    def close(self, notes: Sequence[tuple[int | None, str]]) -> AboutAnswers:
        """Write what the file says of itself, and end it."""
        said = {name: getattr(self._about, name) for name in self._about.__slots__}
        said |= {"firsts": tuple(self._firsts), "sizes": tuple(self._sizes), "notes": tuple(notes)}
        about = AboutAnswers(**said)
        self._writer.add_key_value_metadata({KEY: about.written()})
        self._writer.close()
        return about


def _between(table: Any, item: str, low: str, high: str | None) -> Any:
    inside = _compute.greater_equal(table[item], low)
    if high is not None:
        inside = _compute.and_(inside, _compute.less(table[item], high))
    return table.filter(inside)
