"""The one table of the pages: a result's cells as people read them."""

import pytest

from fairviz.display.table import Column, Table
from pages._kit import html
from pages._kit.html import Cell, PageColumn, PageRow, around_zero, glyph, muted, on_range, page_table, two_lines

RESULT = Table(
    (
        Column("system"),
        Column("difference", "Δ", kind="signed"),
        Column("low", kind="signed"),
        Column("high", kind="signed"),
        Column("p_holm", "p (Holm)", kind="p"),
        Column("share", kind="share"),
        Column("n_queries", "queries"),
        Column("verdict", kind="tone"),
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
        self.columns: list[PageColumn] = []
        self.rows: list[list[Cell]] = []
        self.caption = ""

    def __call__(self, columns: list[PageColumn], rows: list[list[Cell]], *, caption: str, **_: object) -> None:
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
    assert [column.label for column in drawn.columns] == ["system", "Δ", "p (Holm)", "share", "queries", "verdict"]
    assert [column.align for column in drawn.columns] == ["left", *["right"] * 4, "left"]
    first, second = drawn.rows
    assert first[1] == two_lines("−0.250", "−0.500 to +0.125")
    assert [first[0], *first[2:5]] == ["a", "<\u00a00.001", "50.0\u202f%", "1\u202f200"]
    assert first[5] == '<span class="fv-tone-mute">no\u00a0significant\u00a0difference</span>'
    assert second == ["b", "–", "–", "–", "0", "–"]
    page_table(RESULT.select(["low", "high"]))  # no value that they stand below
    assert [column.label for column in drawn.columns] == ["low to high"]
    assert drawn.rows == [["−0.500 to +0.125"], ["–"]]


def test_a_page_chooses_columns_and_draws_some(drawn: Drawn) -> None:
    span = around_zero([-0.5, 0.125])

    def bar(row: PageRow) -> Cell:
        return glyph(row.number("difference"), row.number("low"), row.number("high"), span=span)

    columns = {"system": PageColumn(), "bar": PageColumn("95 % interval", bar), "p_holm": PageColumn("p", wide=True)}
    page_table(RESULT, columns, caption="Compared")
    assert [column.label for column in drawn.columns] == ["system", "95 % interval", "p"]
    assert [column.align for column in drawn.columns] == ["left", None, "right"]  # a drawing of the page's own is left
    assert [column.wide for column in drawn.columns] == [False, False, True]
    assert [row[1] for row in drawn.rows] == [glyph(-0.25, -0.5, 0.125, span=span), ""]


def test_an_interval_is_drawn_on_the_range_of_its_column() -> None:
    # the range from -1 to 3: 0 stands at 25 %, 1 at 50 %; from 0 to 2 are 25 % to 75 %
    hollow, filled = (glyph(1.0, 0.0, 2.0, tone=tone, span=(-1.0, 3.0)) for tone in ("", "gain"))
    assert 'class="fv-zero" style="left:25.0%"' in hollow
    assert 'class="fv-reach fv-fill-mute" style="left:25.0%;width:50.0%"' in hollow
    assert 'class="fv-dot fv-hollow fv-tone-mute" style="left:50.0%"' in hollow
    assert 'class="fv-dot fv-filled fv-tone-gain"' in filled
    assert 'class="fv-reach fv-fill-gain"' in filled
    assert glyph(1.0, float("nan"), float("nan"), span=(-1.0, 3.0)) == ""
    beyond = on_range(9.0, (-9.0, 1.0), span=(-1.0, 3.0), best=3.0)
    assert "left:0.0%;width:50.0%" in beyond  # what lies beyond stands at the end
    assert 'class="fv-dot fv-filled fv-tone-ink" style="left:100.0%"' in beyond
    nothing = float("nan")
    assert on_range(nothing, (nothing, nothing), span=(0, 1), best=0) == ""


def test_a_column_that_nobody_draws_is_refused(drawn: Drawn) -> None:
    with pytest.raises(ValueError, match="'bar'"):
        page_table(RESULT, {"system": PageColumn(), "bar": PageColumn("Drawn by nobody")})


def test_what_is_folded_away_is_said_where_it_was(drawn: Drawn) -> None:
    page_table(RESULT, {"system": PageColumn(), "difference": PageColumn()}, between={0: "… 66 more rows"})
    assert [row[0] for row in drawn.rows] == ["a", muted("… 66 more rows"), "b"]
    assert drawn.rows[1][1:] == [""]


def test_the_best_of_a_column_is_bold_unless_the_page_draws_it(drawn: Drawn) -> None:
    """Of "nDCG ↑" the larger, of "EE-D ↓" the smaller; a heading that says no direction has no best."""
    columns = tuple(Column(key, label) for key, label in (("s", ""), ("a", "nDCG ↑"), ("b", "EE-D ↓"), ("n", "")))
    table = Table(columns, (("x", 0.5, 0.25, 3), ("y", 0.75, 0.5, 4)))
    page_table(table)
    assert drawn.rows == [["x", "0.500", "<strong>0.250</strong>", "3"], ["y", "<strong>0.750</strong>", "0.500", "4"]]
    page_table(table, {"s": PageColumn(), "a": PageColumn(cell=lambda row: row.text("s"))})
    assert drawn.rows == [["x", "x"], ["y", "y"]]
