"""The one table of the pages: a result's cells as people read them."""

import pytest

from fairviz.display.table import Column as ResultColumn
from fairviz.display.table import Table
from pages._kit import html
from pages._kit.html import Cell, Column, Glyph, Row, Toned, around_zero, glyph, page_table

RESULT = Table(
    (
        ResultColumn("system"),
        ResultColumn("difference", "Δ", kind="signed"),
        ResultColumn("low", kind="signed"),
        ResultColumn("high", kind="signed"),
        ResultColumn("p_holm", "p (Holm)", kind="p"),
        ResultColumn("share", kind="share"),
        ResultColumn("n_queries", "queries"),
        ResultColumn("verdict", kind="tone"),
    ),
    (
        ("a", -0.25, -0.5, 0.125, 0.0004, 0.5, 1200, "no significant difference"),
        ("b", None, None, None, None, None, 0, None),
    ),
    caption="Two systems",
)


class Drawn:
    """What the builder was given instead of a browser."""

    def __init__(self) -> None:
        self.columns: list[Column] = []
        self.rows: list[list[Cell]] = []
        self.caption = ""

    def __call__(self, columns: list[Column], rows: list[list[Cell]], *, caption: str, **_: object) -> None:
        self.columns, self.rows, self.caption = columns, rows, caption


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Drawn:
    """The table that the page would have shown."""
    table = Drawn()
    monkeypatch.setattr(html, "html_table", table)
    return table


def test_every_kind_is_read_as_pages_read_it(drawn: Drawn) -> None:
    page_table(RESULT)
    assert drawn.caption == "Two systems"
    assert [column.label for column in drawn.columns] == [
        "system",
        "Δ",
        "low to high",
        "p (Holm)",
        "share",
        "queries",
        "verdict",
    ]
    assert [column.align for column in drawn.columns] == ["left", *["right"] * 5, "left"]
    first, second = drawn.rows
    assert first[:6] == ["a", "−0.250", "−0.500 to +0.125", "<\u00a00.001", "50.0\u202f%", "1\u202f200"]
    assert first[6] == Toned(text="no\u00a0significant\u00a0difference", tone="mute", bold=False)
    assert second == ["b", "–", "no interval", "–", "–", "0", "–"]


def test_a_page_chooses_columns_and_draws_some(drawn: Drawn) -> None:
    def bar(row: Row) -> Cell:
        return glyph(row.number("difference"), row.number("low"), row.number("high"), apart=False)

    span = around_zero([-0.5, 0.125])
    page_table(
        RESULT,
        show=("system", "bar", "p_holm"),
        drawn={"bar": bar},
        columns={"bar": Column(label="95 % interval", span=span, zero=0.0), "p_holm": "p"},
        caption="Compared",
    )
    assert [column.label for column in drawn.columns] == ["system", "95 % interval", "p"]
    assert drawn.columns[1].span == span
    assert [row[1] for row in drawn.rows] == [Glyph(value=-0.25, low=-0.5, high=0.125, filled=False, tone="mute"), ""]


def test_a_column_that_nobody_draws_is_refused(drawn: Drawn) -> None:
    with pytest.raises(ValueError, match="'bar'"):
        page_table(RESULT, show=("system", "bar"))


def test_what_is_folded_away_is_said_where_it_was(drawn: Drawn) -> None:
    page_table(RESULT, show=("system", "difference"), between={0: "… 66 more rows"})
    assert [row[0] for row in drawn.rows] == ["a", Toned(text="… 66 more rows", tone="mute", bold=False), "b"]
    assert drawn.rows[1][1:] == [""]
