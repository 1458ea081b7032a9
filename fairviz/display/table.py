r"""A result as rows, made once, and its writers: CSV, aligned text, Markdown, objects for JSON.

What a column is (a difference, a p value, an end of an interval) stands with the column, so that every surface reads
it alike. HTML is in ``html.py``, LaTeX in ``latex.py``.
"""

import json
import math
import re
import textwrap
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile
from operator import neg
from typing import Literal, NamedTuple, TypeAlias, TypeGuard

import polars as pl

from fairviz.display.words import MINUS, count, interval, number, p_value, signed
from fairviz.display.words import UNDEFINED as NOT_THERE
from fairviz.errors import printable
from fairviz.numerals import THIN

Cell: TypeAlias = str | int | float | bool | None
"""None or NaN = undefined."""
Json: TypeAlias = Cell | Sequence["Json"] | Mapping[str, "Json"]
Kind: TypeAlias = Literal["text", "number", "signed", "p", "share", "interval", "tone"]
"""What the cells of a column are, which decides how people read them.

``text``: words; ``number``: a value; ``signed``: a difference, read with its sign; ``p``: a p value, read as
"< 0.001" and not 0.000; ``share``: between 0 and 1, read in per cent on pages; ``interval``: an end of an interval,
low beside high, read as one on pages; ``tone``: a verdict, coloured on pages.
"""


Audience: TypeAlias = Literal["all", "programs", "papers"]
"""Who reads a table: programs read CSV, papers print LaTeX."""


class Formula(str):
    """A formula in LaTeX without dollar signs: LaTeX tables typeset it, others print it as is."""

    __slots__ = ()


class Term(str):
    """A word of a closed list: programs read its name, people what it is called.

    Examples:
        >>> policy = Term("plackett-luce", "Plackett–Luce")
        >>> policy == "plackett-luce", policy.words
        (True, 'Plackett–Luce')
    """

    __slots__ = ("words",)
    words: str

    def __new__(cls, name: str, words: str) -> "Term":
        """The name, with what it is called."""
        term = super().__new__(cls, name)
        term.words = words
        return term


IMPROVES: Mapping[str, Callable[[float], float]] = {"↑": float, "↓": neg, "→ 0": lambda value: -abs(value)}
"""What a heading ends in that says which way its column improves, and its values, turned so that more is better."""


class Marked(float):
    """A number with the sign that a test gives it: programs read the number, people both.

    Examples:
        >>> better = Marked(0.4125, "▲")
        >>> better == 0.4125, better.mark
        (True, '▲')
    """

    __slots__ = ("mark",)
    mark: str

    def __new__(cls, value: float, mark: str = "") -> "Marked":
        """The number, with its sign; without one it stands above and below marked ones."""
        marked = super().__new__(cls, value)
        marked.mark = mark
        return marked


LETTERS = dict(zip("abcdefghijklmnoprstuvwxyz", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ", strict=True))
"""Letters that stand for systems, and as they stand behind a mean; there is no raised q."""


def term_words(cell: str) -> str:
    """Text as people read it."""
    return cell.words if isinstance(cell, Term) else cell


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a result.

    Attributes:
        key: Its name for programs: the header of CSV and text, the key of JSON. It is the same on every surface.
        label: Its name for people: LaTeX, HTML, pages; empty = the key.
        kind: What its cells are.
        audience: For whom it is: a column for programs is left out where a page of paper has no room for it.
        decimals: Digits after the point where people read, if they are not those of its table.
    """

    key: str
    label: str = ""
    kind: Kind = "text"
    audience: Audience = "all"
    decimals: int | None = None

    @property
    def heading(self) -> str:
        """What people read above it."""
        return self.label or self.key


def keyed(*keys: str, signed: Collection[str] = (), p: Collection[str] = ()) -> tuple[Column, ...]:
    """Columns that people read by their keys; those named are differences or p values.

    Examples:
        >>> [column.kind for column in keyed("a", "b", "p", signed=["b"], p=["p"])]
        ['text', 'signed', 'p']
    """
    kinds: dict[str, Kind] = {**dict.fromkeys(signed, "signed"), **dict.fromkeys(p, "p")}
    return tuple(Column(key, kind=kinds.get(key, "text")) for key in keys)


def labelled(kind: Kind = "text", /, **labels: str) -> tuple[Column, ...]:
    """Columns of one kind by their keys, with what people call them; "" for the key.

    Examples:
        >>> [column.heading for column in labelled("number", n="queries", value="")]
        ['queries', 'value']
    """
    return tuple(Column(key, label, kind) for key, label in labels.items())


def declared(
    columns: Iterable[str | Column], labels: Mapping[str, str], *, signed: Collection[str] = ()
) -> tuple[Column, ...]:
    """Columns by their keys, with their labels: p and ends of intervals are known by their names.

    Examples:
        >>> [column.kind for column in declared(["n", "gap_low", "p_holm"], {"n": "queries"})]
        ['text', 'interval', 'p']
    """

    def kind_of(key: str) -> Kind:
        if key == "p" or key.endswith(("_p", "p_holm")):
            return "p"
        return "interval" if key.endswith(("low", "high")) else "signed" if key in signed else "text"

    return tuple(
        column if isinstance(column, Column) else Column(column, labels.get(column, ""), kind_of(column))
        for column in columns
    )


@dataclass(frozen=True, slots=True)
class Table:
    """A result as rows: made once, by the ``columns.py`` of its study, and written in every format from here.

    Attributes:
        columns: What the cells are.
        rows: One cell per column each; None or NaN = undefined.
        caption: One sentence that says what the table holds.
        decimals: Digits after the point where people read; CSV keeps all.
        audience: For whom a bundle writes it: a row per point is for programs, a laid out grid for papers.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    decimals: int = 3
    audience: Audience = "all"

    def __post_init__(self) -> None:
        for row_number, row in enumerate(self.rows, start=1):
            if len(row) != len(self.columns):
                raise ValueError(f"row {row_number} has {len(row)} cells for {len(self.columns)} columns")

    @classmethod
    def of(
        cls,
        rows: pl.DataFrame | Iterable[Mapping[str, Cell]],
        columns: Iterable[Column],
        caption: str = "",
        *,
        decimals: int = 3,
        audience: Audience = "all",
    ) -> "Table":
        """The declared columns of a frame, or of rows by key, as a table; what a row by key lacks is undefined."""
        declared = tuple(columns)
        keys = [column.key for column in declared]
        if isinstance(rows, pl.DataFrame):
            cells: list[tuple[Cell, ...]] = rows.select(keys).rows()
        else:
            cells = [tuple(map(row.get, keys)) for row in rows]
        return cls(declared, tuple(cells), caption, decimals, audience)

    @property
    def keys(self) -> tuple[str, ...]:
        """Names of the columns for programs."""
        return tuple(column.key for column in self.columns)

    @property
    def headings(self) -> tuple[str, ...]:
        """Names of the columns for people."""
        return tuple(column.heading for column in self.columns)

    def select(self, keys: Sequence[str]) -> "Table":
        """The table with these columns only, in this order."""
        places = [self.keys.index(key) for key in keys]
        rows = tuple(tuple(row[index] for index in places) for row in self.rows)
        return replace(self, columns=tuple(self.columns[index] for index in places), rows=rows)

    def without_empty(self) -> "Table":
        """Without columns that say nothing in any row; a table without rows, or of such columns alone, stays whole."""
        mask = [[not is_undefined(cell) and cell != "" for cell in row] for row in self.rows]
        kept = [index for index in range(len(self.columns)) if any(row[index] for row in mask)]
        if not kept or len(kept) == len(self.columns):
            return self
        columns = tuple(self.columns[index] for index in kept)
        return replace(self, columns=columns, rows=tuple(tuple(row[index] for index in kept) for row in self.rows))

    def printed(self, cell: float, column: Column) -> str:
        """A number as people read it in a column: sign, digits, true minus."""
        if column.kind == "p":
            return p_value(cell)
        if isinstance(cell, int):
            return signed(cell, 0) if column.kind == "signed" else count(cell).replace("-", MINUS)
        write = signed if column.kind == "signed" else number
        words = write(cell, self.decimals if column.decimals is None else column.decimals)
        return words + cell.mark if isinstance(cell, Marked) else words

    def words(self, cell: Cell, column: Column) -> str:
        """A cell of a column as people read it."""
        if cell is None or is_undefined(cell):
            return NOT_THERE
        if isinstance(cell, bool):
            return "yes" if cell else "no"
        if isinstance(cell, str):
            return cell if isinstance(cell, Formula) else term_words(cell)
        return self.printed(cell, column)

    def read(self, row: Sequence[Cell], column: "ReadColumn") -> tuple[str, str]:
        """A cell as people read it, and the interval that stands beneath it, empty for none."""
        cell, own = row[column.place], self.columns[column.place]
        if column.ends:
            high = row[column.place + 1]
            return (NOT_THERE if is_undefined(cell) or is_undefined(high) else self._ends(cell, high, own)), ""
        text = self.words(cell, own)
        if column.below is None or text == NOT_THERE:
            return text, ""
        return text, self._ends(row[column.below], row[column.below + 1], self.columns[column.below])

    def _ends(self, low: Cell, high: Cell, column: Column) -> str:
        """Both ends of an interval, in the way of the column of its low end."""
        decimals = self.decimals if column.decimals is None else column.decimals
        first, second = (float(end) if isinstance(end, int | float) else math.nan for end in (low, high))
        if column.kind == "signed" and not (math.isnan(first) or math.isnan(second)):
            return f"{signed(first, decimals)} to {signed(second, decimals)}"
        return interval(first, second, decimals)

    def heading(self, column: "ReadColumn") -> str:
        """What stands above a column; above an interval of its own the names of both ends, where these differ."""
        low, *rest = self.headings[column.place : column.place + 2]
        return f"{low} to {rest[0]}" if column.ends and rest[0] != low else low

    def best(self, column: int) -> list[bool]:
        """Rows with the best value of a column whose heading says which way it improves, by task; where they differ."""
        heading, cells = self.columns[column].heading, [row[column] for row in self.rows]
        turned = next((turn for arrow, turn in IMPROVES.items() if heading.endswith(arrow)), None)
        if turned is None:
            return [False] * len(cells)
        worth = [turned(cell) if isinstance(cell, int | float) and not is_undefined(cell) else None for cell in cells]
        tasks = [row[self.keys.index("task")] if "task" in self.keys else None for row in self.rows]
        by_task: dict[Cell, list[float]] = {}
        for task, value in zip(tasks, worth, strict=True):
            if value is not None:
                by_task.setdefault(task, []).append(value)
        return [
            value is not None and value == max(by_task[task]) > min(by_task[task])
            for task, value in zip(tasks, worth, strict=True)
        ]

    def is_numeric(self, column: int) -> bool:
        """Whether every defined cell of a column is a number: such columns stand to the right."""
        cells = [row[column] for row in self.rows if row[column] is not None]
        return bool(cells) and all(map(is_number, cells))


class Tables(Mapping[str, Table]):
    """Tables by stem, each of them made when it is first read: a row per query of millions is often read by nobody.

    Args:
        made: A function of nothing that makes the table, or the table, by stem.

    Examples:
        >>> tables = Tables({"means": Table(keyed("a"), ()), "per-query": lambda: Table(keyed("b"), ())})
        >>> list(tables), tables["per-query"].keys
        (['means', 'per-query'], ('b',))
    """

    def __init__(self, made: Mapping[str, Table | Callable[[], Table]]) -> None:
        self._made = dict(made)

    def __getitem__(self, stem: str) -> Table:
        table = self._made[stem]
        if not isinstance(table, Table):
            table = self._made[stem] = table()
        return table

    def __contains__(self, stem: object) -> bool:
        return stem in self._made

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)


class ReadColumn(NamedTuple):
    """A column as people read it.

    Attributes:
        place: Of its cells in the table.
        ends: Whether it is an interval of its own: the low end stands at its place, the high end behind it.
        below: Place of the low end of the interval that belongs to its cells, None for none.
    """

    place: int
    ends: bool = False
    below: int | None = None


def read_columns(table: Table) -> list[ReadColumn]:
    """Columns with each interval beside its value; one without a value to stand beside is a column of its own.

    Examples:
        >>> ends = (Column("EED_low", kind="interval"), Column("EED_high", kind="interval"))
        >>> read_columns(Table((Column("EED"), *ends), ()))
        [ReadColumn(place=0, ends=False, below=1)]
        >>> read_columns(Table(ends, ()))
        [ReadColumn(place=0, ends=True, below=None)]
    """
    keys, kinds = table.keys, {"interval", "signed", "share"}
    read: list[ReadColumn] = []
    below: dict[int, int] = {}
    high: int | None = None
    last: int | None = None
    for index, column in enumerate(table.columns):
        if index == high:
            continue
        name, after = column.key.removesuffix("low"), next(iter(table.columns[index + 1 :]), None)
        is_low = name != column.key and after is not None and after.key == f"{name}high"
        if after is None or not is_low or not {column.kind, after.kind} <= kinds:
            read.append(ReadColumn(index))
            last = index
            continue
        high = index + 1
        value = name.removesuffix("_") or ("value" if "value" in keys else "")
        owner = (keys.index(value) if value in keys else None) if value else last  # else of what stands before it
        if owner is None:
            read.append(ReadColumn(index, ends=True))
        else:
            below[owner] = index
    return [column._replace(below=below.get(column.place)) for column in read]


def folded(table: Table, *, most: int, ends: int, also: Collection[int] = ()) -> tuple[Table, dict[int, int]]:
    """A sorted table as a reader takes it in: its first and its last rows, without the middle.

    Args:
        table: Of any length.
        most: Rows up to which nothing is left out.
        ends: Rows kept at either end.
        also: Places of further rows that are kept.

    Returns:
        The rows that are kept; and how many are left out after one of them, by its place there.

    Examples:
        >>> long = Table(keyed("n"), tuple((n,) for n in range(10)))
        >>> short, left_out = folded(long, most=5, ends=2, also=[6])
        >>> [row[0] for row in short.rows], left_out
        ([0, 1, 6, 8, 9], {1: 4, 2: 1})
    """
    n = len(table.rows)
    kept = [i for i in range(n) if n <= most or i < ends or i >= n - ends or i in also]
    after = {index: next_row - row - 1 for index, (row, next_row) in enumerate(pairwise(kept)) if next_row > row + 1}
    return replace(table, rows=tuple(table.rows[i] for i in kept)), after


def records(table: Table) -> list[dict[str, Json]]:
    """The rows as objects by key, for JSON.

    Examples:
        >>> records(Table(keyed("system", "EED"), (("bm25", 0.5),)))
        [{'system': 'bm25', 'EED': 0.5}]
    """
    return [dict(zip(table.keys, row, strict=True)) for row in table.rows]


def polars_frame(table: Table) -> pl.DataFrame:
    """The rows as a Polars frame: full precision, undefined cells as null.

    Examples:
        >>> polars_frame(Table(keyed("system", "EED"), (("bm25", float("nan")),))).rows()
        [('bm25', None)]
    """
    schema = None if table.rows else list(table.keys)
    return pl.DataFrame(records(table), schema=schema, infer_schema_length=None).fill_nan(None)


SCHEMA = 2
"""Version of every JSON output; raised when a reader of the old one would misread the new."""


def json_text(body: Mapping[str, Json]) -> str:
    """One object with its schema as JSON; undefined = null, infinite = "inf" / "-inf"."""
    return json.dumps(plain({"schema": SCHEMA, **body}), allow_nan=False, indent=1)


def plain(value: Json) -> Json:
    """The value with NaN as None and infinities as words.

    Examples:
        >>> plain({"a": [float("nan"), float("-inf"), 1.5]})
        {'a': [None, '-inf', 1.5]}
    """
    if isinstance(value, float) and not math.isfinite(value):
        if math.isnan(value):
            return None
        return "inf" if value > 0 else "-inf"
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(item) for item in value]
    return value


def is_undefined(cell: Cell) -> bool:
    """Whether there is no value."""
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def is_number(cell: Cell) -> TypeGuard[float]:
    """Whether a cell is a number; a truth value is a word."""
    return isinstance(cell, int | float) and not isinstance(cell, bool)


# CSV, safe to open in a spreadsheet.


FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""A text cell that starts so would be run as a formula by a spreadsheet."""


def csv_text(table: Table, *, escape_formulas: bool = True) -> str:
    """A table as CSV: full precision, undefined = empty, infinite = inf / -inf.

    Args:
        table: The table; its caption is left out.
        escape_formulas: Put an apostrophe before text that a spreadsheet would run. Numbers are
            never touched. Off for files that programs read.

    Examples:
        >>> print(csv_text(Table(keyed("id", "value"), (("=1+1", -0.5), ("a,b", None)))), end="")
        id,value
        '=1+1,-0.5
        "a,b",
    """
    lines = [table.keys, *table.rows]
    return "".join(",".join(_field(cell, escape=escape_formulas) for cell in line) + "\n" for line in lines)


def _field(cell: Cell, *, escape: bool) -> str:
    if is_undefined(cell):
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if not isinstance(cell, str):
        return repr(float(cell)) if isinstance(cell, float) else str(cell)
    text = f"'{cell}" if escape and cell.startswith(FORMULA_STARTS) else cell
    text = text.replace(THIN, " ")  # of counts and shares in words: for eyes only
    if any(mark in text for mark in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


# Aligned text for a terminal, which text of a file must not be able to steer.


MAX_WIDTH = 44
"""Widest text cell; longer ids lose their middle, since they differ at their ends."""
UNDEFINED = "-"
BELOW = "<0.001"
"""A p value that would be printed as 0.000."""


WIDEST = 10_000
"""Columns of a line that nothing bounds."""
LEAST_WIDTH = 16
"""What a column that gives way to others keeps."""


def plain_text(
    table: Table, *, max_width: int = MAX_WIDTH, line_width: int | None = None, shrink: Sequence[str] = ()
) -> str:
    """A table with aligned columns: text to the left, numbers to the right, undefined = "-".

    Args:
        table: The table.
        max_width: Columns a text cell may fill.
        line_width: Columns of the terminal; None: as many as there are.
        shrink: Keys of text columns that give way where a line is longer, the first one that it has first.

    Examples:
        >>> print(plain_text(Table(keyed("system", "EED"), (("bm25", 0.5), ("x", None), ("y", -1e-16)))), end="")
        system    EED
        bm25    0.500
        x           -
        y       0.000
    """
    rows = [
        [
            BELOW if column.kind == "p" and isinstance(cell, float) and cell < 0.001 else cell
            for column, cell in zip(table.columns, row, strict=True)
        ]
        for row in table.rows
    ]
    cells = [[_shown(cell, table.decimals, max_width) for cell in row] for row in (table.keys, *rows)]
    widths = [max(map(display_width, column)) for column in zip(*cells, strict=True)]
    for index in (table.keys.index(key) for key in shrink if key in table.keys):
        over = sum(widths) + 2 * (len(widths) - 1) - (line_width or math.inf)
        if over > 0:
            kept = max(LEAST_WIDTH, len(table.keys[index]), widths[index] - int(over))
            for row, short in zip(cells[1:], shortened_apart([row[index] for row in cells[1:]], kept), strict=True):
                row[index] = short
            widths[index] = max(display_width(row[index]) for row in cells)
    right = [table.is_numeric(column) for column in range(len(table.columns))]
    lines = ["  ".join(map(_padded, row, widths, right)).rstrip() for row in cells]
    caption = textwrap.wrap(printable(table.caption), line_width or WIDEST)
    return "".join(f"{line}\n" for line in caption + lines)


def markdown_text(table: Table) -> str:
    r"""A table as GitHub's Markdown, as people read it: caption, columns that say something, the best of each bold.

    Examples:
        >>> table = Table((Column("system"), Column("AP", "AP ↑")), (("bm25|x", 0.5), ("new", 0.25)), "One run")
        >>> print(markdown_text(table), end="")
        One run
        <BLANKLINE>
        | system | AP ↑ |
        | :-- | --: |
        | bm25\|x | **0.500** |
        | new | 0.250 |
    """
    table = table.without_empty()
    n_columns = range(len(table.columns))
    best = [table.best(index) for index in n_columns]
    lines: list[Sequence[str]] = [table.headings, ["--:" if table.is_numeric(index) else ":--" for index in n_columns]]
    for at, row in enumerate(table.rows):
        cells = map(table.words, row, table.columns)
        lines.append([f"**{cell}**" if best[index][at] else _in_markdown(cell) for index, cell in enumerate(cells)])
    rows = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return f"{_in_markdown(table.caption)}\n\n{rows}" if table.caption else rows


def _in_markdown(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    return re.sub(r"([\\`*_\[\]<>|])", r"\\\1", printable(text.replace("\r", " ")))


def shortened(text: str, width: int) -> str:
    """Text of at most ``width`` characters, its middle left out.

    Examples:
        >>> shortened("msmarco_doc_11_142931", 11)
        'msmar…42931'
    """
    if len(text) <= width or width < 3:
        return text[:width]
    return _cut(text, width, (width - 1) // 2)


def shortened_apart(texts: Sequence[str], width: int) -> list[str]:
    """Texts of at most ``width`` characters that are as different as they were; whole where that cannot be.

    What is left out is a middle, the same one of all, if need be after the beginning that they share.

    Examples:
        >>> shortened_apart(["bm25-with-feedback", "splade-with-feedback"], 12)
        ['bm25-w…dback', 'splade…dback']
        >>> shortened_apart(["a-long-name-of-run-1-reranked", "a-long-name-of-run-2-reranked"], 12)
        ['a…1-reranked', 'a…2-reranked']
    """
    different = set(texts)
    letters = zip(*(text for text in different if len(text) > width), strict=False)
    shared = sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, letters))
    for start, mark in ((0, ""), (shared, "…")):
        room = width - len(mark)
        for tail in sorted(range(room), key=lambda tail: abs(tail - (room - 1) // 2)):
            made = {text: text if len(text) <= width else mark + _cut(text[start:], room, tail) for text in different}
            if len(set(made.values())) == len(different):
                return [made[text] for text in texts]
    return list(texts)


def _cut(text: str, width: int, tail: int) -> str:
    """Text without its middle, with so many characters at its end."""
    return text if len(text) <= width else f"{text[: width - 1 - tail]}…{text[len(text) - tail :]}"


def display_width(text: str) -> int:
    r"""Columns that a terminal gives a text: two for wide characters, none for combining ones.

    Examples:
        >>> [display_width(text) for text in ("bm25", "日本", "e\N{COMBINING ACUTE ACCENT}", "")]
        [4, 4, 1, 0]
    """
    if text.isascii():  # nearly every cell, and a table for people is laid out once for each column it may lack
        return len(text)
    return sum(0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF") for char in text)


def _shown(cell: Cell, decimals: int, max_width: int) -> str:
    if is_undefined(cell):
        return UNDEFINED
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, str):
        return shortened(printable(cell), max_width)
    mark = (cell.mark or " ") if isinstance(cell, Marked) else ""  # without one: points stand in one line
    return f"{cell:z.{decimals}f}{mark}" if isinstance(cell, float) else str(cell)


def _padded(cell: str, width: int, right: bool) -> str:
    room = " " * (width - display_width(cell))
    return room + cell if right else cell + room
