"""Titles of the printed tables: counts of cells, contradictions told, nothing repaired."""

import polars as pl
import pytest

from fairviz.studies.social_bias.measures import BiasMeasure
from fairviz.studies.social_bias.published import (
    COLLECTIONS,
    flag_notes,
    marks_words,
    printed_cells,
    published_view,
    stereotypical_shares,
    view_finding,
)


def moved(slug: str, measure: BiasMeasure, after: str, before: str = "w/o RAG") -> tuple[int, int, int, float]:
    """In how many cells a column is higher than another, in how many lower, of how many, and by how much on average."""
    first, last = (values(slug, measure, name) for name in (before, after))
    kept = [place for place in first if (measure[:3], slug, place[0]) != NO_ACCURACY]
    steps = [last[place] - first[place] for place in kept]
    return sum(step > 0 for step in steps), sum(step < 0 for step in steps), len(steps), sum(steps) / len(steps)


def values(slug: str, measure: BiasMeasure, column: str) -> dict[tuple[str, str], float]:
    """The printed values of a column by model and block."""
    cells = printed_cells(published_view(slug), measure).filter(pl.col("column") == column)
    return {(model, block): value for model, block, value in cells.select("model", "block", "value").rows()}


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
    way = -1 if measure.startswith("acc") else 1
    stereo_set, without = (values("languages", measure, name) for name in ("stereo-set", "w/o RAG"))
    title = view_finding(published_view("languages"), measure).title
    for name, language in (("CBBQ", "Chinese"), ("JBBQ", "Japanese")):
        gaps = [way * (stereo_set[place] - without[place]) for place in without if place[1] == name]
        assert f"{sum(gap > 0 for gap in gaps)} of {len(gaps)} models in {language}" in title
    zero, few = (values("examples", measure, name) for name in ("zero", "few"))
    title = view_finding(published_view("examples"), measure).title
    for name in dict.fromkeys(block for _, block in zero):
        places = [place for place in zero if place[1] == name]
        pairs = [(zero[place], few[place]) for place in places]
        better = sum(b > a if measure.startswith("acc") else abs(a) > abs(b) for a, b in pairs)
        how = "without" if name == "w/o RAG" else "with"
        assert f"{better} of {len(places)} models {how} documents" in title


def test_what_is_no_accuracy_is_shown_told_and_not_counted() -> None:
    """Table 10's Qwen-7B-Inst. row repeats Table 5: 4 models are left to count."""
    printed = values("retrievers", "acc_a", "VectorIndex")
    assert "Not counted: 1 model" in view_finding(published_view("retrievers"), "acc_a").sentence
    assert printed["Qwen-7B-Inst.", ""] == 15.43  # as printed
    notes = flag_notes(printed_cells(published_view("retrievers"), "acc_a"))
    assert any("repeats the Diff-Bias pair of Table 5" in note for note in notes)


def test_the_two_spellings_of_one_accuracy_are_told() -> None:
    (note,) = flag_notes(printed_cells(COLLECTIONS, "acc_a"))
    assert note.startswith("Llama3-8B-Inst., Gender, w/o RAG: ")
    assert "50.03" in note
    assert "50.30" in note
    assert flag_notes(printed_cells(COLLECTIONS, "diffbias_a")) == ()


def test_bold_is_said_as_the_paper_marks_it() -> None:
    for view, measure, words in (
        (COLLECTIONS, "diffbias_a", "highest and lowest of the 4 columns"),
        (published_view("examples"), "diffbias_a", "nearest 0 of each pair"),
        (published_view("examples"), "acc_a", "the higher of each pair"),
    ):
        assert words in marks_words(view, measure)  # type: ignore[arg-type]
