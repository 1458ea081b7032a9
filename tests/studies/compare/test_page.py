"""What the page says and draws of a grid: sentences that rest on tests, panels, curves computed a little at a time."""

from dataclasses import replace
from itertools import pairwise, product
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from fairviz.display.theme import DARK, LIGHT
from fairviz.model import Factors
from fairviz.points.conditions import Condition
from fairviz.points.figures_panels import narrowest, panels_alt, panels_figure
from fairviz.points.panels import Layout, PanelView, usual_layout
from fairviz.stats.bootstrap import Interval
from fairviz.studies.compare.analysis import GridComparison, TaskComparison, compare_grid
from fairviz.studies.compare.charts import drawn, panel_view
from fairviz.studies.compare.columns import tables
from fairviz.studies.compare.findings import (
    compare_finding,
    counts_words,
    forest_title,
    interval_counts,
    interval_title,
    panels_title,
)
from tests.studies.compare.test_grid import grid

BY = ("task", "retriever", "generator")
BASE = Factors(retriever="bm25", generator="large")


@pytest.fixture(scope="module")
def conditions() -> tuple[Condition, ...]:
    return grid()


@pytest.fixture(scope="module")
def tasks(conditions: tuple[Condition, ...]) -> tuple[TaskComparison, ...]:
    return compare_grid(conditions, quality="EU", baseline=BASE, n_resamples=200).tasks


def judged(task: TaskComparison, *verdicts: str) -> TaskComparison:
    """The task as if the systems beside the baseline had these verdicts."""
    said = zip(task.gaps.items(), verdicts, strict=True)
    gaps = {factors: gap._replace(verdict=verdict) for (factors, gap), verdict in said}  # type: ignore[arg-type]
    return task._replace(areas={one: row._replace(gap=gaps.get(one)) for one, row in task.areas.items()})


def first_areas(task: TaskComparison, n: int) -> TaskComparison:
    """The task with its first systems alone."""
    return task._replace(areas=dict([*task.areas.items()][:n]))


def test_the_head_counts_who_gives_more_and_less_on_one_task(tasks: tuple[TaskComparison, ...]) -> None:
    first, second = tasks
    found = compare_finding(first, [second], by=BY, quality="EU")
    said = "On lamp-1, 2 of 3 systems give significantly more utility than bm25 + large, none significantly less"
    assert found.title == said
    assert "On lamp-4, tested by itself: 2 of 3 more, none less." in found.sentence
    assert "24 queries" in found.sentence
    assert "Intervals rest on few queries." in found.sentence


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        (
            ("higher", "lower", "no significant difference"),
            "On lamp-1, 1 of 3 systems gives significantly more quality than bm25 + large, 1 significantly less",
        ),
        (
            ("lower", "lower", "no significant difference"),
            "On lamp-1, 2 of 3 systems give significantly less quality than bm25 + large, none more",
        ),
        (("no significant difference",) * 3, "On lamp-1, none of 3 systems differs significantly from bm25 + large"),
        (("too few to test",) * 3, "On lamp-1, too few queries to compare"),
    ],
)
def test_the_head_claims_nothing_without_a_verdict(
    tasks: tuple[TaskComparison, ...], verdicts: tuple[str, ...], said: str
) -> None:
    assert compare_finding(judged(tasks[0], *verdicts), [], by=BY, quality="EER@5").title == said


def test_one_other_system_is_named_and_none_is_said(tasks: tuple[TaskComparison, ...]) -> None:
    first = tasks[0]
    pair = first_areas(first, 2)
    assert compare_finding(judged(pair, "lower"), [], by=BY, quality="EU").title == (
        "On lamp-1, bm25 + small gives significantly less utility than bm25 + large (AUC +0.002, −0.005 to +0.008)"
    )
    nameless = pair._replace(task=None)
    assert compare_finding(judged(nameless, "lower"), [], by=BY, quality="EU").title.startswith("bm25 + small gives"), (
        "names keep their letters"
    )
    ((other, gap),) = pair.gaps.items()
    gap = gap._replace(difference=-0.014, interval=Interval(-0.04, 0.02))
    areas = {**pair.areas, other: pair.areas[other]._replace(gap=gap)}
    level = judged(pair._replace(areas=areas), "no significant difference")
    found = compare_finding(level, [], by=BY, quality="EU")
    assert found.title == (
        "On lamp-1, bm25 + small does not differ significantly from bm25 + large (AUC −0.014, −0.040 to +0.020)"
    )
    assert "or more would have been significant" in found.sentence
    alone = first_areas(first, 1)._replace(task=None)
    assert compare_finding(alone, [], by=BY, quality="EU").title == "One system, and nothing to compare it with"
    assert counts_words(judged(first, *["too few to test"] * 3)) == "too few queries"


def test_one_system_is_not_said_to_have_too_few_queries(tasks: tuple[TaskComparison, ...]) -> None:
    alone = first_areas(tasks[0], 1)
    assert counts_words(alone) == "one system"
    assert panels_title(alone, rows="generator", columns="", by=BY) == "One system"
    nothing = forest_title(alone.differences[0]._replace(rows={}), alone.baseline, by=BY)
    assert nothing == "Nothing to compare bm25 + large with"


def test_systems_of_other_queries_are_not_said_to_have_too_few_or_to_be_one(tasks: tuple[TaskComparison, ...]) -> None:
    first = tasks[0]
    base, other = list(first.areas)[:2]
    apart = first.areas[other]._replace(gap=first.gaps[other]._replace(n_queries=0, verdict="too few to test"))
    areas = {base: first.areas[base], other: apart}
    found = compare_finding(first._replace(areas=areas), [], by=BY, quality="EU")
    assert found.title == "On lamp-1, no system shares a query with bm25 + large"
    rows = {other: first.gaps[other]._replace(n_queries=0, verdict="too few to test")}
    forest = forest_title(first.differences[0]._replace(rows=rows), first.baseline, by=BY)
    assert forest == "No system shares a query with bm25 + large"


def test_titles_say_only_what_every_test_of_a_column_allows(tasks: tuple[TaskComparison, ...]) -> None:
    first = tasks[0]  # beside the baseline: bm25 + small, dense + small, dense + large
    told = panels_title(first, rows="generator", columns="retriever", by=BY)
    assert told == "dense is significantly above bm25 + large in all 2 rows"
    one_short = judged(first, "no significant difference", "higher", "no significant difference")
    assert panels_title(one_short, rows="generator", columns="retriever", by=BY) == "4 systems side by side"
    said = forest_title(first.differences[0], first.baseline, by=BY)
    assert said.startswith("The 2 systems with more utility all use dense; the largest difference is +0.1")


def test_intervals_are_counted_as_they_are_tested(tasks: tuple[TaskComparison, ...]) -> None:
    task = tasks[0]
    counts = interval_counts(task)
    for b, (lower, higher, tested) in enumerate(counts):
        verdicts = [rows[b].verdict for rows in task.intervals.values()]
        assert (lower, higher) == (verdicts.count("lower"), verdicts.count("higher"))
        assert tested == 4 - verdicts.count("too few to test")
    lower = sum(count[0] for count in counts)
    assert f"in {lower} of " in interval_title(task, "EU") or not lower
    assert "with deterministic lists" in interval_title(task, "EU"), "what was compared"


def laid(conditions: tuple[Condition, ...], task: TaskComparison, **layout: object) -> PanelView:
    curves = [one for c in conditions if c.factors.task == task.task if (one := drawn(c, "EU")) is not None]
    given = Layout("generator", "retriever", baseline=task.baseline)._replace(**layout)  # type: ignore[arg-type]
    return panel_view(curves, given, task=task, quality="EU")


def drawn_traces(figure: go.Figure) -> list[dict[str, Any]]:
    return figure.to_dict()["data"]


def test_a_panel_per_row_and_column_with_its_numbers(
    conditions: tuple[Condition, ...], tasks: tuple[TaskComparison, ...]
) -> None:
    view = laid(conditions, tasks[0])
    assert (view.rows, view.columns) == (("small", "large"), ("bm25", "dense"))
    areas = tasks[0].areas
    for panel in view.panels:
        (own,) = panel.own
        factors = own.factors
        assert (view.rows[panel.row], view.columns[panel.column]) == (factors.generator, factors.retriever)
        assert own.corner[0] == f"{areas[factors].auc:.3f}"
        gap = areas[factors].gap
        assert own.corner.tone == ("" if gap is None else {"higher": "gain", "lower": "loss"}.get(gap.verdict, ""))


def test_rows_and_columns_stand_in_the_order_that_is_asked_for(
    conditions: tuple[Condition, ...], tasks: tuple[TaskComparison, ...]
) -> None:
    """Panels and the table of areas alike; a row stands by its highest AUC."""
    task, areas = tasks[0], tasks[0].aucs
    best = max(areas, key=lambda one: areas[one])
    by_name, highest = (laid(conditions, task, order=order) for order in ("name", "highest"))
    assert (by_name.rows, by_name.columns) == (("large", "small"), ("bm25", "dense"))
    assert (highest.rows[0], highest.columns[0]) == (best.generator, best.retriever)
    assert [panel.own[0].factors for panel in highest.panels if panel.row == panel.column == 0] == [best]
    known = tables(GridComparison("EU", (task,), {}, (), None), by=BY, order="highest")
    values = [row[len(BY)] for row in known["areas"].rows]
    assert values == sorted(areas.values(), reverse=True) != list(areas.values())


def test_what_is_drawn_in_a_panel_is_the_curve_moved_there(
    conditions: tuple[Condition, ...], tasks: tuple[TaskComparison, ...]
) -> None:
    """Own lines are the means; every panel has all four, three of them not its own; the scale is the same in all."""
    view = laid(conditions, tasks[0], pinned=list(tasks[0].areas)[1])
    figure = panels_figure(view, by=BY, colours=LIGHT)
    traces = {str(trace["name"]): trace for trace in drawn_traces(figure)}
    own = [cells for cells in traces["own"]["customdata"] if cells is not None]
    wanted = {
        (f"{c.factors.retriever} + {c.factors.generator}", *point)
        for c in conditions
        if c.factors.task == "lamp-1" and c.factors != tasks[0].baseline and "EU" in c.curves
        for point in zip(c.answered.mean_disparity.tolist(), c.answered.mean_quality.tolist(), strict=True)
    }
    assert {(cells[0], cells[2], cells[3]) for cells in own} == wanted
    assert sum(x is None for x in traces["others"]["x"]) == 4 * 3 - 3 - 3  # all but the own one, baseline and pinned
    assert sum(x is None for x in traces["pinned everywhere"]["x"]) == 3
    assert sum(x is None for x in traces["baseline"]["x"]) == 3
    assert sum(x is None for x in traces["deterministic"]["x"]) == 4
    assert sum(x is None for x in traces["pinned"]["x"]) == 1
    points = zip((x for x in traces["own"]["x"] if x is not None), own, strict=True)
    steps = ((a, b, p, q) for (a, p), (b, q) in pairwise(points) if p[0] == q[0])
    scale = {round((b - a) / (q[2] - p[2]), 6) for a, b, p, q in steps}
    assert len(scale) == 1
    assert "dense + large: AUC" in panels_alt(view, by=BY)


def test_a_band_is_as_high_in_its_panel_as_its_interval_wherever_it_is_known(
    conditions: tuple[Condition, ...], tasks: tuple[TaskComparison, ...]
) -> None:
    """Undefined at its ends and twice within: three shapes, none closed across the band; a place alone is a line."""
    (one,) = [c for c in conditions if c.factors == list(tasks[0].areas)[1]]
    curves = drawn(one, "EU", with_band=True)
    assert curves is not None
    assert curves.band is not None
    low = curves.band.low.copy()
    low[[0, 2, 6, -1]] = np.nan
    view = panel_view([curves._replace(band=curves.band._replace(low=low))], Layout("generator"), quality="EU")
    traces = {str(trace["name"]): trace for trace in drawn_traces(panels_figure(view, by=BY, colours=LIGHT))}
    shapes = gaps_cut(traces["band own"])
    assert [len(shape) for shape in shapes] == [2, 2 * 3, 2 * (low.size - 8)]
    places = np.flatnonzero(np.isfinite(low)).tolist()
    heights = [
        end[1] - start[1] for shape in shapes for start, end in zip(shape[: len(shape) // 2], shape[::-1], strict=False)
    ]
    wanted = (curves.band.high - low)[places]
    np.testing.assert_allclose(np.array(heights) / heights[0], wanted / wanted[0])
    assert gaps_cut(traces["interval own"]) == shapes[:1]


def gaps_cut(trace: dict[str, list[float | None]]) -> list[list[tuple[float, float]]]:
    """The parts of a merged trace."""
    shapes: list[list[tuple[float, float]]] = [[]]
    for x, y in zip(trace["x"], trace["y"], strict=True):
        if x is None or y is None:
            shapes.append([])
        else:
            shapes[-1].append((x, y))
    return [shape for shape in shapes if shape]


def test_96_panels_have_as_many_traces_as_four(
    conditions: tuple[Condition, ...], tasks: tuple[TaskComparison, ...]
) -> None:
    (one,) = [c for c in conditions if c.factors == tasks[0].baseline]
    many = tuple(
        replace(one, factors=Factors("lamp-1", f"retriever-{r}", f"a generator of a long name {g}", "plackett-luce"))
        for r, g in product(range(8), range(12))
    )
    curves = [c for condition in many if (c := drawn(condition, "EU", with_band=False)) is not None]
    view = panel_view(curves, Layout("generator", "retriever"), quality="EU")
    figure = panels_figure(view, by=BY, colours=DARK)
    assert len(view.panels) == 96
    assert len(figure.data) < 12
    heads = " ".join(str(note.text) for note in figure.layout.annotations).replace("<br>", " ")
    assert all(f"a generator of a long name {g}" in heads for g in range(12))
    assert narrowest(view) > 800


def test_runs_without_factors_stand_four_in_a_row_under_their_names(conditions: tuple[Condition, ...]) -> None:
    names = [f"run {i}" for i in range(8)]
    plain = [replace(conditions[0], factors=Factors(None, name, None, "plackett-luce")) for name in names]
    of = [one.factors for one in plain]
    assert usual_layout(of) == Layout("retriever")
    curves = [c for one in plain if (c := drawn(one, "EU", with_band=False)) is not None]
    view = panel_view(curves, Layout("retriever"), quality="EU")
    assert (view.n_rows, view.n_columns) == (2, 4)
    assert [panel.name for panel in view.panels] == names
    first = panel_view(curves[:3], Layout("retriever"), planned=of, quality="EU")
    assert [panel.name for panel in first.panels] == names[:3]
    assert (first.n_rows, first.n_columns) == (2, 4), "those that are still computed keep their places"
