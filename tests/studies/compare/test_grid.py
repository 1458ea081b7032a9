"""A grid of 2 tasks × 2 retrievers × 2 generators with known truth: every cell recomputed, nothing across tasks."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from fairviz.errors import UsageError
from fairviz.model import Curve, Factors
from fairviz.points.conditions import Condition
from fairviz.studies.compare.columns import printed, tables, with_percent
from fairviz.studies.compare.conditions import refuse_alike
from fairviz.studies.compare.grid import GridComparison, compare_grid
from tests.studies.tradeoff.curves import curve, seed

N_QUERIES = 24
ALPHAS = np.array([1.0, 2.0, 4.0, 8.0])
LIFT = {"bm25": 0.0, "dense": 0.1}
"""True utility of a retriever above bm25."""


def line(x: np.ndarray, y: np.ndarray, task: str, *, at: np.ndarray = ALPHAS) -> Curve:
    drawn = curve(x, y)
    queries = tuple(f"{task}-q{q}" for q in range(x.shape[1]))
    return replace(drawn, query_ids=queries, alphas=at, y="EU")


def grid() -> tuple[Condition, ...]:
    rng = seed(100)
    base = {task: rng.uniform(0.3, 0.6, size=N_QUERIES) for task in ("lamp-1", "lamp-4")}
    conditions: list[Condition] = []
    for task, retriever, generator in product(base, LIFT, ("small", "large")):
        x = np.sort(rng.uniform(0.05, 0.95, size=(4, N_QUERIES)), axis=0)
        y = base[task] + LIFT[retriever] + 0.1 * x + rng.normal(0, 0.02, size=x.shape)
        end = base[task] + LIFT[retriever] + 0.1 + rng.normal(0, 0.02, size=(1, N_QUERIES))
        nowhere = np.array([np.nan])
        one, ones = line(x, y, task), line(np.ones((1, N_QUERIES)), end, task, at=nowhere)
        conditions.append(
            Condition(
                factors=Factors(task, retriever, generator, "plackett-luce"),
                curves={"EER": replace(one, quality=x**2, y="EER"), "EU": one},
                ends={"EU": ones},
            )
        )
    return tuple(conditions)


@pytest.fixture(scope="module")
def compared() -> GridComparison:
    return compare_grid(grid(), quality="EU", baseline=Factors(retriever="bm25", generator="large"))


def test_each_task_has_its_own_baseline(compared: GridComparison) -> None:
    assert [task.task for task in compared.tasks] == ["lamp-1", "lamp-4"]
    for task in compared.tasks:
        assert task.baseline == Factors(task.task, "bm25", "large", "plackett-luce")
        assert {one.task for one in task.areas} == {task.task}
        assert [*task.gaps] == [*task.areas][1:]


def test_a_task_does_not_change_with_its_company(compared: GridComparison) -> None:
    alone = compare_grid(
        [one for one in grid() if one.factors.task == "lamp-4"],
        quality="EU",
        baseline=Factors(retriever="bm25", generator="large"),
    )
    assert repr(alone.tasks[0]) == repr(compared.tasks[1])  # NaN is not equal to itself


def test_the_oracle_limit_is_in_no_count_range_or_test() -> None:
    """Beside a limit that is far better and covers less, every system's numbers are those without it."""
    systems = grid()
    limits = [
        replace(
            one,
            factors=one.factors._replace(policy="oracle"),
            curves={
                "EER": one.relevance,
                "EU": replace(
                    one.answered, disparity=one.answered.disparity * 0.5 + 0.3, quality=one.answered.quality + 1
                ),
            },
        )
        for one in systems
    ]
    alone = compare_grid(systems, quality="EU")
    beside = compare_grid([limits[0], *systems, *limits[1:]], quality="EU")
    assert repr(beside.tasks) == repr(alone.tasks)
    assert repr((beside.spreads, beside.alpha_tests)) == repr((alone.spreads, alone.alpha_tests))
    assert len(beside.curves) == 2 * len(alone.curves)  # the limits have points


def test_a_short_condition_is_left_out_by_name() -> None:
    conditions = list(grid()[:4])
    short = conditions[2]
    narrow = replace(short.answered, disparity=short.answered.disparity * 0.2)
    conditions[2] = replace(short, curves={**short.curves, "EU": narrow})
    (task,) = compare_grid(conditions, quality="EU").tasks
    assert [*task.left_out] == [short.factors]
    assert "could be compared less far" in task.left_out[short.factors]
    assert short.factors not in task.areas
    assert short.factors in task.intervals


def test_conditions_without_the_quality_take_no_part() -> None:
    conditions = [replace(one, curves={"EER": one.relevance}) if i else one for i, one in enumerate(grid()[:3])]
    (task,) = compare_grid(conditions, quality="EU").tasks
    assert (list(task.areas), task.gaps) == ([conditions[0].factors], {})


def test_rows_that_could_not_be_told_apart_are_refused() -> None:
    of = [one.factors for one in grid()]
    refuse_alike(of)
    with pytest.raises(UsageError, match=r"two systems have task lamp-1, retriever bm25: add generator"):
        refuse_alike(of, ("task", "retriever"))


def test_tables_have_a_column_per_factor(compared: GridComparison) -> None:
    made = tables(compared, by=("task", "retriever", "generator"))
    assert set(made) == {
        "points",
        "areas",
        "differences",
        "differences-EER",
        "differences-EU",
        "intervals",
        "intervals-printed",
        "above",
        "disparity",
        "alpha-tests",
        "correlations",
    }
    assert all(table.keys[:3] == ("task", "retriever", "generator") for stem, table in made.items() if stem != "above")
    assert len(made["points"].rows) == 8 * 4
    assert len(made["intervals"].rows) == 8 * 5
    assert "the tests of each task (lamp-1 3, lamp-4 3)" in made["differences"].caption
    differences = [row[3] for row in made["differences"].rows]
    assert differences[:3] == sorted(differences[:3], reverse=True)  # type: ignore[type-var]


def test_a_printed_cell_has_a_star_where_holm_allows_it_and_no_number_of_few_queries(compared: GridComparison) -> None:
    rows = next(iter(compared.tasks[0].intervals.values())).with_columns(difference=-0.0664, quality=0.4336)
    percent = with_percent(rows)["percent"][0]
    assert printed(-0.0664, percent, "lower", 12) == "−0.066* (−13 %)"
    assert printed(-0.0664, percent, "no significant difference", 12) == "−0.066 (−13 %)"
    assert printed(-0.0664, percent, "lower", 9) == "n = 9"
    rounded = rows.with_columns(difference=0.3, quality=0.1 + 0.2)  # a baseline of 0, but for rounding
    assert with_percent(rounded)["percent"][0] is None
