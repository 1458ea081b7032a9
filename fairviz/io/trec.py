"""Tables of TREC, whose columns are separated by blanks: read column by column, lines by the million.

Nearly all files separate their columns by one space or one tab throughout and hold plain numbers: such a block of
lines is read as it stands. Any other is split at its blanks line by line, which is slower and knows every line by
number: what is odd is noted or refused there. What both ways can read, both read alike.

Here is also what the columns may hold, whoever reads or writes them: ids without blanks, and run tags.
"""

import math
import re
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from datetime import date
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from fairviz.errors import InputError
from fairviz.io.limits import MAX_GRADE
from fairviz.io.names import check_ids, is_blank
from fairviz.io.notes import NoteBook, shown
from fairviz.io.source import Source
from fairviz.io.text import Block, line_blocks, lines_in, n_of, read_ahead
from fairviz.model import SCORE_SCALES, FloatArray, IndexArray, IntArray, Qrels, RankingSample, Run
from fairviz.model.arrays import IdColumn, Ids, distinct_rows, encoded, encoded_runs, first_repeated

Numbers: TypeAlias = NDArray[np.number[Any]]
Noun: TypeAlias = Literal["run", "qrels", "FairTREC run", "MS MARCO run"]
"""What a file holds; FairTREC runs have a header."""

_NUMBERS: dict[str, pl.DataType] = {"rank": pl.Int32(), "grade": pl.Int32(), "score": pl.Float64()}
"""Columns of numbers; all others hold ids."""


class TrecTable(NamedTuple):
    """All R rows of a file, column by column.

    Attributes:
        ids: Columns of ids.
        numbers: (R) columns of numbers.
        lines: (R) the line on which each stands, from 1.
    """

    ids: dict[str, IdColumn]
    numbers: dict[str, Numbers]
    lines: IntArray | IndexArray

    def line(self, row: int) -> int:
        """1-based line of a row."""
        return int(self.lines[row])

    def shown(self, column: str, row: int) -> str:
        """The identifier of a row, as a message may show it."""
        ids = self.ids[column]
        return shown(ids.values[int(ids.codes[row])])

    def line_of(self, column: str, code: int) -> int:
        """1-based line where an identifier of a column stands first."""
        return self.line(int(np.argmax(self.ids[column].codes == code)))


def trec_table(source: Source, noun: Noun, columns: Sequence[str], notes: NoteBook) -> TrecTable:
    """The rows of a file.

    Args:
        source: The file.
        noun: What it holds, for hints; of a run Windows line ends are noted.
        columns: Names of its columns, left to right.
        notes: Where repairs are noted.

    Raises:
        InputError: A line is no row, or there is none.
    """
    parts: dict[str, list[pl.Series]] = {name: [] for name in (*columns, "line")}
    with closing(trec_frames(source, noun, columns, notes)) as frames:
        for frame in frames:
            # Ids but those of documents are runs of equal neighbours, which take little memory.
            for name, part in parts.items():
                column = frame[name] if name != "line" else frame[name].cast(pl.Int32)  # fewer lines than bytes
                part.append(column if name in (*_NUMBERS, "line", "doc") else column.rle())
            if noun == "run" and len(parts["line"]) == 1:  # so that a wrong file fails before all of it is read
                first = _joined({name: [*part] for name, part in parts.items()})
                rankings, _ = distinct_rows(pl.DataFrame({name: first.ids[name].codes for name in ("query", "sample")}))
                refuse_repeated_documents(first, rankings, source.name)
    table = _joined(parts)
    for name in ("query", "doc"):
        ids = Ids.of(table.ids[name].values).column
        for code in ids.str.contains('^".+"$').arg_true().head(1):
            reason = f"quotes around {shown(ids[code])} would be a part of the id"
            raise notes.wrong(reason, "Take them away, or write a header above the columns.", table.line_of(name, code))
    return table


def _joined(parts: dict[str, list[pl.Series]]) -> TrecTable:
    """The columns of a table, and its lines, of their parts, which are dropped one by one: memory is returned."""
    lines = np.concatenate([part.to_numpy() for part in parts.pop("line")])
    ids: dict[str, IdColumn] = {}
    numbers: dict[str, Numbers] = {}
    for name in [*parts]:
        if name in _NUMBERS:
            numbers[name] = np.concatenate([part.to_numpy() for part in parts.pop(name)])
        else:
            ids[name] = (encoded if name == "doc" else encoded_runs)(pl.concat(parts.pop(name)))
    return TrecTable(ids, numbers, lines)


def trec_frames(source: Source, noun: Noun, columns: Sequence[str], notes: NoteBook) -> Generator[pl.DataFrame]:
    """The rows of a file in parts of some megabytes: their columns and the ``line`` of each.

    Args:
        source: The file.
        noun: What it holds.
        columns: Names of its columns, left to right.
        notes: Where repairs are noted.

    Raises:
        InputError: A line is no row, or there is none.
    """
    n_rows = 0
    lines = line_blocks(source, notes, note_crlf=noun == "run")
    with closing(read_ahead(lines) if source.is_large else lines) as blocks:
        for block in blocks:
            if noun == "FairTREC run" and block.line == 1:  # the header
                block = block._replace(text=block.text[block.text.index(b"\n") + 1 :], line=2)
            frame = plain_rows(block, columns)
            frame = exact_rows(block, noun, columns, notes) if frame is None else frame
            n_rows += frame.height
            if frame.height:
                yield frame
    if not n_rows:
        raise source.wrong("no data lines", "The file holds blanks or comments only.")


def plain_rows(block: Block, columns: Sequence[str]) -> pl.DataFrame | None:
    r"""The rows of a block whose columns are separated by exactly one blank, with whole numbers of up to nine digits.

    Returns:
        A row per line, or None where anything about the block is odd.

    Examples:
        >>> plain_rows(Block(b"q1 d1 0.5\nq1 d2 .25\n", 1), ("query", "doc", "score"))["score"].to_list()
        [0.5, 0.25]
    """
    text = block.text
    separator = "\t" if b"\t" in text[:4096] else " "
    odd = (b"\r", b"\v", b"\f", b" " if separator == "\t" else b"\t")
    if any(mark in text for mark in odd):
        return None
    types = {name: _NUMBERS.get(name, pl.String()) for name in columns}
    try:
        rows = pl.read_csv(text, has_header=False, separator=separator, schema=types, quote_char=None)
    except pl.exceptions.PolarsError:
        return None
    if rows.height != n_of("\n", text) or any(column.null_count() for column in rows):
        return None
    ranges = {"score": pl.col("score").is_finite(), "rank": pl.col("rank") >= 0}
    ranges["grade"] = pl.col("grade").is_between(0, MAX_GRADE)
    if not all(rows.select(plain.all()).item() for name, plain in ranges.items() if name in types):
        return None
    if rows[columns[0]].cast(pl.String).str.starts_with("#").any():  # a comment of as many words
        return None
    return rows.with_columns(line=pl.int_range(block.line, block.line + rows.height))


# The exact way. Columns are separated by runs of ASCII blanks (space, tab, vertical tab, form feed) and by nothing
# else: an identifier may hold a no-break space.

_DECIMAL = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_WHOLE = r"^[+-]?[0-9]+$"
NOT_FINITE = re.compile(r"[+-]?(nan|inf(inity)?)", re.IGNORECASE)
"""Words for what is no finite number."""
_TITLE = re.compile(r"score|sim|similarity|rsv|value|rel|relevance|grade|label|rank", re.IGNORECASE)


def scores(texts: pl.Series, lines: IntArray, notes: NoteBook) -> FloatArray:
    """Finite scores.

    Args:
        texts: One text per row.
        lines: Line of each row.
        notes: On the file.

    Raises:
        InputError: A text is no plain decimal number, or is not finite.
    """
    values = decimals(texts)
    for row in values.is_null().arg_true().head(1):
        text = texts[row]
        raise notes.wrong(_why_no_score(text), _score_fix(text), int(lines[row]))
    for row in (~values.is_finite()).arg_true().head(1):
        raise notes.wrong(f"score overflows to infinity: {shown(texts[row])}", "Give finite scores.", int(lines[row]))
    return values.to_numpy()


def ranks(texts: pl.Series, lines: IntArray, notes: NoteBook) -> FloatArray:
    """Ranks; NaN where the text is no number, with a note."""
    values = decimals(texts)
    odd = ~texts.str.contains(_WHOLE)
    notes.add_first(odd, lambda row: f"rank is not an integer: {shown(texts[row])}", lines.item, "odd rank")
    notes.add_first(values < 0, lambda row: f"rank is negative: {texts[row]}", lines.item, "negative rank")
    return values.fill_null(np.nan).to_numpy()


def grades(texts: pl.Series, lines: IntArray, notes: NoteBook) -> IntArray:
    """Integer grades; ``1.0`` is read as 1 with a note.

    Raises:
        InputError: A grade is no integer or out of range.
    """
    values = decimals(texts, r"^[+-]?[0-9]+(\.0*)?$")
    for row in values.is_null().arg_true().head(1):
        text = texts[row]
        header = " (looks like a header)" if _TITLE.fullmatch(text) else ""
        reason, fix = f"relevance is not an integer: {shown(text)}{header}", "Give integer grades, 0 for not relevant."
        raise notes.wrong(reason, fix, int(lines[row]))
    for row in (~values.is_between(-MAX_GRADE, MAX_GRADE)).arg_true().head(1):
        fix = f"Grades lie between -{MAX_GRADE} and {MAX_GRADE}; is this another column?"
        raise notes.wrong(f"relevance grade {shown(texts[row])} is out of range", fix, int(lines[row]))
    odd, below = ~texts.str.contains(_WHOLE), "negative relevance treated as 0"
    notes.add_first(odd, lambda row: f"relevance {texts[row]} read as {values[row]:.0f}", lines.item, "rounded grade")
    notes.add_first(values < 0, lambda row: f"{below}: {values[row]:.0f}", lines.item, "negative grade")
    return values.cast(pl.Int64).to_numpy()


def decimals(texts: pl.Series, pattern: str = _DECIMAL) -> pl.Series:
    """(M) the numbers that the texts write, null where they are none of that pattern."""
    number = pl.when(pl.col("text").str.contains(pattern)).then("text").cast(pl.Float64)
    return texts.to_frame("text").select(number).to_series()


def _why_no_score(text: str) -> str:
    if NOT_FINITE.fullmatch(text):
        return f"score is not finite: {shown(text)}"
    if not text.isascii() and any(c.isdigit() for c in text):
        return f"score is not a plain ASCII number: {shown(text)}"
    if _TITLE.fullmatch(text):
        return f'score is not a number: "{text}" (looks like a header)'
    return f"score is not a number: {shown(text)}"


def _score_fix(text: str) -> str:
    if _TITLE.fullmatch(text):
        return "Remove the header line."
    if re.fullmatch(r"[0-9]+,[0-9]+", text):
        return "Write a decimal point, not a comma."
    return "Give finite decimal numbers as scores."


CELLS: dict[str, Callable[[pl.Series, IntArray, NoteBook], Numbers]] = {"rank": ranks, "score": scores, "grade": grades}
"""How the texts of a column of numbers are read: of rows on some lines, whose repairs are noted."""


_CUT = "The file ends in the middle of a line; copy or produce it again."
_FIX: dict[Noun, str] = {
    "run": "Write: query Q0 document rank score tag, separated by blanks, without a header.",
    "qrels": "Write: query 0 document grade, separated by blanks, without a header.",
    "FairTREC run": "Write as many columns on each line as the header has.",
    "MS MARCO run": "Write as many columns on each line as the first has: query document rank [score].",
}


def exact_rows(block: Block, noun: Noun, columns: Sequence[str], notes: NoteBook) -> pl.DataFrame:
    """The rows of a block, every irregularity noted or refused with its line.

    Blank lines and lines that start with ``#`` are skipped; a run may have text behind its columns. Rows end before the
    first line with a wrong number of columns, so that whatever is wrong on an earlier line is said first.

    Raises:
        InputError: A byte that is not UTF-8, a line with a wrong number of columns, or a number that is none.
    """
    texts = lines_in(block, notes.file)
    rows = pl.DataFrame({"line": np.arange(block.line, block.line + len(texts)), "text": texts}).with_columns(
        n=pl.col("text").str.count_matches(r"[^ \t\v\f]+"), comment=pl.col("text").str.starts_with("#")
    )
    _note_lines(rows.filter(n=0), "blank line skipped", notes)
    _note_lines(rows.filter("comment"), "comment line skipped", notes)
    rows = rows.filter((pl.col("n") > 0) & ~pl.col("comment"))
    wrong = rows.filter(pl.col("n") < len(columns) if noun == "run" else pl.col("n") != len(columns)).head(1)
    opens = block.line == 1 and wrong["line"].equals(rows["line"].head(1))
    rows = rows if wrong.is_empty() else rows.filter(pl.col("line") < wrong["line"][0])
    _note_lines(rows.filter(pl.col("n") > len(columns)), "text after column 6 ignored", notes)
    pattern = r"^[ \t\v\f]*" + r"[ \t\v\f]+".join([r"([^ \t\v\f]+)"] * len(columns))
    cells = rows["text"].str.extract_groups(pattern).struct.rename_fields(columns).struct.unnest()
    lines = rows["line"].to_numpy()
    numbers = {name: read(cells[name], lines, notes) for name, read in CELLS.items() if name in columns}
    for line, text, n, _ in wrong.iter_rows():
        is_cut = block.cut and line == block.line + len(texts) - 1 and not opens
        reason = _wrong_count(len(columns), n, text, noun if opens else None)
        raise notes.wrong(reason, _CUT if is_cut else _FIX[noun], line)
    return cells.with_columns(rows["line"], **{name: pl.Series(values) for name, values in numbers.items()})


def _note_lines(rows: pl.DataFrame, message: str, notes: NoteBook) -> None:
    if rows.height:
        notes.add(message, rows["line"][0], count=rows.height)


def _wrong_count(expected: int, n_found: int, line: str, noun: Noun | None) -> str:
    """The reason; with a guess at the format where it is the first line that is wrong."""
    hints = {
        ("run", 4): "this looks like a qrels file",
        ("run", 3): "FairTREC without its header?",
        ("qrels", 6): "this looks like a run file",
        ("qrels", 5): "statAP prels, or an extra column?",
        ("qrels", 3): "BEIR without its header?",
    }
    hint = hints.get((noun or "", n_found), "")
    if n_found == 1 and line.count(",") >= expected - 1:
        hint = "comma separated?"
    elif n_found < expected and line.count("\u00a0") >= expected - n_found:
        hint = "the blanks are non-breaking spaces"
    return f"expected {expected} columns, found {n_found}" + (f" ({hint})" if hint else "")


# Ids that may stand in a table of TREC, and where they stand.

_NOT_FIRST = ("#", "{", "[", "\ufeff")
_BLANKS = re.compile(r"[ \t\n\v\f\r\0]+")
_NOT_PLAIN = r"[ \t\n\v\f\r\x00]|^[^!-~]*$|^[#{\[\u{feff}]"
"""Of ids that need a closer look."""


def refuse_repeated_documents(table: TrecTable, rankings: IntArray | IndexArray, name: str) -> None:
    """Refuse a document that stands twice in a ranking.

    Args:
        table: The rows.
        rankings: Which ranking each row belongs to.
        name: Name of the file.

    Raises:
        InputError: Names the line, and the line where the document stood first.
    """
    docs = table.ids["doc"]
    repeated = first_repeated(pl.DataFrame({"ranking": rankings, "doc": docs.codes}))
    if repeated is None:
        return
    row, first = repeated
    reason = f"duplicate document {table.shown('doc', row)} for query {table.shown('query', row)}"
    reason += f" (first on line {table.line(first)})"
    raise InputError(reason, file=name, line=table.line(row), fix="Keep one line per query and document.")


def note_identifiers(table: TrecTable, notes: NoteBook) -> None:
    """Refuse ids of a TREC table that could not be written again; note odd query ids, document ids and tags."""
    for code, query in enumerate(table.ids["query"].values):
        if query.startswith(_NOT_FIRST):
            fix = "Name the query otherwise: so begin comments, JSON and byte order marks."
            raise notes.wrong(why_unwritable(query, "query id", opens_line=True), fix, table.line_of("query", code))
    for column, what in (("query", "query id"), ("doc", "document id")):
        check_ids(table.ids[column].values, what, lambda code, c=column: table.line_of(c, code), notes)
    queries = tuple(table.ids["query"].values)
    if "all" in queries:
        line = table.line_of("query", queries.index("all"))
        notes.add('query id "all" is the name of the aggregate row in other tools', line)
    if "tag" in table.ids:
        _note_tags(table, notes)


def query_lines(table: TrecTable) -> dict[str, int]:
    """First line of each query."""
    codes, queries = table.ids["query"]
    starts = np.append(np.flatnonzero(codes[1:] != codes[:-1])[::-1] + 1, 0)  # of neighbours, from the last on
    first = np.empty(len(queries), dtype=np.int64)
    first[codes[starts]] = table.lines[starts]  # the last assignment, of the first row, stays
    return dict(zip(queries, first.tolist(), strict=True))


def check_writable(noun: Run | RankingSample | Qrels) -> None:
    """Refuse identifiers that a table separated by blanks cannot hold.

    Raises:
        ValueError: An identifier cannot be written.
    """
    columns = [(noun.query_ids, "query id"), (noun.doc_ids, "document id")]
    columns += [(noun.subtopic_ids, "subtopic")] if isinstance(noun, Qrels) else []
    for values, what in columns:
        for _, reason in unwritable(values, what, opens_line=what == "query id"):
            raise ValueError(reason)


def unwritable(values: Sequence[str], what: str, *, opens_line: bool = False) -> Iterator[tuple[int, str]]:
    """Places of identifiers that cannot stand in a table separated by blanks, and why; see :func:`why_unwritable`."""
    column = Ids.of(values).column
    for index in column.str.contains(_NOT_PLAIN).arg_true():
        if reason := why_unwritable(column[index], what, opens_line=opens_line):
            yield index, reason


def why_unwritable(value: str, what: str, *, opens_line: bool = False) -> str:
    """Why an identifier cannot stand in a table separated by blanks, "" where it can.

    Args:
        value: The identifier.
        what: What it identifies.
        opens_line: Whether it stands first on a line, where some characters mean a comment, JSON or a byte order mark.
    """
    if is_blank(value) or _BLANKS.search(value):
        return f"{what} '{shown(value)}' is blank or holds a blank: it cannot stand in a TREC file"
    if opens_line and value.startswith(_NOT_FIRST):
        return f"{what} '{shown(value)}' cannot stand first on a line of a TREC file"
    return ""


def _note_tags(table: TrecTable, notes: NoteBook) -> None:
    tags = table.ids["tag"].values
    if len(tags) > 1:
        names = ", ".join(shown(tag, 20) for tag in tags[:3]) + (", …" if len(tags) > 3 else "")
        message = f"more than one run tag ({names}): the first names the system"
        notes.add(message, table.line_of("tag", 1))
    for code, tag in enumerate(tags):
        if ("/" in tag.split(";")[0] and not tag.startswith("<")) or "\\" in tag:
            line = table.line_of("tag", code)
            notes.add(f"run tag looks like a path: {shown(tag)}", line, kind="path tag")
        if ";date=" in tag and not date_of_tag(tag):
            message = f"the date of run tag {shown(tag)} is none and is not used: write ;date=2026-03-01"
            notes.add(message, table.line_of("tag", code), kind="date of tag")
    check_ids(tags, "run tag", lambda code: table.line_of("tag", code), notes)


# Run tags, which may say how rankings were drawn.


def tag_of(system: str) -> str:
    """A system's name as a run tag: blanks that end a column become underscores."""
    tag = "_".join(part for part in _BLANKS.split(system) if part)
    return "run" if is_blank(tag) else tag


_POLICY = re.compile(
    r"(?P<system>.+?);policy=(?P<policy>[^;=]+)(;alpha=(?P<alpha>[0-9.eE+-]+))?"
    rf"(;scores=(?P<scores>{'|'.join(SCORE_SCALES)}))?(;offset=(?P<offset>[01]))?"
)


def parse_tag(tag: str) -> dict[str, Any]:
    """What a run tag says of a :class:`RankingSample`: its system, policy, α, score scale and offset.

    The scale of the scores and the offset of the logits stand there where they are not "given" and 1.

    Examples:
        >>> parse_tag("bm25;policy=plackett-luce;alpha=2;scores=ranks")
        {'system': 'bm25', 'policy': 'plackett-luce', 'alpha': 2.0, 'scores': 'ranks'}
        >>> parse_tag("bm25")
        {'system': 'bm25'}
    """
    match = _POLICY.fullmatch(tag)
    if match is None or is_blank(match["system"]) or is_blank(match["policy"]):
        return {"system": tag}
    fields: dict[str, Any] = {name: value for name, value in match.groupdict().items() if value is not None}
    try:
        fields |= {name: float(fields[name]) for name in ("alpha", "offset") if name in fields}
    except ValueError:
        return {"system": tag}
    return fields if math.isfinite(fields.get("alpha", 0.0)) else {"system": tag}


_DATE = re.compile(r"\d{4}(-\d{2}){0,2}")


def date_in(text: str) -> str | None:
    """A year, a month or a day."""
    whole = f"{text}-01-01"[:10]
    try:
        date.fromisoformat(whole)
    except ValueError:
        return None
    return text if _DATE.fullmatch(text) else None


def date_of_tag(tag: str) -> str:
    """The date that a run tag says; empty where it says none.

    Examples:
        >>> date_of_tag("bm25;date=2026-03-01"), date_of_tag("bm25;date=2026-13"), date_of_tag("bm25")
        ('2026-03-01', '', '')
    """
    parts = (part.partition("=") for part in tag.split(";")[1:])
    return next((day for name, _, text in parts if name == "date" and (day := date_in(text))), "")


def format_tag(sample: RankingSample) -> str:
    """The tag that :func:`parse_tag` reads, such as ``bm25;policy=plackett-luce;alpha=2;scores=zscore;offset=0``."""
    if sample.policy is None:
        return tag_of(sample.system)
    alpha = "" if sample.alpha is None else f";alpha={sample.alpha:.17g}"
    scores = "" if sample.scores == "given" else f";scores={sample.scores}"
    offset = "" if sample.offset == 1 else f";offset={sample.offset:g}"
    return f"{tag_of(sample.system)};policy={tag_of(sample.policy)}{alpha}{scores}{offset}"
