"""Tables of answers to variants: rows and columns by hand, the same for the command and the page."""

import pytest

from fairviz.display.latex import latex_text
from fairviz.display.published import long_table, read_published
from fairviz.display.table import csv_text
from fairviz.studies.demographic_qa.answers import dependent_questions, doses, error_cases
from fairviz.studies.demographic_qa.columns import (
    dependent_table,
    doses_table,
    errors_table,
    gaps_table,
    groups_table,
    overlap_pairs_table,
    overlap_table,
    overlap_values_table,
    strategies_table,
)
from fairviz.studies.demographic_qa.retrieval import retrieval_overlap
from tests.studies.demographic_qa.answered_variants import APART, answers, lists_about, strategy_rows, variant_rows

ROWS = tuple(row | {"by": (("model", "m"), ("strategy", "Plain"))} for row in variant_rows(answers(APART)))


def test_rates_have_groups_and_reference() -> None:
    table = groups_table(ROWS, captioned=True)
    assert [row[:5] for row in table.rows] == [
        ("m", "Plain", "race", "white", 1.0),
        ("m", "Plain", "race", "black", 2 / 12),
        ("m", "Plain", "(reference)", "neutral", 0.75),
    ]
    assert csv_text(table).splitlines()[0] == ("model,strategy,attribute,value,rate,low,high,n,n_unparsed,n_answerable")
    latex = latex_text(table, label="tab:groups")
    assert "0.167" in latex
    assert "attribute & group & rate" in latex  # model and strategy are the same in all rows: the caption has them
    assert "Rate of right answers by group" in latex
    assert "; model: m, strategy: Plain" in latex


def test_columns_say_something_and_stand_in_every_row() -> None:
    other = tuple(row | {"by": (("model", "n"),)} for row in ROWS)
    table = groups_table((*ROWS, *other))
    assert table.keys[:3] == ("model", "strategy", "attribute")
    assert {row[1] for row in table.rows} == {"Plain", ""}
    nobody = groups_table(())
    assert nobody.keys[:3] == ("attribute", "value", "rate")
    assert groups_table([row | {"unit": "ROUGE-L"} for row in ROWS]).keys[4] == "rouge_l"


def test_gaps_and_strategies() -> None:
    (pair,) = gaps_table(ROWS).rows
    assert pair[2:6] == ("race", "white", "black", 10 / 12)
    strategy = strategy_rows(answers(APART), "race", by=())[0]
    table = strategies_table([strategy])
    assert table.keys[:3] == ("attribute", "score", "vote_score")
    assert table.keys[-3:] == ("n_ties", "p", "p_holm")  # and nothing of a vote that every group casts alone
    (row,) = table.rows
    assert row[:2] == ("race", 14 / 24)
    assert row[table.keys.index("dp")] == 10 / 12


def test_overlap_has_pairs_and_estimators() -> None:
    some = [row | {"retrieved": ["a", "b" if row["value"] == "white" else "c"]} for row in APART]
    overlap = retrieval_overlap(lists_about(answers(some), "race"), "race", k=2)
    table = overlap_pairs_table([("m", overlap)])
    # white a, b; black a, c; neutral a, c
    assert [row[3:5] for row in table.rows[3:]] == [
        ("estimator all", ""),
        ("estimator pairwise", ""),
        ("estimator neutral", ""),
    ]
    assert [row[3:5] for row in table.rows[:3]] == [("neutral", "white"), ("neutral", "black"), ("white", "black")]
    third = 100 / 3
    assert [row[5] for row in table.rows] == pytest.approx([third, 100, third, third, third, 2 * third])
    (line,) = overlap_table([overlap]).rows
    assert line[:5] == ("race", 2, *(pytest.approx(value) for value in (third, third, 2 * third)))
    assert [row[1:4] for row in overlap_values_table([overlap]).rows] == [
        ("white", 2, pytest.approx(third)),
        ("black", 2, 100),
    ]


def test_errors_and_dependent_questions() -> None:
    some = [row | {"evidence": row["qid"] != "q0"} for row in APART]
    table = errors_table(error_cases(answers(some)).head(2))
    # q0 is right for both without evidence
    assert [(*row[1:6], row[-1]) for row in table.rows] == [("white", 11, 0, 1, 0, 12), ("black", 1, 10, 1, 0, 12)]
    assert table.keys[-2:] == ("n_unknown", "n")
    questions = dependent_table(dependent_questions(answers(APART), "race"))
    assert len(questions.rows) == 10 * 3
    assert questions.rows[0] == ("q2", "A", "white", False, "A", 1.0)
    assert questions.keys == ("qid", "gold", "value", "reference", "prediction", "score")


def test_doses_are_shares_of_known_answers() -> None:
    """White has documents a and b, black and nobody a and c; the evidence of q0 alone is wrong."""
    some = [
        row | {"evidence": row["qid"] != "q0", "retrieved": ["a", "b" if row["value"] == "white" else "c"]}
        for row in APART
    ]
    overlap = retrieval_overlap(lists_about(answers(some), "race"), "race", k=None)
    table = doses_table(doses(error_cases(answers(some)), [overlap]))
    assert table.keys == (
        "attribute",
        "value",
        "overlap_neutral",
        "n",
        "evidence",
        "n_with",
        "right_with",
        "right_without",
    )
    white, black, nobody = table.rows
    assert white == ("race", "white", pytest.approx(1 / 3), 12, 11 / 12, 11, 1.0, 1.0)
    assert black[1:] == ("black", pytest.approx(1.0), 12, 11 / 12, 11, 1 / 11, 1.0)
    assert nobody[0] == "(reference)"
    assert nobody[4:] == (11 / 12, 11, 8 / 11, 1.0)
    bare = doses_table(doses(error_cases(answers(APART)), [overlap]))
    assert bare.keys == ("attribute", "value", "overlap_neutral", "n", "n_with")
    assert not doses_table(doses(error_cases(answers(APART)), [])).rows


def test_published_tables_keep_their_flags() -> None:
    table = long_table(read_published("rag-medical-bias", 3))
    assert table.keys[-1] == "note"
    assert table.rows[0][:4] == ("Plain", 18.7, 0.13, 0.11)
    assert "about 9 %" in str(table.rows[0][-1])
    assert long_table(read_published("rag-medical-bias", 2)).keys[-1] == "overlap"
