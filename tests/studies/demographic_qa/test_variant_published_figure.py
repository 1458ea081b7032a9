"""The paper's tables as views: cells as printed, its contradictions marked."""

import numpy as np

from fairviz.io.published import read_published
from fairviz.studies.demographic_qa.views import (
    ablation_view,
    published_ablations,
    published_disparities,
    published_scores,
    published_slopes,
)

PAPER = "rag-medical-bias"


def test_table_2_is_sixteen_rows_of_five_strategies() -> None:
    grid = published_scores(read_published(PAPER, 2))
    assert grid.values.shape == (16, 5)
    assert grid.columns == ("Plain", "Chain-of-Thought", "Counterfactual", "Adversarial", "Majority Vote")
    assert grid.rows[:4] == ("MMLU", "MedQA", "MedMCQA", "EquityMedQA")
    assert grid.heads == {0: "DeepSeek-R1-8B", 4: "DeepSeek-R1-70B", 8: "Meta-Llama-3-8B", 12: "PMC-LLaMA-13B"}
    assert list(grid.values[2]) == [18.7, 20.5, 21.3, 21.0, 22.9]
    assert not np.isnan(grid.values).any()
    assert grid.scale == 6.0  # 46.0 → 52.0, and 41.2 → 47.0
    overlap = published_scores(read_published(PAPER, 2), "overlap")
    assert list(overlap.values[0]) == [72.2, 72.8, 73.0, 74.1, 73.0]


def test_tables_3_and_4_are_points_with_the_largest_score_bold() -> None:
    closed, open_ = (published_disparities(read_published(PAPER, n)) for n in (3, 4))
    assert [(round(r.first), round(r.second), r.said) for r in closed.rows] == [
        (13, 11, "18.7"),
        (10, 9, "20.5"),
        (9, 8, "21.3"),
        (11, 9, "21.0"),
        (7, 6, "22.9"),
    ]
    assert [row.bold for row in closed.rows] == [False] * 4 + [True]
    assert open_.head == "ROUGE-L, % ↑"
    assert open_.rows[-1].said == "48.0"


def test_table_5_is_four_panels_of_two_retrievers() -> None:
    panels = published_slopes(read_published(PAPER, 5))
    assert [panel.title.split(",")[0] for panel in panels] == ["Overlap of documents", "DP", "EO", "Score"]
    bm25, contriever = panels[0].lines
    assert (bm25.k, bm25.values) == ((10, 15, 20), (72.2, 70.8, 69.5))
    assert contriever.values == (65.1, 63.9, 62.7)
    assert np.allclose(panels[1].lines[1].values, (8, 7, 6))


def test_table_6_pairs_without_and_with_the_vote() -> None:
    closed, open_ = published_ablations(read_published(PAPER, 6))
    assert (closed.dataset, closed.metric, closed.score) == ("MedMCQA", "Accuracy", (21.3, 22.9))
    assert np.allclose((*closed.dp, *closed.eo), (9, 7, 8, 6))
    assert (open_.metric, open_.score) == ("ROUGE-L", (46.1, 48.0))
    view = ablation_view(open_)
    assert [(round(row.first), round(row.second)) for row in view.rows] == [(10, 8), (9, 7)]
