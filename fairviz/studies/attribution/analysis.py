"""What generators used of what they were given: the systems of each task, and how far each is from a baseline."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import NamedTuple

import numpy as np

from fairviz.display.html import Section, section_of
from fairviz.display.table import Table
from fairviz.display.words import Finding
from fairviz.evaluation.compare import Comparison, compare_all
from fairviz.evaluation.systems import named
from fairviz.model import Dataset, Factors, Scores
from fairviz.points.generations import (
    Generation,
    OutputSummary,
    RankDecline,
    by_generator,
    by_policy,
    consumption_panel,
    output_summaries,
    rank_decline,
    told_by,
)
from fairviz.points.outputs import Recorded, recorded
from fairviz.points.panels import MOST_PANELS, Curves, usual_layout
from fairviz.points.view import apart, apart_with_task, kept, said_factors, system_name
from fairviz.remembered import remembered
from fairviz.studies.attribution.columns import differences_table, points_table, summary_table
from fairviz.studies.attribution.findings import (
    concentration_finding,
    on_task,
    pairing_finding,
    rank_finding,
    references_finding,
)
from fairviz.studies.attribution.grid import UseComparison, compare_uses, panel_view, use_curves
from fairviz.studies.attribution.settings import AttributionSettings
from fairviz.studies.study import Analysis, Chart

FIXED_LISTS = ("deterministic",)
"""Settings whose lists do not vary: use cannot be less concentrated than one fixed list."""
USUAL_SETTING = "α = 2"
ALPHA = "α = "


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
        task: The task; None = not recorded.
    """

    groups: tuple[Generation, ...]
    rows: tuple[OutputSummary, ...]
    tested: tuple[OutputSummary, ...]
    declines: tuple[tuple[str, RankDecline], ...]
    uses: tuple[Generation, ...]
    finding: Finding
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


def analyse(data: Dataset, settings: AttributionSettings) -> Analysis:
    """Points and summary of all tasks, and the systems of each beside a baseline.

    Args:
        data: Recorded outputs, the runs that fed them, judgements for EE-R.
        settings: Context, estimate, what is compared.

    Raises:
        UndefinedError: No output could be measured.
        UsageError: There is no such task or factor.
    """
    found = recorded_of(data, settings)
    found.some()
    tasks = every_task(data, settings)
    known = {
        "consumption": summary_table(
            [row for one in tasks for row in one.rows], k=settings.k, relevance=settings.relevance
        ),
        "consumption-points": points_table(
            [points for one in tasks for group in one.groups for points in group.points], relevance=settings.relevance
        ),
    }
    if compared := _comparisons(data, settings, tasks):
        known["consumption-differences"] = differences_table(compared, k=settings.k)
    charts = {f"attribution-{one.task or 'use'}": chart for one in tasks if (chart := _chart(one, settings))}
    return Analysis(
        findings=tuple(one.finding for one in tasks),
        tables=known,
        charts=charts,
        notes=tuple(replace(note, message=f"left out: {note.message}") for note in found.failed),
        sections=partial(_sections, tasks, known, charts),
    )


def recorded_of(data: Dataset, settings: AttributionSettings) -> Recorded:
    """All recorded outputs, measured, and why some could not be."""
    gain, rel = settings.usefulness
    return recorded(data, settings.k, gain, settings.estimate, rel)


def planned(systems: Sequence[Generation]) -> tuple[Factors, ...]:
    """What every policy of every system is made of."""
    return tuple(use.factors for use in by_policy(systems))


def tasks_of(systems: Sequence[Generation]) -> tuple[str | None, ...]:
    """Tasks, in the order of the outputs; None where there are none."""
    return tuple(dict.fromkeys(group.factors.task for group in systems)) or (None,)


def results_of(data: Dataset, settings: AttributionSettings) -> Results:
    """The systems of the task that is named, without what is excluded."""
    tasks = tasks_of(by_generator(recorded_of(data, settings).points))
    task = named("task", settings.task, {task or "": task for task in tasks})
    return _results(data, settings.restricted_to("k", "gain", "rel", "estimate", "off", "seed"), task)


def every_task(data: Dataset, settings: AttributionSettings) -> tuple[Results, ...]:
    """All systems, task by task; one empty result where none could be measured."""
    measured = settings.restricted_to("k", "gain", "rel", "estimate", "seed")
    tasks = tasks_of(by_generator(recorded_of(data, settings).points))
    return tuple(_results(data, measured, task) for task in tasks)


@remembered
def _results(data: Dataset, settings: AttributionSettings, task: str | None) -> Results:
    found = recorded_of(data, settings)
    return analysed(found, task, off=said_factors(settings.off), seed=settings.seed)


@remembered
def path_curves(data: Dataset, settings: AttributionSettings) -> tuple[Curves, ...]:
    """What the small panels of a task draw."""
    return _paths(results_of(data, settings), settings)


def compared_under(data: Dataset, settings: AttributionSettings) -> UseComparison | None:
    """Each system of the task beside the baseline; None where the baseline has no value under these lists."""
    every = planned(by_generator(recorded_of(data, settings).points))
    return _compared(results_of(data, settings), settings, apart_with_task(every))


def analysed(
    found: Recorded, task: str | None, *, off: Sequence[tuple[str, str | None]] = (), seed: int = 0
) -> Results:
    """Summarise and compare the systems of one task.

    Args:
        found: All outputs of all tasks.
        task: The task.
        off: Values of factors that take no part; all take part where none would be left.
        seed: Of the bootstrap.
    """
    systems = by_generator(found.points)
    of_task = [factors for factors in planned(systems) if factors.task == task]
    policies = set(kept(of_task, off) or of_task)
    taking_part = {factors._replace(policy=None) for factors in policies}
    groups = _named(group for group in systems if group.factors in taking_part)
    known = [group for group in groups if not group.only_cited]
    rows = output_summaries(groups, seed=seed)
    named = {group.name for group in known}
    tested = tuple(r for r in rows if r.name in named and not r.single_sample and r.setting not in FIXED_LISTS)
    declines = tuple(
        (group.name, rank_decline(group.points[-1].matches, rng=np.random.default_rng(seed))) for group in known
    )
    if not groups and found.unclear:
        finding = pairing_finding()
    elif groups and not known:
        finding = references_finding(_rates(rows))
    elif tested:
        finding = concentration_finding(tested)
    else:
        finding = rank_finding(declines, _rates(rows), _gaps(groups, seed))
    if len(tasks_of(systems)) > 1:
        finding = on_task(finding, task)
    uses = by_policy(known)
    shown = tuple(use for use in uses if use.factors in policies) or uses
    return Results(groups, rows, tested, declines, shown, finding, task)


# Systems side by side.


def setting_names(groups: Sequence[Generation]) -> list[str]:
    """Settings of any system, those with an α first."""
    names = list(dict.fromkeys(name for group in groups for name in group.settings))
    return sorted(names, key=lambda name: not name.startswith(ALPHA))


def usual_setting(names: Sequence[str]) -> str:
    """The setting that is looked at first."""
    return USUAL_SETTING if USUAL_SETTING in names else names[0]


def _paths(result: Results, settings: AttributionSettings) -> tuple[Curves, ...]:
    found = (use_curves(use, settings.axes, settings.scale, seed=settings.seed) for use in result.uses)
    return tuple(one for one in found if one is not None)


def _compared(result: Results, settings: AttributionSettings, by: Sequence[str]) -> UseComparison | None:
    if len(result.uses) < 2:
        return None
    lists = settings.lists or usual_setting(setting_names(result.groups))
    settled = [pair for group in result.groups for pair in zip(group.settings, group.points, strict=True)]
    alpha = named("lists", lists, {name: points.outputs.alpha for name, points in settled})
    said = dict(said_factors(settings.baseline))
    baseline = Factors()._replace(**said) if said else result.uses[0].factors
    return compare_uses(
        result.uses,
        settings,
        setting=lists,
        alpha=alpha,
        baseline=baseline._replace(task=result.task),
        by=by,
    )


def _comparisons(data: Dataset, settings: AttributionSettings, tasks: Sequence[Results]) -> tuple[UseComparison, ...]:
    """Of every task unless one is named, or something of its systems is."""
    if settings.task or settings.baseline or settings.off or len(tasks) == 1:
        found = [compared_under(data, settings)]
    else:
        found = [_compared(one, settings, apart([use.factors for use in one.uses])) for one in tasks]
    return tuple(one for one in found if one is not None)


# Charts and sections.


def _chart(result: Results, settings: AttributionSettings) -> Chart | None:
    """EE-D against EAE-D: a small panel per system; of the only one its points, the first setting coloured.

    No chart where nothing has a value, nor of more panels than anybody can read: the tables have them.
    """
    groups, pair = result.known.groups, "EED-EAED"
    settings = replace(settings, axes=pair)
    if not groups:
        return None
    if len(groups) == 1:
        return Chart("attribution", "attribution", (consumption_panel(groups[0], pair, settings.scale), settings))
    curves, every = _paths(result, settings), [use.factors for use in result.uses]
    view = panel_view(curves, usual_layout(every)._replace(baseline=every[0]), settings)
    if not curves or view.n_rows * view.n_columns > MOST_PANELS:
        return None
    return Chart("attribution", "panels", (view, apart(every)))


def _sections(tasks: Sequence[Results], known: Mapping[str, Table], charts: Mapping[str, Chart]) -> list[Section]:
    """What is found on each task with its chart, then the tables."""
    found: list[Section] = []
    for one in tasks:
        stem = f"attribution-{one.task or 'use'}"
        groups = one.known.groups
        caption = groups[0].name if len(groups) == 1 else one.task or ""
        drawn = [charts[stem].in_report(stem, caption)] if stem in charts else []
        found.append(section_of(known, one.finding.title, one.finding.sentence, blocks=drawn))
    found.append(section_of(known, "Use of the retrieved context", blocks=["consumption"]))
    if "consumption-differences" in known:
        found.append(section_of(known, "EAR beside a baseline", blocks=["consumption-differences"]))
    return found


def _rates(rows: Sequence[OutputSummary]) -> dict[str, float]:
    """EAR of each generator under its first setting."""
    first: dict[str, float] = {}
    for row in rows:
        first.setdefault(row.name, row.rate)
    return first


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
