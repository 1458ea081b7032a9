r"""A table as LaTeX that fits a column or a page; it needs ``booktabs``, and ``graphicx`` where it is wide.

An interval stands behind its value, ``0.771 [.711, .826]``, the best of a column whose heading says which way it
improves is bold (within a task, where tasks are rows), and a difference that Holm's correction allows to call one has
a star with its footnote. A table that is too wide is made narrower in this order: columns for programs, columns without
a value, and words that are the same in every row (the caption has them) are left out; the type is smaller; intervals
stand in small type beneath their values; long texts and headings break; both columns of a page are used. What is wider
than the lines of a usual one-column page shrinks there with ``\resizebox``. Widths are estimates from the characters of
Computer Modern, the type that LaTeX has by default.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from fairviz.display.table import Cell, Column, Formula, Table, interval_pairs, is_undefined, term_words
from fairviz.display.words import MINUS, THIN
from fairviz.errors import printable

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "−": "$-$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "·": r"$\cdot$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "‖": r"$\|$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "²": r"$^2$",
    "∞": r"$\infty$",
    "⟨": r"$\langle$",
    "⟩": r"$\rangle$",
    "μ": r"$\mu$",
    "σ": r"$\sigma$",
    "→": r"$\rightarrow$",
    "½": r"$\frac12$",
    "■": r"\rule{.5em}{.5em}",
    "□": r"\fbox{\rule{0pt}{.1em}}",
    "●": r"$\bullet$",
    "▲": r"$\bigtriangleup$",
    "▼": r"$\bigtriangledown$",
    "▸": r"$\triangleright$",
    "◂": r"$\triangleleft$",
    "α": r"$\alpha$",
    "γ": r"$\gamma$",
    "ε": r"$\epsilon$",
    "λ": r"$\lambda$",
    "π": r"$\pi$",
    "τ": r"$\tau$",
    "Δ": r"$\Delta$",
    "Σ": r"$\Sigma$",
    "\N{NARROW NO-BREAK SPACE}": r"\,",
    "\N{NO-BREAK SPACE}": "~",
}

COLUMN, TEXT_WIDTH, BOTH_COLUMNS = 229.0, 345.0, 503.0
"""Points of a column of two in ``article``, which is narrower than 84 mm; of its line at ten points; of both columns of
a page of 177 mm."""
STARRED = "difference", "delta", "change"
"""Keys of columns that a star of their row belongs to, the first that a table has."""
STAR = "$^{*}$"
LEVEL = 0.05
LINE_HEIGHT, PAGE_HEIGHT = 12.0, 430.0
"""Points of a line of ten-point type, and of the rows that a page has room for below caption and heading."""
SPACE = 6.0
"""Points that LaTeX leaves beside a column, on either side."""
SIZES = (("", 1.0, SPACE), (r"\small", 0.93, 4.0), (r"\footnotesize", 0.85, 3.0), (r"\scriptsize", 0.8, 2.0))
"""Sizes of type to be tried, how wide they are beside ten points, and the space beside their columns."""
SCRIPT = 0.96
"""How wide the small type of an interval is beside that of its value."""
LONG_TEXT = 80.0
"""Points from which a text may break."""
USUAL, WIDE = 5.0, 7.0
_WIDTHS = {
    **dict.fromkeys("iljI.,;:'|!", 2.8),
    **dict.fromkeys("frst()[]- ", 3.8),
    **dict.fromkeys("mwM" + MINUS + "+<>=±", 8.0),
    "W": 10.3,
}
"""Widths of characters that are not as wide as most, in points."""
_AMSMATH = {
    r"\lVert": r"\|",
    r"\rVert": r"\|",
    r"\lvert": "|",
    r"\rvert": "|",
    r"\text{": r"\mbox{",
    r"\operatorname{": r"\mathrm{",
    r"\mathbb{": r"\mathrm{",
}
"""What formulas need of packages, in LaTeX's own words."""
_ZERO = re.compile(r"^(\$?[-+]?)0\.")
_HAT = re.compile("([A-Za-z])\u0302")
_BREAKS = re.compile(r"[ \-–/]")
"""Where LaTeX may break a line."""
_PARTS = re.compile(r" ?[^ \-–/]+(?:-[A-Z]\b)?[\-–/]?| ")
"""What stands between such places, with the hyphen or the space that ends or begins it; EE-D is one word."""

_MATHS = {MINUS: "-", "+": "+", "±": r"\pm ", "∞": r"\infty", "<": "<", THIN: r"\,"}
"""Signs of numbers, which LaTeX sets right in mathematics only."""


def latex_text(table: Table, *, label: str = "") -> str:
    r"""A table as a LaTeX ``table`` with caption, no wider than a page; text is escaped, undefined = "--".

    Args:
        table: The table; text columns stand left, numbers right.
        label: For ``\ref``; letters, digits, ``:``, ``-``, ``_`` and ``.`` only.

    Raises:
        ValueError: If the label holds other characters.

    Examples:
        >>> table = Table((Column("system"), Column("EE-D")), (("bm_25", -0.5),), "One run")
        >>> print(latex_text(table), end="")
        \begin{table}
          \centering
          \caption{One run}
          \begin{tabular}{lr}
            \toprule
            system & EE-D \\
            \midrule
            bm\_25 & $-0.500$ \\
            \bottomrule
          \end{tabular}
        \end{table}
    """
    if not all(char.isascii() and (char.isalnum() or char in ":-_.") for char in label):
        raise ValueError(f"label {label!r} holds characters that LaTeX labels cannot")
    layout = _layout(table)
    parts = list(_pages(layout, len(table.rows)))
    return "\n".join(_part(layout, rows, label, continued=place > 0) for place, rows in enumerate(parts))


def escaped(text: str) -> str:
    r"""Text that LaTeX prints as it is, on one line.

    Examples:
        >>> escaped("50 % of $x_1$")
        '50 \\% of \\$x\\_1\\$'
    """
    characters = (char if char in _SPECIAL else printable(char) for char in text.replace("\r", " "))
    return _HAT.sub(r"$\\hat{\1}$", "".join(_SPECIAL.get(char, char) for char in "".join(characters)))


def _line(text: str) -> str:
    """A row; what begins with a bracket or star would be an argument of the row above."""
    return f"    {'{}' if text.startswith(('[', '*')) else ''}{text} " + r"\\"


class _Text(NamedTuple):
    """What a cell holds in LaTeX, and how wide it and its longest word are, in points of ten-point type."""

    text: str
    width: float
    word: float


_NOTHING = _Text("", 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class _Printed:
    """A column as it is printed: its heading, its cells, and what stands in small type beneath them."""

    heading: str
    right: bool
    cells: Sequence[_Text]
    beneath: Sequence[_Text]

    @property
    def content(self) -> float:
        """Width of the widest cell."""
        small = (SCRIPT * cell.width for cell in self.beneath)
        return max((*(cell.width for cell in self.cells), *small), default=0.0)

    @property
    def natural(self) -> float:
        """Width on one line."""
        return max(self.content, _width(self.heading))

    @property
    def least(self) -> float:
        """Width with its heading, and a long text, broken at the spaces."""
        if self.breaks:
            return max(LONG_TEXT, *(cell.word for cell in self.cells), _longest_word(self.heading))
        return max(self.content, _longest_word(self.heading))

    @property
    def breaks(self) -> bool:
        """Whether it is a text too long for one line."""
        return not self.right and self.content > LONG_TEXT


class _Layout(NamedTuple):
    """A table that is ready to be printed."""

    columns: Sequence[_Printed]
    headings: Sequence[str]
    form: str
    caption: str
    environment: str = "table"
    type: Sequence[str] = ()
    comment: Sequence[str] = ()
    wide: bool = False
    heights: Sequence[float] = ()


def _pages(layout: _Layout, n_rows: int) -> Iterator[range]:
    """Rows that a page has room for, page by page: a float cannot be broken."""
    start, used = 0, 0.0
    for place in range(n_rows):
        height = layout.heights[place] if layout.heights else LINE_HEIGHT
        if used and used + height > PAGE_HEIGHT:
            yield range(start, place)
            start, used = place, 0.0
        used += height
    yield range(start, n_rows)


def _part(layout: _Layout, places: range, label: str, *, continued: bool) -> str:
    """A table, or what of it stands on one page."""
    lines = [*layout.comment, rf"\begin{{{layout.environment}}}", r"  \centering"]
    lines += [f"  {command}" for command in layout.type]
    if continued:
        lines += [r"  \addtocounter{table}{-1}", r"  \caption{(continued)}"]
    elif layout.caption:
        lines.append(rf"  \caption{{{escaped(layout.caption)}}}")
    if label and not continued:
        lines.append(rf"  \label{{{label}}}")
    shrinks = r"  \resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
    lines += [shrinks] if layout.wide else []
    lines += [rf"  \begin{{tabular}}{{{layout.form}}}", r"    \toprule"]
    lines += [_line(" & ".join(layout.headings)), r"    \midrule"]
    rows: list[str] = []
    for place in places:
        beneath = [column.beneath[place].text for column in layout.columns]
        row = _line(" & ".join(column.cells[place].text for column in layout.columns))
        if any(beneath):
            row += "\n" + _line(" & ".join(rf"{{\scriptsize {text}}}" if text else "" for text in beneath))
        rows.append(row)
    lines += [("\n    \\addlinespace\n" if any("\n" in row for row in rows) else "\n").join(rows)] if rows else []
    lines += [r"    \bottomrule"]
    if any(STAR in row for row in rows):
        lines += [rf"    \multicolumn{{{len(layout.columns)}}}{{l}}{{\scriptsize {STAR} $p < 0.05$ (Holm)}} \\"]
    lines += [r"  \end{tabular}}" if layout.wide else r"  \end{tabular}", rf"\end{{{layout.environment}}}"]
    return "\n".join(lines) + "\n"


def _layout(table: Table) -> _Layout:
    """The table as it is where it fits a column; else made narrower until it does, or until it fits a page."""
    whole = _with_intervals(table, beneath=False)
    if _natural(whole) <= COLUMN:
        return _as_they_are(whole, table.caption)
    paper = _for_paper(table)
    ways = [_with_intervals(paper, beneath=beneath) for beneath in (False, True)]
    for columns in ways:
        if not any(column.breaks for column in columns):
            for size in SIZES[:-1]:
                if (spare := _spare(columns, COLUMN, size)) >= 0:
                    return _sized(columns, paper.caption, size, spare)
    if _natural(whole) <= TEXT_WIDTH:
        return _as_they_are(whole, table.caption)._replace(environment="table*")
    for room in (TEXT_WIDTH, BOTH_COLUMNS):
        for columns in ways:
            for size in SIZES if room == BOTH_COLUMNS else SIZES[:-1]:
                if (spare := _spare(columns, room, size)) >= 0:
                    laid = _sized(columns, paper.caption, size, spare)
                    return laid._replace(environment="table*", wide=room > TEXT_WIDTH)
    columns, size = ways[1], SIZES[-1]
    width = BOTH_COLUMNS - _spare(columns, BOTH_COLUMNS, size)
    comment = (f"% wider than a page, about {width:.0f} pt: leave columns out",)
    return _sized(columns, paper.caption, size, 0.0)._replace(environment="table*", wide=True, comment=comment)


def _natural(columns: Sequence[_Printed]) -> float:
    """Width where nothing breaks, in ten-point type."""
    return sum(column.natural for column in columns) + len(columns) * 2 * SPACE


def _spare(columns: Sequence[_Printed], room: float, size: tuple[str, float, float]) -> float:
    """Points that are left of a room; negative where it is too narrow."""
    _, scale, space = size
    return room - scale * sum(column.least for column in columns) - 2 * space * len(columns)


def _as_they_are(columns: Sequence[_Printed], caption: str) -> _Layout:
    form = "".join("r" if column.right else "l" for column in columns)
    return _Layout(columns, [escaped(column.heading) for column in columns], form, caption)


def _sized(columns: Sequence[_Printed], caption: str, size: tuple[str, float, float], spare: float) -> _Layout:
    name, scale, space = size
    type_ = (name, rf"\setlength{{\tabcolsep}}{{{space:g}pt}}") if name else ()
    return _broken(columns, caption, scale, spare)._replace(type=type_)


def _broken(columns: Sequence[_Printed], caption: str, scale: float, spare: float) -> _Layout:
    """Columns with broken headings; long texts share the room that is left, as much as they need it."""
    wanted = [scale * (column.natural - column.least) if column.breaks else 0.0 for column in columns]
    share = min(1.0, spare / sum(wanted)) if sum(wanted) else 0.0
    forms, headings = list[str](), list[str]()
    widths = [scale * column.least + share * more for column, more in zip(columns, wanted, strict=True)]
    for column, more in zip(columns, wanted, strict=True):
        if column.breaks:
            forms.append(rf"p{{{scale * column.least + share * more:.0f}pt}}")
            headings.append(escaped(column.heading))
        else:
            side = "r" if column.right else "l"
            forms.append(side)
            lines = r"\\".join(escaped(line) for line in _lines(column.heading, column.least))
            headings.append(rf"\shortstack[{side}]{{{lines}}}" if r"\\" in lines else lines)
    shown = [replace(one, cells=[_ragged(cell) for cell in one.cells]) if one.breaks else one for one in columns]
    sized = list(zip(columns, widths, strict=True))
    heights = [
        LINE_HEIGHT
        * scale
        * (max(_n_lines(one, place, scale, width) for one, width in sized) + _beneath(columns, place))
        for place in range(len(columns[0].cells) if columns else 0)
    ]
    return _Layout(shown, headings, "".join(forms), caption, heights=heights)


def _n_lines(column: _Printed, place: int, scale: float, width: float) -> float:
    """Lines of a cell: those of a text that breaks, with a bad break each."""
    return math.ceil(1.15 * scale * column.cells[place].width / width) + 0.2 if column.breaks else 1.0


def _beneath(columns: Sequence[_Printed], place: int) -> float:
    """Lines below a row: that of its intervals, and a gap."""
    return 1.5 if any(column.beneath[place].text for column in columns) else 0.0


def _for_paper(table: Table) -> Table:
    """Without columns for programs, columns without a value, and what is the same in every row, which is said."""
    if len(set(table.keys)) < len(table.keys):
        return table
    table = table.without_empty()
    kept, said = list[str](), list[str]()
    for place, column in enumerate(table.columns):
        cells = [row[place] for row in table.rows]
        if column.audience == "programs":
            continue
        first = cells[0] if len(cells) > 1 else None
        if isinstance(first, str | int) and all(cell == first for cell in cells):
            words = term_words(first) if isinstance(first, str) else table.printed(first, column)
            said.append(f"{column.heading}: {words}")
        else:
            kept.append(column.key)
    if not kept:
        return table
    return replace(table.select(kept), caption="; ".join(part for part in (table.caption, ", ".join(said)) if part))


def _with_intervals(table: Table, *, beneath: bool) -> list[_Printed]:
    """Columns with the ends of an interval behind or beneath their value; a pair without one is a column of its own."""
    pairs = interval_pairs(table)
    under = {value: pair for pair, value in pairs.items() if value is not None}
    starred = next((table.keys.index(key) for key in STARRED if key in table.keys), None)
    columns: list[_Printed] = []
    for place, column in enumerate(table.columns):
        if (place - 1, place) in pairs:
            continue
        if (place, place + 1) in pairs:
            if pairs[place, place + 1] is None:
                cells = [_ends(table, row, place, column) for row in table.rows]
                columns.append(_Printed(column.heading.removesuffix(" low"), True, cells, [_NOTHING] * len(cells)))
            continue
        printed = _as_it_is(table, place)
        cells = [_starred(*pair) for pair in zip(printed.cells, _apart(table), strict=True)]
        cells = cells if place == starred else printed.cells
        printed = replace(printed, cells=[_bold(*pair) for pair in zip(cells, _best(table, place), strict=True)])
        if place in under:
            low, _ = under[place]
            ends = [_ends(table, row, low, column) for row in table.rows]
            if beneath:
                printed = replace(printed, beneath=ends)
            else:
                printed = replace(printed, cells=[_behind(*pair) for pair in zip(printed.cells, ends, strict=True)])
        columns.append(printed)
    return columns


def _behind(value: _Text, ends: _Text) -> _Text:
    """A value with its interval on one line."""
    if not ends.text:
        return value
    width = value.width + ends.width + _width(" ")
    return _Text(f"{value.text}~{ends.text.replace(', ', ',~')}", width, width)


def _starred(cell: _Text, apart: bool) -> _Text:
    return _Text(f"{cell.text}{STAR}", cell.width + 4.0, cell.word + 4.0) if apart else cell


def _bold(cell: _Text, best: bool) -> _Text:
    if not best:
        return cell
    text = rf"\boldmath\bfseries {cell.text}" if "$" in cell.text else rf"\textbf{{{cell.text}}}"
    text = f"{{{text}}}" if "$" in cell.text else text
    return _Text(text, 1.15 * cell.width, 1.15 * cell.word)


def _ragged(cell: _Text) -> _Text:
    """Lines that break without being stretched: a paragraph that ends with its cell, an own end adds an empty line."""
    return cell._replace(text=rf"\raggedright\let\\\tabularnewline {cell.text}") if cell.text else cell


def _apart(table: Table) -> list[bool]:
    """Rows whose difference Holm's correction allows to call one."""
    if "p_holm" not in table.keys:
        return [False] * len(table.rows)
    cells = [row[table.keys.index("p_holm")] for row in table.rows]
    return [isinstance(p, float) and p < LEVEL for p in cells]  # NaN is not


def _best(table: Table, place: int) -> list[bool]:
    """Rows with the best value of a column whose heading says which way it improves: of several rows, task by task."""
    sign = {"↑": 1.0, "↓": -1.0}.get(table.columns[place].heading[-1:])
    cells = [row[place] for row in table.rows]
    if sign is None:
        return [False] * len(cells)
    values = [cell if isinstance(cell, int | float) and not is_undefined(cell) else None for cell in cells]
    tasks = [row[table.keys.index("task")] if "task" in table.keys else None for row in table.rows]
    by_task: dict[Cell, list[float]] = {}
    for task, value in zip(tasks, values, strict=True):
        if value is not None:
            by_task.setdefault(task, []).append(sign * value)
    return [
        value is not None and len(by_task[task]) > 1 and sign * value == max(by_task[task])
        for task, value in zip(tasks, values, strict=True)
    ]


def _ends(table: Table, row: Sequence[Cell], low: int, value: Column) -> _Text:
    """An interval in brackets, with signs where its value has one; nothing where it is undefined."""
    ends = [end for end in row[low : low + 2] if isinstance(end, int | float) and not is_undefined(end)]
    if len(ends) < 2:
        return _NOTHING
    as_value = replace(table.columns[low], kind="signed" if value.kind == "signed" else "number")
    first, second = (_without_zero(_number(table, as_value, end)) for end in ends)
    width = first.width + second.width + _width("[, ]")
    return _Text(f"[{first.text}, {second.text}]".replace(r"\pm ", ""), width, width)


def _without_zero(number: _Text) -> _Text:
    """An end of an interval as papers print it: .711."""
    text = _ZERO.sub(r"\1.", number.text)
    return number if text == number.text else _Text(text, number.width - USUAL, number.width - USUAL)


def _as_it_is(table: Table, place: int) -> _Printed:
    column = table.columns[place]
    cells = [_cell(table, column, row[place]) for row in table.rows]
    return _Printed(column.heading, table.is_numeric(place), cells, [_NOTHING] * len(cells))


def _cell(table: Table, column: Column, cell: Cell) -> _Text:
    if cell is None or is_undefined(cell):
        return _plain("–")
    if isinstance(cell, bool):
        return _plain("yes" if cell else "no")
    if isinstance(cell, Formula):
        width = _width("".join(char for char in cell if char not in "\\{}^_$"))
        return _Text(f"${_plain_maths(cell)}$", width, width)
    if isinstance(cell, str):
        return _plain(term_words(cell))
    return _number(table, column, cell)


def _plain_maths(formula: str) -> str:
    """A formula without what only ``amsmath`` knows."""
    for known, plain in _AMSMATH.items():
        formula = formula.replace(known, plain)
    return formula


def _number(table: Table, column: Column, cell: float) -> _Text:
    text = table.printed(cell, column)
    maths = "".join(_MATHS.get(char, char) for char in text)
    width = _width(text)
    return _Text(f"${maths}$" if any(char in _MATHS for char in text) else text, width, width)


def _plain(text: str) -> _Text:
    return _Text(escaped(text), _width(text), _longest_word(text))


def _longest_word(text: str) -> float:
    return max((_width(word) for word in _BREAKS.split(text)), default=0.0)


def _lines(text: str, room: float) -> list[str]:
    """Text broken at spaces and after hyphens into lines that have room."""
    lines: list[str] = []
    for part in _PARTS.findall(text):
        if lines and _width(f"{lines[-1]}{part}") <= room:
            lines[-1] += part
        else:
            lines.append(part.lstrip())
    return lines or [""]


def _width(text: str) -> float:
    """Points that ten-point Computer Modern gives a text, roughly."""
    return sum(_WIDTHS.get(char, WIDE if char.isupper() else USUAL) for char in text)
