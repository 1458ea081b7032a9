"""A report as one HTML file that needs nothing else: no network, no other file.

Every text is escaped. Charts are drawn by plotly.js, which stands in the file once; they follow
the reader's theme and are light on paper. A content security policy forbids every request.
"""

import math
from collections.abc import Sequence
from html import escape

from fairviz.report.content import Cell, Code, Figure, Formula, Section, Table
from fairviz.report.html_style import SCRIPT, STYLE
from fairviz.report.words import UNDEFINED, count

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
    """A table with its caption; numbers to the right, undefined as an en dash."""
    right = [table.is_numeric(i) for i in range(len(table.columns))]
    head = "".join(
        f'<th scope="col"{_side(side)}>{_text(name)}</th>' for name, side in zip(table.columns, right, strict=True)
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
    for i, (cell, name) in enumerate(zip(row, table.columns, strict=True)):
        kind = 'th scope="row"' if i == 0 else "td"
        text = _cell(table, name, cell)
        cells.append(f"<{kind}{_side(right[i])}>{text}</{kind[:2]}>")
    return f"<tr>{''.join(cells)}</tr>"


def _cell(table: Table, column: str, cell: Cell) -> str:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return UNDEFINED
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, Formula):
        return f"<code>{_text(cell)}</code>"
    return _text(cell if isinstance(cell, str) else table.printed(cell, column))


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
