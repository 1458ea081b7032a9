"""Recorded outputs by generator: points per (query, setting), the path of their means, and a few numbers of each.

A setting is what changed the lists that a generator was given: an α, the deterministic list, or nothing that was
recorded. What a system is made of (task, data set, retriever, generator) stays apart, in :class:`Factors`: a name is
for people to read, and nothing is read out of it again. All intervals are expanded percentile bootstraps over queries.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.evaluation.systems import setting_name
from fairviz.kernels.attribution import Attribution
from fairviz.metrics.consumption import Scale
from fairviz.model import BoolArray, Curve, Factors, FloatArray
from fairviz.model.arrays import ratio
from fairviz.points.outputs import (
    DETERMINISTIC,
    ORACLE,
    OutputPoints,
    concentration_change,
    curve_through,
    given_by_rank,
    model_of,
)
from fairviz.points.view import apart, system_name
from fairviz.stats.bootstrap import (
    Interval,
    PairedDifference,
    bootstrap_intervals,
    data_and_resamples,
    interval_of,
    resampled_p,
)

Pair: TypeAlias = Literal["EED-EAED", "EED-EAR", "EER-EAR"]
"""What stands on the two axes of a panel, x first."""
PAIRS: tuple[Pair, ...] = ("EED-EAED", "EED-EAR", "EER-EAR")


class Generation(NamedTuple):
    """All recorded outputs of one system (task, data set, retriever, generator), by setting: rising α, then the others.

    Attributes:
        name: What tells it from the others of its task, for people.
        factors: What it is made of.
        settings: (S) distinct names of the settings.
        points: (S) what was measured under each.
    """

    name: str
    factors: Factors
    settings: tuple[str, ...]
    points: tuple[OutputPoints, ...]

    @property
    def single_sample(self) -> bool:
        """No query has more than one output under any setting: EAE-D / k is EAR then."""
        return all(measured.single_sample for measured in self.points)

    @property
    def only_cited(self) -> bool:
        """What was given is known, under a setting, from references that hold only what was cited."""
        return any(measured.matches.only_cited for measured in self.points)

    @property
    def end(self) -> OutputPoints | None:
        """The deterministic list's; None = not recorded, or all there is, and then it is the path."""
        last = self.points[-1]
        return last if len(self.points) > 1 and last.outputs.policy == DETERMINISTIC else None

    @property
    def path(self) -> tuple[OutputPoints, ...]:
        """What was measured but for the end: of one policy by rising α."""
        return self.points if self.end is None else self.points[:-1]

    def under(self, setting: str) -> OutputPoints | None:
        """What was measured under a setting; None where it was not recorded."""
        return self.points[self.settings.index(setting)] if setting in self.settings else None

    def at(self, alpha: float | None) -> OutputPoints | None:
        """What was measured at an α; of lists without one the deterministic list's, else the only ones."""
        if alpha is None and self.end is not None:
            return self.end
        return next((one for one in self.path if one.outputs.alpha == alpha), None)


class Panel(NamedTuple):
    """The points of one generator on two axes.

    Attributes:
        settings: (S) names of the settings, in the order in which their means are joined.
        curve: A point per setting, called after the generator.
        chance: (S) slope of the line of equal chance, mean EAR²; NaN = there is no such line.
    """

    settings: tuple[str, ...]
    curve: Curve
    chance: FloatArray

    def under(self, setting: str) -> BoolArray:
        """(S) which setting that is: none for one that this generator lacks."""
        return np.array([name == setting for name in self.settings], dtype=np.bool_)

    def n_points(self, setting: str) -> int:
        """Queries with both values under a setting."""
        return int(self.curve.defined[self.under(setting)].sum())


def by_generator(points: Sequence[OutputPoints]) -> tuple[Generation, ...]:
    """Outputs equal in (task, data set, retriever, generator) together; oracle runs are left out.

    Outputs that record none of the four stand alone under their system. Where one generator has
    two outputs with the same setting (two policies at one α), the policy joins the setting's name.
    """
    groups: dict[Factors, list[OutputPoints]] = {}
    for measured in points:
        if measured.outputs.policy != ORACLE:
            groups.setdefault(model_of(measured.outputs), []).append(measured)
    by = told_by(list(groups))
    return tuple(_generation(system_name(factors, by), factors, members) for factors, members in groups.items())


def by_policy(groups: Sequence[Generation]) -> tuple[Generation, ...]:
    """Systems told apart by the policy of their lists, too, since a path joins the α of one policy.

    Each ends with the deterministic list of its system, where that was recorded; that alone is a policy where there is
    no other.
    """
    found: list[Generation] = []
    for group in groups:
        of = [points.outputs.policy for points in group.points]
        ends = [i for i, policy in enumerate(of) if policy == DETERMINISTIC][:1]
        for policy in [policy for policy in dict.fromkeys(of) if policy != DETERMINISTIC] or [DETERMINISTIC]:
            own = [i for i, other in enumerate(of) if other == policy]
            at = ends if policy == DETERMINISTIC else [*own, *ends]
            settings, points = tuple(group.settings[i] for i in at), tuple(group.points[i] for i in at)
            found.append(Generation(group.name, group.factors._replace(policy=policy), settings, points))
    return tuple(found)


def told_by(of: Sequence[Factors]) -> tuple[str, ...]:
    """Factors, other than the task, that tell systems apart; where nothing does, what there is to call the only one by.

    Examples:
        >>> told_by([Factors(None, "bm25", "small"), Factors(None, "bm25", "large")])
        ('generator',)
        >>> told_by([Factors(None, "bm25")])
        ('retriever',)
    """
    return apart(of, "generator" if any(factors.generator for factors in of) else "retriever")


def consumption_panel(group: Generation, pair: Pair, scale: Scale) -> Panel:
    """The points of a generator on the axes of ``pair``; ``scale`` is that of disparities."""
    rates = [_mean(points.rate) if pair == "EED-EAED" and scale == "k" else np.nan for points in group.points]
    axes = [axis_values(points, pair, scale) for points in group.points]
    curve = replace(curve_through(group.points, axes, policy=""), system=group.name)
    return Panel(group.settings, curve, np.array(rates) ** 2)


def axis_values(points: OutputPoints, pair: Pair, scale: Scale) -> tuple[FloatArray, FloatArray]:
    """(Q) values on both axes, x first; ``scale`` is that of disparities."""
    given, used = points.on(scale)
    return points.relevance if pair == "EER-EAR" else given, used if pair == "EED-EAED" else points.rate


def _mean(values: FloatArray) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else np.nan


def _generation(name: str, factors: Factors, members: list[OutputPoints]) -> Generation:
    alphas = [np.inf if m.outputs.alpha is None else m.outputs.alpha for m in members]
    last = [m.outputs.policy == DETERMINISTIC for m in members]
    order: list[int] = np.lexsort((last, alphas)).tolist()
    ordered = [members[i] for i in order]
    plain = [setting_name(m.outputs) for m in ordered]
    settings = [
        f"{label}, {points.outputs.policy}" if plain.count(label) > 1 and points.outputs.policy else label
        for label, points in zip(plain, ordered, strict=True)
    ]
    for i, label in enumerate(settings):
        if label in settings[:i]:
            settings[i] = f"{label}, {ordered[i].outputs.system}"
    return Generation(name, factors, tuple(settings), tuple(ordered))


class OutputSummary(NamedTuple):
    """One row of the consumption table: a system under one setting.

    Attributes:
        name: The system, for people.
        factors: What it is made of, policy and α of this setting among them.
        setting: What changed its lists.
        rate: Mean EAR, with its interval.
        relevance: Mean EE-R of the retrieved context.
        disparity: Mean EE-D on the chosen scale of the page (``minmax``).
        given: Effective number of sources given, 1 / mean of ‖ε‖² / (Σε)² over the queries whose outputs attribute
            something, the same as those of ``used`` and ``change``, so that the three never contradict each other.
        used: The same of the sources attributed.
        change: Mean of the consumed minus the retrieved concentration on ``share``.
        utility: Mean EU.
        n_queries: Queries with an output that was given something.
        n_outputs: Outputs in all.
        single_sample: One output per query: concentration of use cannot be told from EAR.
    """

    name: str
    factors: Factors
    setting: str
    rate: float
    rate_interval: Interval
    relevance: float
    disparity: float
    given: float
    used: float
    change: PairedDifference
    utility: float
    n_queries: int
    n_outputs: int
    single_sample: bool


class RankDecline(NamedTuple):
    """How much more often the first given item is attributed than the last.

    Attributes:
        first: Share of outputs that attribute the item at rank 1.
        last: The same at ``last_rank``.
        last_rank: The last rank that was given in at least half as many outputs as the first.
        ratio: first / last; inf where the last is never attributed.
        interval: Of the ratio.
        n_queries: Queries with an output that was given something.
        p: Two-sided, that both ranks are attributed alike.
    """

    first: float
    last: float
    last_rank: int
    ratio: float
    interval: Interval
    n_queries: int
    p: float = float("nan")


def output_summaries(groups: Sequence[Generation], *, seed: int) -> tuple[OutputSummary, ...]:
    """One row per generator and setting, in the order of the groups.

    Args:
        groups: The systems.
        seed: Of the bootstrap; every interval draws anew from it, whatever stands in the rows before.
    """
    every = [(group, *at) for group in groups for at in zip(group.settings, group.points, strict=True)]
    rates = bootstrap_intervals([points.rate for _, _, points in every], seed=seed)
    return tuple(_summary(*one, rate, seed) for one, rate in zip(every, rates, strict=True))


def rank_decline(matches: Attribution, *, rng: np.random.Generator) -> RankDecline:
    """Share of outputs that attribute rank 1, over that of the last rank commonly given.

    NaN throughout where no output was given two items.
    """
    given, used = given_by_rank(matches)
    total = given.sum(axis=0)
    common = np.flatnonzero(total >= max(0.5 * float(total.max(initial=0)), 1))
    n_queries = int((given.sum(axis=1) > 0).sum())
    if common.size < 2:
        nothing = Interval(np.nan, np.nan)
        return RankDecline(np.nan, np.nan, 0, np.nan, nothing, n_queries)
    last = int(common[-1])
    counts = data_and_resamples(given.shape[0], rng=rng)
    shares = ratio(counts @ used[:, [0, last]], counts @ given[:, [0, last]])
    # The interval is found on first / (first + last), which stays finite where the last is 0.
    parts = ratio(shares[:, 0], shares.sum(axis=1))
    low, high = interval_of(parts, n_queries)
    return RankDecline(
        first=float(shares[0, 0]),
        last=float(shares[0, 1]),
        last_rank=last + 1,
        ratio=_odds(float(parts[0])),
        interval=Interval(_odds(low), _odds(high)),
        n_queries=n_queries,
        p=float(resampled_p(parts, n_queries, null=0.5)),
    )


def _odds(part: float) -> float:
    return np.inf if part == 1 else part / (1 - part)


def _summary(group: Generation, setting: str, points: OutputPoints, rate: Interval, seed: int) -> OutputSummary:
    given, used = points.on("share")
    both = ~np.isnan(given) & ~np.isnan(used)
    return OutputSummary(
        name=group.name,
        factors=group.factors._replace(policy=points.outputs.policy, alpha=points.outputs.alpha),
        setting=setting,
        rate=_mean(points.rate),
        rate_interval=rate,
        relevance=_mean(points.relevance),
        disparity=_mean(points.attainable_disparity),
        given=_effective(given[both]),
        used=_effective(used[both]),
        change=concentration_change(points, rng=np.random.default_rng(seed)),
        utility=_mean(points.utility),
        n_queries=int((~np.isnan(points.rate)).sum()),
        n_outputs=int(points.n_samples.sum()),
        single_sample=points.single_sample,
    )


def _effective(share: FloatArray) -> float:
    """1 / mean share; an unbiased estimate of the mean may be 0 or less: undefined."""
    mean = _mean(share)
    return 1 / mean if mean > 0 else np.nan
