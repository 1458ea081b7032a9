"""From answers to demographic variants to :mod:`fairviz.io.variants_by_question`, however many they are.

Rows are read some at a time, put on the disk, and taken again question by question, in the order of the questions'
first rows (:mod:`fairviz.io.sorted_pieces`). What all rows must be known for is gathered in the first pass: their
variants, and how answers are read; what is asked of whole questions is asked in the second. Memory holds the ids and
the right answers, each once. Logs of other tools and tables with odd rows must fit into memory.
"""

import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow

from fairviz.errors import InputError
from fairviz.io.answer_table import is_json
from fairviz.io.arrow import numbers_of, text_array
from fairviz.io.convert import ANY_SIZE, GROUP, PIECE, Told
from fairviz.io.door import reader
from fairviz.io.foreign import refuse_foreign_answers
from fairviz.io.ids import check_ids
from fairviz.io.limits import MAX_TEXT
from fairviz.io.notes import NoteBook, shown
from fairviz.io.sorted_pieces import Names, SortedPieces, SortedRange, folder_beside
from fairviz.io.source import FileInput, Source, as_source
from fairviz.io.text import head_of
from fairviz.io.variant_checks import Block, Checks, check_values
from fairviz.io.variant_columns import Coded, Mention, VariantColumns, all_say, distinct, pairs
from fairviz.io.variant_options import Decided, ReadAnswers, Recorded, named_options
from fairviz.io.variant_rows import (
    FACTORS,
    VariantNames,
    joined,
    plain_variant_parts,
    variant_names,
    variant_parts,
)
from fairviz.io.variants_by_question import (
    ANSWERABLE,
    CHOICE,
    EVIDENCE,
    GOLD,
    GOLD_OPTION,
    OFFERED,
    PLACE,
    QUESTION,
    RETRIEVED,
    VARIANT,
    WORDS,
    AboutVariants,
    Writer,
)
from fairviz.io.whole import whole_file
from fairviz.model import IndexArray, IntArray, Note
from fairviz.model.variants import NOT_MENTIONED, UNKNOWN, AnyRecorded, neutral_code

_pa: Any = pyarrow

AT_A_TIME = 200_000
"""Rows that are held while a file is read row by row."""

SMALL = 2**25
"""Bytes of a table that is read again to name the line of a note."""

_PRODUCER, _LISTS = "producer", _pa.list_(_pa.string())
_DATASET = FACTORS.index("dataset")
_BEHIND_DATASET = "\x1f"
"""Stands between the number of a dataset and the id of a question."""


class ConvertedVariants(NamedTuple):
    """What was written.

    Attributes:
        about: What the file says of itself.
        notes: What the reader repaired.
    """

    about: AboutVariants
    notes: tuple[Note, ...]


@reader
def convert_variants(
    file: FileInput | Source,
    to: str,
    *,
    told: Told = Told(),  # noqa: B008 -- it has no state
    piece: int = PIECE,
    group: int = GROUP,
    at_a_time: int = AT_A_TIME,
) -> ConvertedVariants:
    """Write answers to demographic variants as Parquet, question by question.

    Args:
        file: A path or ``(name, bytes)``, as :func:`fairviz.io.variants.read_variants` reads it; records of JSON,
            and tables whose rows are plain, may be of any number.
        to: The file to write, whole or not at all.
        told: Who is told how far it is.
        piece: Answers sorted at a time.
        group: Answers in a row group, but for a question that has more.
        at_a_time: Rows that are held while a file is read row by row.

    Raises:
        InputError: The file cannot be read, no two groups can be compared, a variant of a question is answered twice,
            or its variants have different right answers.
        OutputError: The result cannot be written.
    """
    source = as_source(file)
    head = head_of(replace(source, limit=ANY_SIZE))
    refuse_foreign_answers(head.decode(errors="replace"), source.name)
    with whole_file(to) as result, folder_beside(to) as folder:
        notes = NoteBook(source.name)
        found = _Gathered(SortedPieces(folder, piece, by_name=False))
        try:
            found.add_plain(replace(source, limit=ANY_SIZE, told=told.read), notes)
        except InputError:
            in_records = is_json(head)
            if not in_records and source.stamp is not None and source.stamp.size > MAX_TEXT:
                raise
            notes = NoteBook(source.name)
            found = _Gathered(SortedPieces(folder, piece, by_name=False))
            by_row = replace(source, limit=ANY_SIZE if in_records else source.limit, told=told.read)
            found.add_rows(by_row, notes, at_a_time)
        told.sorting(found.pieces.n_rows)
        known = found.known(notes)
        with Writer(result, known.about(source.stem)) as writer:
            second = _Second(known)
            for one in found.pieces.ranges(group):
                writer.write(second.columns(one))
                told.wrote(one.of.size)
            about = writer.close(**second.said(notes))
    return ConvertedVariants(about, notes.collected)


class _Lines:
    """Lines of rows, where most stand on the line below the row before."""

    def __init__(self) -> None:
        self._places: list[int] = []
        self._lines: list[int] = []

    def add(self, first: int, lines: IntArray) -> None:
        """Take the lines of rows, of which the first has that place."""
        expected = self._lines[-1] + first - self._places[-1] if self._places else -1
        jumps = np.flatnonzero(np.diff(lines, prepend=expected - 1) != 1)
        self._places += (first + jumps).tolist()
        self._lines += lines[jumps].tolist()

    def __call__(self, place: int) -> int:
        """The line of a row."""
        i = bisect_right(self._places, place) - 1
        return self._lines[i] + place - self._places[i]


class _Gathered:
    """Rows that are put on the disk part by part, and what is said of all of them.

    Attributes:
        pieces: The rows.
        line: Line of the row in a place; near: the same where it is known at once.
    """

    def __init__(self, pieces: SortedPieces) -> None:
        self.pieces = pieces
        self.line: Callable[[int], int] = lambda place: place
        self.near: Callable[[int], int | None] = self.line
        self.recorded = Recorded()
        self.mentions: dict[Mention, int] = {}
        self.producers: dict[tuple[str, ...], int] = {}
        self.places: list[int] = []
        self.firsts: list[IntArray] = []
        self.columns: set[str] = set()
        self._datasets = Names()

    def add_plain(self, source: Source, notes: NoteBook) -> None:
        """Take the rows of a table that are all plain.

        Raises:
            InputError: Some are not, or it is none.
        """
        is_small = source.stamp is None or source.stamp.size <= SMALL
        with closing(plain_variant_parts(source, notes)) as parts:
            for table, rows in parts:
                self.line = table.line
                self.near = table.line if is_small else table.near_line
                self.add(rows)

    def add_rows(self, source: Source, notes: NoteBook, at_a_time: int) -> None:
        """Take the rows of any file.

        Raises:
            InputError: One cannot be read.
        """
        lines = _Lines()
        self.line = self.near = lines
        with closing(variant_parts(source, notes, at_a_time)) as parts:
            for rows in parts:
                lines.add(self.pieces.n_rows, np.array([rows.line(row) for row in range(rows.n_rows)], dtype=np.int64))
                self.add(rows)

    def add(self, rows: VariantColumns) -> None:
        """Take rows, which follow those before."""
        first = self.pieces.n_rows
        self.recorded.add(rows, first)
        self.columns |= rows.names
        datasets = rows.of_producer(_DATASET)
        asked = distinct(pairs(rows.question.codes, self._datasets.added(datasets.values)[datasets.codes]))
        names = [
            f"{self._datasets.codes[datasets.at(row)]}{_BEHIND_DATASET}{rows.question.at(row)}"
            for row in asked.first.tolist()
        ]
        n_known = len(self.pieces.ids.codes)
        numbers = self.pieces.ids.added(names)
        self.firsts.append(first + asked.first[numbers >= n_known])
        mentions = _numbered(self.mentions, rows.variant)
        for row in distinct(mentions).first[: len(self.mentions)].tolist():
            if mentions[row] == len(self.places):
                self.places.append(first + row)
        self.pieces.add(
            numbers[asked.of],
            {
                PLACE: np.arange(first, first + rows.n_rows, dtype=np.int64),
                _PRODUCER: _numbered(self.producers, rows.producer),
                VARIANT: mentions,
                ANSWERABLE: np.array(rows.answerable.values, dtype=np.int8)[rows.answerable.codes],
                EVIDENCE: np.array(rows.evidence.values, dtype=np.int8)[rows.evidence.codes],
                GOLD: _texts(rows.gold),
                WORDS: _texts(rows.prediction),
                RETRIEVED: _texts(rows.retrieved.mapped(_as_json)),
                OFFERED: _texts(rows.options.mapped(_as_json)),
            },
        )

    def known(self, notes: NoteBook) -> "_Known":
        """What the second pass needs of all rows.

        Raises:
            InputError: No two groups can be compared, or answers are closed and open.
        """
        variant = Coded(tuple(self.mentions), np.arange(len(self.mentions)))
        names = variant_names(variant, lambda row: self.near(self.places[row]), notes)
        check_values(names, notes.file, notes)
        raw = [name.split(_BEHIND_DATASET, 1) for name in self.pieces.ids.codes]
        asked = [question for _, question in raw]
        if len(set(asked)) < len(asked):
            datasets = list(self._datasets.codes)
            asked = [f"{datasets[int(dataset)]}/{question}" for dataset, question in raw]
            if len(set(asked)) < len(asked):
                twice, _ = Counter(asked).most_common(1)[0]
                reason = f"two questions are {shown(twice)} once their dataset stands before their id"
                raise InputError(reason, file=notes.file, fix="Rename one of them.")
        return _Known(self, names, self.recorded.decided(self.line, notes.file), asked)


class _Known(NamedTuple):
    """What is known of all rows.

    Attributes:
        gathered: Where they are.
        names: Of their variants; those of the mentions that were gathered.
        decided: How their answers are read.
        asked: Names of all questions, told apart by dataset where they must be.
    """

    gathered: _Gathered
    names: VariantNames
    decided: Decided
    asked: list[str]

    @property
    def factors(self) -> dict[str, Coded[str]]:
        """Columns that say who answered how, of each producer."""
        producers = Coded(tuple(self.gathered.producers), np.arange(len(self.gathered.producers), dtype=np.int32))

        def of(place: int) -> Coded[str]:
            return producers.mapped(lambda producer: producer[place])

        said = {name: of(place) for place, name in enumerate(FACTORS) if name in self.gathered.columns}
        return {name: column for name, column in said.items() if any(column.values)}

    def about(self, name: str) -> AboutVariants:
        """What the file says of itself, as far as it is known."""
        names = self.names
        variants: list[list[int]] = names.codes.tolist()
        return AboutVariants(
            name=name,
            factors={name: column.values for name, column in self.factors.items()},
            attributes=names.attributes,
            values=names.values,
            conditions=names.conditions,
            kind=self.decided.kind,
            variants=tuple(map(tuple, variants)),
            labels=tuple(_label(names, variant) for variant in variants),
            offered=any(of_dataset.any_options for of_dataset in self.gathered.recorded.datasets.values()),
            n_questions=len(self.asked),
        )


def _label(names: VariantNames, codes: list[int]) -> tuple[str, str]:
    """Attribute and value of a variant, as a table has them."""
    mentioned = [a for a, code in enumerate(codes[:-1]) if code != NOT_MENTIONED]
    if not mentioned:
        return "none", names.conditions[codes[-1]]
    attributes = tuple(names.attributes[a] for a in mentioned)
    return joined(attributes, tuple(names.values[a][codes[a]] for a in mentioned))


class _Second:
    """The second pass: rows question by question, with what was answered."""

    def __init__(self, known: _Known) -> None:
        self._known = known
        self._checks = Checks(known.names, known.decided.right)
        self._factors = {name: column.codes for name, column in known.factors.items()}
        self._producers, self._mentions = tuple(known.gathered.producers), tuple(known.gathered.mentions)
        self._recorded: list[AnyRecorded] = []
        self._named = self._kinds = np.empty(0, dtype=np.int64)
        self._docs: dict[str, None] = {}

    def columns(self, one: SortedRange) -> dict[str, Any]:
        """The columns of some questions."""
        cells, known = one.columns, self._known
        raw = tuple(name.split(_BEHIND_DATASET, 1)[1] for name in one.ids)
        retrieved, offered = _lists(cells[RETRIEVED]), _lists(cells[OFFERED])
        variants = known.names.of[cells[VARIANT]]
        producers = cells[_PRODUCER].astype(np.int64)

        def line(row: int) -> int:
            return known.gathered.line(int(cells[PLACE][row]))

        rows = VariantColumns(
            names=frozenset(),
            line=line,
            question=Coded(raw, one.of),
            producer=_in_order(self._producers, cells[_PRODUCER]),
            variant=_in_order(self._mentions, cells[VARIANT]),
            gold=_coded(cells[GOLD]),
            prediction=_coded(cells[WORDS]),
            kind=all_say("", one.of.size),
            answerable=all_say(UNKNOWN, one.of.size),
            evidence=all_say(UNKNOWN, one.of.size),
            retrieved=all_say(None, one.of.size),
            options=offered.mapped(lambda words: words or ()),
        )
        read = known.decided.read(rows)
        self._checks.add(Block(rows, cells[PLACE], one.of, variants, producers, read))
        self._named = np.union1d(self._named, np.union1d(read.golds, read.choices))
        self._kinds = np.union1d(self._kinds, producers * len(known.names.codes) + variants)
        self._docs.update(dict.fromkeys(doc for docs in retrieved.values for doc in docs or ()))
        self._recorded.append(self._any(rows, read, cells, variants, any(retrieved.values)))
        places: list[int] = one.places.tolist()
        asked = text_array([known.asked[place] for place in places])
        return {
            **{name: codes[cells[_PRODUCER]] for name, codes in self._factors.items()},
            QUESTION: _pa.DictionaryArray.from_arrays(_pa.array(one.of), asked),
            VARIANT: variants,
            **{name: cells[name] for name in (PLACE, ANSWERABLE, EVIDENCE)},
            **{GOLD: cells[GOLD], WORDS: cells[WORDS].fill_null("")},
            **{GOLD_OPTION: read.golds, CHOICE: read.choices},
            **{RETRIEVED: _as_lists(retrieved), OFFERED: _as_lists(offered)},
        }

    def _any(
        self, rows: VariantColumns, read: ReadAnswers, cells: dict[str, Any], variants: IntArray, documents: bool
    ) -> AnyRecorded:
        names = self._known.names
        with_gold = read.golds != UNKNOWN if read.kind == "closed" else rows.gold.told(bool)
        condition = names.codes[variants, -1]
        neutral = condition == neutral_code(names.conditions)
        return AnyRecorded(
            answered=any(rows.prediction.values) or bool((read.choices != UNKNOWN).any()),
            answerable=bool((cells[ANSWERABLE] != UNKNOWN).any()),
            evidence=bool((cells[EVIDENCE] != UNKNOWN).any()),
            documents=documents,
            gold_of_neutral=bool((with_gold & neutral).any()),
            gold_of_any=bool((with_gold & (neutral | (condition == NOT_MENTIONED))).any()),
        )

    def said(self, notes: NoteBook) -> dict[str, Any]:
        """What is known of the file only now.

        Raises:
            InputError: A variant is answered twice, or right answers contradict each other.
        """
        known, gathered = self._known, self._known.gathered
        self._checks.refuse(gathered.line, notes.file)
        self._checks.note(known.decided.kind, known.decided.options, gathered.near, notes)
        firsts: IntArray = np.concatenate(gathered.firsts)
        check_ids(known.asked, "question id", lambda i: gathered.near(int(firsts[i])), notes)
        check_ids(tuple(self._docs), "document id", lambda _: None, notes)
        options, places = named_options(known.decided.options, self._named.astype(np.int16))
        producers, variants = np.divmod(self._kinds, len(known.names.codes))
        kinds = np.stack([*(codes[producers] for codes in self._factors.values()), variants], axis=1)
        listed: list[list[int]] = kinds.tolist()
        return {
            "options": options,
            "places": tuple(places.tolist()),
            "recorded": AnyRecorded(*map(any, zip(*self._recorded, strict=True))),
            "kinds": tuple(map(tuple, listed)),
            "notes": tuple((note.line, note.message) for note in notes.collected),
        }


def _numbered(known: dict[Any, int], column: Coded[Any]) -> Any:
    numbers = np.array([known.setdefault(value, len(known)) for value in column.values], dtype=np.int32)
    return numbers[column.codes]


def _as_json(words: tuple[str, ...] | None) -> str | None:
    return json.dumps(words, ensure_ascii=False) if words else None


def _texts(column: Coded[Any]) -> Any:
    """A column of words as Arrow has it, null where there are none."""
    blank = np.array([value is None for value in column.values], dtype=np.bool_)
    filled: list[str] = ["" if value is None else str(value) for value in column.values]
    words = text_array(filled)
    return words.take(_pa.array(column.codes, mask=blank[column.codes] if blank.any() else None))


def _in_order(values: tuple[Any, ...], codes: Any) -> Coded[Any]:
    """What rows say, in the order of the first row that says it."""
    found = distinct(codes)
    return Coded(tuple([values[code] for code in codes[found.first].tolist()]), found.of)


def _coded(column: Any) -> Coded[Any]:
    said = column.dictionary_encode(null_encoding="encode")
    codes: IndexArray = numbers_of([said.indices])
    return Coded(tuple(said.dictionary.to_pylist()), codes)


def _lists(column: Any) -> Coded[tuple[str, ...] | None]:
    found: Coded[str | None] = _coded(column)
    return Coded(tuple(None if cell is None else tuple(json.loads(cell)) for cell in found.values), found.codes)


def _as_lists(column: Coded[tuple[str, ...] | None]) -> Any:
    values = _pa.array([None if words is None else list(words) for words in column.values], type=_LISTS)
    return values.take(_pa.array(column.codes))
