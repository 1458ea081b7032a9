"""What generators used of what they were given: what is known of the systems of each task, and what a report shows."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from fairviz.display.html import Figure, Section, section_of
from fairviz.display.table import Table
from fairviz.display.theme import in_both_themes
from fairviz.display.words import Finding
from fairviz.evaluation.compare import Comparison, compare_all
from fairviz.metrics.consumption import Scale
from fairviz.model import Factors, Scores
from fairviz.points.figures_panels import panels_alt, panels_figure
from fairviz.points.generations import (
    Generation,
    OutputSummary,
    Pair,
    RankDecline,
    by_generator,
    consumption_panel,
    output_summaries,
    rank_decline,
    told_by,
)
from fairviz.points.outputs import OutputPoints
from fairviz.points.view import MOST_PANELS, Curves, apart, system_name, usual_layout
from fairviz.studies.attribution.charts import attribution_alt, attribution_figure, panel_axes, shared_ranges
from fairviz.studies.attribution.columns import AttributionResults, tables
from fairviz.studies.attribution.findings import (
    Rate,
    concentration_finding,
    on_task,
    pairing_finding,
    rank_finding,
    references_finding,
)
from fairviz.studies.attribution.grid import Use, UseComparison, compare_uses, panel_view, use_curves, uses

STEM = "fairviz-attribution"
FIXED_LISTS = ("deterministic",)
"""Settings whose lists do not vary: use cannot be less concentrated than one fixed list."""
USUAL_SETTING = "α = 2"
ALPHA = "α = "


class Systems(NamedTuple):
    """All recorded outputs, measured.

    Attributes:
        groups: One member per system of every task.
        problems: Why outputs could not be measured.
        unclear: Whether it is not known which run fed some.
    """

    groups: tuple[Generation, ...]
    problems: tuple[str, ...] = ()
    unclear: bool = False

    @property
    def planned(self) -> tuple[Factors, ...]:
        """What every policy of every system is made of."""
        return tuple(use.factors for use in uses(self.groups))

    @property
    def tasks(self) -> tuple[str | None, ...]:
        """Tasks, in the order of the outputs; None where there are none."""
        return tuple(dict.fromkeys(group.factors.task for group in self.groups)) or (None,)


class Results(NamedTuple):
    """What is known of the systems of one task, whatever setting is looked at.

    Attributes:
        groups: One member per system, under a name that tells it from the others of the task.
        rows: Summary per system and setting, on the estimate that is shown.
        tested: Rows whose concentration may be compared: several outputs, lists that vary.
        declines: Per system, citations of rank 1 beside those of the last rank; of the
            deterministic or as recorded lists where there are some.
        uses: Policies of the systems of which it is known what they were given.
        finding: Title and sentence.
        problems: Why outputs could not be measured.
        task: The task; None = not recorded.
    """

    groups: tuple[Generation, ...]
    rows: tuple[OutputSummary, ...]
    tested: tuple[OutputSummary, ...]
    declines: tuple[tuple[str, RankDecline], ...]
    uses: tuple[Use, ...]
    finding: Finding
    problems: tuple[str, ...] = ()
    task: str | None = None

    @property
    def known(self) -> "Results":
        """The same for generators of which it is known what they were given besides what they cite."""
        return self._replace(groups=tuple(group for group in self.groups if not group.only_cited))

    @property
    def single_sample(self) -> bool:
        """No query of any generator has more than one output."""
        return all(group.single_sample for group in self.groups)

    @property
    def by(self) -> tuple[str, ...]:
        """Factors that tell the systems of the task apart."""
        return told_by([group.factors for group in self.groups])

    def only(self, group: Generation) -> "Results":
        """The same with one system to look at."""
        return self._replace(groups=(group,))


def measured_systems(
    points: Sequence[OutputPoints],
    *,
    problems: Sequence[str] = (),
    unclear: bool = False,
) -> Systems:
    """Group outputs that are measured.

    Args:
        points: On the estimate that is shown.
        problems: Why others could not be measured.
        unclear: Whether it is not known which run fed some.
    """
    return Systems(by_generator(points), tuple(problems), unclear)


def analysed(
    systems: Systems, task: str | None, *, included: Collection[Factors] | None = None, seed: int = 0
) -> Results:
    """Summarise and compare the systems of one task.

    Args:
        systems: All systems of all tasks.
        task: The task.
        included: Factors of the policies that take part; None: all.
        seed: Of the bootstrap.
    """
    of_task = [factors for factors in systems.planned if factors.task == task]
    policies = set(of_task if included is None else included)
    taking_part = {factors._replace(policy=None) for factors in policies}
    groups = _named(group for group in systems.groups if group.factors in taking_part)
    known = [group for group in groups if not group.only_cited]
    rows = output_summaries(groups, seed=seed)
    named = {group.name for group in known}
    tested = tuple(r for r in rows if r.name in named and not r.single_sample and r.setting not in FIXED_LISTS)
    declines = tuple(
        (group.name, rank_decline(group.points[-1].matches, rng=np.random.default_rng(seed))) for group in known
    )
    if not groups and systems.unclear:
        finding = pairing_finding()
    elif groups and not known:
        finding = references_finding(_rates(rows))
    elif tested:
        finding = concentration_finding(tested)
    else:
        finding = rank_finding(declines, _rates(rows), _gaps(groups, seed))
    if len(systems.tasks) > 1:
        finding = on_task(finding, task)
    found = uses(known)
    shown = tuple(use for use in found if use.factors in policies) or found
    return Results(groups, rows, tested, declines, shown, finding, systems.problems, task)


# Systems side by side.


def setting_names(groups: Sequence[Generation]) -> list[str]:
    """Settings of any system, those with an α first."""
    names = list(dict.fromkeys(name for group in groups for name in group.settings))
    return sorted(names, key=lambda name: not name.startswith(ALPHA))


def usual_setting(names: Sequence[str]) -> str:
    """The setting that is looked at first."""
    return USUAL_SETTING if USUAL_SETTING in names else names[0]


def path_curves(result: Results, pair: Pair, scale: Scale, *, seed: int = 0) -> tuple[Curves, ...]:
    """What the small panels of a task draw."""
    found = (use_curves(use, pair, scale, seed=seed) for use in result.uses)
    return tuple(one for one in found if one is not None)


def compared_under(
    result: Results,
    setting: str,
    *,
    pair: Pair,
    scale: Scale,
    relevance: str,
    baseline: Factors,
    by: Sequence[str],
    seed: int = 0,
) -> UseComparison | None:
    """Each system under a setting beside the baseline; None where the baseline has no value there.

    Args:
        result: The systems of a task.
        setting: Its name.
        pair: Axes, of which the upper one is compared.
        scale: Of disparities.
        relevance: EE-R as a measure string.
        baseline: Factors of the system that the others are compared with.
        by: Factors that tell systems apart.
        seed: Of the bootstrap.
    """
    measured = {
        name: points for group in result.groups for name, points in zip(group.settings, group.points, strict=True)
    }
    return compare_uses(
        result.uses,
        pair=pair,
        scale=scale,
        setting=setting,
        alpha=measured[setting].outputs.alpha,
        baseline=baseline,
        by=by,
        measure=panel_axes(pair, scale, relevance).y,
        seed=seed,
    )


def _usual_comparisons(tasks: Sequence[Results], relevance: str, seed: int) -> tuple[UseComparison, ...]:
    """EAR of the systems of each task beside its first, under the setting that is looked at first."""
    found: list[UseComparison] = []
    for one in tasks:
        every = [use.factors for use in one.uses]
        if len(every) > 1:
            made = compared_under(
                one,
                usual_setting(setting_names(one.groups)),
                pair="EED-EAR",
                scale="share",
                relevance=relevance,
                baseline=every[0],
                by=apart(every),
                seed=seed,
            )
            found += [made] if made else []
    return tuple(found)


# Tables and sections.


def report_tables(tasks: Sequence[Results], *, k: int, relevance: str, seed: int = 0) -> dict[str, Table]:
    """Every table by the stem of its file.

    Args:
        tasks: The results, task by task.
        k: Items that a context holds.
        relevance: EE-R as a measure string.
        seed: Of the bootstrap.
    """
    return tables(
        AttributionResults(
            k=k,
            relevance=relevance,
            summaries=[row for one in tasks for row in one.rows],
            points=[points for one in tasks for group in one.groups for points in group.points],
            compared=_usual_comparisons(tasks, relevance, seed),
        )
    )


def report_sections(
    tasks: Sequence[Results], known: Mapping[str, Table], *, relevance: str, scale: Scale = "share", seed: int = 0
) -> list[Section]:
    """What is found on each task with its chart, then the tables."""
    found = [
        section_of(known, one.finding.title, one.finding.sentence, blocks=_charts(one, scale, relevance, seed))
        for one in tasks
    ]
    found.append(section_of(known, "Use of the retrieved context", blocks=["consumption"]))
    if "consumption-differences" in known:
        found.append(section_of(known, "EAR beside a baseline", blocks=["consumption-differences"]))
    return found


def _charts(result: Results, scale: Scale, relevance: str, seed: int) -> list[Figure]:
    """EE-D against EAE-D: a small panel per system; of the only one its points, the first setting coloured."""
    groups = result.known.groups
    if len(groups) != 1:
        return _panels(result, scale, relevance, seed) if groups else []
    panel = consumption_panel(groups[0], "EED-EAED", scale)
    ranges, setting = shared_ranges([panel], "EED-EAED"), panel.settings[0]
    light, dark = in_both_themes(
        lambda colours: attribution_figure(
            panel, ranges=ranges, pair="EED-EAED", scale=scale, setting=setting, colours=colours
        )
    )
    alt = attribution_alt(panel, pair="EED-EAED", scale=scale, setting=setting)
    return [Figure(light, dark, alt, caption=panel.name, name=STEM)]


def _panels(result: Results, scale: Scale, relevance: str, seed: int) -> list[Figure]:
    """No chart where nothing has a value, nor of more panels than anybody can read: the tables have them."""
    curves = path_curves(result, "EED-EAED", scale, seed=seed)
    every = [use.factors for use in result.uses]
    rows, columns, colour = usual_layout(every)
    view = panel_view(
        curves,
        pair="EED-EAED",
        scale=scale,
        axes=panel_axes("EED-EAED", scale, relevance),
        rows=rows,
        columns=columns,
        colour=colour,
        baseline=every[0],
    )
    if not curves or view.n_rows * view.n_columns > MOST_PANELS:
        return []
    by = apart(every)
    light, dark = in_both_themes(lambda palette: panels_figure(view, by=by, colours=palette))
    name = f"{STEM}-{result.task}" if result.task else STEM
    return [Figure(light, dark, panels_alt(view, by=by), caption=result.task or "", name=name)]


def _rates(rows: Sequence[OutputSummary]) -> list[Rate]:
    """EAR of each generator under its first setting."""
    first: dict[str, Rate] = {}
    for row in rows:
        first.setdefault(row.name, Rate(row.name, row.rate))
    return list(first.values())


def _named(groups: Iterable[Generation]) -> tuple[Generation, ...]:
    """Systems of one task under the names that tell them apart."""
    some = tuple(groups)
    by = told_by([group.factors for group in some])
    return tuple(group._replace(name=system_name(group.factors, by)) for group in some)


def _gaps(groups: Sequence[Generation], seed: int) -> Sequence[Comparison]:
    """The largest EAR of the task minus each other one; Holm over all pairs, among which it was searched."""
    rates = [
        Scores(
            system=group.name,
            measure="EAR",
            query_ids=group.points[0].outputs.query_ids,
            values=group.points[0].rate,
        )
        for group in groups
    ]
    falling = sorted((score for score in rates if not np.isnan(score.value)), key=lambda score: -score.value)
    pairs = list(combinations(falling, 2))
    return [gap for gap in compare_all(pairs, seed=seed) if gap.system == falling[0].system] if pairs else []
