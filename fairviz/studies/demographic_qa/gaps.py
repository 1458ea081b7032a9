"""How the groups of one attribute differ: paired gaps, agreement of all variants, one option versus the rest.

Paired gaps compare two groups on the questions that both were asked (:mod:`fairviz.stats.disaggregation`). Several
answers to one question about one group (intersectional variants, several models) are averaged first, so that the
question stays the unit: McNemar's exact test is then the sign test. Holm's family is the table of gaps: every pair of
every attribute under every condition.
"""

from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

import numpy as np

from fairviz.errors import UsageError
from fairviz.model import BoolArray, FloatArray, IntArray
from fairviz.stats.bootstrap import Interval
from fairviz.stats.disaggregation import (
    Resampling,
    cluster_means,
    combinations_of,
    common_differences,
    mean_intervals,
)
from fairviz.stats.tests import MIN_UNITS, ROUNDING, SIGNIFICANCE, mcnemar_exact
from fairviz.studies.demographic_qa.measures import largest, macro, option_differences, option_rates
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


def agreement(laid: Sheet, grouping: Grouping) -> Agreement:
    """Agreement over the groups of one attribute."""
    units = combinations_of([laid.units[grouping.rows]], grouping.rows.size)
    whole = asked_of_all(units.of, grouping.groups, units.n, len(grouping.values))
    least, most = extremes(answer_codes(laid)[grouping.rows], units.of, units.n)
    low, high = extremes(laid.scores[grouping.rows], units.of, units.n)
    known = whole & ~np.isnan(low)
    binary = bool(np.isin(laid.scores[~np.isnan(laid.scores)], (0.0, 1.0)).all())
    return Agreement(
        _share(least == most, whole),
        _share(low == 1, known) if binary else float("nan"),
        _share(high == 1, known) if binary else float("nan"),
        int(whole.sum()),
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


def _share(which: BoolArray, among: BoolArray) -> float:
    return float(which[among].mean()) if among.any() else float("nan")


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
    laid: Sheet, grouping: Grouping, reference: IntArray, *, seed: int, n_resamples: int
) -> tuple[PairedGap, ...]:
    """Every group against the variant that mentions nobody, on the questions that have both.

    Args:
        laid: The answers.
        grouping: The groups.
        reference: Rows of the neutral variants.
        seed: Of the bootstrap over questions.
        n_resamples: Resamples.
    """
    n_groups = len(grouping.values)
    rows = np.concatenate([grouping.rows, reference])
    of = np.concatenate([grouping.groups, np.full(reference.size, n_groups)])
    means = cluster_means(laid.scores[rows], laid.questions[rows], of, n_groups + 1).means
    differences = [common_differences(mean, means[-1]) for mean in means[:-1]]
    intervals = mean_intervals(differences, Resampling(seed, n_resamples))
    return tuple(
        _gap(value, NEUTRAL, of_group, interval)
        for value, of_group, interval in zip(grouping.values, differences, intervals, strict=True)
    )


def paired_gaps(laid: Sheet, grouping: Grouping, *, seed: int, n_resamples: int) -> tuple[PairedGap, ...]:
    """The gap of every pair of groups, in the order of the groups; p as it is, to be corrected over the table."""
    means = cluster_means(
        laid.scores[grouping.rows], laid.questions[grouping.rows], grouping.groups, len(grouping.values)
    ).means
    pairs = list(combinations(range(len(grouping.values)), 2))
    differences = [common_differences(means[first], means[second]) for first, second in pairs]
    intervals = mean_intervals(differences, Resampling(seed, n_resamples))
    return tuple(
        _gap(grouping.values[first], grouping.values[second], of_pair, interval)
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


def letters(laid: Sheet, grouping: Grouping, *, min_size: int) -> Letters:
    """One-versus-rest parity of the options that were answered, or right, in these rows.

    Raises:
        UsageError: Open answers have no options.
    """
    answers = laid.answers
    if answers.kind == "open":
        raise UsageError("letters are the options of closed questions; these answers are open")
    choices = answers.choices[grouping.rows].astype(np.int64)
    golds = answers.golds[grouping.rows].astype(np.int64)
    n_groups, n_options = len(grouping.values), len(answers.options)
    large = compared(np.bincount(grouping.groups, minlength=n_groups), min_size)
    dp = option_rates(choices, grouping.groups, n_groups, n_options, None).rate[:, large]
    eo = option_rates(choices, grouping.groups, n_groups, n_options, golds).rate[:, large]
    seen: list[int] = np.union1d(choices[choices >= 0], golds[golds >= 0]).tolist()
    dps, eos = option_differences(dp)[seen], option_differences(eo)[seen]
    names = [answers.options[option] for option in seen]
    return Letters(
        dict(zip(names, dps.tolist(), strict=True)),
        dict(zip(names, eos.tolist(), strict=True)),
        macro(dps),
        largest(dps),
        macro(eos),
        largest(eos),
    )
