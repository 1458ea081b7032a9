r"""Tables as LaTeX with booktabs, for a paper: ``\usepackage{booktabs}``."""

import math
from collections.abc import Sequence

from fairviz.report.content import Cell, Formula, Table
from fairviz.report.table import printable
from fairviz.report.words import MINUS, THIN

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
    "Δ": r"$\Delta$",
    "Σ": r"$\Sigma$",
    "\N{NARROW NO-BREAK SPACE}": r"\,",
    "\N{NO-BREAK SPACE}": "~",
}

_MATHS = {MINUS: "-", "+": "+", "±": r"\pm ", "∞": r"\infty", "<": "<", THIN: r"\,"}
"""Signs of numbers, which LaTeX sets right in mathematics only."""


def latex_text(table: Table, *, label: str = "") -> str:
    r"""A table as a LaTeX ``table`` with caption; text is escaped, undefined = "--".

    Args:
        table: The table; text columns stand left, numbers right.
        label: For ``\ref``; letters, digits, ``:``, ``-``, ``_`` and ``.`` only.

    Raises:
        ValueError: If the label holds other characters.

    Examples:
        >>> print(latex_text(Table(("system", "EE-D"), (("bm_25", -0.5),), "One run")), end="")
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
    columns = range(len(table.columns))
    form = "".join("r" if table.is_numeric(column) else "l" for column in columns)
    lines = [r"\begin{table}", r"  \centering"]
    if table.caption:
        lines.append(rf"  \caption{{{escaped(table.caption)}}}")
    if label:
        lines.append(rf"  \label{{{label}}}")
    lines += [rf"  \begin{{tabular}}{{{form}}}", r"    \toprule"]
    head = " & ".join(map(escaped, table.columns))
    lines += [_line(head), r"    \midrule"]
    lines += [_row(table, row) for row in table.rows]
    lines += [r"    \bottomrule", r"  \end{tabular}", r"\end{table}"]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    r"""Text that LaTeX prints as it is, on one line.

    Examples:
        >>> escaped("50 % of $x_1$")
        '50 \\% of \\$x\\_1\\$'
    """
    kept = (char if char in _SPECIAL else printable(char) for char in text.replace("\r", " "))
    return "".join(_SPECIAL.get(char, char) for char in "".join(kept))


def _row(table: Table, row: Sequence[Cell]) -> str:
    cells = (_cell(table, name, cell) for name, cell in zip(table.columns, row, strict=True))
    return _line(" & ".join(cells))


def _line(text: str) -> str:
    """A row; what begins with a bracket or star would be an argument of the row above."""
    return f"    {'{}' if text.startswith(('[', '*')) else ''}{text} " + r"\\"


def _cell(table: Table, column: str, cell: Cell) -> str:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return "--"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, Formula):
        return f"${cell}$"
    if isinstance(cell, str):
        return escaped(cell)
    text = table.printed(cell, column)
    maths = "".join(_MATHS.get(char, char) for char in text)
    return f"${maths}$" if any(char in _MATHS for char in text) else text
