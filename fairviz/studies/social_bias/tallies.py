"""Answers counted by all that measures of social bias look at.

Measures, intervals and tests are functions of how often each row has each answer: by task instruction, template and
context.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairviz.errors import UndefinedError, UsageError
from fairviz.model import BiasAnswers, BiasItems, Factor, FloatArray, IntArray
from fairviz.model.bias import NO_TARGET, OUT_OF_CHOICE
from fairviz.stats.disaggregation import Codes, clusters_of, combinations_of, n_clusters, partners
from fairviz.stats.tests import OnePlace, one_place
from fairviz.studies.social_bias.measures import AMBIGUOUS, COUNTER, OUT, STEREOTYPED, C, S, U

INSTRUCTION = "instruction"
"""Measures are taken per task instruction and then averaged, unless a row asks for it."""

N_CONTEXTS, N_ANSWERS = 3, 4

NO_CONTEXT = -1


PLACES = np.array([[s, (3 - s - u) % 3, u] for s in range(3) for u in range(3)])
"""(9, 3) places of the answers along and against the stereotype and of "unknown", by order of the options; three of the
orders, which have two of them in one place, do not occur."""

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

# What answers are, and the columns that they have


def context_of_items(items: BiasItems) -> IntArray:
    """(N) context of each item: ambiguous, stereotyped, counter; −1 without a biased answer."""
    stereotyped = items.gold == items.target
    context = np.where(items.ambiguous, AMBIGUOUS, np.where(stereotyped, STEREOTYPED, COUNTER))
    return np.where(items.target == NO_TARGET, NO_CONTEXT, context)


def answer_kinds(items: BiasItems, answers: BiasAnswers) -> IntArray:
    """(A) what each answer is: towards the stereotype, against it, unknown, out of choice."""
    choices = answers.choices
    kinds = np.full(choices.size, C, dtype=np.int64)
    kinds[choices == items.target[answers.items]] = S
    kinds[choices == items.unknown[answers.items]] = U
    kinds[choices == OUT_OF_CHOICE] = OUT
    return kinds


def option_orders(items: BiasItems) -> IntArray:
    """(N) in which order the options of each item stand, as a row of :data:`PLACES`."""
    return np.maximum(items.target, 0).astype(np.int64) * 3 + items.unknown


def columns_of_items(items: BiasItems) -> dict[str, Factor]:
    """Columns that items bring; all others come with the answers."""
    return {
        "category": items.categories,
        "language": items.languages,
        "stereotyped": items.stereotyped,
        "template": items.templates,
    }


def column_of(items: BiasItems, answers: BiasAnswers, name: str) -> Factor:
    """A column of the answers, or of the items that they answer, with a code per answer.

    Raises:
        UsageError: No such column; those that are there are listed.
    """
    factor = answers.factor(name)
    if factor is not None:
        return factor
    of_items = columns_of_items(items)
    if name not in of_items:
        known = [*(factor.name for factor in answers.factors), *of_items]
        raise UsageError(f"answers have no column {name!r}; there are: {', '.join(known)}")
    of_item = of_items[name]
    return Factor(name, of_item.values, of_item.codes[answers.items])


def templates_of(items: BiasItems, answers: BiasAnswers) -> IntArray:
    """(A) template of the item that each answer is to."""
    return items.templates.codes[answers.items].astype(np.int64)


def instructions_of(answers: BiasAnswers, by: Sequence[str]) -> IntArray:
    """(A) instruction of each answer; 0 where there is one, or where rows keep them apart."""
    factor = answers.factor(INSTRUCTION)
    if factor is None or INSTRUCTION in by:
        return np.zeros(answers.items.size, dtype=np.int64)
    return factor.codes.astype(np.int64)


# Rows, and cells that are counted


@dataclass(frozen=True, slots=True, eq=False)
class RowNames:
    """The combinations of columns that occur, in the order of their values.

    Attributes:
        columns: Names of the K columns.
        values: (K) the values of each column.
        codes: (G, K) place of each row's value of each column.
    """

    columns: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    codes: IntArray

    def pairs(self) -> list[tuple[tuple[str, str], ...]]:
        """(G) the (column, value) pairs of each row."""
        named = list(zip(self.columns, self.values, strict=True))
        rows: list[list[int]] = self.codes.tolist()
        return [tuple((name, values[code]) for (name, values), code in zip(named, row, strict=True)) for row in rows]

    def __len__(self) -> int:
        """G."""
        return len(self.codes)


def rows_by(items: BiasItems, answers: BiasAnswers, by: Sequence[str]) -> tuple[RowNames, IntArray]:
    """The rows of a table, and the row of each of A answers.

    Raises:
        UsageError: A column that is not there, or one twice.
    """
    if len(set(by)) < len(by):
        raise UsageError(f"a column is named twice in {', '.join(by)}")
    factors = [column_of(items, answers, name) for name in by]
    occurring = combinations_of([factor.codes for factor in factors], answers.items.size)
    return RowNames(tuple(by), tuple(factor.values for factor in factors), occurring.codes), occurring.of


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """X answers to items.

    Attributes:
        rows: (X) row of the table.
        instructions: (X) task instruction.
        templates: (X) template of the item.
        contexts: (X) context of the item (:func:`context_of_items`).
        kinds: (X) what the answer is (:func:`answer_kinds`).
        others: (X) bias type of the item; of pairs, what the reference's answer is.
        orders: (X) order of the item's options (:func:`option_orders`).
    """

    rows: Codes
    instructions: Codes
    templates: Codes
    contexts: Codes
    kinds: Codes
    others: Codes
    orders: Codes


def counts_by_template(
    cells: Cells, n_rows: int, *, contexts: Codes | None = None, kinds: Codes | None = None
) -> list[FloatArray]:
    """Count answers, row by row; those without a context are left out.

    Args:
        cells: The answers.
        n_rows: G.
        contexts: (X) contexts instead of those of the cells.
        kinds: (X) kinds instead of those of the cells.

    Returns:
        (G) tables (J, 3, 4, T) of the J instructions and T templates that the row has an answer to, by context and
        answer; J = 1 and T = 0 where it has none.
    """
    contexts = cells.contexts if contexts is None else contexts
    kinds = cells.kinds if kinds is None else kinds
    known = contexts != NO_CONTEXT
    n_instructions = int(cells.instructions.max(initial=0)) + 1
    instructions = cells.instructions.astype(np.int64)
    places = ((instructions * N_CONTEXTS + contexts) * N_ANSWERS + kinds)[known]
    clusters = clusters_of(cells.rows[known].astype(np.int64), cells.templates[known].astype(np.int64), n_rows)
    counts = clusters.sums(places, n_instructions * N_CONTEXTS * N_ANSWERS)
    shape = (n_instructions, N_CONTEXTS, N_ANSWERS)
    return [_of_instructions(table.reshape(*shape, table.shape[1])) for table in clusters.by_group(counts)]


def _of_instructions(table: FloatArray) -> FloatArray:
    """The layers of instructions that have an answer; of none, one."""
    given = table.any(axis=(1, 2, 3))
    return table[given] if given.any() else table[:1]


def one_places(cells: Cells, n_rows: int, kinds: Codes | None = None) -> list[OnePlace | None]:
    """(G) the place of the options that a row's answers name whatever is asked; None where they follow contents.

    By contents alone, answers in a context would be along the stereotype, against it and "unknown" as often as they
    are, wherever these options stand.

    Args:
        cells: The answers.
        n_rows: G.
        kinds: (X) kinds instead of those of the cells.
    """
    kinds = cells.kinds if kinds is None else kinds
    read = (cells.contexts != NO_CONTEXT) & (kinds != OUT)
    at = (cells.rows.astype(np.int64) * N_CONTEXTS + cells.contexts) * len(PLACES) + cells.orders
    shape = (n_rows, N_CONTEXTS, len(PLACES), OUT)
    counts = np.bincount((at * OUT + kinds)[read], minlength=math.prod(shape)).reshape(shape).astype(np.float64)
    stands = np.eye(3)[PLACES]  # (order, kind, place)
    of_place = np.einsum("gcok,okp->gp", counts, stands)
    per_context = counts.sum(axis=(2, 3), keepdims=True)
    asked = np.einsum("gco,okp->gckp", counts.sum(axis=3), stands)
    kind_share = counts.sum(axis=2) / np.maximum(per_context[:, :, 0], 1)
    by_contents = np.einsum("gck,gckp->gp", kind_share, asked) / np.maximum(of_place.sum(axis=1, keepdims=True), 1)
    return [one_place(*row) for row in zip(of_place, by_contents, strict=True)]


# Answers by row


@dataclass(frozen=True, slots=True, eq=False)
class AnswerTally:
    """Answers of the rows of a table.

    Attributes:
        rows: The G rows.
        cells: How often each has each answer; ``others`` are parts of the items.
        n_items: (G) distinct items answered.
        part_sizes: (P) items of each part: of the combinations of item columns that rows are kept apart by, else of
            bias types.
    """

    rows: RowNames
    cells: Cells
    n_items: IntArray
    part_sizes: IntArray

    @property
    def n_skipped(self) -> IntArray:
        """(G) answers to items without a biased answer."""
        without = self.cells.contexts == NO_CONTEXT
        return np.bincount(self.cells.rows[without], minlength=len(self.rows)).astype(np.int64)

    @property
    def n_missing(self) -> IntArray:
        """(G) items without an answer, of the parts with one."""
        touched = clusters_of(self.cells.rows.astype(np.int64), self.cells.others.astype(np.int64), len(self.rows))
        sizes = self.part_sizes[touched.clusters]
        return np.bincount(touched.groups, sizes, minlength=len(self.rows)).astype(np.int64) - self.n_items


def answer_tally(items: BiasItems, answers: BiasAnswers, by: Sequence[str]) -> AnswerTally:
    """Count answers by the columns of ``by``.

    Raises:
        UsageError: A column that is not there, or one twice.
    """
    rows, of = rows_by(items, answers, by)
    of_items = [
        factor for name, factor in columns_of_items(items).items() if name in by and answers.factor(name) is None
    ]
    parts = combinations_of([factor.codes for factor in of_items or [items.categories]], len(items)).of
    cells = Cells(
        rows=of,
        instructions=instructions_of(answers, by),
        templates=templates_of(items, answers),
        contexts=context_of_items(items)[answers.items],
        kinds=answer_kinds(items, answers),
        others=parts[answers.items],
        orders=option_orders(items)[answers.items],
    )
    n_items = n_clusters(of, answers.items.astype(np.int64), len(rows))
    return AnswerTally(rows, cells, n_items, np.bincount(parts).astype(np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class PairTally:
    """Pairs of an answer and of the reference's answer to the same item, by the row of the former.

    Attributes:
        rows: The G rows that have an answer, paired or not.
        cells: How often each has each pair; ``others`` are what the reference's answers are.
        against: Column and value of the reference.
    """

    rows: RowNames
    cells: Cells
    against: tuple[str, str]


def pair_tally(items: BiasItems, answers: BiasAnswers, by: Sequence[str], against: tuple[str, str]) -> PairTally:
    """Pair every answer that is not the reference's with the reference's, and count the pairs.

    Two answers belong together if they answer the same item and agree in every recorded column but the one compared,
    and those that change along with it (:data:`FOLLOWS`).

    Args:
        items: The questions.
        answers: Answers to them.
        by: Columns that rows are kept apart by.
        against: Column and value of the reference, such as ("setting", "w/o RAG").

    Raises:
        UsageError: A column that is not there, the reference is no value of its, or has several answers to an item.
        UndefinedError: No answer has a partner.
    """
    column, value = against
    compared = column_of(items, answers, column)
    if value not in compared.values:
        known = ", ".join(compared.values)
        raise UsageError(f"{column} has no value {value!r} to compare with; there are: {known}")
    is_reference = compared.codes == compared.values.index(value)
    follows = FOLLOWS.get(column, ())
    same = [answers.items, *(factor.codes for factor in answers.factors if factor.name not in (column, *follows))]
    paired = partners(combinations_of(same, answers.items.size).of, is_reference)
    rows, of = rows_by(items, answers, by)
    kinds = answer_kinds(items, answers)
    cells = Cells(
        rows=of[paired.rows],
        instructions=instructions_of(answers, by)[paired.rows],
        templates=templates_of(items, answers)[paired.rows],
        contexts=context_of_items(items)[answers.items][paired.rows],
        kinds=kinds[paired.rows],
        others=kinds[paired.references],
        orders=option_orders(items)[answers.items][paired.rows],
    )
    if paired.n_repeated:
        varying = ", ".join(
            factor.name
            for factor in answers.factors
            if factor.name in follows and np.unique(factor.codes[is_reference]).size > 1
        )
        raise UsageError(
            f"{column} = {value} answers an item more than once: keep answers apart by {varying or 'another column'}"
        )
    if not cells.rows.size:
        raise UndefinedError(f"no answer has a partner with {column} = {value}")
    return PairTally(rows, cells, against)
