"""Answers to bias questions by ranges of items: every range is matched, read and counted, and the counts are added.

All answers to an item are in one range, whichever file they stand in. Two passes: what must be known of all answers to
read any (which columns and values there are) is gathered first. Rows, intervals and tests are computed once and here,
of the counts.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from fairviz.errors import UsageError
from fairviz.io.answers_by_item import StoredAnswers
from fairviz.io.bbq import read_bias_items
from fairviz.model import BiasAnswers, BiasItems, BiasPredictions, Factor, IntArray
from fairviz.model.bias import PartOfAnswers
from fairviz.partitions.lists import Range
from fairviz.partitions.plan import Plan
from fairviz.studies.social_bias.dose import DoseTally, doses_together
from fairviz.studies.social_bias.items import merged_items
from fairviz.studies.social_bias.matching import (
    Column,
    Join,
    JoinedFiles,
    SecondAnswer,
    items_of,
    join,
    joined_files,
    read_answers,
    reading_of,
    refuse_none,
    whole_join,
)
from fairviz.studies.social_bias.measured import Counted, Wanted
from fairviz.studies.social_bias.tallies import AnswerTally, PairTally, answers_together, pairs_together

R = TypeVar("R")

CELLS = 4_000_000
"""Cells that are held before they are added up."""


class AnswerSlice(NamedTuple):
    """A range of the answers of a file, as it is sent to whoever works on it: itself, or where to read it."""

    part: PartOfAnswers | None
    stored: StoredAnswers | None
    at: Range

    def read(self) -> PartOfAnswers:
        """The answers."""
        if self.part is not None:
            return self.part
        if self.stored is None:
            raise TypeError("nothing to read")
        return self.stored.part(*self.at)


class CuttableAnswers:
    """Answers of a file that ranges are taken from.

    Args:
        answers: In memory, or a converted file.
    """

    def __init__(self, answers: BiasPredictions | StoredAnswers) -> None:
        self.answers = answers
        if isinstance(answers, BiasPredictions):
            items = _items(answers)
            by_name = sorted(range(len(items.values)), key=items.values.__getitem__)
            rank = np.empty(len(by_name), dtype=np.int64)
            rank[by_name] = np.arange(len(by_name))
            of = rank[items.codes]
            self._names = [items.values[code] for code in by_name]
            self._order = np.argsort(of, kind="stable")
            self._ends = np.searchsorted(of[self._order], np.arange(len(by_name) + 1))

    @property
    def name(self) -> str:
        """What to call the file."""
        return self.answers.about.name if isinstance(self.answers, StoredAnswers) else self.answers.name

    @property
    def is_by_words(self) -> bool:
        """Whether items are known by the words that were asked."""
        if isinstance(self.answers, StoredAnswers):
            return self.answers.about.by_words
        return self.answers.asked is not None

    @property
    def grains(self) -> Iterable[tuple[str, int]]:
        """First item, and how many answers, of pieces that a range is made of."""
        if isinstance(self.answers, StoredAnswers):
            return zip(self.answers.about.firsts, self.answers.about.sizes, strict=True)
        return zip(self._names, np.diff(self._ends).tolist(), strict=True)

    def at(self, asked: Range) -> AnswerSlice:
        """A range of the answers; of a converted file nothing but its name is sent."""
        if isinstance(self.answers, StoredAnswers):
            return AnswerSlice(None, self.answers, asked)
        first = bisect_left(self._names, asked.low)
        behind = len(self._names) if asked.high is None else bisect_left(self._names, asked.high)
        rows = np.sort(self._order[self._ends[first] : self._ends[behind]])
        return AnswerSlice(_some(self.answers, rows), None, asked)


def _items(answers: BiasPredictions) -> Factor:
    """What says which item each answer is to."""
    return answers.example_ids if answers.asked is None else answers.asked


def _some(answers: BiasPredictions, rows: IntArray) -> PartOfAnswers:
    """Some answers; columns that say who answered how keep their values, others have those that occur."""

    def kept(factor: Factor) -> Factor:
        return Factor(factor.name, factor.values, factor.codes[rows])

    def own(factor: Factor) -> Factor:
        used, codes = np.unique(factor.codes[rows], return_inverse=True)
        places: list[int] = used.tolist()
        return Factor(factor.name, tuple(factor.values[i] for i in places), codes.astype(np.int32))

    predictions = BiasPredictions(
        name=answers.name,
        factors=tuple(map(kept, answers.factors)),
        categories=None if answers.categories is None else kept(answers.categories),
        example_ids=own(answers.example_ids),
        choices=answers.choices[rows],
        words=None if answers.words is None else own(answers.words),
        asked=None if answers.asked is None else own(answers.asked),
    )
    return PartOfAnswers(predictions, rows)


@dataclass(frozen=True, slots=True)
class ItemFiles:
    """Questions, as every worker reads them once.

    Attributes:
        paths: The files, where every worker finds them.
        state: Size and time of each: a worker that has read another state reads it again.
    """

    paths: tuple[str, ...]
    state: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(cls, paths: Sequence[str]) -> "ItemFiles":
        """These files as they are now."""
        found = [Path(path).stat() for path in paths]
        return cls(tuple(paths), tuple((one.st_size, one.st_mtime_ns) for one in found))

    def read(self) -> BiasItems:
        """The items; in a process that has read them, those."""
        items = _ITEMS.get(self)
        if items is None:
            items = merged_items([read_bias_items(path).value for path in self.paths])
            _ITEMS.clear()  # of one command at a time; another thread may work on another
            _ITEMS[self] = items
        return items

    def known(self, items: BiasItems) -> None:
        """Spare this process to read them again."""
        _ITEMS[self] = items


_ITEMS: dict[ItemFiles, BiasItems] = {}


class _Task(NamedTuple):
    """A range of all files, and what is wanted of it."""

    items: ItemFiles
    files: tuple[AnswerSlice, ...]
    columns: tuple[Column, ...] = ()
    wanted: Wanted | None = None


class _Part(NamedTuple):
    """What a range gives."""

    answers: AnswerTally
    pairs: list[PairTally]
    doses: list[DoseTally]
    n_answers: int
    n_by_rule: IntArray
    second: SecondAnswer | None

    @property
    def n_cells(self) -> int:
        """How much it holds."""
        return self.answers.cells.rows.size + sum(pair.cells.rows.size for pair in self.pairs)


def _joined(task: _Task) -> list[Join]:
    """What a range says of each file; in whichever process."""
    items = task.items.read()
    parts = [file.read() for file in task.files]
    return [join(items, part, items_of(items, part.predictions)) for part in parts]


def _counted(task: _Task) -> _Part:
    """Match, read and count the answers of a range; in whichever process."""
    if task.wanted is None:
        raise TypeError("nothing is wanted")
    items = task.items.read()
    parts = [file.read() for file in task.files]
    found = [items_of(items, part.predictions) for part in parts]
    read = read_answers(items, parts, found, task.columns)
    answers, pairs, doses = task.wanted.of(items, read.answers)
    condensed = [pair.condensed() for pair in pairs]
    return _Part(answers.condensed(), condensed, doses, read.answers.items.size, read.n_by_rule, read.second)


class PartitionedAnswers:
    """How :func:`fairviz.studies.social_bias.measured.measured_counts` has answers counted by ranges.

    Args:
        plan: Ranges, and who works on them.
        items: Files of the questions.
        files: Answers, in memory or converted.

    Raises:
        InputError: There are no answers, none is to a known item, or one could be to several.
        UsageError: Some files know items by ids, others by words.
    """

    def __init__(self, plan: Plan, items: ItemFiles, files: Sequence[BiasPredictions | StoredAnswers]) -> None:
        refuse_none(files)
        self._plan, self._items = plan, items
        self._files = [CuttableAnswers(file) for file in files]
        if len({file.is_by_words for file in self._files}) > 1:
            raise UsageError(
                "some answers name their questions by ids, others by words: give them without --workers and --dask, "
                "and unconverted"
            )
        self._cut = plan.ranges(self._files)
        parts = list(self._each(_joined, lambda files: _Task(items, files)))
        whole = [whole_join([part[i] for part in parts]) for i in range(len(self._files))]
        self._all: JoinedFiles = joined_files(items.read(), whole)

    @property
    def items(self) -> BiasItems:
        """The questions."""
        return self._items.read()

    @property
    def columns(self) -> BiasAnswers:
        """Answers with the columns of all, and no rows."""
        none = np.empty(0, dtype=np.int32)
        factors = tuple(Factor(column.name, column.values, none) for column in self._all.columns)
        return BiasAnswers(factors=factors, items=none, choices=np.empty(0, dtype=np.int8))

    def counted(self, wanted: Wanted) -> Counted:
        """See :class:`~fairviz.studies.social_bias.measured.Counting`.

        Raises:
            UsageError: A column that is not there.
            InputError: Two files answer an item for one producer.
        """
        wanted.of(self.items, self.columns)  # what is wrong with columns is said before any range
        whole, held = list[_Part](), list[_Part]()
        for part in self._each(_counted, lambda files: _Task(self._items, files, self._all.columns, wanted)):
            held.append(part)
            if sum(one.n_cells for one in held) > max(CELLS, sum(one.n_cells for one in whole)):
                whole, held = [_together([*whole, *held])], []
        found = _together([*whole, *held])
        if found.second is not None:
            raise found.second.error
        reading = reading_of(self._all, found.n_by_rule, found.n_answers)
        return Counted(found.answers, found.pairs, found.doses, reading)

    def _each(self, function: Callable[[_Task], R], task: Callable[[tuple[AnswerSlice, ...]], _Task]) -> Iterator[R]:
        tasks = (task(tuple(file.at(one) for file in self._files)) for one in self._cut)
        return self._plan.each(function, tasks, n=len(self._cut), about=self._files[0].name)


def _together(parts: Sequence[_Part]) -> _Part:
    """What several ranges give."""
    first = parts[0]
    return _Part(
        answers_together([part.answers for part in parts]),
        [pairs_together([part.pairs[i] for part in parts]) for i in range(len(first.pairs))],
        [doses_together([part.doses[i] for part in parts]) for i in range(len(first.doses))],
        sum(part.n_answers for part in parts),
        np.sum([part.n_by_rule for part in parts], axis=0),
        min((part.second for part in parts if part.second), key=lambda one: one[:2], default=None),
    )
