"""Systems of a task side by side: paths, ends, differences from a baseline; by hand and over the table."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy.stats import ttest_rel

from fairviz.display.theme import LIGHT
from fairviz.model import Factors, RagOutputs
from fairviz.points.charts import PanelLayout, lay_out, panels_alt, panels_figure
from fairviz.points.outputs import by_policy, by_system
from fairviz.stats.tests import holm
from fairviz.studies.attribution.analysis import compare_uses, differences_table, panel_view, use_curves
from fairviz.studies.attribution.settings import AttributionSettings
from tests.studies.attribution.recorded import measured, recorded

Systems = dict[Factors, pl.DataFrame]
CITED = {"small": 1, "large": 2, "huge": 2}
"""Items of four that most answers of each generator cite."""


def outputs(retriever: str, generator: str, *, alpha: float | None, policy: str = "plackett-luce") -> RagOutputs:
    """Two answers to each of 14 queries: ab and cd given, all but some answers cite as many as usual."""
    draw = np.random.default_rng([len(retriever), CITED[generator], int(10 * (alpha or 0))])
    answers = {
        f"q{q}": [(given, given[: CITED[generator] - int(draw.random() < 0.3)], 0.5) for given in ("abcd", "cdab")]
        for q in range(14)
    }
    return recorded(answers, task="qa", retriever=retriever, generator=generator, policy=policy, alpha=alpha)


def paths(*made: RagOutputs) -> Systems:
    return by_policy(by_system(measured(*made, k=4)))


@pytest.fixture(scope="module")
def systems() -> Systems:
    return paths(
        *(
            outputs(retriever, generator, alpha=alpha, policy="deterministic" if alpha is None else "plackett-luce")
            for retriever in ("bm25", "dense!")
            for generator in CITED
            for alpha in (4.0, 1.0, None)
        )
    )


BASE = Factors("qa", "bm25", "small", "plackett-luce")
BY = ("retriever", "generator")
RATE = AttributionSettings(axes="EED-EAR")


def compared(systems: Systems, alpha: float | None = 4.0) -> pl.DataFrame | None:
    lists = "deterministic" if alpha is None else f"α = {alpha:g}"
    return compare_uses(systems, replace(RATE, lists=lists), alpha=alpha, baseline=BASE, by=BY)


def test_a_policy_of_a_system_is_a_path_with_the_deterministic_list_as_its_end(systems: Systems) -> None:
    assert list(systems) == [
        Factors("qa", retriever, generator, "plackett-luce") for retriever in ("bm25", "dense!") for generator in CITED
    ]
    assert systems[BASE].select("lists", "end").unique(maintain_order=True).rows() == [
        ("α = 1", False),
        ("α = 4", False),
        ("deterministic", True),
    ]
    ((alone, path),) = paths(outputs("bm25", "small", alpha=None, policy="deterministic")).items()
    assert (alone.policy, path["end"].any()) == ("deterministic", False)
    two = paths(*(outputs("bm25", "small", alpha=1.0, policy=policy) for policy in ("plackett-luce", "optimal")))
    assert [factors.policy for factors in two] == ["plackett-luce", "optimal"]


def test_a_path_joins_the_means_of_the_queries_that_have_both(systems: Systems) -> None:
    path = systems[BASE]
    drawn = use_curves(BASE, path, RATE)
    assert drawn.line.alphas.tolist() == [1.0, 4.0]
    assert drawn.line.x == pytest.approx([1 / 4, 1 / 4])  # two lists of the same four: each is given every time
    *along, end = path.group_by("place", maintain_order=True).agg(pl.mean("EAR"))["EAR"]
    assert drawn.line.y == pytest.approx(along)
    assert drawn.deterministic.y == pytest.approx([end])
    assert (drawn.band.low < drawn.line.y).all()
    assert (drawn.line.y < drawn.band.high).all()
    for at, setting in enumerate(("α = 1", "α = 4")):  # an interval is of its own point, whatever stands before it
        alone = use_curves(BASE, path.filter(pl.col("lists") == setting), RATE)
        assert (alone.band.low[0], alone.band.high[0]) == (drawn.band.low[at], drawn.band.high[at])
        view = lay_out([alone], PanelLayout("generator"), x="EE-D share", y="EAR")
        traces = {str(trace["name"]): trace for trace in panels_figure(view, by=BY, colours=LIGHT).to_dict()["data"]}
        low, high, gap = traces["interval own"]["y"]
        assert (low < high, gap) == (True, None)  # of one point the interval is a line
    assert use_curves(BASE, path, AttributionSettings(axes="EER-EAR")) is None  # no judgements, no EE-R


def rates(systems: Systems, lists: str) -> dict[str, np.ndarray]:
    return {
        f"{factors.retriever} + {factors.generator}": path.filter(pl.col("lists") == lists)["EAR"].to_numpy()
        for factors, path in systems.items()
    }


@pytest.mark.parametrize("alpha", [4.0, None])
def test_differences_are_paired_tests_corrected_over_the_table(systems: Systems, alpha: float | None) -> None:
    found = compared(systems, alpha)
    of = rates(systems, "deterministic" if alpha is None else "α = 4")
    base, *others = found.to_dicts()
    assert (base["system"], base["verdict"], base["difference"]) == ("bm25 + small", "baseline", None)
    expected = [ttest_rel(of[row["system"]], of["bm25 + small"]).pvalue for row in others]
    for row, p, p_holm in zip(others, expected, holm(np.array(expected)), strict=True):
        assert row["value"] == pytest.approx(np.mean(of[row["system"]]))
        assert row["difference"] == pytest.approx(np.mean(of[row["system"]] - of["bm25 + small"]))
        assert (row["p"], row["p_holm"]) == pytest.approx((p, p_holm))
    ordered = [row["difference"] for row in others]
    assert ordered == sorted(ordered, reverse=True)
    assert len(ordered) == 5


def test_values_and_differences_are_over_the_queries_in_which_all_systems_have_a_value(systems: Systems) -> None:
    lacking = {BASE: ["q0"], Factors("qa", "dense!", "huge", "plackett-luce"): ["q1", "q2"]}
    rows = compared({of: path.filter(~pl.col("query_id").is_in(lacking.get(of, []))) for of, path in systems.items()})
    assert rows["n_queries"].to_list() == [11] * 6
    of = rates(systems, "α = 4")
    for row in rows.to_dicts():
        assert row["value"] == pytest.approx(np.mean(of[row["system"]][3:]))  # q0, q1 and q2 are the first
    assert "over the queries in which all systems have a value" in differences_table([rows], k=4).caption
    sixths = {of: [f"q{q}" for q in range(14) if q % 6 == at] for at, of in enumerate(systems)}
    chain = compared({of: path.filter(~pl.col("query_id").is_in(sixths[of])) for of, path in systems.items()})
    assert "each over its own queries" in differences_table([chain], k=4).caption
    assert rows["difference"][1:].to_list() == pytest.approx((rows["value"] - rows["value"][0])[1:].to_list())


def test_the_table_has_a_column_for_each_factor(systems: Systems) -> None:
    found = compared(systems)
    table = differences_table([found], k=4)
    assert table.keys[:5] == ("task", "retriever", "generator", "policy", "lists")
    assert [" + ".join(row[1:3]) for row in table.rows] == found["system"].to_list()[1:]  # type: ignore[arg-type]
    assert "minus that of bm25 + small" in table.caption
    assert "Holm over 5 tests" in table.caption
    twice = differences_table([found, found], k=4)
    assert len(twice.rows) == 10
    assert "Holm over 5, 5 tests, task by task" in twice.caption


def test_a_baseline_without_the_setting_leaves_nothing_to_compare(systems: Systems) -> None:
    assert compared(systems, alpha=9.0) is None


def test_every_colour_is_named_above_the_panels(systems: Systems) -> None:
    drawn = [use_curves(factors, path, RATE) for factors, path in systems.items()]
    known = [one for one in drawn if one is not None]
    view = lay_out(known, PanelLayout("retriever", colour="generator"), x="EE-D share", y="EAR")
    figure = panels_figure(view, by=BY, colours=LIGHT).to_dict()
    lines = {trace["name"]: trace["line"]["color"] for trace in figure["data"] if "line" in trace}
    (key,) = (note["text"] for note in figure["layout"]["annotations"] if "●" in note["text"])
    assert [part.split("</span>")[1].strip() for part in key.split("<span")[1:]] == list(CITED)
    assert len({lines[name] for name in CITED}) == 3
    assert all(f"color:{lines[name]}'>●</span> {name}" in key for name in CITED)
    plain = panels_figure(
        lay_out(known, PanelLayout("retriever", "generator"), x="EE-D share", y="EAR"), by=BY, colours=LIGHT
    )
    assert not any("●" in note["text"] for note in plain.to_dict()["layout"]["annotations"])


def test_each_system_has_a_panel_with_its_numbers_and_the_others_grey(systems: Systems) -> None:
    settings = AttributionSettings(axes="EED-EAED", scale="share")
    many = {"x_share": pl.lit(0.25), "y_share": pl.col("EAR")}  # as of many lists, whose shares are far from 0
    drawn = [use_curves(factors, path.with_columns(**many), settings) for factors, path in systems.items()]
    found = compared(systems)
    layout = PanelLayout("generator", "retriever", baseline=BASE)
    view = panel_view([one for one in drawn if one is not None], layout, settings, found)
    assert (view.rows, view.columns) == (("small", "large", "huge"), ("bm25", "dense!"))
    values = dict(found.select("system", "value").rows())
    for panel in view.panels:
        (own,) = panel.own
        assert own.corner.value == f"{values[f'{own.factors.retriever} + {own.factors.generator}']:.3f}"
    (base,) = (own for panel in view.panels for own in panel.own if own.factors == BASE)
    assert base.corner.change == "baseline"
    traces = {str(trace["name"]): trace for trace in panels_figure(view, by=BY, colours=LIGHT).to_dict()["data"]}
    assert sum(x is None for x in traces["y = x"]["x"]) == 6
    assert sum(x is None for x in traces["others"]["x"]) + sum(x is None for x in traces["baseline"]["x"]) == 6 * 5
    assert panels_alt(view, by=BY).startswith("6 panels, EAE-D share against EE-D share in each. bm25 + small: EAR 0.")
