"""The HTML report: well formed, escaped, and alone in the world."""

import gzip
import json
import math
import re
from base64 import b64decode
from html.parser import HTMLParser
from typing import Any

import plotly.graph_objects as go
import pytest
from hypothesis import given, settings
from plotly.offline import get_plotlyjs

from fairviz.display.html import Code, Figure, Play, Section, html_table, html_text
from fairviz.display.table import Column, Formula, Table, keyed
from fairviz.display.theme import DARK, in_both_themes
from tests.display.tables import tables

VOID = {"meta", "br", "img", "link", "hr", "input"}


class Reader(HTMLParser):
    """Collects what a browser would see, and complains of tags that do not match."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.cells: list[str] = []
        self.texts: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in {"src", "href", "data"}]
        assert not [name for name, _ in attrs if name.startswith("on")]
        if tag not in VOID:
            self.open.append(tag)
        if tag in {"td", "th"}:
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in {"td", "th"}:
            self.cells[-1] += data
        if self.open:
            self.texts[self.open[-1]] = self.texts.get(self.open[-1], "") + data


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert not reader.open
    return reader


FIGURE = Figure(
    *in_both_themes(
        lambda colours: go.Figure(
            go.Scatter(x=[0, 1], y=[1, 0], name="</script><img src=x>"), layout={"paper_bgcolor": colours.page}
        )
    ),
    alt="A line that falls",
    caption="One line",
)
REPORT = html_text(
    "Cost & <b>benefit</b>",
    [
        Section("Table", ("A paragraph.",), (Table(keyed("a"), ((1,),)),)),
        Section("Chart", blocks=(FIGURE, FIGURE)),
        Section("Commands", blocks=(Code("fairviz tradeoff <run> \\\n  -k 5", "To get it again"),)),
    ],
    lead="14 queries",
)


def test_the_report_is_well_formed_and_asks_for_nothing() -> None:
    reader = read(REPORT)
    assert {address[0] for address in reader.addresses} == {"#"}
    assert "link" not in reader.tags
    assert "img" not in reader.tags
    assert not re.search(r"https?:|@import|url\(", REPORT.replace("http-equiv", ""))
    assert "default-src 'none'" in REPORT
    assert reader.texts["h1"] == "Cost & <b>benefit</b>"
    assert reader.texts["code"] == "fairviz tradeoff <run> \\\n  -k 5"


def test_the_script_that_draws_stands_in_the_file_once() -> None:
    (packed,) = re.findall(r'<script type="application/gzip" id="plotly">([^<]*)</script>', REPORT)
    assert gzip.decompress(b64decode(packed)).decode() == get_plotlyjs()
    assert "<script" not in html_text("t", [Section("s")])


def moved(figure: Any, moves: list[Any]) -> Any:
    """The figure with values put where their paths lead, as the script does."""
    for (*path, last), value in moves:
        inside = figure
        for step in path:
            inside = inside[step]
        inside[last] = value
    return figure


def test_both_themes_of_a_figure_are_read_back() -> None:
    parts = re.findall(r'<script type="application/json" class="(\w+)">(.*?)</script>', REPORT)
    assert [theme for theme, _ in parts] == ["light", "dark"] * 2
    light, dark = (json.loads(text) for _, text in parts[:2])
    assert light == json.loads(FIGURE.light)
    assert light["data"][0]["name"] == "</script><img src=x>"
    assert dark == [[["layout", "paper_bgcolor"], DARK.page]], "the dark one is the light one in other colours"
    assert moved(light, dark) == json.loads(FIGURE.dark)


def test_data_of_a_figure_cannot_end_its_element() -> None:
    raw = json.dumps({"data": [{"name": "</script><b>"}], "layout": {}})
    text = html_text("t", [Section("s", blocks=(Figure(raw, raw, "alt"),))])
    assert text.count("</script") == 4  # two themes, plotly.js, ours
    assert "<b>" not in text
    (light, dark) = re.findall(r'<script type="application/json" class="\w+">(.*?)</script>', text)
    assert json.loads(light) == json.loads(raw)
    assert json.loads(dark) == []


@settings(max_examples=20)
@given(tables())
def test_every_cell_is_text(table: Table) -> None:
    reader = read(html_table(table))
    table = table.without_empty()
    n = len(table.columns)
    assert len(reader.cells) == n * (1 + len(table.rows))
    for name, shown in zip(table.headings, reader.cells, strict=False):
        assert shown == name.replace("\r\n", "\n").replace("\r", "\n") or shown == name
    assert set(reader.tags) <= {"div", "table", "caption", "thead", "tbody", "tr", "th", "td"}


def test_a_column_that_says_nothing_is_left_out() -> None:
    table = Table(keyed("s", "EU", "n"), (("a", None, 1), ("b", math.nan, 2)))
    assert read(html_table(table)).cells == ["s", "n", "a", "1", "b", "2"]
    assert Table(keyed("s", "EU"), ()).without_empty().keys == ("s", "EU")


def test_numbers_as_people_read_them() -> None:
    rows = (("a", 1234, -0.0474, math.nan, True, 0.5), ("b", None, math.inf, 1.0, False, -0.25))
    table = Table(keyed("s", "n", "x", "y", "z", "Δ", signed=("Δ",)), rows)
    cells = read(html_table(table)).cells[6:]
    assert cells == ["a", "1\u202f234", "−0.047", "–", "yes", "+0.500", "b", "–", "∞", "1.000", "no", "−0.250"]
    assert html_table(table).count('class="right"') == 12  # n, x, y and Δ, head and rows
    assert "<code>x^2</code>" in html_table(Table(keyed("f"), ((Formula("x^2"),),)))


def test_long_tables_are_folded_up() -> None:
    rows = tuple((i,) for i in range(61))
    assert "<summary>61 rows: Many</summary>" in html_table(Table(keyed("n"), rows, caption="Many"))
    assert "<details" not in html_table(Table(keyed("n"), rows[1:]))
    read(html_table(Table(keyed("n"), rows)))


def test_short_reports_have_no_list_of_contents() -> None:
    assert "<nav" in REPORT
    assert "<nav" not in html_text("t", [Section("s")])


def test_what_opens_a_report_stands_before_its_list_of_contents() -> None:
    page = html_text("t", [Section("Found", opens=True), Section("Settings"), Section("Methods")])
    places = [page.index(words) for words in ("<h2>Found", "<nav", "<h2>Settings", "<h2>Methods")]
    assert places == sorted(places)
    assert re.findall('href="#(s.)">(.*?)<', page) == [("s2", "Settings"), ("s3", "Methods")]
    assert '<section id="s2">\n<h2>Settings' in page


def test_an_interval_stands_beneath_its_value_else_in_a_column_of_its_own() -> None:
    columns = (
        *(Column("system"), Column("EED", "EE-D ↓", "number")),
        *(Column("EED_low", kind="interval"), Column("EED_high", kind="interval")),
        *(Column("difference", kind="signed"), Column("low", kind="signed"), Column("high", kind="signed")),
        *(Column("unjudged_low", "at least", "signed"), Column("unjudged_high", "at most", "signed")),
    )
    rows = (("a", 0.5, 0.4, 0.6, -0.1, -0.2, 0.05, -1.0, 1.0), ("b", 1.0, None, None, None, None, None, 0.0, 0.5))
    markup = html_table(Table(columns, rows, "Two systems"))
    assert re.findall("<th scope=.col.*?>(.*?)</th>", markup) == [
        "system",
        "EE-D ↓",
        "difference",
        "at least to at most",
    ]
    cells = [re.sub("<.*?>", " ", cell).split("  ") for cell in re.findall("<td.*?>(.*?)</td>", markup)]
    minus = "\N{MINUS SIGN}"
    assert [[part.strip() for part in cell] for cell in cells] == [
        ["0.500", "0.400 to 0.600"],
        [f"{minus}0.100", f"{minus}0.200 to +0.050"],
        [f"{minus}1.000 to +1.000"],
        ["1.000", "no interval"],
        ["\N{EN DASH}"],
        ["±0.000 to +0.500"],
    ]
    assert "<caption>Two systems. Beneath a value: its 95\u202f% interval.</caption>" in markup


def moving_chart(x: float) -> Figure:
    light, dark = in_both_themes(
        lambda colours: go.Figure(
            go.Scatter(x=[0, x], y=[1, 0]),
            layout={"paper_bgcolor": colours.page, "annotations": [{"text": "<b>here</b>", "x": x}] * int(1 + x)},
        )
    )
    return Figure(light, dark, f"A line to {x:g}")


MOVING = Play(
    name="x",
    label="How far",
    stops=("x = 1", "x = 2"),
    start=1,
    frames=tuple(
        Section(f"To {x}", ("What stays.", f"It is <{x}>."), (Table(keyed("x"), ((x,),)), moving_chart(x)))
        for x in (1, 2)
    ),
)


def held(page: str, kind: str) -> Any:
    (text,) = re.findall(rf'<script type="application/json" class="{kind}">(.*?)</script>', page)
    return json.loads(text)


def test_a_section_that_moves_stands_at_its_start_and_holds_every_stop() -> None:
    page = html_text("t", [MOVING])
    still = page[: page.index('<script type="application/json"')]
    assert "To 2" in still, "what is read without a script"
    assert "It is &lt;2&gt;." in still
    assert 'value="1" aria-valuetext="x = 2"' in still
    assert held(page, "stops") == ["x = 1", "x = 2"]
    parts = held(page, "parts")
    assert list(parts) == ["0", "2", "3"], "what stays is not held twice"
    assert parts["2"] == ["<p>It is &lt;1&gt;.</p>", "<p>It is &lt;2&gt;.</p>"]
    read(page)


def test_a_chart_moves_to_exactly_what_would_have_been_drawn() -> None:
    page = html_text("t", [MOVING])
    moves = held(page, "moves")
    assert moves["alt"] == ["A line to 1", "A line to 2"]
    for stop, x in enumerate((1, 2)):
        light = held(page, "light")
        assert moved(light, moves["light"][stop]) == json.loads(moving_chart(x).light)
        dark = moved(held(page, "light"), held(page, "dark"))
        assert moved(dark, moves["dark"][stop]) == json.loads(moving_chart(x).dark)


def test_frames_of_a_slider_have_one_shape() -> None:
    with pytest.raises(ValueError, match="one shape"):
        Play(name="x", label="x", stops=("1", "2"), start=0, frames=(Section("a"), Section("b", ("more",))))
