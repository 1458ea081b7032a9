"""What a setting does to Diff-Bias: amplification, paired by item, with an exact test.

The two sides answered the same items, so the test flips them template by template and convolves the exact distribution
of the sum; flips are drawn only where it would be longer than two million cells (uneven numbers of contexts), and the
result says so. Holm's family is one table, the same on the page as by the command: all models, bias types, contexts and
values of the compared column, at one choice of every other column (retriever, k, …), which the page holds fixed. Bias
types, the groups in them and all types together are three tables, so that p of a type is the same whether groups are
asked for or not. Rows below 100 items or 10 templates are shown, untested.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.errors import UndefinedError, UsageError
from fairviz.model import BiasAnswers, BiasItems, BoolArray, FloatArray, IntArray
from fairviz.stats.bootstrap import N_RESAMPLES, Interval
from fairviz.stats.disaggregation import Resampling, alike, combinations_of, holm_by_family, partners
from fairviz.stats.tests import SIGNIFICANCE, SignFlip
from fairviz.studies.social_bias.measures import AMBIGUOUS, LEANINGS, OUT, C, Leaning, OutOfChoice, S
from fairviz.studies.social_bias.rows import (
    BY,
    MOST_UNREAD,
    NO_CONTEXT,
    WITHOUT_RAG,
    answer_kinds,
    column_of,
    context_of_items,
    counts_by_template,
    flip_test,
    instructions_of,
    is_enough,
    own_intervals,
    resampled_measures,
    rows_by,
    sizes_of,
    templates_of,
    unread_share,
)

FOLLOWS = {
    "setting": ("retriever", "k"),
    "retriever": ("setting", "k"),
    "k": ("setting", "retriever"),
    "size": ("model",),
    "tuned": ("model",),
    "model": ("size", "tuned"),
}
"""Columns that change along with another: retriever and k belong to retrieval, so that the answer without it is the
partner of all of them."""

ChangeVerdict: TypeAlias = Literal[
    "more towards the stereotype",
    "less towards the stereotype",
    "no significant difference",
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
        p_holm: Corrected over the tested rows of the table.
        verdict: What ``p_holm`` allows to say at the 5 % level.
        n_items: Paired answers of that kind of context (per instruction, the mean).
        n_templates: Their templates.
        n_towards, n_away: Pairs whose answer moved towards the stereotype, or away from it.
        n_unused: Pairs left out because either answer is out of choice (``ooc='drop'``).
        tested: At least 100 items and 10 templates.
        exact: p is exact, not drawn.
        n_tests: Tests that ``p_holm`` is corrected over.
    """

    by: tuple[tuple[str, str], ...]
    against: tuple[str, str]
    measure: Leaning
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
    n_tests: int = 0

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
    contexts = context_of_items(items)[answers.items][pairs.answers]
    kinds = answer_kinds(items, answers)
    usable = contexts != NO_CONTEXT
    if ooc == "drop":
        usable &= (kinds[pairs.answers] != OUT) & (kinds[pairs.references] != OUT)
    answered = _Answered(
        instructions=instructions_of(answers, by)[pairs.answers],
        templates=templates_of(items, answers)[pairs.answers],
        contexts=contexts,
        usable=usable,
        kinds=kinds[pairs.answers],
        reference_kinds=kinds[pairs.references],
    )
    resampling = Resampling(seed, n_resamples)
    by_group = groups and STEREOTYPED_COLUMN not in by
    changes: list[BiasChange] = []
    for columns in [by, (*by, STEREOTYPED_COLUMN)] if by_group else [by]:
        rows = rows_by(items, answers, columns)
        names = [rows.pairs(row) for row in range(len(rows.values))]
        if groups and STEREOTYPED_COLUMN not in columns:
            names = [(*name, (STEREOTYPED_COLUMN, "")) for name in names]
        of_rows = _changes(answered, rows.of[pairs.answers], names, against, ooc, resampling)
        if STEREOTYPED_COLUMN in columns and columns != by:  # a group without a name has its row
            of_rows = [change for change in of_rows if change.get(STEREOTYPED_COLUMN)]
        changes += of_rows
    return corrected(changes)


def corrected(changes: Sequence[BiasChange]) -> tuple[BiasChange, ...]:
    """The same changes with p corrected over the tested rows of their table: types, groups, or all types together."""
    tables = [_table(change) for change in changes]
    p_values = np.array([change.p for change in changes], dtype=np.float64)
    p_holm: list[float] = holm_by_family(p_values, tables).tolist()
    sizes = Counter(table for table, change in zip(tables, changes, strict=True) if change.tested)
    return tuple(
        replace(change, p_holm=p, verdict=_verdict(change, p), n_tests=sizes[table])
        for change, p, table in zip(changes, p_holm, tables, strict=True)
    )


def _table(change: BiasChange) -> Hashable:
    """What rows that are seen at once have in common."""
    within = ("model", "category", STEREOTYPED_COLUMN, change.against[0])
    others = tuple((column, value) for column, value in change.by if column not in within)
    return bool(change.get("category")), bool(change.get(STEREOTYPED_COLUMN)), others


def _verdict(change: BiasChange, p_holm: float) -> ChangeVerdict:
    if not change.tested:
        return "too few to say"
    if p_holm >= SIGNIFICANCE:
        return "no significant difference"
    return "more towards the stereotype" if change.change > 0 else "less towards the stereotype"


# Answers paired with the reference's answer to the same item by the same producer


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
    compared_too = (column, *FOLLOWS.get(column, ()))
    same = [answers.items, *(factor.codes for factor in answers.factors if factor.name not in compared_too)]
    paired = partners(combinations_of(same, answers.items.size).of, is_reference)
    if paired.n_repeated:
        raise UsageError(
            f"{column} = {value} answers an item more than once: keep answers apart by "
            f"{_varying(answers, np.flatnonzero(is_reference), column) or 'another column'}"
        )
    if not paired.rows.size:
        raise UndefinedError(f"no answer has a partner with {column} = {value}")
    return Pairs(paired.rows, paired.references, paired.n_unpaired)


def _varying(answers: BiasAnswers, references: IntArray, column: str) -> str:
    """Columns that change along and differ within the reference."""
    names: Sequence[str] = FOLLOWS.get(column, ())
    varying = [
        factor.name
        for factor in answers.factors
        if factor.name in names and np.unique(factor.codes[references]).size > 1
    ]
    return ", ".join(varying)


# Pairs counted by row, and the change of each row


class _Answered(NamedTuple):
    """(P) what is known of each pair."""

    instructions: IntArray
    templates: IntArray
    contexts: IntArray
    usable: BoolArray
    kinds: IntArray
    reference_kinds: IntArray

    def counts(self, rows: IntArray, n_rows: int) -> Iterator[list[FloatArray]]:
        """(G) counts of either side (see :func:`counts_by_template`); the same pairs, so of the same shapes."""
        contexts = np.where(self.usable, self.contexts, NO_CONTEXT)
        for kinds in (self.kinds, self.reference_kinds):
            yield counts_by_template(rows, n_rows, self.instructions, self.templates, contexts, kinds)

    def moves(self, rows: IntArray, n_rows: int) -> IntArray:
        """(G, 2, 3) pairs of each row and measure: towards the stereotype, away, left out."""
        known = self.contexts != NO_CONTEXT
        step = _leaning(self.kinds) - _leaning(self.reference_kinds)
        move = np.select([~self.usable, step > 0, step < 0], [2, 0, 1], default=3)
        cell = (rows * 2 + (self.contexts != AMBIGUOUS)) * 4 + move
        counts = np.bincount(cell[known], minlength=n_rows * 8)
        return counts.reshape(n_rows, 2, 4)[:, :, :3]


def _changes(
    answered: _Answered,
    rows: IntArray,
    names: Sequence[tuple[tuple[str, str], ...]],
    against: tuple[str, str],
    ooc: OutOfChoice,
    resampling: Resampling,
) -> list[BiasChange]:
    """Changes of the rows of pairs, in the order of the rows; those without a usable pair are left out."""
    counts, reference_counts = answered.counts(rows, len(names))
    moves = answered.moves(rows, len(names))
    changes: dict[tuple[int, int], BiasChange] = {}
    for places in alike(counts):
        if not counts[places[0]].size:
            continue
        sides = [
            resampled_measures([side[row] for row in places], ooc, resampling) for side in (counts, reference_counts)
        ]
        for m, measure in enumerate(LEANINGS):
            values, references = (side[measure] for side in sides)
            sizes = [sizes_of(counts[row], measure) for row in places]
            n_templates = np.array([size.n_templates for size in sizes])
            signed = own_intervals(values - references, n_templates)
            absolute = own_intervals(np.abs(values) - np.abs(references), n_templates)
            for i, row in enumerate(places):
                size = sizes[i]
                if not size.n_items:
                    continue
                value, reference = float(values[i, 0]), float(references[i, 0])
                both = (counts[row], reference_counts[row])
                readable = max(map(unread_share, both)) <= MOST_UNREAD
                tested = is_enough(size) and readable and not np.isnan(value - reference)
                result = flip_test(measure, *both, seed=resampling.seed) if tested else SignFlip(np.nan, True)
                towards, away, unused = moves[row, m].tolist()
                changes[row, m] = BiasChange(
                    by=names[row],
                    against=against,
                    measure=measure,
                    value=value,
                    reference=reference,
                    change=value - reference,
                    interval=signed[i],
                    change_abs=abs(value) - abs(reference),
                    interval_abs=absolute[i],
                    p=result.p,
                    p_holm=np.nan,
                    verdict="too few to say",
                    n_items=size.n_items,
                    n_templates=size.n_templates,
                    n_towards=towards,
                    n_away=away,
                    n_unused=unused,
                    tested=tested,
                    exact=result.exact,
                )
    return [changes[key] for key in sorted(changes)]


def _leaning(kinds: IntArray) -> IntArray:
    """+1 along the stereotype, −1 against it, 0 neither."""
    return (kinds == S).astype(np.int64) - (kinds == C)
