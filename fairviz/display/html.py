"""A report as one HTML file that needs nothing else: no network, no other file.

Every text is escaped. Charts are drawn by plotly.js, which stands in the file once; they follow the reader's theme and
are light on paper. A content security policy forbids every request.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from fairviz.display.table import Cell, Column, Formula, Table, is_undefined, term_words
from fairviz.display.words import UNDEFINED, count


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawn figure as Plotly's JSON in both themes, with words for those who cannot see it.

    Attributes:
        light: ``{"data": […], "layout": {…}}``.
        dark: The same on a dark ground.
        alt: What the figure shows.
        caption: What to look at.
        name: What to call a picture that is saved of it.
    """

    light: str
    dark: str
    alt: str
    caption: str = ""
    name: str = "figure"


@dataclass(frozen=True, slots=True)
class Code:
    """Lines to copy as they are: a command, an entry of a bibliography."""

    text: str
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, prose paragraphs, then tables, figures and code."""

    title: str
    paragraphs: tuple[str, ...] = ()
    blocks: tuple[Table | Figure | Code, ...] = field(default=())


def section_of(
    known: Mapping[str, Table],
    title: str,
    *paragraphs: str,
    blocks: Sequence[str | Figure | Code],
) -> Section:
    """A section whose tables are those of a study's registry.

    Args:
        known: Tables by stem.
        title: Heading.
        paragraphs: Prose below it.
        blocks: What follows, in this order; a stem stands for its table.

    Examples:
        >>> areas = Table((Column("auc"),), ())
        >>> section_of({"areas": areas}, "Areas", blocks=["areas"]).blocks == (areas,)
        True
    """
    return Section(title, paragraphs, tuple(known[block] if isinstance(block, str) else block for block in blocks))


STYLE = """
:root { color-scheme: light dark; --page: light-dark(#FDFCFA, #14171B);
  --ink: light-dark(#1F2328, #E8E6E1); --mute: light-dark(#5F6368, #A9ADB3);
  --rule: light-dark(#E6E2DA, #2A2F37); --axis: light-dark(#B9B4A9, #4B525D);
  --panel: light-dark(#F3F1EC, #1D2127); --link: light-dark(#005F96, #7CC5F0); }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2.5rem 1.5rem 4rem; max-width: 62rem; background: var(--page);
  color: var(--ink); font: 16px/1.55 "Source Sans 3", "Source Sans Pro", system-ui, sans-serif; }
h1, h2 { font-family: "Source Serif 4", "Source Serif Pro", Georgia, serif; line-height: 1.25;
  text-wrap: balance; font-weight: 600; overflow-wrap: anywhere; }
h1 { font-size: 2rem; margin: 0 0 .4rem; }
h2 { font-size: 1.3rem; margin: 2.4rem 0 .6rem; padding-top: 1.2rem;
  border-top: 1px solid var(--rule); }
p { max-width: 46rem; margin: 0 0 .8rem; overflow-wrap: anywhere; }
.lead, caption, figcaption { color: var(--mute); }
nav ol { padding-left: 1.3rem; columns: 18rem 3; } nav li { break-inside: avoid; }
summary { cursor: pointer; color: var(--link); } a { color: var(--link); }
figure { margin: 1.2rem 0; } .plot { min-height: 300px; }
.scroll { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .92rem;
  font-variant-numeric: tabular-nums; }
caption { text-align: left; padding-bottom: .4rem; font-size: .92rem; }
figcaption { font-size: .92rem; margin-bottom: .3rem; }
th, td { padding: .38rem .7rem; text-align: left; border-bottom: 1px solid var(--rule);
  vertical-align: baseline; font-weight: 400; }
thead th { font-weight: 600; border-bottom-color: var(--axis); vertical-align: bottom; }
tbody th { overflow-wrap: anywhere; min-width: 8rem; }
tr > :first-child { padding-left: 0; } .right { text-align: right; white-space: nowrap; }
pre { background: var(--panel); padding: .8rem 1rem; overflow-x: auto; border-radius: 4px;
  font-size: .84rem; line-height: 1.5; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
@media print {
  :root { color-scheme: light; } body { padding: 0; max-width: none; font-size: 11pt; }
  nav { display: none; } section, figure, tr { break-inside: avoid-page; }
  .scroll { overflow: visible; } pre { white-space: pre-wrap; }
  thead { display: table-header-group; }
}
"""
SCRIPT = """
(function () {
  var dark = window.matchMedia("(prefers-color-scheme: dark)");
  var charts = Array.prototype.slice.call(document.querySelectorAll(".chart"));
  function draw(paper) {
    charts.forEach(function (box) {
      var theme = dark.matches && !paper ? "dark" : "light";
      var figure = JSON.parse(box.querySelector("script." + theme).textContent);
      Plotly.react(box.querySelector(".plot"), figure.data, figure.layout, {
        responsive: true, displaylogo: false, scrollZoom: false, doubleClick: false,
        modeBarButtons: [["toImage"]],
        toImageButtonOptions: { format: "svg", filename: box.dataset.name }
      });
    });
  }
  draw(false);
  dark.addEventListener("change", function () { draw(false); });
  window.addEventListener("beforeprint", function () { draw(true); });
  window.addEventListener("afterprint", function () { draw(false); });
})();
"""


POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'"
)

LONG = 60
"""Tables with more rows are folded up until somebody wants them."""


def html_text(
    title: str,
    sections: Sequence[Section],
    *,
    lead: str = "",
    plotly_js: str = "",
    style: str = "",
) -> str:
    """A self-contained page.

    Args:
        title: Heading of the page, and its name in the browser.
        sections: What it says, from top to bottom; with three or more comes a list of contents.
        lead: One sentence below the title: data, n, settings.
        plotly_js: Source of plotly.js; needed where there is a figure, left out where not.
        style: Further rules of ours, after those that every report has.

    Raises:
        ValueError: There are figures and no plotly.js to draw them with.
    """
    drawn = any(isinstance(block, Figure) for section in sections for block in section.blocks)
    if drawn and not plotly_js:
        raise ValueError("a report with figures needs the source of plotly.js")
    below = f'<p class="lead">{_text(lead)}</p>' if lead else ""
    scripts = [plotly_js.replace("</script", "<\\/script"), SCRIPT] if drawn else []
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{_text(title)}</title>\n<style>{STYLE}{style}</style>\n</head>\n<body>",
            f"<header>\n<h1>{_text(title)}</h1>\n{below}\n</header>",
            _contents(sections),
            "<main>",
            *(_section(section, i) for i, section in enumerate(sections, start=1)),
            "</main>",
            *(f"<script>{script}</script>" for script in scripts),
            "</body>\n</html>\n",
        ]
    )


def html_table(table: Table) -> str:
    """A table with its caption; numbers to the right, undefined as an en dash; no column that says nothing."""
    table = table.without_empty()
    right = [table.is_numeric(i) for i in range(len(table.columns))]
    head = "".join(
        f'<th scope="col"{_side(side)}>{_text(name)}</th>' for name, side in zip(table.headings, right, strict=True)
    )
    caption = f"<caption>{_text(table.caption)}</caption>" if table.caption else ""
    name = _text(table.caption or "Table")
    inside = "\n".join(
        [
            f'<div class="scroll" tabindex="0" role="region" aria-label="{name}"><table>{caption}',
            f"<thead><tr>{head}</tr></thead>\n<tbody>",
            *(_row(table, row, right) for row in table.rows),
            "</tbody>\n</table></div>",
        ]
    )
    n = len(table.rows)
    if n <= LONG:
        return inside
    return f"<details><summary>{count(n)} rows: {name}</summary>\n{inside}\n</details>"


def _row(table: Table, row: Sequence[Cell], right: Sequence[bool]) -> str:
    cells: list[str] = []
    for i, (cell, column) in enumerate(zip(row, table.columns, strict=True)):
        kind = 'th scope="row"' if i == 0 else "td"
        text = _cell(table, column, cell)
        cells.append(f"<{kind}{_side(right[i])}>{text}</{kind[:2]}>")
    return f"<tr>{''.join(cells)}</tr>"


def _cell(table: Table, column: Column, cell: Cell) -> str:
    if cell is None or is_undefined(cell):
        return UNDEFINED
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, Formula):
        return f"<code>{_text(cell)}</code>"
    return _text(term_words(cell) if isinstance(cell, str) else table.printed(cell, column))


def _side(right: bool) -> str:
    return ' class="right"' if right else ""


def _contents(sections: Sequence[Section]) -> str:
    if len(sections) < 3:
        return ""
    links = (f'<li><a href="#s{i}">{_text(section.title)}</a></li>' for i, section in enumerate(sections, start=1))
    return f'<nav aria-label="Contents"><ol>{"".join(links)}</ol></nav>'


def _section(section: Section, place: int) -> str:
    paragraphs = (f"<p>{_text(text)}</p>" for text in section.paragraphs)
    blocks = (_block(block) for block in section.blocks)
    inside = "\n".join([f"<h2>{_text(section.title)}</h2>", *paragraphs, *blocks])
    return f'<section id="s{place}">\n{inside}\n</section>'


def _block(block: Table | Figure | Code) -> str:
    if isinstance(block, Table):
        return html_table(block)
    if isinstance(block, Code):
        caption = f"<figcaption>{_text(block.caption)}</figcaption>" if block.caption else ""
        return f'<figure>{caption}<pre tabindex="0"><code>{_text(block.text)}</code></pre></figure>'
    caption = f"<figcaption>{_text(block.caption)}</figcaption>" if block.caption else ""
    data = "".join(
        f'<script type="application/json" class="{theme}">{_json(json)}</script>'
        for theme, json in (("light", block.light), ("dark", block.dark))
    )
    return (
        f'<figure class="chart" data-name="{_text(block.name)}">{caption}'
        f'<div class="plot" role="img" aria-label="{_text(block.alt)}"></div>{data}</figure>'
    )


def _json(text: str) -> str:
    """JSON that no markup of its own can end: ``<`` occurs in strings only, where it is escaped."""
    return text.replace("<", "\\u003c")


def _text(text: str) -> str:
    return escape(text, quote=True)
