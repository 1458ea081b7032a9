"""What a setting does to Diff-Bias: amplification, paired by item, with an exact test.

The two sides answered the same items, so the test flips them template by template and convolves the exact distribution
of the sum; flips are drawn only where it would be longer than two million cells (uneven numbers of contexts), and the
result says so. Holm's family is the table in which the tests are shown: every row of it, whatever columns (retriever,
k, …) and groups keep its rows apart. The page holds such columns fixed, so that its table has fewer tests. Rows below
100 items or 10 templates are shown, untested.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from fairviz.model import BiasAnswers, BiasItems, BoolArray, IntArray
from fairviz.stats.bootstrap import N_RESAMPLES, Interval
from fairviz.stats.disaggregation import Resampling, alike
from fairviz.stats.tests import SIGNIFICANCE, SignFlip, holm
from fairviz.studies.social_bias.measures import AMBIGUOUS, LEANINGS, OUT, C, Leaning, OutOfChoice, S
from fairviz.studies.social_bias.rows import (
    BY,
    MOST_UNREAD,
    WITHOUT_RAG,
    flip_test,
    is_enough,
    own_intervals,
    resampled_measures,
    sizes_of,
    unread_share,
)
from fairviz.studies.social_bias.tallies import (
    NO_CONTEXT,
    Cells,
    PairTally,
    counts_by_template,
    one_places,
    pair_tally,
)

ChangeVerdict: TypeAlias = Literal[
    "more towards the stereotype",
    "less towards the stereotype",
    "no significant difference",
    "too few to say",
    "one letter whatever is asked",
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
        tested: At least 100 items and 10 templates, and neither side gives one letter whatever is asked.
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
    changes: list[BiasChange] = []
    for table, columns in enumerate(_tables(by, against, groups=groups)):
        tally = pair_tally(items, answers, columns, against)
        names = tally.rows.pairs()
        if groups and STEREOTYPED_COLUMN not in tally.rows.columns:
            names = [(*name, (STEREOTYPED_COLUMN, "")) for name in names]
        of_rows = _changes(tally, names, ooc, Resampling(seed, n_resamples))
        if table:  # a group without a name has its row
            of_rows = [change for change in of_rows if change.get(STEREOTYPED_COLUMN)]
        changes += of_rows
    return corrected(changes)


def _tables(by: Sequence[str], against: tuple[str, str], *, groups: bool) -> list[tuple[str, ...]]:
    """Columns that rows are kept apart by: of bias types and, where it is asked for, of the groups in them."""
    columns = tuple(dict.fromkeys([*by, against[0]]))
    by_group = groups and STEREOTYPED_COLUMN not in columns
    return [columns, (*columns, STEREOTYPED_COLUMN)] if by_group else [columns]


def corrected(changes: Sequence[BiasChange]) -> tuple[BiasChange, ...]:
    """The same changes, which stand in one table, with p corrected over its tested rows."""
    p_holm: list[float] = holm(np.array([change.p for change in changes], dtype=np.float64)).tolist()
    n_tests = sum(change.tested for change in changes)
    return tuple(
        replace(change, p_holm=p, verdict=_verdict(change, p), n_tests=n_tests)
        for change, p in zip(changes, p_holm, strict=True)
    )


def _verdict(change: BiasChange, p_holm: float) -> ChangeVerdict:
    if not change.tested:
        return change.verdict
    if p_holm >= SIGNIFICANCE:
        return "no significant difference"
    return "more towards the stereotype" if change.change > 0 else "less towards the stereotype"


# The change of each row


def _usable(cells: Cells, ooc: OutOfChoice) -> BoolArray:
    """(X) pairs that count: of items with a biased answer and, as asked, without an answer out of choice."""
    usable = cells.contexts != NO_CONTEXT
    if ooc == "drop":
        usable &= (cells.kinds != OUT) & (cells.others != OUT)
    return usable


def _moves(cells: Cells, usable: BoolArray, n_rows: int) -> IntArray:
    """(G, 2, 3) pairs of each row and measure: towards the stereotype, away, left out."""
    known = cells.contexts != NO_CONTEXT
    step = _leaning(cells.kinds) - _leaning(cells.others)
    move = np.select([~usable, step > 0, step < 0], [2, 0, 1], default=3)
    place = (cells.rows.astype(np.int64) * 2 + (cells.contexts != AMBIGUOUS)) * 4 + move
    counts = np.bincount(place[known], minlength=n_rows * 8).astype(np.int64)
    return counts.reshape(n_rows, 2, 4)[:, :, :3]


def _changes(
    tally: PairTally,
    names: Sequence[tuple[tuple[str, str], ...]],
    ooc: OutOfChoice,
    resampling: Resampling,
) -> list[BiasChange]:
    """Changes of the rows of pairs, in the order of the rows; those without a usable pair are left out."""
    usable = _usable(tally.cells, ooc)
    contexts = np.where(usable, tally.cells.contexts, NO_CONTEXT)
    counts, reference_counts = (
        counts_by_template(tally.cells, len(names), contexts=contexts, kinds=kinds)
        for kinds in (tally.cells.kinds, tally.cells.others)
    )
    moves = _moves(tally.cells, usable, len(names))
    one_letter = [
        any(sides)
        for sides in zip(
            *(one_places(tally.cells, len(names), kinds) for kinds in (tally.cells.kinds, tally.cells.others)),
            strict=True,
        )
    ]
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
                tested = is_enough(size) and readable and not one_letter[row] and not np.isnan(value - reference)
                result = flip_test(measure, *both, seed=resampling.seed) if tested else SignFlip(np.nan, True)
                towards, away, unused = moves[row, m].tolist()
                changes[row, m] = BiasChange(
                    by=names[row],
                    against=tally.against,
                    measure=measure,
                    value=value,
                    reference=reference,
                    change=value - reference,
                    interval=signed[i],
                    change_abs=abs(value) - abs(reference),
                    interval_abs=absolute[i],
                    p=result.p,
                    p_holm=np.nan,
                    verdict="one letter whatever is asked" if one_letter[row] else "too few to say",
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
    """+1 towards the stereotype, −1 against it, 0 neither."""
    return (kinds == S).astype(np.int64) - (kinds == C)
