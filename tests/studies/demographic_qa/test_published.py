"""The published tables in words and as views, from the shipped files: cells as printed, contradictions marked."""

from dataclasses import replace

import numpy as np

from fairviz.io.published import read_published
from fairviz.studies.demographic_qa.published import (
    PAPER,
    ablation_view,
    ablation_words,
    published_ablations,
    published_disparities,
    published_rows,
    published_scores,
    published_slopes,
    retrievers_title,
    table_notes,
)
from fairviz.studies.demographic_qa.remedies import disparities_title


def test_tables_3_and_4_in_a_title() -> None:
    for number in (3, 4):
        rows = published_rows(read_published(PAPER, number))
        assert [row.plain for row in rows] == [True, False, False, False, False]
        assert disparities_title(rows, published=True) == (
            "Published: every strategy narrows both disparities and none scores below Plain; Majority Vote does most"
        )


def test_table_5_in_a_title() -> None:
    table = read_published(PAPER, 5)
    assert retrievers_title(table) == (
        "Published: with more documents, overlap, DP and EO fall and the score rises, for both retrievers"
    )
    at = table.columns.index("overlap")
    rows = tuple((*row[:at], 70.0, *row[at + 1 :]) for row in table.rows)
    assert retrievers_title(replace(table, rows=rows)) == (
        "Published: overlap falls for 0, dp falls for 2, eo falls for 2 of 2 retrievers"
    )


def test_table_6_in_a_line() -> None:
    said = ablation_words(read_published(PAPER, 6))
    assert "MedMCQA: Accuracy 21.3 → 22.9\u202f%, DP 9 → 7 points, EO 8 → 6 points" in said
    assert "EquityMedQA: ROUGE-L 46.1 → 48.0\u202f%, DP 10 → 8 points" in said


def test_notes_name_their_table_and_stand_once() -> None:
    notes = table_notes([read_published(PAPER, n) for n in (2, 3, 4, 5, 6)])
    assert len(notes) == len(set(notes))
    assert any(note.startswith("Table 5: the table names no dataset") for note in notes)
    assert any(note.startswith("Table 6: ") and "Table 4" in note for note in notes)
    assert not any(note.endswith("..") for note in notes)


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
    assert [(round(r.first), round(r.second), r.words) for r in closed.rows] == [
        (13, 11, "18.7"),
        (10, 9, "20.5"),
        (9, 8, "21.3"),
        (11, 9, "21.0"),
        (7, 6, "22.9"),
    ]
    assert [row.bold for row in closed.rows] == [False] * 4 + [True]
    assert open_.head == "ROUGE-L, % ↑"
    assert open_.rows[-1].words == "48.0"


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
