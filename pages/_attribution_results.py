"""What the Attribution page knows of the loaded outputs: computed once per setting, remembered."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fairviz.analysis.comparison import Comparison, compare_all
from fairviz.analysis.output_panels import Generation, by_generator
from fairviz.analysis.output_summary import (
    OutputSummary,
    RankDecline,
    output_summaries,
    rank_decline,
)
from fairviz.model import Dataset, Scores
from fairviz.report.consumption_findings import Rate, concentration_finding, rank_finding
from fairviz.report.findings import Finding
from fairviz.report.words import distinct_names
from pages._attribution_settings import Settings
from pages._kept import kept
from pages._recorded import recorded

SEED = 0
FIXED_LISTS = ("deterministic",)
"""Settings whose lists do not vary: use cannot be less concentrated than one fixed list."""


class Results(NamedTuple):
    """Everything that does not depend on the setting looked at.

    Attributes:
        groups: One member per generator, under a name that tells it from the others.
        rows: Summary per generator and setting, on the page's estimate.
        tested: Rows whose concentration may be compared: several outputs, lists that vary,
            unbiased.
        declines: Per generator, citations of rank 1 beside those of the last rank; of the
            deterministic or as recorded lists where there are some.
        finding: The page's title and sentence.
        problems: Why outputs could not be measured.
    """

    groups: tuple[Generation, ...]
    rows: tuple[OutputSummary, ...]
    tested: tuple[OutputSummary, ...]
    declines: tuple[tuple[str, RankDecline], ...]
    finding: Finding
    problems: tuple[str, ...]

    @property
    def single_sample(self) -> bool:
        """No query of any generator has more than one output."""
        return all(group.single_sample for group in self.groups)


@kept
def results(loaded: Dataset, chosen: Settings) -> Results:
    """Measure, group and compare all recorded outputs."""
    measured = recorded(loaded, chosen.k, chosen.gain, chosen.given_from, chosen.estimate)
    groups = _named(by_generator(measured.points))
    rows = output_summaries(groups, rng=_rng())
    tested = _tested(loaded, chosen)
    declines = tuple((group.name, rank_decline(group.points[-1].found, rng=_rng())) for group in groups)
    if tested:
        finding = concentration_finding(tested)
    else:
        rates = [Rate(group.name, row.rate) for group, row in zip(groups, rows, strict=False)]
        finding = rank_finding(declines, rates, _gaps(groups))
    return Results(groups, rows, tested, declines, finding, measured.problems)


def _tested(loaded: Dataset, chosen: Settings) -> tuple[OutputSummary, ...]:
    measured = recorded(loaded, chosen.k, chosen.gain, chosen.given_from, "unbiased")
    rows = output_summaries(_named(by_generator(measured.points)), rng=_rng())
    return tuple(row for row in rows if not row.single_sample and row.setting not in FIXED_LISTS)


def _named(groups: tuple[Generation, ...]) -> tuple[Generation, ...]:
    """Generators under names without the parts that all share."""
    names = distinct_names([group.name for group in groups])
    return tuple(group._replace(name=name) for group, name in zip(groups, names, strict=True))


def _gaps(groups: tuple[Generation, ...]) -> Sequence[Comparison]:
    """The largest EAR minus each other one, over common queries, Holm over them."""
    rates = [
        Scores(
            system=group.name,
            measure="EAR",
            query_ids=group.points[0].outputs.query_ids,
            values=group.points[0].rate,
        )
        for group in groups
    ]
    known = [each for each in rates if not np.isnan(each.value)]
    if len(known) < 2:
        return []
    best = max(known, key=lambda each: each.value)
    pairs = [(best, other) for other in known if other is not best]
    return compare_all(pairs, seed=SEED)


def _rng() -> np.random.Generator:
    return np.random.default_rng(SEED)
