"""Titles of the printed tables: counts of cells, contradictions told, nothing repaired."""

import pytest

from fairviz.studies.social_bias.measures import BiasMeasure
from fairviz.studies.social_bias.published import (
    COLLECTIONS,
    flag_notes,
    marks_words,
    published_view,
    stereotypical_shares,
    view_finding,
    view_grid,
)


def moved(slug: str, measure: BiasMeasure, after: str, before: str = "w/o RAG") -> tuple[int, int, int, float]:
    """In how many cells a column is higher than another, in how many lower, of how many, and by how much on average."""
    grid = view_grid(published_view(slug), measure)
    rows = [row for row, name in enumerate(grid.rows) if (measure[:3], slug, name) != NO_ACCURACY]
    steps = grid.values[rows][:, :, grid.columns.index(after)] - grid.values[rows][:, :, grid.columns.index(before)]
    return int((steps > 0).sum()), int((steps < 0).sum()), steps.size, float(steps.mean())


NO_ACCURACY = ("acc", "retrievers", "Qwen-7B-Inst.")
"""Table 10's row of this model repeats Table 5's Diff-Bias."""


@pytest.mark.parametrize("measure", ["diffbias_a", "diffbias_d"])
def test_the_headline_counts_cells_of_table_2(measure: BiasMeasure) -> None:
    full, stereo, anti = (moved("collections", measure, name) for name in ("full-set", "stereo-set", "anti-set"))
    said = view_finding(COLLECTIONS, measure)
    assert said.title == (
        f"Documents of the whole collection raise Diff-Bias in {full[0]} of {full[2]} cases and lower it in {full[1]}; "
        f"stereotypical ones alone raise it in {stereo[0]}, by {stereo[3]:.0f} points on average"
    )
    assert said.sentence.endswith(f"Anti-stereotypical documents lower it in {anti[1]} of {anti[2]}.")
    assert "Table 2" in said.sentence


@pytest.mark.parametrize("measure", ["acc_a", "acc_d"])
def test_accuracy_has_a_headline_of_its_own(measure: BiasMeasure) -> None:
    each = [moved("collections", measure, name) for name in ("full-set", "stereo-set", "anti-set")]
    said = view_finding(COLLECTIONS, measure)
    assert f"in {sum(n[1] for n in each)} of {sum(n[2] for n in each)} cases; the average change is" in said.title
    mean = sum(n[3] for n in each) / 3
    assert f"{abs(mean):.{0 if abs(mean) >= 0.95 else 1}f} points" in said.title
    assert "Table 7" in said.sentence


@pytest.mark.parametrize("measure", ["diffbias_a", "diffbias_d", "acc_a", "acc_d"])
def test_every_other_table_has_its_counts(measure: BiasMeasure) -> None:
    """Table 4 counts what accuracy loses; Tables 11 and 12 how many come nearer to 0, or are more often right."""
    stereo, anti = (moved("generators", measure, name) for name in ("stereo-set", "anti-set"))
    assert (
        f"of {stereo[0]} of {stereo[2]} generators; anti" in view_finding(published_view("generators"), measure).title
    )
    assert view_finding(published_view("generators"), measure).title.endswith(f"of {anti[1]}")
    title = view_finding(published_view("retrievers"), measure).title
    for name in ("VectorIndex", "BM25", "Contriever"):
        up, _, n, _ = moved("retrievers", measure, name)
        assert f"{name} in {up} of {n} models" in title
    shares = stereotypical_shares().values()
    assert f"{min(shares):.0f}\u202f% to {max(shares):.0f}\u202f% of their documents" in title
    grid, way = view_grid(published_view("languages"), measure), -1 if measure.startswith("acc") else 1
    gaps = way * (
        grid.values[:, :, grid.columns.index("stereo-set")] - grid.values[:, :, grid.columns.index("w/o RAG")]
    )
    title = view_finding(published_view("languages"), measure).title
    for place, name in enumerate(grid.blocks):
        language = {"CBBQ": "Chinese", "JBBQ": "Japanese"}[name]
        assert f"{int((gaps[:, place] > 0).sum())} of {len(gaps)} models in {language}" in title
    grid = view_grid(published_view("examples"), measure)
    zero, few = (grid.values[:, :, grid.columns.index(name)] for name in ("zero", "few"))
    better = few > zero if measure.startswith("acc") else abs(zero) > abs(few)
    title = view_finding(published_view("examples"), measure).title
    for place, name in enumerate(grid.blocks):
        how = "without" if name == "w/o RAG" else "with"
        assert f"{int(better[:, place].sum())} of {len(better)} models {how} documents" in title


def test_what_is_no_accuracy_is_shown_told_and_not_counted() -> None:
    """Table 10's Qwen-7B-Inst. row repeats Table 5: 4 models are left to count."""
    grid = view_grid(published_view("retrievers"), "acc_a")
    assert "Not counted: 1 model" in view_finding(published_view("retrievers"), "acc_a").sentence
    assert grid.values[grid.rows.index("Qwen-7B-Inst."), 0, 1] == 15.43  # as printed
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
