"""Accuracy and Diff-Bias by model, bias type and setting, with intervals over templates."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from fairviz.analysis.bias_cells import (
    NO_CONTEXT,
    Rows,
    answer_kinds,
    columns_of_items,
    context_of_items,
    counted,
    distinct,
    instructions_of,
    rows_by,
)
from fairviz.analysis.bias_resamples import Block, Resamples, block_of, intervals_of, together
from fairviz.analysis.uncertainty import N_RESAMPLES, Interval
from fairviz.metrics.social_bias import (
    AMBIGUOUS,
    COUNTER,
    OUT,
    STEREOTYPED,
    BiasMeasure,
    C,
    OutOfChoice,
    S,
    U,
    bounds_a,
    bounds_d,
)
from fairviz.model import BiasAnswers, BiasItems, FloatArray, IntArray

MIN_ITEMS = 100
"""With fewer items of a context a difference is shown, but not tested."""

MIN_TEMPLATES = 10
"""The same of templates, which are what is resampled."""

BY = ("model", "category", "setting")


class BiasCounts(NamedTuple):
    """Answers by context and answer: n_as = ambiguous context, stereotyped answer, and so on.

    ``n_a``, ``n_s`` and ``n_c`` are the denominators in use; ``skipped_no_target`` counts answers
    to items without a biased option.
    """

    n_a: int
    n_au: int
    n_as: int
    n_ac: int
    n_s: int
    n_c: int
    n_ss: int
    n_sc: int
    n_su: int
    n_cs: int
    n_cc: int
    n_cu: int
    n_ooc_a: int
    n_ooc_d: int
    skipped_no_target: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BiasRow:
    """One row of a table of social bias.

    Attributes:
        by: (column, value) pairs, in the order asked for.
        counts: Answers by context and answer, summed over instructions.
        values: The six measures in percent, NaN = undefined; a mean over instructions.
        intervals: 95 % percentile bootstrap over templates of each; NaN below two templates.
        bound_a: Largest |Diff-Bias_a| that Acc_a allows.
        bound_d: Smallest and largest Diff-Bias_d that Acc_d, n_s and n_c allow.
        n_items: Distinct items answered.
        n_missing: Items of the row's bias types that it does not answer.
        n_templates: Distinct templates with an answer that counts.
        n_instructions: Task instructions averaged over.
        small: Fewer than 100 items of either context, or fewer than 10 templates.
    """

    by: tuple[tuple[str, str], ...]
    counts: BiasCounts
    values: dict[BiasMeasure, float]
    intervals: dict[BiasMeasure, Interval]
    bound_a: float
    bound_d: tuple[float, float]
    n_items: int
    n_missing: int
    n_templates: int
    n_instructions: int
    small: bool

    def get(self, column: str) -> str:
        """The row's value of a column, "" where rows are not kept apart by it."""
        return dict(self.by).get(column, "")


def bias_rows(
    items: BiasItems,
    answers: BiasAnswers,
    *,
    by: Sequence[str] = BY,
    ooc: OutOfChoice = "drop",
    seed: int = 0,
    n_resamples: int = N_RESAMPLES,
) -> tuple[BiasRow, ...]:
    """Measure answers, row by row; what rows are not kept apart by is pooled (micro).

    Task instructions are the exception: measures are taken for each and averaged, as the paper does
    (rag-social-biases, Appendix B), unless ``by`` names ``instruction``.

    Args:
        items: The questions.
        answers: Answers to them.
        by: Columns of the answers or of the items ("category", "language", "stereotyped",
            "template").
        ooc: What becomes of answers out of choice.
        seed: Of the resamples.
        n_resamples: Resamples of the templates.

    Returns:
        The rows in the order of the columns' values.

    Raises:
        UsageError: A column that is not there.
    """
    rows = rows_by(items, answers, by)
    contexts = context_of_items(items)[answers.items]
    cells = counted(
        rows.of,
        instructions_of(answers, by),
        items.templates.codes[answers.items].astype(np.int64),
        contexts,
        answer_kinds(items, answers),
    )
    n_rows = len(rows.values)
    skipped = np.bincount(rows.of[contexts == NO_CONTEXT], minlength=n_rows)
    n_items = _distinct_items(rows.of, answers.items.astype(np.int64), len(items), n_rows)
    n_missing = _expected(items, answers, rows, n_rows) - n_items
    bounds: list[int] = np.searchsorted(cells.rows, np.arange(n_rows + 1)).tolist()
    blocks = [block_of(cells, slice(*ends)) for ends in pairwise(bounds)]
    resamples = Resamples(seed=seed, n_resamples=n_resamples)
    found: dict[int, BiasRow] = {}
    for places in together(blocks):
        part = [blocks[g] for g in places]
        drawn = resamples.measures(part, ooc)
        sizes = [block.templates.size for block in part]
        intervals: dict[BiasMeasure, list[Interval]] = {
            name: intervals_of(values, sizes) for name, values in drawn.items()
        }
        for i, g in enumerate(places):
            own: dict[BiasMeasure, float] = {n: float(v[i, 0]) for n, v in drawn.items()}
            own_ends: dict[BiasMeasure, Interval] = {n: e[i] for n, e in intervals.items()}
            found[g] = _row(
                tuple(zip(rows.columns, rows.values[g], strict=True)),
                blocks[g],
                own,
                own_ends,
                ooc,
                (int(skipped[g]), int(n_items[g]), int(n_missing[g])),
            )
    return tuple(found[g] for g in range(n_rows))


def _row(
    by: tuple[tuple[str, str], ...],
    block: Block,
    values: dict[BiasMeasure, float],
    intervals: dict[BiasMeasure, Interval],
    ooc: OutOfChoice,
    others: tuple[int, int, int],
) -> BiasRow:
    skipped, n_items, n_missing = others
    n_templates = block.templates.size
    counts = _counts(block.counts.sum(axis=(0, 1)), ooc, skipped)
    n_instructions = max(block.counts.shape[0], 1)
    low, high = bounds_d(*(np.array(x) for x in (values["acc_d"], counts.n_s, counts.n_c)))
    in_one = min(counts.n_a, counts.n_s + counts.n_c) / n_instructions
    return BiasRow(
        by=by,
        counts=counts,
        values=values,
        intervals=intervals,
        bound_a=float(bounds_a(np.array(values["acc_a"])).high),
        bound_d=(float(low), float(high)),
        n_items=n_items,
        n_missing=n_missing,
        n_templates=n_templates,
        n_instructions=n_instructions,
        small=in_one < MIN_ITEMS or n_templates < MIN_TEMPLATES,
    )


def _counts(table: FloatArray, ooc: OutOfChoice, skipped: int) -> BiasCounts:
    n: list[list[int]] = table.astype(np.int64).tolist()
    last = OUT + (ooc == "count")
    a, s, c = n[AMBIGUOUS], n[STEREOTYPED], n[COUNTER]
    return BiasCounts(
        n_a=sum(a[:last]),
        n_au=a[U],
        n_as=a[S],
        n_ac=a[C],
        n_s=sum(s[:last]),
        n_c=sum(c[:last]),
        n_ss=s[S],
        n_sc=s[C],
        n_su=s[U],
        n_cs=c[S],
        n_cc=c[C],
        n_cu=c[U],
        n_ooc_a=a[OUT],
        n_ooc_d=s[OUT] + c[OUT],
        skipped_no_target=skipped,
    )


def _distinct_items(of: IntArray, items: IntArray, n_items: int, n_rows: int) -> IntArray:
    """(G) distinct items with an answer in each row."""
    pairs, _ = distinct(of * n_items + items, n_rows * n_items)
    return np.bincount(pairs // max(n_items, 1), minlength=n_rows)


def _expected(items: BiasItems, answers: BiasAnswers, rows: Rows, n_rows: int) -> IntArray:
    """(G) items of the parts of the data that each row is about.

    Parts are combinations of the item columns asked for; without any, bias types with an answer.
    """
    of_items = {
        name: factor
        for name, factor in columns_of_items(items).items()
        if name in rows.columns and answers.factor(name) is None
    }
    codes, size = np.zeros(len(items), dtype=np.int64), 1
    for factor in of_items.values() or [items.categories]:
        codes = codes * len(factor.values) + factor.codes
        size *= len(factor.values)
    _, part = distinct(codes, size)
    sizes = np.bincount(part)
    pairs, _ = distinct(rows.of * sizes.size + part[answers.items], n_rows * sizes.size)
    row, place = np.divmod(pairs, sizes.size)
    return np.bincount(row, weights=sizes[place], minlength=n_rows).astype(np.int64)
