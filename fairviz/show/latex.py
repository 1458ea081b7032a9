r"""A table as LaTeX that fits its page; it needs ``\usepackage{booktabs}`` and nothing else.

A table that is wider than the lines of a page is made narrower in this order: columns for programs, columns without a
value, and words that are the same in every row (the caption has them) are left out; an interval stands in small type
beneath its value, as on pages; long texts and headings break; the type is smaller; both columns of a page are used.
Widths are estimates from the characters of Computer Modern, the type that LaTeX has by default.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from fairviz.errors import printable
from fairviz.show.table import Cell, Column, Formula, Table, is_undefined, term_words
from fairviz.show.words import MINUS, THIN

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

TEXT_WIDTH, BOTH_COLUMNS = 345.0, 505.0
"""Points of a line of ``article`` at ten points, and of both columns of a page in the usual two-column classes."""
SPACE = 6.0
"""Points that LaTeX leaves beside a column, on either side."""
SIZES = (("", 1.0, SPACE), (r"\small", 0.9, 4.0), (r"\footnotesize", 0.8, 3.0), (r"\scriptsize", 0.7, 2.0))
"""Sizes of type to be tried, how wide they are beside ten points, and the space beside their columns."""
SCRIPT = 0.75
"""How wide the small type of an interval is beside that of its value."""
LONG_TEXT = 80.0
"""Points from which a text may break."""
USUAL, WIDE = 5.0, 7.0
_WIDTHS = {
    **dict.fromkeys("iljI.,;:'|!", 2.8),
    **dict.fromkeys("frst()[]- ", 3.8),
    **dict.fromkeys("mwMW" + MINUS + "+<>=±", 8.0),
}
"""Widths of characters that are not as wide as most, in points."""
_BREAKS = re.compile(r"[ \-–/]")
"""Where LaTeX may break a line."""
_PARTS = re.compile(r" ?[^ \-–/]+[\-–/]?| ")
"""What stands between such places, with the hyphen or the space that ends or begins it."""

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
    lines = [*layout.comment, rf"\begin{{{layout.environment}}}", r"  \centering"]
    lines += [f"  {command}" for command in layout.type]
    if layout.caption:
        lines.append(rf"  \caption{{{escaped(layout.caption)}}}")
    if label:
        lines.append(rf"  \label{{{label}}}")
    lines += [rf"  \begin{{tabular}}{{{layout.form}}}", r"    \toprule"]
    lines += [_line(" & ".join(layout.headings)), r"    \midrule"]
    rows: list[str] = []
    for place in range(len(table.rows)):
        beneath = [column.beneath[place].text for column in layout.columns]
        row = _line(" & ".join(column.cells[place].text for column in layout.columns))
        if any(beneath):
            row += "\n" + _line(" & ".join(rf"{{\scriptsize {text}}}" if text else "" for text in beneath))
        rows.append(row)
    lines += [("\n    \\addlinespace\n" if any("\n" in row for row in rows) else "\n").join(rows)] if rows else []
    lines += [r"    \bottomrule", r"  \end{tabular}", rf"\end{{{layout.environment}}}"]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    r"""Text that LaTeX prints as it is, on one line.

    Examples:
        >>> escaped("50 % of $x_1$")
        '50 \\% of \\$x\\_1\\$'
    """
    characters = (char if char in _SPECIAL else printable(char) for char in text.replace("\r", " "))
    return "".join(_SPECIAL.get(char, char) for char in "".join(characters))


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


def _layout(table: Table) -> _Layout:
    """The table as it is where it fits the lines of a page; else made narrower until it does."""
    columns = [_as_it_is(table, place) for place in range(len(table.columns))]
    if sum(column.natural for column in columns) + len(columns) * 2 * SPACE <= TEXT_WIDTH:
        form = "".join("r" if column.right else "l" for column in columns)
        return _Layout(columns, [escaped(heading) for heading in table.headings], form, table.caption)
    table = _for_paper(table)
    columns = _with_intervals_beneath(table)
    for environment, room in (("table", TEXT_WIDTH), ("table*", BOTH_COLUMNS)):
        for size, scale, space in SIZES if environment == "table*" else SIZES[:-1]:
            type_ = (size, rf"\setlength{{\tabcolsep}}{{{space:g}pt}}") if size else ()
            spare = room - scale * sum(column.least for column in columns) - 2 * space * len(columns)
            if spare >= 0:
                return _broken(columns, table.caption, scale, spare)._replace(environment=environment, type=type_)
    size, scale, space = SIZES[-1]
    width = scale * sum(column.least for column in columns) + 2 * space * len(columns)
    return _broken(columns, table.caption, scale, 0.0)._replace(
        environment="table*",
        type=(size, rf"\setlength{{\tabcolsep}}{{{space:g}pt}}"),
        comment=(f"% wider than a page, about {width:.0f} pt: leave columns out",),
    )


def _broken(columns: Sequence[_Printed], caption: str, scale: float, spare: float) -> _Layout:
    """Columns with broken headings; long texts share the room that is left, as much as they need it."""
    wanted = [scale * (column.natural - column.least) if column.breaks else 0.0 for column in columns]
    share = min(1.0, spare / sum(wanted)) if sum(wanted) else 0.0
    forms, headings = list[str](), list[str]()
    for column, more in zip(columns, wanted, strict=True):
        if column.breaks:
            forms.append(rf"p{{{scale * column.least + share * more:.0f}pt}}")
            headings.append(escaped(column.heading))
        else:
            side = "r" if column.right else "l"
            forms.append(side)
            lines = r"\\".join(escaped(line) for line in _lines(column.heading, column.least))
            headings.append(rf"\shortstack[{side}]{{{lines}}}" if r"\\" in lines else lines)
    return _Layout(columns, headings, "".join(forms), caption)


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


def _with_intervals_beneath(table: Table) -> list[_Printed]:
    """Columns with the ends of an interval beneath their value; a pair without one is a column of its own."""
    pairs = _interval_pairs(table)
    under = {value: pair for pair, value in pairs.items() if value is not None}
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
        if place in under:
            low, _ = under[place]
            beneath = [_ends(table, row, low, column) for row in table.rows]
            printed = replace(printed, beneath=beneath)
        columns.append(printed)
    return columns


def _interval_pairs(table: Table) -> dict[tuple[int, int], int | None]:
    """Places of the ends of each interval, and the place of its value, None where it has none."""
    pairs: dict[tuple[int, int], int | None] = {}
    keys = table.keys
    last: int | None = None
    for place, column in enumerate(table.columns):
        if (place - 1, place) in pairs:
            continue
        after = table.columns[place + 1] if place + 1 < len(keys) else None
        name = column.key.removesuffix("low")
        ends = {"interval", "signed"}
        if after and name != column.key and after.key == f"{name}high" and {column.kind, after.kind} <= ends:
            value = name.removesuffix("_")
            value = "value" if value == "ci" else value
            pairs[place, place + 1] = last if not value else keys.index(value) if value in keys else None
        else:
            last = place
    return pairs


def _ends(table: Table, row: Sequence[Cell], low: int, value: Column) -> _Text:
    """An interval in brackets, with signs where its value has one; nothing where it is undefined."""
    ends = [end for end in row[low : low + 2] if isinstance(end, int | float) and not is_undefined(end)]
    if len(ends) < 2:
        return _NOTHING
    as_value = replace(table.columns[low], kind="signed" if value.kind == "signed" else "number")
    first, second = (_number(table, as_value, end) for end in ends)
    width = first.width + second.width + _width("[, ]")
    return _Text(f"[{first.text}, {second.text}]".replace(r"\pm ", ""), width, width)


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
        return _Text(f"${cell}$", width, width)
    if isinstance(cell, str):
        return _plain(term_words(cell))
    return _number(table, column, cell)


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
