"""Tables of social bias, the printed ones among them: names for programs, words for people, one row per result."""

import csv
import io

import polars as pl
import pytest

from fairviz.display.latex import latex_text
from fairviz.display.table import csv_text
from fairviz.studies.social_bias.columns import (
    COUNTS,
    changes_table,
    grid_table,
    levels_table,
    printed_changes_table,
    rows_table,
    with_reading,
)
from fairviz.studies.social_bias.findings import (
    bold_words,
    flag_notes,
    printed_cells,
    printed_finding,
    printed_of,
    printed_views,
    stereotypical_shares,
)
from fairviz.studies.social_bias.measures import MEASURES, BiasMeasure
from fairviz.studies.social_bias.rows import MORE, bias_rows, levels
from tests.studies.social_bias.bias_world import C, S, U, answers_of, items_of
from tests.studies.social_bias.test_findings import change

ITEMS = items_of([("A", "a"), ("B", "a"), ("A", "s"), ("B", "c")])
ROWS = bias_rows(
    ITEMS, answers_of(ITEMS, [({"model": "m"}, {0: S, 1: U, 2: S, 3: C})]), by=("model", "category"), n_resamples=20
)


def test_changes_to_download_and_to_print() -> None:
    rows = [change("Age", 5.0, MORE), change("Age", -50.0, "too few to say", group="=old")]
    changes = changes_table(pl.DataFrame(rows))
    table = printed_changes_table(pl.DataFrame(rows), reference="no RAG", value="stereo-set")
    assert table.rows[0][:3] == ("Age", 200, 20)
    assert table.headings[3:5] == ("no RAG", "stereo-set")
    assert table.rows[0][6:8] == (3.0, 7.0)
    assert table.rows[1][0] == "against “=old”"
    latex = latex_text(table)
    assert "$+5.0$" in latex
    assert "more towards the stereotype" in latex
    (first, second) = csv.DictReader(io.StringIO(csv_text(changes)))
    assert first["against"] == "setting=w/o RAG"
    assert first["verdict"] == MORE
    assert (first["abs_low"], first["abs_high"]) == ("3.0", "7.0")
    assert second["stereotyped"] == "'=old"
    assert second["p_holm"] == ""


def test_rows_have_measures_then_ends_then_counts_then_bounds() -> None:
    """One of two ambiguous answers follows the stereotype: Diff-Bias_a 50, bound 100 − 50."""
    table = rows_table(ROWS)
    assert table.keys[: 2 + len(MEASURES)] == ("model", "category", *MEASURES)
    ordered = (
        *(*COUNTS, "bound_d_low", "bound_d_high", "small", "unread", "one_letter"),
        *(f"{name}_worst_{end}" for name in MEASURES for end in ("low", "high")),
        *("diffbias_a_p", "diffbias_a_p_holm", "diffbias_d_p", "diffbias_d_p_holm"),
    )
    assert tuple(key for key in table.keys if key in ordered) == ordered
    cells = dict(zip(table.keys, table.rows[0], strict=True))
    assert (cells["diffbias_a"], cells["bound_a"], cells["n_as"], cells["n_items"]) == (50.0, 50.0, 1, 4)


def test_a_grid_is_a_row_per_model_and_a_column_per_type_and_setting() -> None:
    table = grid_table(printed_cells("collections", "diffbias_a"), caption="c")
    assert (table.keys[:2], len(table.keys), len(table.rows)) == (("model", "Gender · w/o RAG"), 1 + 4 * 4, 5)


def test_levels_are_the_shares_and_the_verdict_of_each_row() -> None:
    """One of two ambiguous answers follows the stereotype, the other says “unknown”."""
    table = levels_table(levels(ROWS, "diffbias_a"), "diffbias_a", {"m": "mine"})
    assert table.rows[0][:8] == ("Age", "mine", 2, 2, 0.0, 50.0, 50.0, 50.0)
    assert table.rows[0][-1] == "too few to say"
    told = levels_table(levels(ROWS, "diffbias_d"), "diffbias_d", {})
    assert told.keys[4:8] == ("against", "unknown", "right", "towards")
    assert told.rows[0][4:8] == (0.0, 0.0, 100.0, 0.0)


def test_a_reading_that_a_person_chose_stands_in_every_table() -> None:
    said = "3 answers read as “unknown”"
    made = (rows_table(ROWS), levels_table(levels(ROWS, "diffbias_a"), "diffbias_a", {}))
    rows, shown = (with_reading(table, said) for table in made)
    assert (rows.keys[-1], rows.rows[0][-1]) == ("reading", said)
    assert all(table.caption.endswith(said) for table in (rows, shown))


def moved(slug: str, measure: BiasMeasure, after: str, before: str = "w/o RAG") -> tuple[int, int, int, float]:
    """In how many cells a column is higher than another, in how many lower, of how many, and by how much on average."""
    first, last = (values(slug, measure, name) for name in (before, after))
    kept = [place for place in first if (measure[:3], slug, place[0]) != NO_ACCURACY]
    steps = [last[place] - first[place] for place in kept]
    return sum(step > 0 for step in steps), sum(step < 0 for step in steps), len(steps), sum(steps) / len(steps)


def values(slug: str, measure: BiasMeasure, column: str) -> dict[tuple[str, str], float]:
    """The printed values of a column by model and block."""
    cells = printed_cells(slug, measure).filter(pl.col("column") == column)
    return {(model, block): value for model, block, value in cells.select("model", "block", "value").rows()}


NO_ACCURACY = ("acc", "retrievers", "Qwen-7B-Inst.")
"""Table 10's row of this model repeats Table 5's Diff-Bias."""


@pytest.mark.parametrize("measure", ["diffbias_a", "diffbias_d"])
def test_the_headline_counts_cells_of_table_2(measure: BiasMeasure) -> None:
    full, stereo, anti = (moved("collections", measure, name) for name in ("full-set", "stereo-set", "anti-set"))
    said = printed_finding("collections", measure)
    assert said.title == (
        f"Documents of the whole collection raise Diff-Bias in {full[0]} of {full[2]} cases and lower it in {full[1]}; "
        f"stereotypical ones alone raise it in {stereo[0]}, by {stereo[3]:.0f} points on average"
    )
    assert said.sentence.endswith(f"Anti-stereotypical documents lower it in {anti[1]} of {anti[2]}.")
    assert "Table 2" in said.sentence


@pytest.mark.parametrize("measure", ["acc_a", "acc_d"])
def test_accuracy_has_a_headline_of_its_own(measure: BiasMeasure) -> None:
    each = [moved("collections", measure, name) for name in ("full-set", "stereo-set", "anti-set")]
    said = printed_finding("collections", measure)
    assert f"in {sum(n[1] for n in each)} of {sum(n[2] for n in each)} cases; the average change is" in said.title
    mean = sum(n[3] for n in each) / 3
    assert f"{abs(mean):.{0 if abs(mean) >= 0.95 else 1}f} points" in said.title
    assert "Table 7" in said.sentence


@pytest.mark.parametrize("measure", ["diffbias_a", "diffbias_d", "acc_a", "acc_d"])
def test_every_other_table_has_its_counts(measure: BiasMeasure) -> None:
    """Table 4 counts what accuracy loses; Tables 11 and 12 how many come nearer to 0, or are more often right."""
    stereo, anti = (moved("generators", measure, name) for name in ("stereo-set", "anti-set"))
    assert f"of {stereo[0]} of {stereo[2]} generators; anti" in printed_finding("generators", measure).title
    assert printed_finding("generators", measure).title.endswith(f"of {anti[1]}")
    title = printed_finding("retrievers", measure).title
    for name in ("VectorIndex", "BM25", "Contriever"):
        up, _, n, _ = moved("retrievers", measure, name)
        assert f"{name} in {up} of {n} models" in title
    shares = stereotypical_shares().values()
    assert f"{min(shares):.0f}\u202f% to {max(shares):.0f}\u202f% of their documents" in title
    way = -1 if measure.startswith("acc") else 1
    stereo_set, without = (values("languages", measure, name) for name in ("stereo-set", "w/o RAG"))
    title = printed_finding("languages", measure).title
    for name, language in (("CBBQ", "Chinese"), ("JBBQ", "Japanese")):
        gaps = [way * (stereo_set[place] - without[place]) for place in without if place[1] == name]
        assert f"{sum(gap > 0 for gap in gaps)} of {len(gaps)} models in {language}" in title
    zero, few = (values("examples", measure, name) for name in ("zero", "few"))
    title = printed_finding("examples", measure).title
    for name in dict.fromkeys(block for _, block in zero):
        places = [place for place in zero if place[1] == name]
        pairs = [(zero[place], few[place]) for place in places]
        better = sum(b > a if measure.startswith("acc") else abs(a) > abs(b) for a, b in pairs)
        how = "without" if name == "w/o RAG" else "with"
        assert f"{better} of {len(places)} models {how} documents" in title


def test_what_is_no_accuracy_is_shown_told_and_not_counted() -> None:
    """Table 10's Qwen-7B-Inst. row repeats Table 5: 4 models are left to count."""
    printed = values("retrievers", "acc_a", "VectorIndex")
    assert "Not counted: 1 model" in printed_finding("retrievers", "acc_a").sentence
    assert printed["Qwen-7B-Inst.", ""] == 15.43  # as printed
    notes = flag_notes(printed_cells("retrievers", "acc_a"))
    assert any("repeats the Diff-Bias pair of Table 5" in note for note in notes)


def test_the_two_spellings_of_one_accuracy_are_told() -> None:
    (note,) = flag_notes(printed_cells("collections", "acc_a"))
    assert note.startswith("Llama3-8B-Inst., Gender, w/o RAG: ")
    assert "50.03" in note
    assert "50.30" in note
    assert flag_notes(printed_cells("collections", "diffbias_a")) == ()


def test_bold_is_said_as_the_paper_marks_it() -> None:
    for view, measure, text in (
        ("collections", "diffbias_a", "highest and lowest of the 4 columns"),
        ("examples", "diffbias_a", "nearest 0 of each pair"),
        ("examples", "acc_a", "the higher of each pair"),
    ):
        assert text in bold_words(view, measure)  # type: ignore[arg-type]


@pytest.mark.parametrize("view", ["collections", "generators", "languages", "retrievers", "examples"])
@pytest.mark.parametrize("measure", ["diffbias_a", "diffbias_d", "acc_a", "acc_d"])
def test_every_printed_view_is_whole_and_in_order(view: str, measure: BiasMeasure) -> None:
    cells = printed_cells(view, measure)
    assert not cells["value"].has_nulls()
    for own in cells.partition_by("model", "block"):
        assert own["column"].to_list() == printed_views()[view]["columns"]


def test_cells_of_the_paper_are_where_the_paper_has_them() -> None:
    """Table 2: Age, w/o RAG, GPT-3.5 is 41.79 / 5.92; Table 5: Contriever finds 59.10 %."""
    for measure, value in (("diffbias_a", 41.79), ("diffbias_d", 5.92)):
        cells = printed_cells("collections", measure).rows(named=True)  # type: ignore[arg-type]
        (cell,) = (cell for cell in cells if (cell["model"], cell["name"]) == ("GPT-3.5", "Age · w/o RAG"))
        assert cell["value"] == value
    assert stereotypical_shares() == {"VectorIndex": 48.59, "BM25": 46.04, "Contriever": 59.10}
    assert printed_of("generators", "acc_a").number == 8


def test_bold_is_the_highest_and_lowest_or_the_nearest_to_0() -> None:
    for own in printed_cells("collections", "diffbias_a").partition_by("model", "block"):
        ends = own["value"].min(), own["value"].max()
        assert own["bold"].to_list() == [value in ends for value in own["value"]]
    for own in printed_cells("examples", "diffbias_a").partition_by("model", "block"):
        assert own["bold"].to_list() == (own["value"].abs() == own["value"].abs().min()).to_list()
