"""What the printed tables of the paper are said to show, counted again from the shipped cells."""

from collections.abc import Mapping

import polars as pl
import pytest

from fairviz.display.published import read_published
from fairviz.resources import content

PAPER = "rag-social-biases"
MEASURES = ("diffbias_a", "diffbias_d", "acc_a", "acc_d")
TABLES = {"collections": (2, 7), "generators": (3, 8), "languages": (4, 9), "retrievers": (5, 10), "examples": (11, 12)}
"""Tables of Diff-Bias and of the accuracy of the same answers."""


def finding(name: str, measure: str) -> Mapping[str, str]:
    """What the table of a measure is said to show of it."""
    return content("answers/printed")[PAPER][number_of(name, measure)][measure.endswith("_d")]


def number_of(name: str, measure: str) -> int:
    return TABLES[name][measure.startswith("acc")]


def values(name: str, measure: str, column: str) -> dict[tuple[str, str], float]:
    """The printed values of a column by model and block."""
    table = read_published(PAPER, number_of(name, measure))
    *blocks, across = [key for key in (*table.layout.down, *table.layout.across) if key != "model"]
    cells = table.cells.filter(pl.col(across) == column)
    return {
        (model, block): value
        for model, block, value in cells.select("model", pl.col(blocks[0]) if blocks else pl.lit(""), measure).rows()
    }


def moved(name: str, measure: str, after: str, before: str = "w/o RAG") -> tuple[int, int, int, float]:
    """In how many cases a column is higher than another, in how many lower, of how many, and by how much on average."""
    first, last = (values(name, measure, column) for column in (before, after))
    kept = [place for place in first if (measure[:3], name, place[0]) != NO_ACCURACY]
    steps = [last[place] - first[place] for place in kept]
    return sum(step > 0 for step in steps), sum(step < 0 for step in steps), len(steps), sum(steps) / len(steps)


NO_ACCURACY = ("acc", "retrievers", "Qwen-7B-Inst.")
"""Table 10's row of this model repeats Table 5's Diff-Bias."""


@pytest.mark.parametrize("measure", MEASURES[:2])
def test_the_headline_counts_cells_of_table_2(measure: str) -> None:
    full, stereo, anti = (moved("collections", measure, name) for name in ("full-set", "stereo-set", "anti-set"))
    said = finding("collections", measure)
    assert said["title"] == (
        f"Documents of the whole collection raise Diff-Bias in {full[0]} of {full[2]} cases and lower it in {full[1]}; "
        f"stereotypical ones alone raise it in {stereo[0]}, by {stereo[3]:.0f} points on average"
    )
    assert said["sentence"].endswith(f"Anti-stereotypical documents lower it in {anti[1]} of {anti[2]}.")
    assert "Table 2" in said["sentence"]


@pytest.mark.parametrize("measure", MEASURES[2:])
def test_accuracy_has_a_headline_of_its_own(measure: str) -> None:
    each = [moved("collections", measure, name) for name in ("full-set", "stereo-set", "anti-set")]
    said = finding("collections", measure)
    assert f"in {sum(n[1] for n in each)} of {sum(n[2] for n in each)} cases; the average change is" in said["title"]
    mean = sum(n[3] for n in each) / 3
    assert f"{abs(mean):.{0 if abs(mean) >= 0.95 else 1}f} points" in said["title"]
    assert "Table 7" in said["sentence"]


@pytest.mark.parametrize("measure", MEASURES)
def test_every_other_table_has_its_counts(measure: str) -> None:
    """Table 4 counts what accuracy loses; Tables 11 and 12 how many come nearer to 0, or are more often right."""
    stereo, anti = (moved("generators", measure, name) for name in ("stereo-set", "anti-set"))
    title = finding("generators", measure)["title"]
    assert f"of {stereo[0]} of {stereo[2]} generators; anti" in title
    assert title.endswith(f"of {anti[1]}")
    title = finding("retrievers", measure)["title"]
    for name in ("VectorIndex", "BM25", "Contriever"):
        up, _, n, _ = moved("retrievers", measure, name)
        assert f"{name} in {up} of {n} models" in title
    shares = read_published(PAPER, 5).cells["stereo_documents"].drop_nulls()
    assert f"{shares.min():.0f}\u202f% to {shares.max():.0f}\u202f% of their documents" in title
    way = -1 if measure.startswith("acc") else 1
    stereo_set, without = (values("languages", measure, name) for name in ("stereo-set", "w/o RAG"))
    title = finding("languages", measure)["title"]
    for name, language in (("CBBQ", "Chinese"), ("JBBQ", "Japanese")):
        gaps = [way * (stereo_set[place] - without[place]) for place in without if place[1] == name]
        assert f"{sum(gap > 0 for gap in gaps)} of {len(gaps)} models in {language}" in title
    zero, few = (values("examples", measure, name) for name in ("zero", "few"))
    title = finding("examples", measure)["title"]
    for name in dict.fromkeys(block for _, block in zero):
        places = [place for place in zero if place[1] == name]
        pairs = [(zero[place], few[place]) for place in places]
        better = sum(b > a if measure.startswith("acc") else abs(a) > abs(b) for a, b in pairs)
        how = "without" if name == "w/o RAG" else "with"
        assert f"{better} of {len(places)} models {how} documents" in title


def test_what_is_no_accuracy_is_shown_told_and_not_counted() -> None:
    """Table 10's Qwen-7B-Inst. row repeats Table 5: 4 models are left to count."""
    assert "Not counted: 1 model" in finding("retrievers", "acc_a")["sentence"]
    assert values("retrievers", "acc_a", "VectorIndex")["Qwen-7B-Inst.", ""] == 15.43  # as printed
    assert any("repeats the Diff-Bias pair of Table 5" in note for note in read_published(PAPER, 10).notes)


def test_cells_of_the_paper_are_where_the_paper_has_them() -> None:
    """Table 2: Age, w/o RAG, GPT-3.5 is 41.79 / 5.92; Table 5: Contriever finds 59.10 %."""
    for measure, value in (("diffbias_a", 41.79), ("diffbias_d", 5.92)):
        assert values("collections", measure, "w/o RAG")["GPT-3.5", "Age"] == value
    shares = read_published(PAPER, 5).cells.select("retriever", "stereo_documents").drop_nulls()
    assert dict(shares.rows()) == {"VectorIndex": 48.59, "BM25": 46.04, "Contriever": 59.10}
