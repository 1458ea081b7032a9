"""What generators used of what they were given: summaries, what may be said of them, and what a report shows."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from fairviz.evaluate.compare import Comparison, compare_all
from fairviz.metrics.consumption import Scale
from fairviz.model import Scores
from fairviz.show.html import Figure, Section, section_of
from fairviz.show.table import Table
from fairviz.show.theme import in_both_themes
from fairviz.show.words import Finding, distinct_names
from fairviz.studies.attribution.figures import attribution_alt, attribution_figure, shared_ranges
from fairviz.studies.attribution.findings import (
    Rate,
    concentration_finding,
    pairing_finding,
    rank_finding,
    references_finding,
)
from fairviz.studies.attribution.panels import (
    Generation,
    OutputSummary,
    RankDecline,
    by_generator,
    consumption_panel,
    output_summaries,
    rank_decline,
)
from fairviz.studies.attribution.points import OutputPoints
from fairviz.studies.attribution.tables import AttributionResults, tables

STEM = "fairviz-attribution"
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
    problems: tuple[str, ...] = ()

    @property
    def known(self) -> "Results":
        """The same for generators of which it is known what they were given besides what they cite."""
        return self._replace(groups=tuple(group for group in self.groups if not group.only_cited))

    @property
    def single_sample(self) -> bool:
        """No query of any generator has more than one output."""
        return all(group.single_sample for group in self.groups)


def analysed(
    points: Sequence[OutputPoints], unbiased: Sequence[OutputPoints], *, unclear: bool = False, seed: int = 0
) -> Results:
    """Group and compare outputs that are measured.

    Args:
        points: On the estimate that is shown.
        unbiased: The same without bias, for what is tested.
        unclear: Whether it is not known which run fed some.
        seed: Of the bootstrap.
    """
    groups = _named(by_generator(points))
    rows = output_summaries(groups, rng=np.random.default_rng(seed))
    known = [group for group in groups if not group.only_cited]
    sure = [group for group in _named(by_generator(unbiased)) if not group.only_cited]
    summaries = output_summaries(sure, rng=np.random.default_rng(seed))
    tested = tuple(row for row in summaries if not row.single_sample and row.setting not in FIXED_LISTS)
    declines = tuple(
        (group.name, rank_decline(group.points[-1].matches, rng=np.random.default_rng(seed))) for group in known
    )
    if not groups and unclear:
        finding = pairing_finding()
    elif groups and not known:
        finding = references_finding(_rates(rows))
    elif tested:
        finding = concentration_finding(tested)
    else:
        finding = rank_finding(declines, _rates(rows), _gaps(groups, seed))
    return Results(groups, rows, tested, declines, finding)


def report_tables(result: Results, *, k: int, relevance: str) -> dict[str, Table]:
    """Every table by the stem of its file.

    Args:
        result: The results.
        k: Items that a context holds.
        relevance: EE-R as a measure string.
    """
    points = [points for group in result.groups for points in group.points]
    return tables(AttributionResults(k=k, relevance=relevance, summaries=result.rows, points=points))


def report_sections(result: Results, known: Mapping[str, Table], *, scale: Scale = "share") -> list[Section]:
    """A chart per generator, and the summary."""
    return [
        section_of(known, result.finding.title, result.finding.sentence, blocks=_charts(result, scale)),
        section_of(known, "Use of the retrieved context", blocks=["consumption"]),
    ]


def _charts(result: Results, scale: Scale) -> list[Figure]:
    """EE-D against EAE-D of each generator, its first setting coloured."""
    panels = [consumption_panel(group, "EED-EAED", scale) for group in result.known.groups]
    if not panels:
        return []
    ranges = shared_ranges(panels, "EED-EAED")
    figures: list[Figure] = []
    for panel in panels:
        setting = panel.settings[0]
        light, dark = in_both_themes(
            lambda colours, panel=panel, setting=setting: attribution_figure(
                panel, ranges=ranges, pair="EED-EAED", scale=scale, setting=setting, colours=colours
            )
        )
        alt = attribution_alt(panel, pair="EED-EAED", scale=scale, setting=setting)
        figures.append(Figure(light, dark, alt, caption=panel.name, name=STEM))
    return figures


def _rates(rows: Sequence[OutputSummary]) -> list[Rate]:
    """EAR of each generator under its first setting."""
    first: dict[str, Rate] = {}
    for row in rows:
        first.setdefault(row.name, Rate(row.name, row.rate))
    return list(first.values())


def _named(groups: tuple[Generation, ...]) -> tuple[Generation, ...]:
    """Generators under names without the parts that all share."""
    names = distinct_names([group.name for group in groups])
    return tuple(group._replace(name=name) for group, name in zip(groups, names, strict=True))


def _task(group: Generation) -> str:
    return group.points[0].outputs.task or ""


def _gaps(groups: tuple[Generation, ...], seed: int) -> Sequence[Comparison]:
    """The largest EAR of each task minus each other one of it; Holm over all pairs, among which it was searched."""
    rates = [
        Scores(
            system=group.name,
            measure="EAR",
            query_ids=group.points[0].outputs.query_ids,
            values=group.points[0].rate,
        )
        for group in groups
    ]
    pairs: list[tuple[Scores, Scores]] = []
    largest: set[str] = set()
    for task in dict.fromkeys(map(_task, groups)):
        of_task = [score for score, group in zip(rates, groups, strict=True) if _task(group) == task]
        falling = sorted((score for score in of_task if not np.isnan(score.value)), key=lambda score: -score.value)
        pairs += combinations(falling, 2)
        largest |= {score.system for score in falling[:1]}
    return [gap for gap in compare_all(pairs, seed=seed) if gap.system in largest] if pairs else []
