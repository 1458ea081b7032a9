"""Titles of the printed tables: counts of cells, contradictions told, nothing repaired."""

import pytest

from fairviz.studies.social_bias.published import (
    COLLECTIONS,
    collections_finding,
    flag_notes,
    marks_words,
    published_view,
    view_finding,
    view_grid,
    without_impossible,
)


def test_the_headline_counts_cells_of_table_2() -> None:
    """Age: GPT-3.5 and Llama3 fall with stereo-set; Religion: Llama3 falls; 17 of 20 rise.

    Against it: Gender Qwen-7B-Inst. (10.17 > 10.02), Race Llama3 and Qwen-7B-Inst., Religion
    Qwen-7B-Inst. rise with anti-set; 16 of 20 fall.
    """
    said = collections_finding(view_grid(COLLECTIONS, "diffbias_a"))
    assert said.title == (
        "Documents of the whole collection raise Diff-Bias in 9 of 20 cases and lower it in 8; "
        "stereotypical ones alone raise it in 17, by 6 points on average"
    )
    assert "Table 2" in said.sentence
    assert "Anti-stereotypical documents lower it in 16 of 20" in said.sentence
    # full-set: 4 of Age fall, 2 of Religion and 2 of Gender; 3 cells are equal in print
    said = collections_finding(view_grid(COLLECTIONS, "diffbias_d"))
    assert said.title.startswith(
        "Documents of the whole collection raise Diff-Bias in 15 of 20 cases and lower it in 5"
    )
    assert "5 models, 4 bias types" in said.sentence


def test_accuracy_has_a_headline_of_its_own() -> None:
    said = collections_finding(view_grid(COLLECTIONS, "acc_a"))
    assert said.title.startswith("Documents lower accuracy on ambiguous questions in 57 of 60")
    assert "Table 7" in said.sentence
    said = collections_finding(view_grid(COLLECTIONS, "acc_d"))
    assert "the average change is +0." in said.title


@pytest.mark.parametrize(
    ("slug", "title"),
    [
        ("generators", "raise Diff-Bias of 13 of 14 generators; anti-stereotypical ones lower that of 13"),
        ("languages", "4 of 4 models in Chinese and 4 of 4 models in Japanese"),
        (
            "retrievers",
            "VectorIndex in 3 of 5 models, BM25 in 5 of 5 models and Contriever in 5 of "
            "5 models; 46\u202f% to 59\u202f% of their documents are stereotypical",
        ),
        ("examples", "nearer to 0 in 4 of 5 models without documents and 3 of 5 models with"),
    ],
)
def test_every_other_table_has_its_counts(slug: str, title: str) -> None:
    view = published_view(slug)
    said = view_finding(view, view_grid(view, "diffbias_a"))
    assert title in said.title
    assert f"Table {view.bias}" in said.sentence


def test_what_is_no_accuracy_is_shown_told_and_not_counted() -> None:
    """Table 10's Qwen-7B-Inst. row repeats Table 5: 4 models are left to count."""
    view = published_view("retrievers")
    grid = view_grid(view, "acc_a")
    said = view_finding(view, grid)
    assert "VectorIndex in 0 of 4 models" in said.title
    assert "Not counted: 1 model" in said.sentence
    row = grid.rows.index("Qwen-7B-Inst.")
    assert grid.values[row, 0, 1] == 15.43  # as printed
    assert without_impossible(grid).values[row, 0, 0] == 81.45
    assert any("repeats the Diff-Bias pair of Table 5" in note for note in flag_notes(grid))


def test_the_two_spellings_of_one_accuracy_are_told() -> None:
    (note,) = flag_notes(view_grid(COLLECTIONS, "acc_a"))
    assert note.startswith("Llama3-8B-Inst., Gender, w/o RAG: ")
    assert "50.03" in note
    assert "50.30" in note
    assert flag_notes(view_grid(COLLECTIONS, "diffbias_a")) == ()


def test_bold_is_said_as_the_paper_marks_it() -> None:
    for view, measure, words in (
        (COLLECTIONS, "diffbias_a", "highest and lowest of the 4 columns"),
        (published_view("examples"), "diffbias_a", "nearest 0 of each pair"),
        (published_view("examples"), "acc_a", "the higher of each pair"),
    ):
        assert words in marks_words(view, view_grid(view, measure))  # type: ignore[arg-type]
