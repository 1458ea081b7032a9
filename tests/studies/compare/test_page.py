"""What the page says and draws of a grid: sentences that rest on tests, panels, curves computed a little at a time."""

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise, product
from types import MappingProxyType
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from fairviz.display.paper import for_paper
from fairviz.display.theme import DARK, LIGHT, PATTERNS
from fairviz.display.words import signed
from fairviz.model import Factors, Look
from fairviz.points.charts import PanelLayout, PanelView, narrowest, panels_alt, panels_figure, usual_layout
from fairviz.points.view import Line
from fairviz.stats.bootstrap import Interval
from fairviz.studies.compare.charts import drawn, lines_alt, lines_figure, panel_view
from fairviz.studies.compare.columns import tables
from fairviz.studies.compare.findings import (
    bounds_words,
    choice_finding,
    colour_words,
    compare_finding,
    counts_words,
    forest_title,
    interval_counts,
    interval_title,
    lines_title,
    panels_title,
)
from fairviz.studies.compare.grid import GridComparison, TaskComparison, compare_grid
from tests.studies.compare.test_grid import grid

BY = ("task", "retriever", "generator")
BASE = Factors(retriever="bm25", generator="large")


CONDITIONS = grid()
Tasks = tuple[TaskComparison, ...]


@pytest.fixture(scope="module")
def tasks() -> Tasks:
    return compare_grid(CONDITIONS, quality="EU", baseline=BASE).tasks


def judged(task: TaskComparison, *verdicts: str) -> TaskComparison:
    """The task as if the systems beside the baseline had these verdicts."""
    said = zip(task.gaps.items(), verdicts, strict=True)
    gaps = {factors: gap._replace(verdict=verdict) for (factors, gap), verdict in said}  # type: ignore[arg-type]
    return task._replace(gaps=gaps)


def first_areas(task: TaskComparison, n: int) -> TaskComparison:
    """The task with its first systems alone."""
    areas = dict([*task.areas.items()][:n])
    return task._replace(areas=areas, gaps={one: gap for one, gap in task.gaps.items() if one in areas})


def test_the_head_counts_who_gives_more_and_less_on_one_task(tasks: Tasks) -> None:
    first, second = tasks
    found = compare_finding(first, [second], by=BY, quality="EU")
    assert found.title == (
        "On lamp-1, 2 of 3 systems give significantly more utility than bm25 + large: dense + small and dense + large; "
        "none significantly less"
    )
    assert re.search(r"dense \+ small \(AUC \+\S+ \+\S+ to \+\S+\) and dense \+ large \(AUC", found.sentence)
    gap = next(gap for gap in first.gaps.values() if gap.verdict == "higher")
    low, high = gap.among(len(first.gaps))
    assert low < gap.interval.low, "wider, as it is for three tests"
    assert f"{signed(low, 3)} to {signed(high, 3)})" in found.sentence
    assert "; intervals that hold for all tests at once." in found.sentence
    assert "On lamp-4, tested by itself: 2 of 3 more, none less." in found.sentence
    assert "24 queries" in found.sentence
    assert "Intervals rest on few queries." in found.sentence


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        (
            ("higher", "lower", "no significant difference"),
            "On lamp-1, 1 of 3 systems gives significantly more quality than bm25 + large: bm25 + small; 1 "
            "significantly less",
        ),
        (
            ("lower", "lower", "no significant difference"),
            "On lamp-1, 2 of 3 systems give significantly less quality than bm25 + large: bm25 + small and dense + "
            "small; none more",
        ),
        (("no significant difference",) * 3, "On lamp-1, none of 3 systems differs significantly from bm25 + large"),
        (("too few to test",) * 3, "On lamp-1, too few queries to compare"),
    ],
)
def test_the_head_claims_nothing_without_a_verdict(tasks: Tasks, verdicts: tuple[str, ...], said: str) -> None:
    assert compare_finding(judged(tasks[0], *verdicts), [], by=BY, quality="EER@5").title == said


def test_without_an_area_the_head_does_not_speak_of_queries(tasks: Tasks) -> None:
    """Runs whose scores are tied have enough queries, and EE-D 0 at every α."""
    first = judged(tasks[0], *["too few to test"] * 3)
    flat = first._replace(areas={factors: {**row, "auc": None} for factors, row in first.areas.items()})
    found = compare_finding(flat, [], by=BY, quality="EU")
    assert found == ("On lamp-1, no curve has an area", "EE-D does not change with α, or curves share no range of it.")


def test_of_more_than_three_systems_the_head_gives_the_count_alone(
    tasks: Tasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fairviz.studies.compare.findings.IN_TITLE", 1)  # as if two were four
    assert compare_finding(tasks[0], [], by=BY, quality="EU").title == (
        "On lamp-1, 2 of 3 systems give significantly more utility than bm25 + large, none significantly less"
    )
    untested = judged(tasks[0], "higher", "higher", "too few to test")
    assert "2 of 3 systems give significantly more" in compare_finding(untested, [], by=BY, quality="EU").title


def test_one_other_system_is_named_and_none_is_said(tasks: Tasks) -> None:
    first = tasks[0]
    pair = first_areas(first, 2)
    assert compare_finding(judged(pair, "lower"), [], by=BY, quality="EU").title == (
        "On lamp-1, bm25 + small gives significantly less utility than bm25 + large (AUC +0.002, −0.004 to +0.008)"
    )
    nameless = pair._replace(task=None)
    assert compare_finding(judged(nameless, "lower"), [], by=BY, quality="EU").title.startswith("bm25 + small gives"), (
        "names keep their letters"
    )
    ((other, gap),) = pair.gaps.items()
    gap = gap._replace(difference=-0.014, interval=Interval(-0.04, 0.02))
    level = judged(pair._replace(gaps={other: gap}), "no significant difference")
    found = compare_finding(level, [], by=BY, quality="EU")
    assert found.title == (
        "On lamp-1, bm25 + small does not differ significantly from bm25 + large (AUC −0.014, −0.040 to +0.020)"
    )
    assert "or more would have been significant" in found.sentence
    alone = first_areas(first, 1)._replace(task=None)
    assert compare_finding(alone, [], by=BY, quality="EU").title == "One system, and nothing to compare it with"
    assert counts_words(judged(first, *["too few to test"] * 3)) == "too few queries"


def test_one_system_is_not_said_to_have_too_few_queries(tasks: Tasks) -> None:
    alone = first_areas(tasks[0], 1)
    assert counts_words(alone) == "one system"
    assert panels_title(alone, rows="generator", columns="", by=BY) == "One system"
    nothing = forest_title(alone.differences[0]._replace(rows={}), alone.baseline, by=BY)
    assert nothing == "Nothing to compare bm25 + large with"


def test_systems_of_other_queries_are_not_said_to_have_too_few_or_to_be_one(tasks: Tasks) -> None:
    first = tasks[0]
    base, other = list(first.areas)[:2]
    apart = first.gaps[other]._replace(n_queries=0, verdict="too few to test")
    areas = {base: first.areas[base], other: first.areas[other]}
    found = compare_finding(first._replace(areas=areas, gaps={other: apart}), [], by=BY, quality="EU")
    assert found.title == "On lamp-1, no system shares a query with bm25 + large"
    rows = {other: first.gaps[other]._replace(n_queries=0, verdict="too few to test")}
    forest = forest_title(first.differences[0]._replace(rows=rows), first.baseline, by=BY)
    assert forest == "No system shares a query with bm25 + large"


def test_titles_say_only_what_every_test_of_a_column_allows(tasks: Tasks) -> None:
    first = tasks[0]  # beside the baseline: bm25 + small, dense + small, dense + large
    told = panels_title(first, rows="generator", columns="retriever", by=BY)
    assert told == "dense is significantly above bm25 + large in all 2 rows"
    one_short = judged(first, "no significant difference", "higher", "no significant difference")
    assert panels_title(one_short, rows="generator", columns="retriever", by=BY) == "4 systems side by side"
    said = forest_title(first.differences[0], first.baseline, by=BY)
    assert said.startswith("The 2 systems with more utility all use dense; the largest difference is +0.1")


def test_intervals_are_counted_as_they_are_tested(tasks: Tasks) -> None:
    task = tasks[0]
    counts = interval_counts(task)
    for b, (lower, higher, tested) in enumerate(counts):
        verdicts = [rows["verdict"][b] for rows in task.intervals.values()]
        assert (lower, higher) == (verdicts.count("lower"), verdicts.count("higher"))
        assert tested == 4 - verdicts.count("too few to test")
    lower = sum(count[0] for count in counts)
    assert f"in {lower} of " in interval_title(task, "EU") or not lower
    assert "with deterministic lists" in interval_title(task, "EU"), "what was compared"


def laid(task: TaskComparison, looks: Mapping[Factors, Look] = MappingProxyType({}), **layout: object) -> PanelView:
    members = [c for c in CONDITIONS if c.factors.task == task.task]
    curves = [one for c in members if (one := drawn(c, "EU", look=looks.get(c.factors))) is not None]
    given = PanelLayout("generator", "retriever", baseline=task.baseline)._replace(**layout)  # type: ignore[arg-type]
    return panel_view(curves, given, task=task, quality="EU")


def drawn_traces(figure: go.Figure) -> list[dict[str, Any]]:
    return figure.to_dict()["data"]


def test_a_panel_per_row_and_column_with_its_numbers(tasks: Tasks) -> None:
    view = laid(tasks[0])
    assert (view.rows, view.columns) == (("small", "large"), ("bm25", "dense"))
    areas = tasks[0].areas
    for panel in view.panels:
        (own,) = panel.own
        factors = own.factors
        assert (view.rows[panel.row], view.columns[panel.column]) == (factors.generator, factors.retriever)
        assert own.corner[0] == f"{areas[factors]['auc']:.3f}"
        gap = tasks[0].gaps.get(factors)
        assert own.corner.tone == ("" if gap is None else {"higher": "gain", "lower": "loss"}.get(gap.verdict, ""))


def test_rows_and_columns_stand_in_the_order_that_is_asked_for(tasks: Tasks) -> None:
    """Panels and the table of areas alike; a row stands by its highest AUC."""
    task, areas = tasks[0], tasks[0].aucs
    best = max(areas, key=lambda one: areas[one])
    by_name, highest = (laid(task, order=order) for order in ("name", "highest"))
    assert (by_name.rows, by_name.columns) == (("large", "small"), ("bm25", "dense"))
    assert (highest.rows[0], highest.columns[0]) == (best.generator, best.retriever)
    assert [panel.own[0].factors for panel in highest.panels if panel.row == panel.column == 0] == [best]
    known = tables(GridComparison("EU", (task,), {}, {}, (), None), by=BY, order="highest")
    values = [row[len(BY)] for row in known["areas"].rows]
    assert values == sorted(areas.values(), reverse=True) != list(areas.values())


def test_what_is_drawn_in_a_panel_is_the_curve_moved_there(tasks: Tasks) -> None:
    """Own lines are the means; every panel has all four, three of them not its own; the scale is the same in all."""
    view = laid(tasks[0], pinned=list(tasks[0].areas)[1])
    figure = panels_figure(view, by=BY, colours=LIGHT)
    traces = {str(trace["name"]): trace for trace in drawn_traces(figure)}
    own = [cells for cells in traces["own"]["customdata"] if cells is not None]
    wanted = {
        (f"{c.factors.retriever} + {c.factors.generator}", *point)
        for c in CONDITIONS
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


def test_a_band_is_as_high_in_its_panel_as_its_interval_wherever_it_is_known(tasks: Tasks) -> None:
    """Undefined at its ends and twice within: three shapes, none closed across the band; a place alone is a line."""
    (one,) = [c for c in CONDITIONS if c.factors == list(tasks[0].areas)[1]]
    curves = drawn(one, "EU", with_band=True)
    low = curves.band.low.copy()
    low[[0, 2, 6, -1]] = np.nan
    view = panel_view([curves._replace(band=curves.band._replace(low=low))], PanelLayout("generator"), quality="EU")
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


def test_96_panels_have_as_many_traces_as_four(tasks: Tasks) -> None:
    (one,) = [c for c in CONDITIONS if c.factors == tasks[0].baseline]
    many = tuple(
        replace(one, factors=Factors("lamp-1", f"retriever-{r}", f"a generator of a long name {g}", "plackett-luce"))
        for r, g in product(range(8), range(12))
    )
    curves = [c for condition in many if (c := drawn(condition, "EU", with_band=False)) is not None]
    view = panel_view(curves, PanelLayout("generator", "retriever"), quality="EU")
    figure = panels_figure(view, by=BY, colours=DARK)
    assert len(view.panels) == 96
    assert len(figure.data) < 12
    heads = " ".join(str(note.text) for note in figure.layout.annotations).replace("<br>", " ")
    assert all(f"a generator of a long name {g}" in heads for g in range(12))
    assert narrowest(view) > 800


def test_runs_without_factors_stand_four_in_a_row_under_their_names() -> None:
    names = [f"run {i}" for i in range(8)]
    plain = [replace(CONDITIONS[0], factors=Factors(None, name, None, "plackett-luce")) for name in names]
    assert usual_layout([one.factors for one in plain]) == PanelLayout("retriever")
    curves = [c for one in plain if (c := drawn(one, "EU", with_band=False)) is not None]
    view = panel_view(curves, PanelLayout("retriever"), quality="EU")
    assert (view.n_rows, view.n_columns) == (2, 4)
    assert [panel.name for panel in view.panels] == names


# All curves in one chart, and what to choose.


def straight(y: float, slope: float = 0.1) -> Line:
    x = np.linspace(0.1, 0.9, 5)
    return Line(system="s", policy="p", alphas=np.arange(5.0), x=x, y=y + slope * x)


def test_the_chart_says_who_is_highest_only_where_a_test_tells(tasks: Tasks) -> None:
    task = tasks[0]
    a, b, c, d = task.areas
    above = {a: straight(0.1), b: straight(0.2), c: straight(0.9), d: straight(0.3)}
    name, other = (f"{factors.retriever} + {factors.generator}" for factors in (c, b))

    def said(curves: Mapping[Factors, Line], p: float = 0.008) -> str:  # of 6 pairs: 0.048
        gap = task.runner_up[2]._replace(p=p)
        return lines_title(task._replace(runner_up=(c, b, gap)), curves, by=BY[1:])

    assert said(above) == f"{name} is above every other system at all degrees of evenness"
    assert said(above, p=0.009) == f"No significant difference between the two highest curves: {name} and {other}"
    assert said({b: above[b], c: above[c]}) == f"{name} is above {other} at all degrees of evenness"
    crossing = {a: straight(0.0), b: straight(0.1, 1.0), c: straight(0.51, 0.0)}
    assert said(crossing) == f"{name} is above every other system on average, but not at every degree of evenness"
    level = judged(task, *["no significant difference"] * 3)
    assert lines_title(level, above, by=BY) == "No order of the curves can be told"
    few = judged(task, *["too few to test"] * 3)
    assert lines_title(few, above, by=BY) == "Too few queries to tell an order of the curves"
    flat = few._replace(areas={factors: {**row, "auc": None} for factors, row in few.areas.items()})
    assert lines_title(flat, above, by=BY) == "No curve has an area"
    assert lines_title(task, {a: above[a]}, by=BY) == "One system: include, or load, another to compare"


def test_the_first_two_are_compared_among_all_pairs(tasks: Tasks) -> None:
    task = tasks[0]
    assert task.n_pairs == 6  # of four systems
    first, second, gap = task.runner_up
    falling = sorted(task.aucs, key=lambda one: -task.aucs[one])
    assert [first, second] == falling[:2]
    assert gap.difference == pytest.approx(task.aucs[first] - task.aucs[second])
    alone = compare_grid([one for one in grid() if one.factors == first], quality="EU").tasks[0]
    assert alone.runner_up is None
    assert choice_finding(alone, by=BY, quality="EU") is None


def test_what_to_choose_has_a_branch_for_whatever_the_tests_allow(tasks: Tasks) -> None:
    task = tasks[0]._replace(task=None)
    first, second, gap = task.runner_up
    one, other = (f"{factors.retriever} + {factors.generator}" for factors in (first, second))

    def said(p: float, task: TaskComparison = task, n: int = 24) -> tuple[str, str]:
        at = gap._replace(difference=0.05, p=p, n_queries=n)
        return choice_finding(task._replace(runner_up=(first, second, at)), by=BY[1:], quality="EER@5")

    title, sentence = said(0.008)  # 6 pairs: 0.048
    assert title.startswith(f"{one}: it gives 0.050 on average (0.0")
    assert title.endswith(f"more quality than {other}, the second")
    assert sentence.startswith("Significant among all 6 pairs.")
    assert "No significant difference from bm25 + large: bm25 + small." in sentence
    title, _ = said(0.009)  # 0.054
    assert title.startswith(f"{one} or {other}: no significant difference between the first two (0.050 on average (")
    level = judged(task, *["no significant difference"] * 3)
    title, sentence = said(0.5, level)
    assert title == "These data give no reason to prefer one system"
    assert sentence.startswith("A difference of about")
    assert said(0.001, n=9)[0] == "Too few queries to choose by"


def test_names_stand_at_the_ends_of_curves_a_line_apart(tasks: Tasks) -> None:
    view = laid(tasks[0], rows="generator", columns="retriever")
    figure = lines_figure(view, BY[1:], colours=LIGHT)
    names = [one for one in figure.layout.annotations if one.xref == "paper" and one.x == 1]
    marks = {one: {"higher": " ▲", "lower": " ▼"}.get(gap.verdict, "") for one, gap in tasks[0].gaps.items()}
    assert {re.sub("</?b>", "", one.text) for one in names} == {
        f"{one.retriever} + {one.generator}{marks.get(one, '')}" for one in tasks[0].areas
    }
    low, high = figure.layout.yaxis.range
    pixels = sorted((one.y - low) / (high - low) * (430 - 34 - 46) for one in names)
    assert all(upper - lower >= 17 - 1e-6 for lower, upper in pairwise(pixels))
    lines = {trace["name"]: trace for trace in drawn_traces(figure)}
    assert lines["bm25 + large"]["line"]["dash"] == "6px,4px"
    assert lines["bm25 + large"]["line"]["color"] == LIGHT.ink
    higher = [one for one, gap in tasks[0].gaps.items() if gap.verdict == "higher"]
    for one in higher:
        assert lines[f"{one.retriever} + {one.generator}"]["line"]["color"] == LIGHT.plackett_luce.line
    # A leader begins at the curve's own last point, also where a deterministic list stands further right.
    leaders = [(trace.x[0], trace.y[0]) for trace in figure.data if trace.name == "leader"]
    assert sorted(leaders) == sorted((one.line.by_x().x[-1], one.line.by_x().y[-1]) for one in view.curves)
    assert any(one.deterministic is not None and one.deterministic.x[-1] > one.line.x.max() for one in view.curves)
    assert lines_alt(view, BY[1:]).startswith("4 curves, EU against EE-D. ")


PHONE = 358
"""Pixels across that a chart has on a phone."""


@pytest.mark.parametrize("width", [84, 174])
def test_nothing_of_the_lines_overprints_or_is_cut(tasks: Tasks, width: float) -> None:
    """Boxes in px: of the names at the right, and of the title of the x axis, 0.52 em a character."""
    view = laid(tasks[0], rows="generator", columns="retriever")
    layout = for_paper(lines_figure(view, BY[1:], colours=LIGHT), width=width)["layout"]
    left, right = layout["margin"]["l"], layout["width"] - layout["margin"]["r"]
    names = [note for note in layout["annotations"] if note.get("xref") == "paper" and note.get("x") == 1]
    assert len(names) == 4
    for note in names:
        shown = re.sub("</?b>", "", note["text"])
        assert right + note["xshift"] + 0.52 * note["font"]["size"] * len(shown) <= layout["width"]
    low, high = layout["yaxis"]["range"]
    heights = sorted((note["y"] - low) / (high - low) * (layout["height"] - 80) for note in names)
    assert all(upper - lower >= names[0]["font"]["size"] for lower, upper in pairwise(heights))
    (title,) = (note for note in layout["annotations"] if note["text"].startswith("EE-D, disparity"))
    begins, size = left + title["xshift"], title["font"]["size"]
    assert begins >= 0
    assert begins + 0.52 * size * len(title["text"]) <= layout["width"]
    assert begins + 0.52 * size * len(title["text"]) <= PHONE


def test_a_reference_is_drawn_in_grey_and_counted_nowhere(tasks: Tasks) -> None:
    view = laid(tasks[0], rows="generator", columns="retriever")
    bounds = [
        view.curves[0]._replace(
            factors=view.curves[0].factors._replace(policy=policy), deterministic=None, reference=True
        )
        for policy in ("oracle", "optimal")
    ]
    with_bounds = view._replace(curves=(*view.curves, *bounds))
    lines = {trace["name"]: trace for trace in drawn_traces(lines_figure(with_bounds, BY[1:], colours=LIGHT))}
    assert [lines[name]["line"]["dash"] for name in ("Oracle limit", "Exposure-optimal")] == ["dot", "longdash"]
    assert {lines[name]["line"]["color"] for name in ("Oracle limit", "Exposure-optimal")} == {LIGHT.faint}
    assert lines_alt(with_bounds, BY[1:]).startswith("4 curves, EU against EE-D. ")
    assert bounds_words(view.curves) == ""
    assert bounds_words(with_bounds.curves) == (
        "; dotted: oracle limit (reads the judgements); long dashes: best lists from the baseline's scores (optimal); "
        "in no count or test"
    )


def test_the_table_of_systems_comes_before_the_colours_of_a_chart(tasks: Tasks) -> None:
    """In the lines, in the small panels, and for the baseline; what the table leaves open stays as it was."""
    view = laid(tasks[0])
    names = [f"{one.factors.retriever} + {one.factors.generator}" for one in view.curves]
    looks = [Look("violet", "dot"), Look(None, "longdash"), Look("#1B5560"), Look()]
    view = laid(tasks[0], looks=dict(zip([one.factors for one in view.curves], looks, strict=True)))
    drawn_lines = [
        {trace["name"]: trace.get("line") for trace in drawn_traces(lines_figure(each, BY[1:], colours=LIGHT))}
        for each in (view, laid(tasks[0]))
    ]
    lines, before = drawn_lines
    assert (lines[names[0]]["color"], lines[names[0]]["dash"]) == (LIGHT.systems[-1], PATTERNS["dot"])
    assert (lines[names[1]]["color"], lines[names[1]]["dash"]) == (before[names[1]]["color"], PATTERNS["longdash"])
    assert (lines[names[2]]["color"], lines[names[2]]["dash"]) == ("#1B5560", "solid")
    assert lines[names[3]] == before[names[3]]
    panels = drawn_traces(panels_figure(view, BY, colours=LIGHT))
    own = [trace["line"] for trace in panels if str(trace["name"]).startswith("own") and "line" in trace]
    assert (LIGHT.systems[-1], PATTERNS["dot"]) in [(line["color"], line["dash"]) for line in own]
    assert colour_words(view.curves).startswith("Looks of systems as set on Data")


def test_of_many_systems_the_baseline_the_highest_and_those_that_differ_are_named(tasks: Tasks) -> None:
    view = laid(tasks[0], rows="generator")
    some = view.curves[0]
    many = [
        some._replace(
            factors=some.factors._replace(generator=f"a-long-name-that-all-share-g{at:02}"),
            line=straight(0.01 * at),
            deterministic=None,
            corner=some.corner._replace(tone="loss" if at == 0 else ""),
        )
        for at in range(20)
    ]
    crowd = view._replace(curves=tuple(many), layout=view.layout._replace(baseline=many[7].factors))
    figure = lines_figure(crowd, ("generator",), colours=DARK)
    names = [one for one in figure.layout.annotations if one.xref == "paper" and one.x == 1]
    named = {name for one in names for name in re.findall("g\\d\\d(?: ▼)?", one.text)}
    assert named == {"g00 ▼", "g07", "g15", "g16", "g17", "g18", "g19"}
    level = crowd._replace(curves=tuple(each._replace(line=straight(0.0)) for each in many[:4]))
    figure = lines_figure(level, ("generator",), colours=DARK)
    names = [one.y for one in figure.layout.annotations if one.xref == "paper" and one.x == 1]
    assert len(names) == 4
    assert min(names) >= figure.layout.yaxis.range[0], "a name below the axis is not drawn"
