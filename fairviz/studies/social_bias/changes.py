"""What a setting does to Diff-Bias: amplification, paired by item, with an exact test."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.errors import UndefinedError, UsageError
from fairviz.model import BiasAnswers, BiasItems, FloatArray, IntArray
from fairviz.stats.bootstrap import N_RESAMPLES, Interval
from fairviz.stats.tests import SIGNIFICANCE, SignFlip, holm, sign_flip
from fairviz.studies.social_bias.measures import AMBIGUOUS, COUNTER, OUT, STEREOTYPED, C, OutOfChoice, S
from fairviz.studies.social_bias.rows import (
    BY,
    MIN_ITEMS,
    MIN_TEMPLATES,
    NO_CONTEXT,
    WITHOUT_RAG,
    Block,
    Resamples,
    answer_kinds,
    block_of,
    column_of,
    context_of_items,
    counted,
    instructions_of,
    intervals_of,
    rows_by,
    together,
)

# Answers paired with the reference's answer to the same item by the same producer.


FOLLOWS = {
    "setting": ("retriever", "k"),
    "retriever": ("setting", "k"),
    "k": ("setting", "retriever"),
    "size": ("model",),
    "tuned": ("model",),
    "model": ("size", "tuned"),
}
"""Columns that change along with another: without retrieval there is no retriever and no k."""


class Pairs(NamedTuple):
    """(P) positions of an answer and of the reference's answer to the same item."""

    answers: IntArray
    references: IntArray
    n_unpaired: int


def pairs_of(items: BiasItems, answers: BiasAnswers, against: tuple[str, str]) -> Pairs:
    """Pair every answer that is not the reference's with the reference's.

    Two answers belong together if they answer the same item and agree in every recorded column but
    the one compared, and those that change along with it (:data:`FOLLOWS`).

    Args:
        items: The questions.
        answers: Answers to them.
        against: Column and value of the reference, such as ("setting", "w/o RAG").

    Raises:
        UsageError: The reference is no value of the column, or has several answers to one item.
        UndefinedError: No answer has a partner.
    """
    column, value = against
    compared = column_of(items, answers, column)
    if value not in compared.values:
        known = ", ".join(compared.values)
        raise UsageError(f"{column} has no value {value!r} to compare with; there are: {known}")
    is_reference = compared.codes == compared.values.index(value)
    kept = [
        factor for factor in answers.factors if factor.name != column and factor.name not in FOLLOWS.get(column, ())
    ]
    keys = answers.items.astype(np.int64)
    for factor in kept:
        keys = keys * max(len(factor.values), 1) + factor.codes
    references, others = np.flatnonzero(is_reference), np.flatnonzero(~is_reference)
    order = references[np.argsort(keys[references], kind="stable")]
    known_keys = keys[order]
    if (known_keys[1:] == known_keys[:-1]).any():
        raise UsageError(
            f"{column} = {value} answers an item more than once: keep answers apart by "
            f"{_varying(answers, references, column) or 'another column'}"
        )
    place = np.searchsorted(known_keys, keys[others])
    found = place < order.size
    found[found] = known_keys[place[found]] == keys[others][found]
    if not found.any():
        raise UndefinedError(f"no answer has a partner with {column} = {value}")
    return Pairs(others[found], order[place[found]], int((~found).sum()))


def _varying(answers: BiasAnswers, at: IntArray, column: str) -> str:
    """Columns that change along and differ within the reference."""
    names: Sequence[str] = FOLLOWS.get(column, ())
    varying = [
        factor.name for factor in answers.factors if factor.name in names and np.unique(factor.codes[at]).size > 1
    ]
    return ", ".join(varying)


ChangeMeasure: TypeAlias = Literal["diffbias_a", "diffbias_d"]

CHANGE_MEASURES: tuple[ChangeMeasure, ...] = ("diffbias_a", "diffbias_d")

ChangeVerdict: TypeAlias = Literal[
    "more towards the stereotype",
    "less towards the stereotype",
    "not distinguishable",
    "too few to say",
]

STEREOTYPED_COLUMN = "stereotyped"


@dataclass(frozen=True, slots=True, kw_only=True)
class BiasChange:
    """Diff-Bias of a row minus Diff-Bias of the reference, on the items that both answered.

    Attributes:
        by: (column, value) pairs of the row; "" for a column that the row pools.
        against: Column and value of the reference.
        measure: In ambiguous or in disambiguated contexts.
        value, reference: Diff-Bias of either side on the common items, percent; the mean over task
            instructions.
        change: ``value − reference``, in points: amplification where the reference is without RAG.
        interval: 95 % bootstrap over templates, paired.
        change_abs: ``|value| − |reference|``: > 0 is further from 0, whichever way.
        interval_abs: The same of ``change_abs``.
        p: Exact sign-flip test by template; NaN where it was not tested.
        p_holm: Corrected over the tested rows of the table, one table per measure.
        verdict: What ``p_holm`` allows to say at the 5 % level.
        n_items: Paired answers of that kind of context (per instruction, the mean).
        n_templates: Their templates.
        n_towards, n_away: Pairs whose answer moved towards the stereotype, or away from it.
        n_unused: Pairs left out because either answer is out of choice (``ooc='drop'``).
        tested: At least 100 items and 10 templates.
        exact: p is exact, not drawn.
    """

    by: tuple[tuple[str, str], ...]
    against: tuple[str, str]
    measure: ChangeMeasure
    value: float
    reference: float
    change: float
    interval: Interval
    change_abs: float
    interval_abs: Interval
    p: float
    p_holm: float
    verdict: ChangeVerdict
    n_items: int
    n_templates: int
    n_towards: int
    n_away: int
    n_unused: int
    tested: bool
    exact: bool

    def get(self, column: str) -> str:
        """The row's value of a column, "" where it pools it."""
        return dict(self.by).get(column, "")


def bias_changes(
    items: BiasItems,
    answers: BiasAnswers,
    *,
    by: Sequence[str] = BY,
    against: tuple[str, str] = ("setting", WITHOUT_RAG),
    ooc: OutOfChoice = "drop",
    groups: bool = False,
    seed: int = 0,
    n_resamples: int = N_RESAMPLES,
) -> tuple[BiasChange, ...]:
    """Compare every row with the reference, pair by pair.

    Args:
        items: The questions.
        answers: Answers to them.
        by: Columns that rows are kept apart by; the compared column is added.
        against: Column and value of the reference.
        ooc: "drop" leaves out a pair with either answer out of choice, "count" keeps it.
        groups: Also one row per group that the stereotype is about (column "stereotyped"), in the
            same table and Holm family.
        seed: Of resamples, and of drawn flips.
        n_resamples: Resamples of the templates.

    Returns:
        For each row, one change per measure that has pairs.

    Raises:
        UsageError: A column or value that is not there; several reference answers to an item.
        UndefinedError: Nothing can be paired.
    """
    by = tuple(dict.fromkeys([*by, against[0]]))
    pairs = pairs_of(items, answers, against)
    contexts = context_of_items(items)[answers.items]
    kinds = answer_kinds(items, answers)
    usable = contexts[pairs.answers] != NO_CONTEXT
    if ooc == "drop":
        usable &= (kinds[pairs.answers] != OUT) & (kinds[pairs.references] != OUT)
    table = _Table(
        instructions=instructions_of(answers, by)[pairs.answers],
        templates=items.templates.codes[answers.items].astype(np.int64)[pairs.answers],
        contexts=np.where(usable, contexts[pairs.answers], NO_CONTEXT),
        of_context=contexts[pairs.answers],
        kinds=kinds[pairs.answers],
        reference_kinds=kinds[pairs.references],
    )
    resamples = Resamples(seed=seed, n_resamples=n_resamples)
    found: list[BiasChange] = []
    asked = [by, (*by, STEREOTYPED_COLUMN)] if groups and STEREOTYPED_COLUMN not in by else [by]
    for columns in asked:
        rows = rows_by(items, answers, columns)
        of = rows.of[pairs.answers]
        names = [tuple(zip(columns, values, strict=True)) for values in rows.values]
        if groups and STEREOTYPED_COLUMN not in columns:
            names = [(*name, (STEREOTYPED_COLUMN, "")) for name in names]
        changes = table.changes(of, names, against, ooc, resamples, seed)
        if STEREOTYPED_COLUMN in columns and columns != by:  # a group without a name has its row
            changes = [change for change in changes if change.get(STEREOTYPED_COLUMN)]
        found += changes
    return holm_by(found)


def holm_by(changes: Sequence[BiasChange], columns: Sequence[str] = ()) -> tuple[BiasChange, ...]:
    """The same changes with p corrected over the tested rows of each table that is seen at once.

    Args:
        changes: Changes with their own p.
        columns: Rows equal in these columns, and in their measure, are one table; none: all rows.
    """
    tables: dict[tuple[str, ...], list[int]] = {}
    for i, change in enumerate(changes):
        key = (change.measure, *(change.get(column) for column in columns))
        tables.setdefault(key, []).append(i)
    found = list(changes)
    for places in tables.values():
        adjusted: list[float] = holm(np.array([changes[i].p for i in places])).tolist()
        for i, p in zip(places, adjusted, strict=True):
            found[i] = replace(changes[i], p_holm=p, verdict=_verdict(changes[i], p))
    return tuple(found)


class _Table(NamedTuple):
    """(P) what is known of each pair."""

    instructions: IntArray
    templates: IntArray
    contexts: IntArray
    of_context: IntArray
    kinds: IntArray
    reference_kinds: IntArray

    def changes(
        self,
        of: IntArray,
        names: Sequence[tuple[tuple[str, str], ...]],
        against: tuple[str, str],
        ooc: OutOfChoice,
        resamples: Resamples,
        seed: int,
    ) -> list[BiasChange]:
        """Rows of pairs, in the order of the rows; those without a usable pair are left out."""
        sides = [
            counted(of, self.instructions, self.templates, self.contexts, kinds)
            for kinds in (self.kinds, self.reference_kinds)
        ]
        moves = self._moves(of, len(names))
        rows: list[int] = np.unique(sides[0].rows).tolist()
        ends: list[int] = np.searchsorted(sides[0].rows, [*rows, len(names)]).tolist()
        blocks = [[block_of(side, slice(*part)) for part in pairwise(ends)] for side in sides]
        found: dict[tuple[int, int], BiasChange] = {}
        for places in together(blocks[0]):
            drawn = [resamples.measures([side[i] for i in places], ooc) for side in blocks]
            for m, measure in enumerate(CHANGE_MEASURES):
                compared = _Compared(drawn[0][measure], drawn[1][measure])
                sizes = [_sizes(blocks[0][i], measure) for i in places]
                intervals = compared.intervals([n_templates for _, n_templates in sizes])
                for j, i in enumerate(places):
                    n_items, n_templates = sizes[j]
                    if not n_items:
                        continue
                    value, reference = compared.own(j)
                    defined = not np.isnan(value - reference)
                    tested = n_items >= MIN_ITEMS and n_templates >= MIN_TEMPLATES and defined
                    both = (blocks[0][i], blocks[1][i])
                    result = _test(measure, both, seed) if tested else SignFlip(np.nan, True)
                    towards, away, unused = moves[rows[i], m].tolist()
                    found[i, m] = BiasChange(
                        by=names[rows[i]],
                        against=against,
                        measure=measure,
                        value=value,
                        reference=reference,
                        change=value - reference,
                        interval=intervals[0][j],
                        change_abs=abs(value) - abs(reference),
                        interval_abs=intervals[1][j],
                        p=result.p,
                        p_holm=np.nan,
                        verdict="too few to say",
                        n_items=n_items,
                        n_templates=n_templates,
                        n_towards=towards,
                        n_away=away,
                        n_unused=unused,
                        tested=tested,
                        exact=result.exact,
                    )
        return [found[key] for key in sorted(found)]

    def _moves(self, of: IntArray, n_rows: int) -> IntArray:
        """(G, 2, 3) pairs of each row and measure: towards the stereotype, away, left out."""
        known = self.of_context != NO_CONTEXT
        step = _leaning(self.kinds) - _leaning(self.reference_kinds)
        what = np.select([self.contexts == NO_CONTEXT, step > 0, step < 0], [2, 0, 1], default=3)
        cell = (of * 2 + (self.of_context != AMBIGUOUS)) * 4 + what
        counts = np.bincount(cell[known], minlength=n_rows * 8)
        return counts.reshape(n_rows, 2, 4)[:, :, :3]


class _Compared(NamedTuple):
    """(A, 1+B) Diff-Bias of both sides under the same resamples, the data's own first."""

    values: FloatArray
    references: FloatArray

    def own(self, row: int) -> tuple[float, float]:
        return float(self.values[row, 0]), float(self.references[row, 0])

    def intervals(self, n_templates: Sequence[int]) -> tuple[list[Interval], list[Interval]]:
        """Of the signed and of the absolute change."""
        signed = self.values - self.references
        absolute = np.abs(self.values) - np.abs(self.references)
        return intervals_of(signed, n_templates), intervals_of(absolute, n_templates)


def _sizes(block: Block, measure: ChangeMeasure) -> tuple[int, int]:
    """Pairs of the measure's contexts (a mean over instructions), and their templates."""
    contexts = [AMBIGUOUS] if measure == "diffbias_a" else [STEREOTYPED, COUNTER]
    per_template = block.counts[:, :, contexts].sum(axis=(0, 2, 3))
    return int(per_template.sum()) // block.counts.shape[0], int((per_template > 0).sum())


def _test(measure: ChangeMeasure, blocks: Sequence[Block], seed: int) -> SignFlip:
    """Sign flips of each template's share in the change, all instructions together."""
    one, two = (np.rint(block.counts).astype(np.int64) for block in blocks)
    moved = one - two
    sizes = one.sum(axis=(1, 3))  # (J, 3) pairs by context, the same on both sides
    if measure == "diffbias_a":
        differences = moved[:, :, AMBIGUOUS, S] - moved[:, :, AMBIGUOUS, C]
        return sign_flip(differences, sizes[:, AMBIGUOUS], seed=seed)
    right = [moved[:, :, STEREOTYPED, S], -moved[:, :, COUNTER, C]]
    differences = np.concatenate(right)
    return sign_flip(differences, sizes[:, [STEREOTYPED, COUNTER]].T.ravel(), seed=seed)


def _leaning(kinds: IntArray) -> IntArray:
    """+1 along the stereotype, −1 against it, 0 neither."""
    return (kinds == S).astype(np.int64) - (kinds == C)


def _verdict(change: BiasChange, p_holm: float) -> ChangeVerdict:
    if not change.tested:
        return "too few to say"
    if p_holm >= SIGNIFICANCE:
        return "not distinguishable"
    return "more towards the stereotype" if change.change > 0 else "less towards the stereotype"
