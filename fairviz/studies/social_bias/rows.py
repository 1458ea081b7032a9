"""Settings of retrieval: which one is without it, and in which order people read them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from fairviz.errors import UsageError
from fairviz.model import BiasAnswers, BiasItems, Factor, FloatArray, IntArray
from fairviz.model.bias import NO_TARGET, OUT_OF_CHOICE
from fairviz.stats.bootstrap import N_RESAMPLES, UNDEFINED, Interval, data_and_resamples, percentiles
from fairviz.studies.social_bias.measures import (
    AMBIGUOUS,
    COUNTER,
    MEASURES,
    OUT,
    STEREOTYPED,
    BiasMeasure,
    C,
    OutOfChoice,
    S,
    U,
    bias_measures,
    bounds_a,
    bounds_d,
)

# Answers to bias items, counted by row of a table, instruction, template, context and answer.
#
# A *row* is one combination of the columns a person asks for. Within a row answers stay apart by task
# instruction, which is averaged over, and by template, whose items move together in resamples.


INSTRUCTION = "instruction"
"""Measures are taken per task instruction and then averaged, unless a row asks for it."""

N_CONTEXTS, N_ANSWERS = 3, 4

MAX_TABLE = 2**24
"""Largest table of codes that is looked up rather than sorted."""

NO_CONTEXT = -1


class Cells(NamedTuple):
    """Counts of answers, one (3, 4) table per row, instruction and template that has any.

    Attributes:
        rows: (X) row of each table; rising.
        instructions: (X) its instruction.
        templates: (X) its template.
        counts: (X, 3, 4) answers by context and answer.
    """

    rows: IntArray
    instructions: IntArray
    templates: IntArray
    counts: FloatArray


class Rows(NamedTuple):
    """The rows of a table.

    Attributes:
        columns: The columns asked for.
        values: (G) the value of each column, row by row.
        of: (A) row of each answer.
    """

    columns: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    of: IntArray


def distinct(codes: IntArray, size: int) -> tuple[IntArray, IntArray]:
    """Codes that occur, rising, and the place of each row's code among them; codes < ``size``.

    As ``np.unique``, but without sorting where a table of all codes is small enough.
    """
    if size > MAX_TABLE:
        found, places = np.unique(codes, return_inverse=True)
        return found, places.astype(np.int64)
    occurs = np.zeros(size, dtype=np.bool_)
    occurs[codes] = True
    places = np.cumsum(occurs) - 1
    return np.flatnonzero(occurs), places[codes]


def context_of_items(items: BiasItems) -> IntArray:
    """(N) context of each item: ambiguous, stereotyped, counter; −1 without a biased answer."""
    stereotyped = items.gold == items.target
    context = np.where(items.ambiguous, AMBIGUOUS, np.where(stereotyped, STEREOTYPED, COUNTER))
    return np.where(items.target == NO_TARGET, NO_CONTEXT, context)


def answer_kinds(items: BiasItems, answers: BiasAnswers) -> IntArray:
    """(A) what each answer is: along the stereotype, against it, unknown, out of choice."""
    choices = answers.choices
    kinds = np.full(choices.size, C, dtype=np.int64)
    kinds[choices == items.target[answers.items]] = S
    kinds[choices == items.unknown[answers.items]] = U
    kinds[choices == OUT_OF_CHOICE] = OUT
    return kinds


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
    found = of_items[name]
    return Factor(name, found.values, found.codes[answers.items])


def rows_by(items: BiasItems, answers: BiasAnswers, by: Sequence[str]) -> Rows:
    """The combinations of columns that occur, in the order of their values.

    Raises:
        UsageError: A column that is not there, or one twice.
    """
    if len(set(by)) < len(by):
        raise UsageError(f"a column is named twice in {', '.join(by)}")
    factors = [column_of(items, answers, name) for name in by]
    codes, size = np.zeros(answers.items.size, dtype=np.int64), 1
    for factor in factors:
        codes = codes * len(factor.values) + factor.codes
        size *= len(factor.values)
    found, of = distinct(codes, size)
    values: list[tuple[str, ...]] = []
    for whole in found.tolist():
        code = int(whole)
        row: list[str] = []
        for factor in reversed(factors):
            code, place = divmod(code, len(factor.values))
            row.append(factor.values[place])
        values.append(tuple(reversed(row)))
    return Rows(tuple(by), tuple(values), of)


def instructions_of(answers: BiasAnswers, by: Sequence[str]) -> IntArray:
    """(A) instruction of each answer; 0 where there is one, or where rows keep them apart."""
    factor = answers.factor(INSTRUCTION)
    if factor is None or INSTRUCTION in by:
        return np.zeros(answers.items.size, dtype=np.int64)
    return factor.codes.astype(np.int64)


def counted(
    rows: IntArray,
    instructions: IntArray,
    templates: IntArray,
    contexts: IntArray,
    kinds: IntArray,
) -> Cells:
    """Count answers; all arguments (A), answers without a context are left out."""
    keep = contexts != NO_CONTEXT
    rows, instructions, templates, contexts, kinds = (
        each[keep] for each in (rows, instructions, templates, contexts, kinds)
    )
    n_instructions = int(instructions.max(initial=0)) + 1
    n_templates = int(templates.max(initial=0)) + 1
    place = (rows * n_instructions + instructions) * n_templates + templates
    n_rows = int(rows.max(initial=0)) + 1
    found, where = distinct(place, n_rows * n_instructions * n_templates)
    cell = (where * N_CONTEXTS + contexts) * N_ANSWERS + kinds
    counts = np.bincount(cell, minlength=found.size * N_CONTEXTS * N_ANSWERS)
    rest, template = np.divmod(found, n_templates)
    row, instruction = np.divmod(rest, n_instructions)
    shape = (found.size, N_CONTEXTS, N_ANSWERS)
    return Cells(row, instruction, template, counts.reshape(shape).astype(np.float64))


def default_columns(answers: BiasAnswers) -> tuple[str, ...]:
    """Columns that a table has unless it is told: model, category, setting, and what varies."""
    names = [factor.name for factor in answers.factors if len(factor.values) > 1]
    usual = [name for name in ("model", "setting") if answers.factor(name) is not None]
    more = [name for name in names if name not in (*usual, INSTRUCTION)]
    return tuple(dict.fromkeys([*usual[:1], "category", *usual[1:], *more]))


def pooled_columns(answers: BiasAnswers, by: Sequence[str]) -> str:
    """Columns that vary and that rows do not keep apart, in words; "" if there are none."""
    left = [f for f in answers.factors if f.name not in (*by, INSTRUCTION) and len(f.values) > 1]
    return ", ".join(f"{factor.name} ({len(factor.values)} values)" for factor in left)


# Measures of counted answers under resamples of the templates, averaged over instructions.


TOGETHER = 64
"""Rows that are resampled in one matrix product."""


class Block(NamedTuple):
    """Counts of one row: (J, T, 3, 4), instructions by templates; 0 where nothing was answered."""

    templates: IntArray
    counts: FloatArray


def block_of(cells: Cells, part: slice) -> Block:
    """The part of the cells that is one row, as a block over its templates and instructions."""
    templates, column = np.unique(cells.templates[part], return_inverse=True)
    instructions, layer = np.unique(cells.instructions[part], return_inverse=True)
    counts = np.zeros((instructions.size, templates.size, *cells.counts.shape[1:]))
    counts[layer, column] = cells.counts[part]
    return Block(templates, counts)


def together(blocks: Sequence[Block]) -> Iterator[list[int]]:
    """Positions of blocks of one shape, some at a time; every position once."""
    by_shape: dict[tuple[int, ...], list[int]] = {}
    for i, block in enumerate(blocks):
        by_shape.setdefault(block.counts.shape, []).append(i)
    for places in by_shape.values():
        for start in range(0, len(places), TOGETHER):
            yield places[start : start + TOGETHER]


class Resamples:
    """(1+B, T) weights of T templates, the data first; equal T share draws, and so are paired."""

    def __init__(self, *, seed: int, n_resamples: int) -> None:
        self._seed = seed
        self._n_resamples = n_resamples
        self._drawn: dict[int, FloatArray] = {}

    def weights(self, n_templates: int) -> FloatArray:
        """The weights for that many templates, drawn once."""
        if n_templates not in self._drawn:
            rng = np.random.default_rng(self._seed)
            self._drawn[n_templates] = data_and_resamples(n_templates, rng=rng, n_resamples=self._n_resamples)
        return self._drawn[n_templates]

    def measures(self, blocks: Sequence[Block], ooc: OutOfChoice) -> dict[BiasMeasure, FloatArray]:
        """(A, 1+B) values of each measure of A blocks of one shape: per instruction, then the mean.

        A mean over instructions is undefined where one of them is.
        """
        counts = np.stack([block.counts for block in blocks])
        n_blocks, n_instructions, n_templates = counts.shape[:3]
        if not counts.size:
            return dict.fromkeys(MEASURES, np.full((n_blocks, 1 + self._n_resamples), np.nan))
        weights = self.weights(n_templates)
        flat = np.moveaxis(counts, 2, 0).reshape(n_templates, -1)
        drawn = (weights @ flat).reshape(-1, n_blocks, n_instructions, *counts.shape[3:])
        found = bias_measures(drawn, ooc)
        return {name: values.mean(axis=2).T for name, values in found.items()}


def intervals_of(statistics: FloatArray, n_templates: Sequence[int]) -> list[Interval]:
    """Intervals of (A, 1+B) statistics, the data's own first.

    NaN ends where the statistic itself is undefined or rests on fewer than two templates.
    """
    ends = percentiles(statistics[:, 1:])
    return [
        Interval(low, high) if n > 1 and not np.isnan(own) else UNDEFINED
        for low, high, n, own in zip(ends.low.tolist(), ends.high.tolist(), n_templates, statistics[:, 0], strict=True)
    ]


# Accuracy and Diff-Bias by model, bias type and setting, with intervals over templates.


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


WITHOUT_RAG = "w/o RAG"
"""The name of the setting without retrieval (Zhang et al. 2025)."""

_WITHOUT = {
    "w/o rag",
    "wo rag",
    "without rag",
    "no rag",
    "norag",
    "w/o retrieval",
    "without retrieval",
    "no retrieval",
    "closed book",
    "w/o",
    "none",
    "baseline",
}

_ORDER = ("full", "stereo", "anti")


def is_without_rag(setting: str) -> bool:
    """Whether a setting's name says that nothing was retrieved.

    Examples:
        >>> is_without_rag("no_RAG"), is_without_rag("stereo-set")
        (True, False)
    """
    return setting.strip().casefold().replace("_", " ").replace("-", " ") in _WITHOUT


def reference_setting(values: Iterable[str]) -> str | None:
    """The setting without retrieval, None where there is none (or several)."""
    found = [value for value in values if is_without_rag(value)]
    return found[0] if len(found) == 1 else None


def ordered_settings(values: Iterable[str]) -> tuple[str, ...]:
    """Settings as the paper walks: without retrieval, full, stereotypical, anti, then others.

    Examples:
        >>> ordered_settings(["anti-set", "stereo-set", "w/o RAG", "mine"])
        ('w/o RAG', 'stereo-set', 'anti-set', 'mine')
    """
    return tuple(sorted(dict.fromkeys(values), key=_place))


def _place(setting: str) -> int:
    if is_without_rag(setting):
        return 0
    name = setting.casefold()
    return next((i for i, part in enumerate(_ORDER, 1) if name.startswith(part)), len(_ORDER) + 1)
