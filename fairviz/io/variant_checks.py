"""What rows of answers to variants say together: refused where they contradict themselves, noted where they are odd.

All that is asked is asked of whole questions, and adds up: so a file is checked at once, or some questions at a time.
Rows are known by their place in the file, so that the first one that is odd is the same either way.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairviz.counts import count, part_of, plural
from fairviz.errors import InputError
from fairviz.io.answer_words import LETTER, LETTER_IN_WORDS, TEXT
from fairviz.io.notes import NoteBook, shown
from fairviz.io.variant_columns import VariantColumns, distinct, pairs
from fairviz.io.variant_options import ReadAnswers
from fairviz.io.variant_rows import VariantNames
from fairviz.model import IndexArray, IntArray
from fairviz.model.variants import NOT_MENTIONED, UNKNOWN

_VOTERS = 3
"""Two voters that differ are always tied: a vote begins with three."""
_NEUTRAL = "neutral"
"""The condition of reference that votes."""

NOWHERE = 2**62
"""The place of a row that there is not."""


class Block(NamedTuple):
    """All rows of some questions.

    Attributes:
        rows: The rows.
        places: (R) place of each in the file; those of one question rise.
        questions: (R) code of the question of each, from 0.
        variants: (R) code of its variant, and ``producers`` (R) of its producer, among those of the file.
        read: What was answered.
    """

    rows: VariantColumns
    places: IntArray
    questions: IndexArray
    variants: IntArray
    producers: IntArray
    read: ReadAnswers

    @property
    def n_questions(self) -> int:
        """Questions that it holds."""
        return int(self.questions.max(initial=-1)) + 1

    @property
    def answers_of(self) -> IntArray:
        """(R) the answers of one producer to the variants of one question, as one number."""
        return self.producers * self.n_questions + self.questions


def check_values(names: VariantNames, file: str, notes: NoteBook) -> None:
    """Refuse a file in which no two groups can be compared; note an attribute of one value.

    Raises:
        InputError: No row mentions an attribute, or no attribute has two values.
    """
    if not names.attributes:
        reason = "no demographic variants found"
        fix = "Put all variants of a question into one file, with attribute and value on each row."
        raise InputError(reason, file=file, fix=fix)
    single = [a for a, values in zip(names.attributes, names.values, strict=True) if len(values) < 2]
    for attribute in single:
        reason = f"attribute {shown(attribute)} has a single value: nothing to compare"
        if len(single) == len(names.attributes):
            fix = "Put all variants of a question into one file."
            raise InputError(reason, file=file, fix=fix)
        notes.add(reason)


class Checks:
    """All that is asked of the rows of a file.

    Args:
        names: Of all its variants.
        right: Options that are ever right.
    """

    def __init__(self, names: VariantNames, right: frozenset[str]) -> None:
        self._names = names
        self._right = right
        self._n_rows = self._n_questions = 0
        self._predicted = self._named = False
        self._repeated = _Repeated()
        self._golds = _Golds.of(len(names.codes))
        self._unread = _Unread()
        self._sets = _Sets()
        self._votes = _Votes()

    def add(self, block: Block) -> None:
        """Take rows of questions that stand in no other block."""
        self._n_rows += block.rows.n_rows
        self._n_questions += block.n_questions
        self._predicted = self._predicted or block.rows.has_predictions
        read = block.read
        self._named = self._named or bool((read.golds != UNKNOWN).any() or (read.choices != UNKNOWN).any())
        self._repeated.add(block)
        self._golds.add(block)
        self._unread.add(block, self._right)
        self._sets.add(block)
        self._votes.add(block, self._names)

    def refuse(self, line: Callable[[int], int], file: str) -> None:
        """Refuse a second answer of one producer to a variant, and right answers that differ between the variants.

        A file in which every group has one right answer in all its (two or more) questions is of
        another design: the group decides the answer. That is noted, not refused.

        Args:
            line: Of the row in a place.
            file: Name of the file.

        Raises:
            InputError: It names both lines.
        """
        again, golds = self._repeated, self._golds
        if again.place < NOWHERE:
            reason = f"duplicate prediction for {again.what} (line {line(again.before)})"
            raise InputError(reason, file=file, line=line(again.place), fix="Keep one answer of each.")
        if golds.n_differing and not golds.group_decides:
            question, gold, other = golds.words
            here = f"gold answer of {shown(question)} is {shown(gold)} here"
            fix = "All variants of a question have one right answer; correct it or drop the question."
            reason = f"{here} but {shown(other)} on line {line(golds.before)}"
            raise InputError(reason, file=file, line=line(golds.differs), fix=fix)

    def note(self, kind: str, options: tuple[str, ...], line: Callable[[int], int | None], notes: NoteBook) -> None:
        """Note what is odd.

        Args:
            kind: Whether answers are closed.
            options: Names of the codes of ``read``.
            line: Of the row in a place, None where it is not known.
            notes: Where to note.
        """
        golds, names = self._golds, self._names
        if not golds.n_known and self._predicted:
            notes.add("no gold answers: accuracy and equal opportunity unavailable", line(0))
        else:
            golds.note(self._n_rows, line, notes)
            if kind == "closed":
                golds.note_groups(names, options, notes)
        if self._predicted:
            self._unread.note(kind, self._n_rows, names, line, notes)
        self._sets.note(names, notes)
        if kind == "closed" and self._named:
            self._votes.note(names, self._n_questions, notes)


@dataclass(slots=True)
class _Repeated:
    """The first row that answers what a row before it answered.

    Attributes:
        place, before: The two rows.
        what: What they answer.
    """

    place: int = NOWHERE
    before: int = NOWHERE
    what: str = ""

    def add(self, block: Block) -> None:
        found = distinct(pairs(block.answers_of, block.variants))
        rows = block.rows
        if found.first.size == rows.n_rows:
            return
        again = np.flatnonzero(found.first[found.of] != np.arange(rows.n_rows))
        row = int(again[np.argmin(block.places[again])])
        if block.places[row] < self.place:
            by = ", ".join(filter(None, rows.producer.at(row)))
            who = f" by {shown(by)}" if by else ""
            self.what = f"{shown(rows.question.at(row))} / {shown(rows.variant.at(row).words)}{who}"
            self.place, self.before = int(block.places[row]), int(block.places[found.first[found.of[row]]])


@dataclass(slots=True)
class _Golds:
    """Right answers: which rows have none, where two of a question differ, and whether the group decides them.

    Attributes:
        first: (V) a right answer of each variant, n_golds: (V) 0, 1 or more of them; n_questions: (V) that have one.
        n_known: Rows with a right answer.
        without: Place of the first row without one.
        pairs: Variants and right options that occur together, as one number each.
        n_differing: Questions of which two variants have different right answers.
        differs: Place of the first row whose right answer is not that of a row before it.
        words: How that is told, line apart.
        before: Place of the other row.
    """

    first: NDArray[np.object_]
    n_golds: IntArray
    n_questions: IntArray
    n_known: int = 0
    without: int = NOWHERE
    pairs: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])
    n_differing: int = 0
    differs: int = NOWHERE
    words: tuple[str, str, str] = ("", "", "")
    before: int = NOWHERE

    @classmethod
    def of(cls, n_variants: int) -> "_Golds":
        """Of no rows yet."""
        none = np.zeros(n_variants, dtype=np.int64)
        return cls(np.full(n_variants, "", dtype=object), none, none.copy())

    def add(self, block: Block) -> None:
        words, golds = _golds(block)
        if block.read.kind == "closed":
            found = distinct(pairs(block.variants, golds.astype(np.int64) - UNKNOWN)).first
            self.pairs.update(zip(block.variants[found].tolist(), golds[found].tolist(), strict=True))
        known = np.flatnonzero(golds != UNKNOWN)
        self.n_known += known.size
        if known.size < golds.size:
            self.without = min(self.without, int(block.places[golds == UNKNOWN].min()))
        variants, questions = block.variants[known], block.questions[known]
        self._decides(variants, questions, words, golds[known])
        by_question = distinct(questions)
        before = known[by_question.first[by_question.of]]  # the first row of the question that has one
        differs = golds[before] != golds[known]
        differing = known[differs]
        if not differing.size:
            return
        self.n_differing += np.unique(questions[differs]).size
        at = int(np.argmin(block.places[differing]))
        first, row = int(before[differs][at]), int(differing[at])
        if block.places[row] < self.differs:
            self.differs, self.before = int(block.places[row]), int(block.places[first])
            self.words = block.rows.question.at(row), words[int(golds[row])], words[int(golds[first])]

    def _decides(self, variants: IntArray, questions: IndexArray, words: tuple[str, ...], golds: IndexArray) -> None:
        """Count the right answers of each variant, as far as one or more, and the questions."""
        asked = distinct(pairs(variants, questions)).first
        self.n_questions += np.bincount(variants[asked], minlength=self.n_questions.size)
        there = distinct(pairs(variants, golds)).first
        n_golds = np.bincount(variants[there], minlength=self.n_golds.size)
        first = np.full(n_golds.size, -1, dtype=np.int64)
        first[variants[there]] = golds[there]
        for variant in np.flatnonzero(n_golds).tolist():
            word = words[int(first[variant])]
            known = self.n_golds[variant] > 0
            if n_golds[variant] > 1 or (known and self.first[variant] != word):
                self.n_golds[variant] = 2
            elif not known:
                self.n_golds[variant], self.first[variant] = 1, word

    @property
    def group_decides(self) -> bool:
        """Whether each variant has one right answer in all its questions, two at least."""
        there = self.n_golds > 0
        return bool((self.n_golds[there] == 1).all() and (self.n_questions[there] >= 2).all())

    def note(self, n_rows: int, line: Callable[[int], int | None], notes: NoteBook) -> None:
        """Note rows without one, and that the group decides it."""
        if 0 < self.n_known < n_rows:
            message = f"{part_of(n_rows - self.n_known, plural(n_rows, 'row'), 'has', 'have')} no gold answer"
            notes.add(message, line(self.without))
        if self.n_differing:
            n_questions = _many(self.n_differing, "question")
            notes.add(f"gold answers differ between the variants of {n_questions}, by group", line(self.differs))

    def note_groups(self, names: VariantNames, options: tuple[str, ...], notes: NoteBook) -> None:
        """Note the options that are right for one group of an attribute, and never for another."""
        found = np.array(sorted(self.pairs), dtype=np.int64).reshape(-1, 2)
        golds, given = found[:, 1], names.codes[found[:, 0]]
        for a, values in enumerate(names.values):
            mentioned = given[:, a] != NOT_MENTIONED
            right: set[int] = set(golds[mentioned & (golds != UNKNOWN)].tolist())
            for code, value in enumerate(values):
                own = set(golds[given[:, a] == code].tolist())
                for option in sorted(right - own):
                    lacks = f"group {shown(value)} has no gold {shown(options[option])}"
                    notes.add(f"{lacks}: TPR undefined", kind="no gold")


def _golds(block: Block) -> tuple[tuple[str, ...], IndexArray]:
    """Right answers as they are compared, and the code of each row's, :data:`UNKNOWN` where none is recorded."""
    if block.read.kind == "closed":
        return block.read.options, block.read.golds.astype(np.int32)
    golds = block.rows.gold.mapped(lambda gold: " ".join(gold.split()))
    return golds.values, np.where(golds.told(bool), golds.codes, UNKNOWN).astype(np.int32)


@dataclass(slots=True)
class _Unread:
    """Answers that are empty, or name no option.

    The number of those that need parsing counts beside them the answers that are no right option
    as it stands, such as "B. Cross-linking".

    Attributes:
        n_odd: Open answers that are empty, closed ones that are no right option as they stand.
        first_odd: Place of the first of these.
        rules: How closed answers were read.
        by_variant: Place of the first answer that names no option, and how many do, by variant.
    """

    n_odd: int = 0
    first_odd: int = NOWHERE
    rules: Counter[str] = field(default_factory=Counter[str])
    by_variant: dict[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])

    def add(self, block: Block, right: frozenset[str]) -> None:
        rows, read = block.rows, block.read
        if read.kind == "open":
            odd = np.flatnonzero(rows.prediction.told(lambda said: not (said or "").strip()))
        else:
            self.rules.update(read.read_by)
            odd = np.flatnonzero(rows.prediction.told(lambda said: (said or "").strip() not in right))
            unread = np.flatnonzero(read.choices == UNKNOWN)
            found = distinct(block.variants[unread])
            firsts = np.full(found.first.size, NOWHERE)
            np.minimum.at(firsts, found.of, block.places[unread])
            variants: list[int] = block.variants[unread[found.first]].tolist()
            for variant, first, n in zip(variants, firsts.tolist(), np.bincount(found.of).tolist(), strict=True):
                before, so_far = self.by_variant.get(variant, (NOWHERE, 0))
                self.by_variant[variant] = min(before, first), so_far + n
        self.n_odd += odd.size
        self.first_odd = min(self.first_odd, int(block.places[odd].min(initial=NOWHERE)))

    def note(
        self, kind: str, n_rows: int, names: VariantNames, line: Callable[[int], int | None], notes: NoteBook
    ) -> None:
        if kind == "open":
            if self.n_odd:
                notes.add(f"{part_of(self.n_odd, plural(n_rows, 'answer'), 'is', 'are')} empty", line(self.first_odd))
            return
        if set(self.rules) - {LETTER, LETTER_IN_WORDS, TEXT}:
            read = ", ".join(f"{rule} {count(n)}" for rule, n in sorted(self.rules.items()))
            notes.add(f"answers read by: {read}")
        if self.by_variant:
            by_label: Counter[str] = Counter()
            for variant, (_, n) in sorted(self.by_variant.items(), key=lambda one: one[1][0]):
                by_label[names.label(variant)] += n
            by_group = by_label.most_common()
            groups = ", ".join(f"{shown(label, 30)} {count(n)}" for label, n in by_group[:12])
            more = ", …" if len(by_group) > 12 else ""
            message = f"{part_of(self.n_odd, plural(n_rows, 'prediction'), 'needs', 'need')} parsing"
            n_unclear = by_label.total()
            says = (
                "one names no option and counts" if n_unclear == 1 else f"{count(n_unclear)} name no option and count"
            )
            unclear = f"{says} as no answer: {groups}{more}"
            notes.add(f"{message}; {unclear}", line(self.first_odd))


class _Set(NamedTuple):
    """The first of the sets of variants of a producer that have as many variants.

    Attributes:
        place: Of its first row.
        question: Its question.
        variants: That it has.
    """

    place: int
    question: str
    variants: frozenset[int]


@dataclass(slots=True)
class _Sets:
    """Questions that lack a variant which others of their producer have.

    Attributes:
        n: Sets of variants, by producer and number of variants; firsts: the first of each.
        variants: Of each producer, those that any question has.
        producers: Producers there are.
    """

    n: Counter[tuple[int, int]] = field(default_factory=Counter[tuple[int, int]])
    firsts: dict[tuple[int, int], _Set] = field(default_factory=dict[tuple[int, int], _Set])
    variants: dict[int, set[int]] = field(default_factory=dict[int, set[int]])

    def add(self, block: Block) -> None:
        producers = block.producers
        having = distinct(pairs(producers, block.variants)).first
        for producer, variant in zip(producers[having].tolist(), block.variants[having].tolist(), strict=True):
            self.variants.setdefault(producer, set()).add(variant)
        sets = distinct(block.answers_of)
        sizes = np.bincount(sets.of)
        places = block.places[sets.first]
        order = np.argsort(places)
        alike = distinct(pairs(producers[sets.first[order]], sizes[order]))
        for one, n in zip(order[alike.first].tolist(), np.bincount(alike.of).tolist(), strict=True):
            row = int(sets.first[one])
            key, place = (int(producers[row]), int(sizes[one])), int(places[one])
            self.n[key] += n
            if key not in self.firsts or place < self.firsts[key].place:
                variants = frozenset(block.variants[sets.of == one].tolist())
                self.firsts[key] = _Set(place, block.rows.question.at(row), variants)

    def note(self, names: VariantNames, notes: NoteBook) -> None:
        lacking = {(producer, n) for producer, n in self.n if n < len(self.variants[producer])}
        if not lacking:
            return
        producer = min(producer for producer, _ in lacking)  # of the first that lacks any
        first = min(self.firsts[key] for key in lacking if key[0] == producer)
        order = np.lexsort(names.codes.T[::-1]).tolist()
        missing = next(v for v in order if v in self.variants[producer] - first.variants)
        what = "questions" if len(self.variants) == 1 else "sets of variants"
        n, n_lacking = self.n.total(), sum(self.n[key] for key in lacking)
        complete = f"{part_of(n - n_lacking, f'{count(n)} {what}', 'is', 'are')} complete"
        lacks = f"question {shown(first.question)} lacks variant {shown(names.label(missing))}"
        notes.add(f"{lacks}; {complete}")


@dataclass(slots=True)
class _Votes:
    """Tied majority votes.

    Those vote who vote by default where votes are measured: every variant about somebody and the
    neutral question; an original question does not. Unreadable answers are one answer of their own.
    """

    n_decided: int = 0
    n_tied: int = 0
    producers: set[int] = field(default_factory=set[int])

    def add(self, block: Block, names: VariantNames) -> None:
        read = block.read
        if read.kind != "closed" or not read.options:
            return
        neutral = names.conditions.index(_NEUTRAL) if _NEUTRAL in names.conditions else None
        condition = names.codes[block.variants, -1]
        voters = np.isin(condition, [NOT_MENTIONED] if neutral is None else [NOT_MENTIONED, neutral])
        of_voters = block.answers_of[voters]
        n_choices = len(read.options) + 1  # the last is that of unreadable answers
        cast = distinct(of_voters * n_choices + read.choices[voters] % n_choices)
        n = np.bincount(cast.of)
        votes = distinct(of_voters[cast.first]).of
        largest = np.zeros(int(votes.max(initial=-1)) + 1, dtype=np.int64)
        np.maximum.at(largest, votes, n)
        decided = np.bincount(votes, weights=n) >= _VOTERS
        self.n_decided += int(decided.sum())
        self.n_tied += int((decided & (np.bincount(votes, weights=n == largest[votes]) > 1)).sum())
        self.producers.update(np.unique(block.producers[voters]).tolist())

    def note(self, names: VariantNames, n_questions: int, notes: NoteBook) -> None:
        """Note them, and a file of one question.

        One question with two values is a pair that speaks for itself; with more values the largest
        difference over groups looks like a rate, and can only be 0 or 1.
        """
        if self.n_tied:
            what = "question" if len(self.producers) == 1 else "vote"
            message = f"majority vote tied on {count(self.n_tied)} of {_many(self.n_decided, what)}"
            who = "all groups and the neutral question vote" if _NEUTRAL in names.conditions else "all groups vote"
            notes.add(f"{message} ({who}, unreadable answers as one answer)")
        if n_questions == 1 and any(len(values) > 2 for values in names.values):
            notes.add("1 question: disparity can only be 0 or 1")


def _many(n: int, noun: str) -> str:
    return f"{count(n)} {noun}" if n == 1 else f"{count(n)} {noun}s"
