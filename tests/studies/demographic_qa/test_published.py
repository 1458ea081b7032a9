"""The published tables in words, from the shipped files: cells as printed, contradictions marked."""

from dataclasses import replace

from fairviz.io.published import read_published
from fairviz.model import PublishedTable
from fairviz.studies.demographic_qa.columns import published_table
from fairviz.studies.demographic_qa.published import PAPER, TABLES, published_title, table_notes


def changed(table: PublishedTable, row: int, **cells: float) -> PublishedTable:
    """The table with some cells of a row printed otherwise."""
    rows = [dict(zip(table.columns, each, strict=True)) for each in table.rows]
    rows[row] |= cells
    return replace(table, rows=tuple(tuple(each.values()) for each in rows))


def test_tables_3_and_4_are_counted_against_plain() -> None:
    assert [published_title(read_published(PAPER, number)) for number in (3, 4)] == [
        "Every strategy narrows both disparities and none has a lower accuracy than Plain; Majority Vote narrows the "
        "gap between groups most, from 0.13 to 0.07",
        "Every strategy narrows both disparities and none has a lower ROUGE-L than Plain; Majority Vote narrows the "
        "gap between groups most, from 0.15 to 0.08",
    ]
    table = changed(read_published(PAPER, 3), 1, dp=0.2, accuracy=1.0)
    assert published_title(table) == (
        "3 of 4 narrow both disparities and 1 of 4 has a lower accuracy than Plain; Majority Vote narrows the "
        "gap between groups most, from 0.13 to 0.07"
    )
    assert "2 of 4 have a lower accuracy" in published_title(changed(table, 2, accuracy=1.0))


def test_numbers_are_printed_as_the_paper_prints_them() -> None:
    table = published_table(read_published(PAPER, 5))
    row = dict(zip(table.keys, zip(table.rows[0], table.columns, strict=True), strict=True))
    assert [table.printed(*row[key]) for key in ("k", "overlap", "dp", "score")] == ["10", "72.2", "0.12", "31.2"]


def test_table_2_names_the_highest_and_its_ties() -> None:
    table = read_published(PAPER, 2)
    assert published_title(table) == "Majority Vote scores highest in all 16 rows"
    # the first row is DeepSeek-R1-8B on MMLU, where the vote scores 26.6
    assert published_title(changed(table, 0, score=26.6)) == (
        "Majority Vote scores highest in all 16 rows (alone or with others)"
    )
    assert published_title(changed(table, 0, score=99.0)) == "Majority Vote scores highest in 15 of 16 rows"


def test_table_5_in_a_title() -> None:
    table = read_published(PAPER, 5)
    assert published_title(table) == (
        "With more documents, overlap and both disparities fall and the score rises, for both retrievers"
    )
    at = table.columns.index("overlap")
    rows = tuple((*row[:at], 70.0, *row[at + 1 :]) for row in table.rows)
    assert published_title(replace(table, rows=rows)) == (
        "Overlap falls for 0, dp falls for 2, eo falls for 2 of 2 retrievers"
    )


def test_table_6_in_a_line() -> None:
    said = published_title(read_published(PAPER, 6))
    assert (
        "MedMCQA: Accuracy 21.3 → 22.9\u202f%, gap between groups 9 → 7 points, gap among answerable questions 8 → 6"
        in said
    )
    assert "EquityMedQA: ROUGE-L 46.1 → 48.0\u202f%, gap between groups 10 → 8 points" in said


def test_notes_name_their_table_and_stand_once() -> None:
    notes = table_notes([read_published(PAPER, n) for n in TABLES])
    assert len(notes) == len(set(notes))
    assert any(note.startswith("Table 5: the table names no dataset") for note in notes)
    assert any(note.startswith("Table 6: ") and "Table 4" in note for note in notes)
    assert not any(note.endswith("..") for note in notes)
