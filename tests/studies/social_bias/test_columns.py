"""Tables of social bias, the printed ones among them: names for programs, words for people, one row per result."""

import csv
import io

import polars as pl

from fairviz.display.latex import latex_text
from fairviz.display.table import csv_text
from fairviz.studies.social_bias.columns import (
    COUNTS,
    changes_table,
    levels_table,
    printed_changes_table,
    rows_table,
    with_reading,
)
from fairviz.studies.social_bias.measures import MEASURES
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
