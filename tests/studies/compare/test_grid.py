"""A grid of 2 tasks × 2 retrievers × 2 generators with known truth: every cell recomputed, nothing across tasks."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy import stats

from fairviz.display.table import Table, keyed
from fairviz.errors import UsageError
from fairviz.evaluation.compare import Comparison
from fairviz.model import Curve, Dataset, Factors
from fairviz.points.conditions import Condition
from fairviz.stats.bootstrap import Interval
from fairviz.stats.tests import holm
from fairviz.studies.baseline.analysis import analyse, ranked_title
from fairviz.studies.baseline.settings import BaselineSettings
from fairviz.studies.compare.columns import printed, tables, with_percent
from fairviz.studies.compare.conditions import refuse_alike
from fairviz.studies.compare.findings import forest_title, missing_words
from fairviz.studies.compare.grid import (
    Differences,
    GridComparison,
    alphas_with_points,
    at_alpha,
    chosen_alpha,
    compare_grid,
    point_differences,
)
from tests.nouns import qrels_of, run_of
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


# Differences from the baseline: recomputed from the values, undefined ones counted, titles that rest on tests.


BY = ("task", "retriever", "generator")
N, M = 20, 5
"""Queries of a small world, and systems beside its baseline."""


def world(rng: np.random.Generator, lift: float = 0.0, *, n: int = N, m: int = M) -> tuple[Condition, ...]:
    """Systems at two α whose EE-R differs by chance alone, or by ``lift`` from the first; queries differ more."""
    level = rng.normal(0.5, 0.2, size=n)
    made: list[Condition] = []
    for i in range(m + 1):
        y = level + lift * (i > 0) + rng.normal(0, 0.05, size=(2, n))
        curve = replace(line(np.full((2, n), 0.5), y, "t", at=np.array([1.0, 2.0])), y="EER@5")
        made.append(Condition(factors=Factors("t", f"r{i}", None), curves={"EER": curve}))
    return tuple(made)


def known(members: tuple[Condition, ...], alpha: float = 2.0) -> Differences:
    return point_differences(members, "EER", alpha)


def test_a_point_is_compared_by_query_in_the_family_of_its_table() -> None:
    members = world(seed(3), 0.02)
    found = known(members)
    first = members[0].relevance.quality[1]
    gaps = {one.factors: one.relevance.quality[1] - first for one in members[1:]}
    p = [float(stats.ttest_1samp(gaps[factors], 0).pvalue) for factors in found.rows]
    assert [row.difference for row in found.rows.values()] == pytest.approx(
        sorted((g.mean() for g in gaps.values()), reverse=True)
    )
    assert [row.p for row in found.rows.values()] == pytest.approx(p)
    assert [row.p_holm for row in found.rows.values()] == pytest.approx(holm(np.array(p)))
    assert (found.measure, found.alpha, found.n_tests, found.undefined) == ("EER@5", 2.0, M, ())


def test_what_has_no_value_is_said_and_counted() -> None:
    """One system without the α, one whose queries are others, one of nine queries, one with a hole."""
    base, *others = world(seed(4), n=12)
    short = replace(
        others[0], curves={**others[0].curves, "EER": replace(others[0].relevance, alphas=np.array([1.0, 4.0]))}
    )
    apart = replace(
        others[1],
        curves={**others[1].curves, "EER": replace(others[1].relevance, query_ids=tuple(f"u{q}" for q in range(12)))},
    )
    holed = others[2].relevance.quality.copy()
    holed[1, :3] = np.nan
    few = replace(others[2], curves={**others[2].curves, "EER": replace(others[2].relevance, quality=holed)})
    found = known((base, short, apart, few, others[3]))
    rows = found.rows
    assert found.undefined == (short.factors, apart.factors)
    assert [rows[one.factors].n_left_out for one in (short, apart, few, others[3])] == [12, 24, 3, 0]
    assert (rows[few.factors].n_queries, rows[few.factors].verdict) == (9, "too few to test")
    (_, hole) = missing_words(found, by=("retriever",))
    assert (
        hole == "1 system and the baseline do not both have a value for every query: up to 3 left out of a difference."
    )
    assert found.n_tests == 1  # nine queries are tested by nobody
    assert rows[others[3].factors].p_holm == rows[others[3].factors].p
    assert np.isnan(rows[short.factors].difference)
    assert point_differences((short, base), "EER", 2.0) is None  # the baseline has none
    assert point_differences((base, *others), "EAR", 2.0) is None


def test_the_alpha_is_fixed_in_advance_or_chosen_from_the_grid() -> None:
    conditions = grid()
    assert alphas_with_points(conditions) == (1.0, 2.0, 4.0, 8.0)
    assert chosen_alpha(conditions) == 2.0  # as near to 3 as 4
    assert chosen_alpha(conditions, 8.0) == 8.0
    with pytest.raises(UsageError, match=r"no system has a point at α = 3: choose 1, 2, 4 or 8"):
        chosen_alpha(conditions, 3.0)
    assert chosen_alpha([]) is None
    short = [
        replace(one, curves={**one.curves, "EER": replace(one.relevance, alphas=np.array([1.0, 3.0, 4.0, 8.0]))})
        for one in grid()[:2]
    ]
    assert chosen_alpha([*short, *grid()[:3]]) == 4.0  # 3 is nearest, but most have 4


def test_a_grid_has_a_table_per_quantity_and_moves_alone_to_another_alpha() -> None:
    conditions = tuple(
        replace(one, curves={**one.curves, "EAR": replace(one.relevance, quality=one.relevance.quality / 2, y="EAR")})
        for one in grid()
    )
    first = compare_grid(conditions, quality="EU")
    assert [one.quantity for one in first.tasks[0].differences] == ["AUC", "EER", "EU", "EAR"]
    moved = at_alpha(first, conditions, at=8.0)
    assert repr(moved) == repr(compare_grid(conditions, quality="EU", at=8.0))
    made = tables(moved, by=BY)
    for stem in ("differences-EER", "differences-EU", "differences-EAR"):
        assert made[stem].keys[3:5] == ("alpha", "difference")
        assert {row[3] for row in made[stem].rows} == {8.0}
        assert "at α = 8 minus the baseline's" in made[stem].caption
        assert "the tests of each task (lamp-1 3, lamp-4 3)" in made[stem].caption
    assert "differences-EAR" not in tables(compare_grid(grid(), quality="EU"), by=BY)


def told(
    *rows: tuple[str, float, str], quantity: str = "EU", alpha: float | None = 2.0, p: tuple[float, ...] = ()
) -> str:
    made = {
        Factors("t", name, "g"): Comparison(name, "base", quantity, size, Interval(0, 1), verdict, 24, 0, own_p, 0.004)
        for (name, size, verdict), own_p in zip(rows, p or (0.001,) * len(rows), strict=True)
    }
    measure = "EU" if alpha is None else quantity
    return forest_title(Differences(quantity, measure, alpha, made), Factors("t", "base", "g"), by=("retriever",))  # type: ignore[arg-type]


def test_titles_name_who_differs_by_how_much_and_within_what() -> None:
    even = "no significant difference"
    # t of p 0.001 with 23 df is 3.768; 0.1 / 3.768 · t(1 − 0.025/2, 23) = 2.398: ± 0.064
    assert (
        told(("a", 0.1, "higher"), ("b", 0.0, even)) == "At α = 2, a has 0.100 more utility than base (0.036 to 0.164)"
    )
    assert told(("a", 0.0, even), ("b", -0.1, "lower"), quantity="EER").startswith("At α = 2, b has 0.100 less quality")
    said = told(("a", 0.2, "higher"), ("c", 0.1, "higher"), ("b", 0.0, even))
    assert said.startswith("At α = 2, 2 systems have more utility than base; the largest difference is +0.200 (")
    assert said.endswith("), a")
    said = told(("a", 0.2, "higher"), ("c", 0.1, "higher"), p=(0.03, 0.001))  # a by Holm alone: 2 · .03 is over .05
    assert "; the largest certain difference is +0.100 (+0.0" in said
    assert told(("a", 0.2, "higher"), ("b", -0.3, "lower"), quantity="EAR").startswith(
        "At α = 2, 1 of 2 systems has more attribution than base, 1 less; the largest difference is −0.300 ("
    )
    assert told(("a", np.nan, "too few to test"), quantity="AUC", alpha=None) == "No area to compare"
    assert told(("a", 0.0, even), ("b", 0.0, even), quantity="AUC", alpha=None) == (
        "No significant difference in utility between base and 2 systems"
    )
    assert told(("a", 0.1, "too few to test")) == "At α = 2, too few queries to compare utility"


def test_no_curve_has_no_alpha() -> None:
    curve: Curve = replace(world(seed())[0].relevance, alphas=np.full(2, np.nan))
    assert chosen_alpha([Condition(factors=Factors(), curves={"EER": curve})]) is None


def test_worlds_without_effect_have_a_title_in_five_per_cent_at_most() -> None:
    rng = seed(11)
    null = [forest_title(known(world(rng)), Factors("t", "r0"), by=BY) for _ in range(300)]
    claimed = sum("no significant" not in title for title in null)
    assert claimed <= stats.binom.ppf(0.999, 300, 0.05)
    found = [forest_title(known(world(rng, 0.1)), Factors("t", "r0"), by=BY) for _ in range(5)]
    assert all("5 systems have more quality" in title for title in found)


def test_who_ranks_better_has_the_largest_significant_difference_with_an_interval_for_all() -> None:
    keys = ("system", "reference", "measure", "difference", "p", "verdict", "n_queries")
    rows = (("a", 0.1, 0.001, "higher"), ("b", 0.2, 0.001, "higher"), ("c", -0.3, 0.001, "lower"), ("d", 0.4, 0.4, ""))

    def told(*rows: tuple[str, float, float, str]) -> str:
        return ranked_title(
            Table(keyed(*keys), tuple((name, "base", "nDCG@10", gap, p, way, 24) for name, gap, p, way in rows))
        )

    # t(.0005, 23) = 3.767, t(.05 / 8, 23) = 2.713: ± .2 · 2.713 / 3.767
    assert told(*rows) == "b ranks better than base: +0.200 nDCG@10 (+0.056 to +0.344)"
    wider = ("e", 0.5, 0.02, "higher")  # by Holm; its interval for all four holds 0
    assert told(*rows[:3], wider) == told(*rows)
    assert told(rows[2]).startswith("c ranks worse than base: −0.300 nDCG@10 (")
    even = ("a", 0.1, 0.5, "no significant difference")
    assert told(even, even) == "No significant difference in nDCG@10 between base and 2 other systems"
    assert told(("a", 0.1, 0.5, "too few to test")) == "Too few queries to say who ranks better than base"


def test_the_comparison_begins_with_what_its_table_finds() -> None:
    """By one measure the largest certain difference; of a distance or of several measures who is first in how many."""
    found = {f"q{i}": {"a": 2.0, "b": 1.0} for i in range(12)}
    lost = {query: {"a": 1.0, "b": 2.0} for query in [*found][:11]} | {"q11": {"a": 2.0, "b": 1.0}}
    data = Dataset(
        name="two",
        runs=(run_of(found, "good"), run_of(lost, "bad")),
        qrels=(qrels_of({query: {"a": 1, "b": 0} for query in found}),),
    )

    def title(*measures: str) -> str:
        return analyse(data, BaselineSettings(measures=measures)).findings[0].title

    assert title("P@1").startswith("bad ranks worse than good: −0.917 P@1 (−")
    assert title("P@1", "RR") == "good is first in all 2 measures"
    assert title("EED@1") == "No cell differs significantly from good"
