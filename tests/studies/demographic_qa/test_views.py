"""Results of one's own answers as views: nothing is computed, everything is named."""

from dataclasses import replace

import numpy as np

from fairviz.studies.demographic_qa.conditions import Condition, condition_gaps
from fairviz.studies.demographic_qa.overlap import lists_of, retrieval_overlap
from fairviz.studies.demographic_qa.rows import variant_rows
from fairviz.studies.demographic_qa.views import gap_marks, group_panel, overlap_views, retriever_panels, score_grid
from tests.studies.demographic_qa.variants_by_hand import APART, answers, rows


def test_a_panel_has_groups_and_neutral() -> None:
    (row,) = variant_rows(answers(APART))
    panel = group_panel(row, unit="right answers")
    assert [(dot.name, dot.rate, dot.n) for dot in panel.groups] == [("white", 1.0, 12), ("black", 2 / 12, 12)]
    assert panel.reference == 0.75
    (without,) = variant_rows(answers(rows({"high_income": 3, "low_income": 2})))
    bare = group_panel(without, unit="ROUGE-L")
    assert np.isnan(bare.reference)
    assert [dot.name for dot in bare.groups] == ["high income", "low income"]
    assert bare.unit == "mean ROUGE-L"


def test_gaps_are_in_points() -> None:
    some = Condition(name="m", strategy="COT", rows=variant_rows(answers(APART)))
    (mark,) = gap_marks(condition_gaps([some])["race"])
    assert round(mark.gap, 6) == round(1000 / 12, 6)
    assert (mark.row, mark.condition, mark.remedy) == ("m", "COT", True)
    assert mark.pair == "white − black"


def test_overlap_has_the_neutral_list_first_and_one_scale() -> None:
    some = [row | {"retrieved": ["a", "b" if row["value"] == "white" else "c"]} for row in APART]
    one = retrieval_overlap(lists_of(answers(some), "race"), k=2)
    (view,) = overlap_views([one])
    assert view.names == ("no attribute", "white", "black")
    assert np.allclose(view.percent[0], [100, 100 / 3, 100])
    assert np.allclose(view.percent, view.percent.T)
    assert view.floor == 30.0
    bare = retrieval_overlap(lists_of(answers(some[:24]), "race"), k=2)
    assert overlap_views([bare])[0].names == ("white", "black")


def test_a_grid_of_scores_names_models_or_datasets() -> None:
    cells = [("m", "", "Plain", 0.5), ("m", "", "COT", 0.6), ("n", "", "Plain", 0.4)]
    grid = score_grid(cells, ["Plain", "COT"])
    assert (grid.rows, grid.heads) == (("m", "n"), {})
    assert np.allclose(grid.values[0], [50, 60])
    assert np.isnan(grid.values[1, 1])
    several = score_grid([("m", "x", "Plain", 0.5), ("m", "y", "Plain", 0.6)], ["Plain"])
    assert (several.rows, several.heads) == (("x", "y"), {0: "m"})


def test_retrievers_by_k() -> None:
    (row,) = variant_rows(answers(APART))
    some = [replace(row, by=(("retriever", "bm25"), ("k", k))) for k in ("20", "5")]
    overlap, dp, eo, score = retriever_panels(some)
    assert dp.lines[0].k == (5, 20)
    assert np.allclose(dp.lines[0].values, 1000 / 12)
    assert np.isnan(overlap.lines[0].values).all()
    assert np.isnan(eo.lines[0].values).all()
    assert np.allclose(score.lines[0].values, 100 * 14 / 24)
