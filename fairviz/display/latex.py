r"""A table as LaTeX; it needs ``booktabs`` and ``graphicx``.

An interval stands behind its value, ``0.771 [.711, .826]``, the best of a column whose heading says which way it
improves is bold (within a task, where tasks are rows), and a difference that Holm's correction allows to call one has
a star with its footnote. Columns for programs and columns without a value are left out; words and counts that are the
same in every row stand in the caption. LaTeX itself shrinks a table that is wider than its line.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from fairviz.display.table import LETTERS, Cell, Column, Formula, Table, is_undefined, read_columns, term_words
from fairviz.display.words import MINUS, THIN
from fairviz.errors import printable
from fairviz.resources import content

STARRED = "difference", "delta", "change"
"""Keys of columns that a star of their row belongs to, the first that a table has."""
STAR = "$^{*}$"
LEVEL = 0.05
LONG_TEXT = 60
"""Characters from which a text breaks into lines."""
MOST_COLUMNS = 6
"""Of a table in one column of a page; with more, or with long texts, it spans both."""
MOST_ROWS, MOST_LONG_ROWS = 40, 12
"""Of a page, and of one with long texts; a float cannot be broken."""
BREAKING = r"p{.4\linewidth}"
"""Form of a column of long texts."""
RAGGED = r"\raggedright\let\\\tabularnewline "
"""Before each of them: lines are not stretched, and an end of a paragraph is none of the row."""
_ZERO = re.compile(r"^(\$?[-+]?)0\.")
_HAT = re.compile("([A-Za-z])\u0302")
_MATHS = {
    **{MINUS: "-", "+": "+", "±": r"\pm ", "∞": r"\infty", "<": "<", THIN: r"\,"},
    **{"▲": r"^{\bigtriangleup}", "▼": r"^{\bigtriangledown}"},
    **{letter: f"{{}}^{{{plain}}}" for plain, letter in LETTERS.items()},
}
"""Signs of numbers, which LaTeX sets right in mathematics only."""


def latex_text(table: Table, *, label: str = "") -> str:
    r"""A table as a LaTeX ``table`` with caption; text is escaped, undefined = "--".

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
          \resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%
          \begin{tabular}{lr}
            \toprule
            system & EE-D \\
            \midrule
            bm\_25 & $-0.500$ \\
            \bottomrule
          \end{tabular}}
        \end{table}
    """
    if not all(char.isascii() and (char.isalnum() or char in ":-_.") for char in label):
        raise ValueError(f"label {label!r} holds characters that LaTeX labels cannot")
    shown = _for_paper(table)
    columns = list(_columns(shown))
    forms, headings, cells = zip(*columns, strict=True) if columns else ((), (), ())
    long = BREAKING in forms
    rows = [_line(" & ".join(row)) for row in zip(*cells, strict=True)]
    most = MOST_LONG_ROWS if long else MOST_ROWS
    first = [rf"\caption{{{escaped(shown.caption)}}}"] if shown.caption else []
    first += [rf"\label{{{label}}}"] if label else []
    further = [r"\addtocounter{table}{-1}", r"\caption{(continued)}"]
    environment = "table*" if long or len(columns) > MOST_COLUMNS else "table"
    return "\n".join(
        _float(environment, further if start else first, forms, headings, rows[start : start + most])
        for start in range(0, max(len(rows), 1), most)
    )


def _float(
    environment: str, title: Sequence[str], forms: Sequence[str], headings: Sequence[str], rows: Sequence[str]
) -> str:
    """What stands on one page: a title, the headings, rows, and a footnote on stars where there are any."""
    note = rf"    \multicolumn{{{len(forms)}}}{{l}}{{\scriptsize {STAR} $p < 0.05$ (Holm)}} \\"
    lines = [
        rf"\begin{{{environment}}}",
        r"  \centering",
        *(f"  {line}" for line in title),
        r"  \resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"  \begin{{tabular}}{{{''.join(forms)}}}",
        r"    \toprule",
        _line(" & ".join(headings)),
        r"    \midrule",
        *rows,
        r"    \bottomrule",
        *([note] if any(STAR in row for row in rows) else []),
        r"  \end{tabular}}",
        rf"\end{{{environment}}}",
    ]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    r"""Text that LaTeX prints as it is, on one line.

    Examples:
        >>> escaped("50 % of $x_1$")
        '50 \\% of \\$x\\_1\\$'
    """
    special: dict[str, str] = content("latex")["characters"]
    characters = (char if char in special else printable(char) for char in text.replace("\r", " "))
    return _HAT.sub(r"$\\hat{\1}$", "".join(special.get(char, char) for char in "".join(characters)))


def _line(text: str) -> str:
    """A row; what begins with a bracket or star would be an argument of the row above."""
    return f"    {'{}' if text.startswith(('[', '*')) else ''}{text} " + r"\\"


def _for_paper(table: Table) -> Table:
    """Without columns for programs, columns without a value, and what is the same in every row, which is said."""
    if len(set(table.keys)) < len(table.keys):
        return table
    table = table.without_empty()
    kept, constants = list[str](), list[str]()
    for index, column in enumerate(table.columns):
        cells = [row[index] for row in table.rows]
        if column.audience == "programs":
            continue
        first = cells[0] if len(cells) > 1 else None
        if isinstance(first, str | int) and all(cell == first for cell in cells):
            words = term_words(first) if isinstance(first, str) else table.printed(first, column)
            constants.append(f"{column.heading}: {words}")
        else:
            kept.append(column.key)
    if not kept:
        return table
    return replace(
        table.select(kept), caption="; ".join(part for part in (table.caption, ", ".join(constants)) if part)
    )


def _columns(table: Table) -> Iterator[tuple[str, str, list[str]]]:
    """Form, heading and cells of each column, the ends of an interval behind their value."""
    starred = next((table.keys.index(key) for key in STARRED if key in table.keys), None)
    for index, ends, below in read_columns(table):
        column = table.columns[index]
        if ends:
            heading = escaped(column.heading.removesuffix(" low"))
            yield "r", heading, [_ends(table, row, index, column) for row in table.rows]
            continue
        cells = [_cell(table, column, row[index]) for row in table.rows]
        if index == starred:
            cells = [
                f"{cell}{STAR if apart else ''}" for cell, apart in zip(cells, _significant_rows(table), strict=True)
            ]
        cells = [_bold(cell) if best else cell for cell, best in zip(cells, table.best(index), strict=True)]
        if below is not None:
            intervals = [_ends(table, row, below, column).replace(", ", ",~") for row in table.rows]
            cells = [f"{cell}~{pair}" if pair else cell for cell, pair in zip(cells, intervals, strict=True)]
        long = any(isinstance(row[index], str) and len(str(row[index])) > LONG_TEXT for row in table.rows)
        breaks = long and not any(isinstance(row[index], Formula) for row in table.rows)
        if breaks:
            yield BREAKING, escaped(column.heading), [f"{RAGGED}{cell}" for cell in cells]
        else:
            yield "r" if table.is_numeric(index) else "l", escaped(column.heading), cells


def _bold(cell: str) -> str:
    return rf"{{\boldmath\bfseries {cell}}}" if "$" in cell else rf"\textbf{{{cell}}}"


def _significant_rows(table: Table) -> list[bool]:
    """Rows whose difference Holm's correction allows to call one."""
    if "p_holm" not in table.keys:
        return [False] * len(table.rows)
    cells = [row[table.keys.index("p_holm")] for row in table.rows]
    return [isinstance(p, float) and p < LEVEL for p in cells]  # NaN is not


def _ends(table: Table, row: Sequence[Cell], low: int, value: Column) -> str:
    """An interval in brackets, with signs where its value has one; nothing where it is undefined."""
    ends = [end for end in row[low : low + 2] if isinstance(end, int | float) and not is_undefined(end)]
    if len(ends) < 2:
        return ""
    column = replace(table.columns[low], kind="signed" if value.kind == "signed" else "number")
    first, second = (_ZERO.sub(r"\1.", _number(table, column, end)) for end in ends)  # as papers print it: .711
    return f"[{first}, {second}]".replace(r"\pm ", "")


def _cell(table: Table, column: Column, cell: Cell) -> str:
    if cell is None or is_undefined(cell):
        return "--"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, Formula):
        return f"${_plain_maths(cell)}$"
    if isinstance(cell, str):
        return escaped(term_words(cell))
    return _number(table, column, cell)


def _plain_maths(formula: str) -> str:
    """A formula without what only ``amsmath`` knows."""
    packages: dict[str, str] = content("latex")["packages"]
    for command, plain in packages.items():
        formula = formula.replace(command, plain)
    return formula


def _number(table: Table, column: Column, cell: float) -> str:
    text = table.printed(cell, column)
    maths = "".join(_MATHS.get(char, char) for char in text)
    return f"${maths}$" if any(char in _MATHS for char in text) else text
