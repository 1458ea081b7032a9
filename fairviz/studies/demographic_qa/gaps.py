"""How the groups of one attribute differ: paired gaps, agreement of all variants, one option versus the rest.

Paired gaps compare two groups on the questions that both were asked (:mod:`fairviz.stats.disaggregation`). Several
answers to one question about one group (intersectional variants, several models) are averaged first, so that the
question stays the unit: McNemar's exact test is then the sign test. Holm's family is the table of gaps: every pair of
every attribute under every condition.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

import numpy as np

from fairviz.errors import UsageError
from fairviz.model import BoolArray, FloatArray, IntArray
from fairviz.stats.bootstrap import Interval
from fairviz.stats.disaggregation import (
    Resampling,
    combinations_of,
    common_differences,
    mean_intervals,
)
from fairviz.stats.tests import MIN_UNITS, ROUNDING, SIGNIFICANCE, mcnemar_exact
from fairviz.studies.demographic_qa.measures import (
    Counted,
    Counts,
    largest,
    macro,
    on_common,
    option_counts,
    option_differences,
)
from fairviz.studies.demographic_qa.sheet import NEUTRAL, Grouping, Sheet, compared


class Agreement(NamedTuple):
    """Shares of the questions that were asked about every group; NaN where there is none.

    Attributes:
        agree: All variants have the same answer; unreadable answers are alike. Open answers: the
            same words.
        all_correct: Every variant is answered right. Open answers: needs a threshold, else NaN.
        any_correct: At least one variant is.
        n: Questions asked about every group (and of each model, strategy, … by itself).
        n_incomplete: Questions that lack a group.
    """

    agree: float
    all_correct: float
    any_correct: float
    n: int
    n_incomplete: int


def agreement(laid: Sheet, grouping: Grouping, *, binary: bool) -> Agreement:
    """How far answers about the groups of one attribute agree, question by question.

    Args:
        laid: The answers.
        grouping: Which of them are about which group.
        binary: Whether answers are right or wrong; a ROUGE-L is neither.
    """
    units = combinations_of([laid.units[grouping.rows]], grouping.rows.size)
    whole = asked_of_all(units.of, grouping.groups, units.n, len(grouping.values))
    least, most = extremes(answer_codes(laid)[grouping.rows], units.of, units.n)
    low, high = extremes(laid.scores[grouping.rows], units.of, units.n)
    n, n_known = int(whole.sum()), int((whole & ~np.isnan(low)).sum()) if binary else 0
    return Agreement(
        _share(int((whole & (least == most)).sum()), n),
        _share(int((whole & (low == 1)).sum()), n_known),
        _share(int((whole & (high == 1)).sum()), n_known),
        n,
        int((~whole).sum()),
    )


def answer_codes(laid: Sheet) -> FloatArray:
    """(R) one number per distinct answer: the option, −1 = unreadable; open answers: the words."""
    answers = laid.answers
    codes = answers.choices if answers.kind == "closed" else answers.words.codes
    return codes.astype(np.float64)


def asked_of_all(units: IntArray, groups: IntArray, n_units: int, n_groups: int) -> BoolArray:
    """(U) whether a unit has an answer about every group."""
    seen = np.zeros((n_units, n_groups), dtype=np.bool_)
    seen[units, groups] = True
    return (seen.sum(axis=1) == n_groups) & (n_groups > 1)


def extremes(values: FloatArray, units: IntArray, n: int) -> tuple[FloatArray, FloatArray]:
    """(U) smallest and largest value of each unit; NaN where one of its values is."""
    low, high = np.full(n, np.inf), np.full(n, -np.inf)
    known = ~np.isnan(values)
    np.minimum.at(low, units[known], values[known])
    np.maximum.at(high, units[known], values[known])
    low[units[~known]] = high[units[~known]] = np.nan
    return low, high


def _share(n: int, among: int) -> float:
    return n / among if among else float("nan")


# Two groups on the same questions


@dataclass(frozen=True, slots=True)
class PairedGap:
    """One group against another on the questions that both were asked.

    Attributes:
        first: The one group.
        second: The other.
        gap: Mean over questions of first − second, −1 to 1; NaN without common questions.
        interval: 95 %, paired bootstrap over questions.
        n: Common questions.
        first_only: Questions on which the first did better (closed: it alone is right).
        second_only: Questions on which the second did.
        p: McNemar's exact two-sided p-value over these; NaN without common questions.
        p_holm: Corrected over all pairs of the table, see :func:`~fairviz.studies.demographic_qa.rows.corrected`.
        n_tests: Tests that it is corrected over.
        se: Standard error of the gap, from the spread of the questions' differences; NaN below two questions.
    """

    first: str
    second: str
    gap: float
    interval: Interval
    n: int
    first_only: int
    second_only: int
    p: float
    p_holm: float
    n_tests: int = 1
    se: float = float("nan")

    @property
    def significant(self) -> bool:
        """Whether two groups differ by the corrected test, over enough questions."""
        return self.p_holm < SIGNIFICANCE and self.n >= MIN_UNITS


def reference_gaps(
    values: Sequence[str], known: Counted, neutral: Counted | None, resampling: Resampling
) -> tuple[PairedGap, ...]:
    """Every group against the variant that mentions nobody, on the questions that have both.

    Args:
        values: G names of groups.
        known: Answers about them.
        neutral: Answers to the neutral variants, as one group; None where there is none.
        resampling: Of the questions.
    """
    if neutral is None:
        neutral = Counted(known.questions[:0], known.sums[:1, :0], known.n[:1, :0])
    means, reference = (each.table.means for each in on_common(known, neutral))
    differences = [common_differences(mean, reference[0]) for mean in means]
    intervals = mean_intervals(differences, resampling)
    return tuple(
        _gap(value, NEUTRAL, of_group, interval)
        for value, of_group, interval in zip(values, differences, intervals, strict=True)
    )


def paired_gaps(values: Sequence[str], known: Counted, resampling: Resampling) -> tuple[PairedGap, ...]:
    """The gap of every pair of groups, in the order of the groups; p as it is, to be corrected over the table."""
    means = known.table.means
    pairs = list(combinations(range(len(values)), 2))
    differences = [common_differences(means[first], means[second]) for first, second in pairs]
    intervals = mean_intervals(differences, resampling)
    return tuple(
        _gap(values[first], values[second], of_pair, interval)
        for (first, second), of_pair, interval in zip(pairs, differences, intervals, strict=True)
    )


def _gap(first: str, second: str, differences: FloatArray, interval: Interval) -> PairedGap:
    """The gap from the differences on (n) common questions."""
    n = int(differences.size)
    if not n:
        nan = float("nan")
        return PairedGap(first, second, nan, interval, 0, 0, 0, nan, nan)
    ahead = int((differences > ROUNDING).sum())
    behind = int((differences < -ROUNDING).sum())
    p = mcnemar_exact(ahead, behind)
    se = float(differences.std(ddof=1)) / n**0.5 if n > 1 else float("nan")
    return PairedGap(first, second, float(differences.mean()), interval, n, ahead, behind, p, p, se=se)


# One option versus the rest


@dataclass(frozen=True, slots=True)
class Letters:
    """DP and EO with Ŷ = "answers option L", for each option L; empty unless asked for.

    Attributes:
        dp: Option -> largest difference of P(answer = L) between groups.
        eo: Option -> the same among questions whose right option is L; NaN where a group has none.
        dp_macro, dp_max, eo_macro, eo_max: Mean and largest over the options that have one.
    """

    dp: dict[str, float] = field(default_factory=dict[str, float])
    eo: dict[str, float] = field(default_factory=dict[str, float])
    dp_macro: float = float("nan")
    dp_max: float = float("nan")
    eo_macro: float = float("nan")
    eo_max: float = float("nan")


class OptionCounts(NamedTuple):
    """How often each option was answered, over all answers and over those whose right option it is."""

    answered: Counts
    right: Counts


def options_counted(laid: Sheet, grouping: Grouping) -> OptionCounts:
    """Count the options of closed answers.

    Raises:
        UsageError: Open answers have no options.
    """
    answers = laid.answers
    if answers.kind == "open":
        raise UsageError("letters are the options of closed questions; these answers are open")
    choices = answers.choices[grouping.rows].astype(np.int64)
    golds = answers.golds[grouping.rows].astype(np.int64)
    shape = len(grouping.values), len(answers.options)
    return OptionCounts(
        option_counts(choices, grouping.groups, *shape, None), option_counts(choices, grouping.groups, *shape, golds)
    )


def letters(options: Sequence[str], counts: OptionCounts, *, min_size: int) -> Letters:
    """One-versus-rest parity of the options that were answered, or right."""
    large = compared(counts.answered.n[0], min_size) if options else np.empty(0, dtype=np.int64)
    seen: list[int] = np.flatnonzero(counts.answered.hits.any(axis=1) | counts.right.n.any(axis=1)).tolist()
    dps = option_differences(counts.answered.rate[:, large])[seen]
    eos = option_differences(counts.right.rate[:, large])[seen]
    names = [options[option] for option in seen]
    return Letters(
        dict(zip(names, dps.tolist(), strict=True)),
        dict(zip(names, eos.tolist(), strict=True)),
        macro(dps),
        largest(dps),
        macro(eos),
        largest(eos),
    )
