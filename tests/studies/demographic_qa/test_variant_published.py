"""The published tables in words, from the shipped files."""

from dataclasses import replace

from fairviz.io.published import read_published
from fairviz.studies.demographic_qa.remedies import (
    PAPER,
    ablation_words,
    disparities_title,
    published_rows,
    retrievers_title,
    table_notes,
)


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
