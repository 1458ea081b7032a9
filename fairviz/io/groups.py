"""Groups of documents: labels ``[query_id] doc_id group… [weight]`` under a header.

Each column of groups is an attribute, and weights are of every attribute. Weights of an item sum to at most 1; what is
missing to 1 is unlabelled, never a group of its own. A document can also be said to have none ("does not apply"): a
row of zeros.
"""

import csv
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TextIO

import numpy as np
import polars as pl

from fairviz.errors import InputError
from fairviz.io.cells import cells_in, without_comments
from fairviz.io.columns import DOC, GRADE, QUERY, RANK, SCORE, Columns, columns_of_file, read_of
from fairviz.io.json import Head
from fairviz.io.limits import MANY_GROUPS
from fairviz.io.names import BLANKS, check_ids, folded, is_blank, separator_in
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.source import Source, reader
from fairviz.io.text import whole_text
from fairviz.io.trec import NOT_FINITE, decimals
from fairviz.model import GroupLabels, Qrels
from fairviz.model.arrays import distinct_rows, read_once, segment_ids
from fairviz.model.judgements import DOES_NOT_APPLY, WEIGHT_TOLERANCE
from fairviz.numerals import count

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_DOC = (*DOC, "doc", "document", "page_id", "item")
_QUERY = (*QUERY, "query", "topic")
_WEIGHT = ("weight",)
_OF_WORDS = ("text", "title")
_BREAKS = re.compile(r"[\t\n]")
_NO_GROUP = {"", "unknown", "na", "n/a", "nan", "null", "-1", "?"}  # n/a: so programs write what is missing
_NOT_APPLICABLE = {"does not apply", "not applicable", "not_applicable", "not-applicable"}
_FIX = "Write a header such as: doc_id, group (or query_id, doc_id, group, weight), tab-separated."
_NUMBER = re.compile(r"[+-]?[0-9.]+")


def is_group_header(cells: Sequence[str]) -> bool:
    """Whether the first line of a file is the header of labels: documents, a column per attribute, perhaps a weight.

    Examples:
        >>> is_group_header(["qid", "doc_id", "region"]), is_group_header(["doc_id", "region", "size", "weight"])
        (True, True)
        >>> is_group_header(["", "region", "doc_id"]), is_group_header(["doc_id", "text"]), is_group_header(["region"])
        (True, False, False)
    """
    names = [name for name in map(folded, cells) if name]
    at = 1 if names and names[0] in _QUERY else 0
    attributes = [name for name in names[at + 1 :] if name != "weight"]
    if len(names) < at + 2 or names[at] not in _DOC:
        return not {*names}.isdisjoint(DOC) and holds_labels(names)
    if {*attributes} & {*_OF_WORDS} and names[at + 1 :] != [*attributes[:1], "weight"]:  # which groups alone have
        return False
    return len(attributes) < 2 or not any(_NUMBER.fullmatch(name) for name in attributes)


def holds_labels(keys: Iterable[str]) -> bool:
    """Whether records with these keys are labels: they name a document, and what it is besides its words and scores.

    Examples:
        >>> holds_labels({"doc_id", "region"}), holds_labels({"doc_id", "title"}), holds_labels({"doc_id", "score"})
        (True, False, False)
    """
    names = {folded(key) for key in keys}
    others = names.difference(_DOC, _QUERY, _WEIGHT)
    return not names.isdisjoint(_DOC) and bool(others) and others.isdisjoint((*_OF_WORDS, *SCORE, *RANK, *GRADE))


def header_cells(line: str) -> tuple[list[str], str]:
    """The cells of a header line, without quotes, and the character that separates them: tab, comma or blank."""
    separator = separator_in(line)
    try:
        return next(csv.reader([line.strip(" ")], delimiter=separator, skipinitialspace=separator == " ")), separator
    except csv.Error:  # longer than any cell: no header
        return line.split(separator), separator


def _columns(source: Source) -> Columns:
    """The columns of a table of labels.

    Raises:
        InputError: It has no header, or a row of other cells than that.
    """
    if source.is_parquet or Head(source).is_json:
        return columns_of_file(source)
    notes = NoteBook(source.name)
    text = whole_text(source, notes)
    rows, n_above = without_comments(text, NoteBook(source.name))
    above = text.removesuffix(rows)
    if not rows.strip():
        raise source.wrong("no data lines", _FIX)
    first, at = rows.split("\n", 1)[0], n_above + 1
    names, separator = header_cells(first)
    is_headless = _is_weighted_row(names)
    if is_headless:
        notes.add("no header: read as doc_id, group, weight", at)
        rows = separator.join(["doc_id", "group", "weight"]) + "\n" + rows
    elif not is_group_header(names):
        hint = " (semicolon separated?)" if ";" in first else ""
        raise source.wrong(f"expected a header with doc_id and a group column{hint}, found: {shown(first)}", _FIX, at)
    in_quotes = all(len(cell) > 1 and cell[0] == cell[-1] == '"' for cell in first.split(separator))  # as R writes them
    cells = cells_in((above + rows).encode(), notes, quoted_tabs=in_quotes)
    if (fault := cells.fault) is not None:
        fix = fault.fix if separator != " " else "Separate cells by blanks, or by tabs where names hold blanks."
        raise source.wrong(fault.reason, fix, fault.line and fault.line - is_headless)
    table = cells.frame.rename(cells.names).select(pl.all().str.strip_chars(BLANKS))
    return Columns(table, notes, kind="table", lines=cells.lines.to_numpy() - is_headless)


def _is_weighted_row(cells: list[str]) -> bool:
    """Whether a first line is data already: a document, its group and a weight in [0, 1]."""
    try:
        return len(cells) == 3 and 0 <= float(cells[2]) <= 1
    except ValueError:
        return False


# What rows say: groups, weights, and what cannot be true of two rows of an item.


_NONE, _OUTSIDE = -1, -2
"""Codes of rows that name no group: the label is missing, or the attribute does not apply."""
_ODD = {
    "empty label": "empty group label for {doc}: unlabelled",
    "no group": "{label} is no group: {doc} is unlabelled",
    "duplicate row": "duplicate row for {doc}",
}
"""What is noted of rows, by kind."""


def _group(label: str) -> str | int:
    """The group that a label names, without case and blanks, or the code of none."""
    if is_blank(label) or label.lower() in _NO_GROUP:
        return _NONE
    return _OUTSIDE if folded(label) in _NOT_APPLICABLE else folded(label)


def _coded(rows: pl.DataFrame) -> tuple[pl.DataFrame, list[list[str]]]:
    """The rows with the ``code`` of each one's group, and the spellings of each group, as they come."""
    spellings: dict[str | int, list[str]] = {}
    for label in rows["label"].unique(maintain_order=True):
        spellings.setdefault(_group(label), []).append(label)
    named = [group for group in spellings if isinstance(group, str)]
    codes = {_NONE: _NONE, _OUTSIDE: _OUTSIDE} | {group: code for code, group in enumerate(named)}
    code_of = {label: codes[group] for group, labels in spellings.items() for label in labels}
    code = pl.col("label").replace_strict(code_of, return_dtype=pl.Int32)
    return rows.with_columns(code=code), [spellings[group] for group in named]


def _texts(columns: Columns, name: str, *, empty: str | None = None) -> pl.Series:
    """(R) cells as a table of text can hold them: without blanks around them, line feeds the only line ends, no NUL."""
    texts = columns.texts(name, empty=empty).str.replace_all(r"\r\n?", "\n")
    return texts.str.replace_all("\0", "\ufffd", literal=True).str.strip_chars(BLANKS)


def _ids(columns: Columns, name: str | None) -> pl.Series:
    """(R) ids in a column; "" in every row where there is none.

    Raises:
        InputError: One is missing.
    """
    if name is None:
        return pl.Series([""]).new_from_index(0, columns.table.height)
    ids = _texts(columns, name)
    for row in read_once(ids.to_frame(), is_blank, pl.Boolean).arg_true().head(1):
        raise columns.wrong("empty id", row, "Name the document on each row.", name)
    return ids


def _weights(columns: Columns, name: str | None) -> pl.Series:
    """(R) weights, null where a row gives none.

    Raises:
        InputError: One is no finite number >= 0.
    """
    if name is None:
        return pl.Series([None], dtype=pl.Float64).new_from_index(0, columns.table.height)
    texts = _texts(columns, name, empty="")
    weights = decimals(texts)
    for row in ((texts != "") & ~(weights.is_finite() & (weights >= 0)).fill_null(value=False)).arg_true().head(1):
        is_finite = NOT_FINITE.fullmatch(texts[row]) is None and weights[row] != math.inf
        what = "not finite" if not is_finite else "not a number" if weights[row] is None else "negative"
        reason = f"group weight is {what}: {shown(texts[row])}"
        raise columns.wrong(reason, row, "Give weights between 0 and 1.", name)
    return weights


def _distinct(rows: pl.DataFrame, names: Sequence[str], notes: NoteBook, *, may_split: bool) -> pl.DataFrame:
    """The rows of each item without repeated ones, which are noted, as are labels that name no group.

    Args:
        rows: With the code of each group.
        names: Of the groups, for messages.
        notes: Where repeated rows are noted.
        may_split: Whether two unweighted labels mean an equal part of each.

    Raises:
        InputError: A row contradicts the one of its group, or the first one of its item.
    """
    is_first = pl.struct("item", "code", "weight").is_first_distinct()
    distinct, repeated = rows.filter(is_first), rows.filter(~is_first)
    first = pl.col("code", "weight").first().over("item").name.prefix("first_")
    distinct = distinct.with_columns(
        first, again=~pl.struct("item", "code").is_first_distinct(), later=~pl.col("item").is_first_distinct()
    ).with_columns(no_part=~pl.col("again") & ((pl.col("code") == _OUTSIDE) | (pl.col("first_code") == _OUTSIDE)))
    alone = pl.any_horizontal(pl.col("weight", "first_weight").is_null()) & pl.lit(not may_split)
    wrong = distinct.filter("later", pl.col("again") | pl.col("no_part") | alone)
    for row in wrong.head(1).iter_rows(named=True):
        own = [pl.col(name) == row[name] for name in ("item", *(["code"] if row["again"] else []))]
        before = distinct.filter(own).row(0, named=True)
        called = {_NONE: "no group", _OUTSIDE: DOES_NOT_APPLY} | {code: shown(name) for code, name in enumerate(names)}
        what = "weights" if row["again"] else "group labels"
        both = f"{called[before['code']]} (line {before['line']}), {called[row['code']]}"
        fix = "Keep one." if row["no_part"] else "Keep one, give weights, or read with labels=split."
        raise notes.wrong(f"{shown(row['doc'])} has two {what}: {both}", fix, row["line"])
    unlabelled = rows.filter(code=_NONE)
    empty = read_once(unlabelled.select("label"), is_blank, pl.Boolean)
    kind = pl.when(empty).then(pl.lit("empty label")).otherwise(pl.lit("no group"))
    odd = pl.concat([unlabelled.with_columns(kind=kind), repeated.with_columns(kind=pl.lit("duplicate row"))])
    kinds = odd.sort("line", maintain_order=True).group_by("kind", maintain_order=True)
    for name, label, doc, line, n in kinds.agg(pl.col("label", "doc", "line").first(), pl.len()).iter_rows():
        notes.add(_ODD[name].format(label=shown(label), doc=shown(doc)), line, kind=name, count=n)
    return distinct


def _shares(rows: pl.DataFrame, notes: NoteBook) -> pl.DataFrame:
    """The rows with their part of the item, labels without weights sharing 1.

    Raises:
        InputError: The weights of an item sum to more than 1, or to 0.
    """
    rows = rows.with_columns(weight=pl.col("weight").fill_null(1 / pl.len().over("item")))
    of_item = pl.col("doc", "code").first(), pl.col("weight").sum(), pl.col("line").last()
    items = rows.group_by("item", maintain_order=True).agg(*of_item)
    total = pl.col("weight")
    for row in items.filter((total > 1 + WEIGHT_TOLERANCE) | (total == 0)).head(1).iter_rows(named=True):
        percent = " (percentages?)" if abs(row["weight"] - 100) <= 100 * WEIGHT_TOLERANCE else ""
        reason = f"group weights of {shown(row['doc'])} sum to {row['weight']:g}, expected 1{percent}"
        fix = "Make the weights of a document sum to 1; less leaves the rest unlabelled."
        raise notes.wrong(reason, fix, row["line"])
    below = items.filter(pl.col("code") != _OUTSIDE, total < 1 - WEIGHT_TOLERANCE)
    for row in below.head(1).iter_rows(named=True):
        message = f"group weights of {shown(row['doc'])} sum to {row['weight']:g}: the rest is unlabelled"
        notes.add(message, row["line"], kind="weights below 1", count=len(below))
    return rows


def _matrix(rows: pl.DataFrame, n_groups: int) -> tuple["csr_array", pl.DataFrame]:
    """Weights of items by group, of rows with ``item``, ``group`` and ``weight``; and the first row of each item.

    A row without a group makes an item of zeros.
    """
    from scipy.sparse import csr_array

    rows = rows.sort("item", maintain_order=True)
    items, parts = rows.unique("item", keep="first", maintain_order=True), rows.filter(pl.col("group") >= 0)
    sizes = rows.group_by("item", maintain_order=True).agg((pl.col("group") >= 0).sum())["group"]
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    cells = parts["weight"].to_numpy(), parts["group"].cast(pl.Int32).to_numpy(), offsets
    return csr_array(cells, shape=(len(items), n_groups)), items


@reader
def read_groups(source: Source, *, labels: Literal["one", "split"] = "one") -> Parsed[GroupLabels]:
    """Read the groups of documents by one attribute or several.

    Args:
        source: A path or ``(name, bytes)``, plain or gzip'ed: a table with a header (TSV, CSV, JSON Lines, Parquet).
            In CSV and TSV documents stand first, or after queries, and a column ``group`` is called as the file is.
        labels: What two unweighted labels of an item mean: "one" refuses them, "split" gives each
            an equal part.

    Returns:
        The labels of the first attribute, those of others in ``more``, with notes; ``lines`` holds the first line of
        each group.

    Raises:
        InputError: The file cannot be read, weights of an item are negative or sum to more than 1
            or to 0, or an item has two labels.
    """
    columns = _columns(source)
    return labels_of_columns(columns, name=source.stem if columns.kind == "table" else "", labels=labels)


def labels_of_columns(
    columns: Columns, *, name: str = "", labels: Literal["one", "split"] = "one"
) -> Parsed[GroupLabels]:
    """The group labels that a table holds.

    Columns: doc_id (docno), a column of groups for each attribute, whose name is that of the attribute, and any of
    weight, query_id. A missing label is none.

    Args:
        columns: The table.
        name: Name of the attribute whose column is called ``group``.
        labels: What two unweighted labels of a document mean: "one" refuses them.

    Returns:
        The labels of the first attribute; those of others in ``more``.

    Raises:
        InputError: A column is missing, columns hold the weights of a group each, or labels of a document
            contradict each other.
    """
    doc, query, weight = columns.need(_DOC, "documents"), columns.find(_QUERY), columns.find(_WEIGHT)
    others = [column for column in columns.table.columns if column not in (doc, query, weight)]
    attributes = [column for column in others if not is_blank(column)]
    header = None if columns.lines is None else 1
    if not attributes:
        names = "\t".join(columns.table.columns)
        raise columns.notes.wrong(f"no column of groups, found: {shown(names)}", _FIX, header)
    if len(attributes) < len(others):
        columns.notes.add("a column without a name is not read", header)
    if weight is None:
        _refuse_column_per_group(columns, attributes, header)
    cells = {"line": columns.rows, "query": _ids(columns, query), "doc": _ids(columns, doc)}
    rows = pl.DataFrame(cells | {"weight": _weights(columns, weight)})
    rows = rows.with_columns(item=distinct_rows(rows.select("query", "doc"))[0])
    check_ids(tuple(rows["doc"].unique(maintain_order=True)), "document id", lambda _: None, columns.notes)
    read: list[Parsed[GroupLabels]] = []
    for column in attributes:
        called = name if name and folded(column) == "group" else " ".join(column.replace("\0", "\ufffd").split())
        prefix = f"{shown(called)}: " if len(attributes) > 1 else ""
        notes = NoteBook(columns.file)
        try:
            with columns.named():
                of_column = rows.with_columns(label=_group_names(columns, column))
                parsed = _labels(of_column, called, notes, header, query is not None, may_split=labels == "split")
        except InputError as error:
            raise InputError(prefix + error.reason, file=error.file, line=error.line, fix=error.fix) from error
        noted = tuple(replace(note, message=prefix + note.message) for note in parsed.notes)
        before = () if read else columns.notes.collected
        weighted = ", weighted" if weight is not None else ""
        parsed = replace(parsed, notes=(*before, *noted), format=f"group table{weighted}: {parsed.format}")
        read.append(read_of(columns, parsed))
    return replace(read[0], more=tuple(read[1:]))


def _refuse_column_per_group(columns: Columns, attributes: Sequence[str], header: int | None) -> None:
    """Refuse columns that hold the weights of a group each: read as labels they would be attributes of numbers.

    Raises:
        InputError: There are several, and their numbers sum to 1 in every row.
    """
    total = pl.zeros(columns.table.height, eager=True)
    for column in attributes:
        weights = decimals(_texts(columns, column, empty="").replace("", "0"))
        if not weights.is_between(0, 1).fill_null(value=False).all():
            return
        total += weights
    if len(attributes) > 1 and ((total - 1).abs() <= WEIGHT_TOLERANCE).all():
        named = ", ".join(shown(column, 30) for column in attributes[:3]) + (", …" if len(attributes) > 3 else "")
        reason = f"columns {named} hold weights, which sum to 1 in every row, and no labels"
        raise columns.notes.wrong(reason, "Write a row for each weight: doc_id, group, weight.", header)


def _group_names(columns: Columns, column: str) -> pl.Series:
    """(R) the label of each row.

    Raises:
        InputError: A cell of JSON is a list or an object.
    """
    names = _texts(columns, column, empty="")
    if columns.kind == "JSON":
        for row in names.str.contains(r"^[\[{]").arg_true().head(1):
            fix = "Write a row for each label, or weights."
            raise columns.wrong(f"{shown(column)} must hold one label, found {shown(names[row])}", row, fix)
    return names


def _labels(
    rows: pl.DataFrame, attribute: str, notes: NoteBook, header: int | None, per_query: bool, *, may_split: bool
) -> Parsed[GroupLabels]:
    """The labels of an attribute, in words their groups.

    Args:
        rows: Line, item, query, document, label and weight of each.
        attribute: What the labels are of.
        notes: Of the attribute.
        header: The line of the header, where there is one.
        per_query: Whether labels differ by query.
        may_split: Whether two unweighted labels mean an equal part of each.

    Raises:
        InputError: Labels of an item contradict each other, or none has one.
    """
    rows, spellings = _coded(rows)
    first_names = [first for first, *_ in spellings]
    distinct = _distinct(rows, first_names, notes, may_split=may_split)
    lines: dict[str, int] = dict(rows.group_by("label").agg(pl.col("line").first()).iter_rows())
    for spelt in spellings:
        if len(spelt) > 1:
            listed = ", ".join(shown(name) for name in spelt[:5])
            notes.add(f"labels differ only by case or space: {listed}: read as one", lines[spelt[1]])
    rows = _shares(distinct, notes)
    rows = rows.filter((pl.col("code") == _OUTSIDE) | ((pl.col("code") != _NONE) & (pl.col("weight") > 0)))
    used: list[int] = rows.filter(pl.col("code") >= 0)["code"].unique().sort().to_list()
    if not used:
        raise notes.wrong("no document has a group label", "Name the group of each document that has one.", header)
    for code, name in enumerate(first_names):
        if code not in used:
            notes.add(f"no document has a weight above 0 in {shown(name)}: left out", lines[name], kind="no member")
    names = tuple(first_names[code] for code in used)
    if len(names) == 1:
        notes.add("only one group: disparity is 0 by construction")
    elif len(names) > MANY_GROUPS:
        notes.add(f"{len(names)} groups (a continuous attribute?)")
    index = pl.col("code").replace_strict(used, range(len(used)), default=_NONE)
    weights, items = _matrix(rows.with_columns(group=index), len(used))
    value = GroupLabels(
        attribute=attribute,
        groups=names,
        doc_ids=tuple(items["doc"]),
        weights=weights,
        query_ids=tuple(items["query"]) if per_query else None,
    )
    label = f"{len(names)} {'group' if len(names) == 1 else 'groups'} of {shown(attribute)}"
    outside = int(value.not_applicable.sum())
    if outside:
        label += f", which {DOES_NOT_APPLY} to {count(outside)} {'document' if outside == 1 else 'documents'}"
    return notes.parsed(value, label, {name: lines[name] for name in first_names})


def labels_from_qrels(qrels: Qrels) -> GroupLabels:
    """Subtopics as groups ("subtopic"), per query: a document belongs to the subtopics it is relevant to.

    A document that is relevant to several belongs to each with an equal part. A subtopic that
    nothing is relevant to (the ``0`` of rows that say "not relevant") is no group.

    Args:
        qrels: Judgements with subtopics.

    Raises:
        InputError: The judgements carry no subtopics.
    """
    if qrels.subtopics is None:
        reason = "column 2 holds no subtopics: no document repeats with another value there"
        fix = "Read the file with subtopics, or give a group table."
        raise InputError(reason, file=qrels.name, fix=fix)
    rows = pl.DataFrame({"query": segment_ids(qrels.offsets), "doc": qrels.docs, "group": qrels.subtopics})
    rows = rows.filter(qrels.grades > 0).unique(maintain_order=True)
    used: list[int] = rows["group"].unique().sort().to_list()
    index = pl.col("group").replace_strict(used, range(len(used)))
    rows = rows.with_columns(item=distinct_rows(rows.select("query", "doc"))[0])
    weights, items = _matrix(rows.with_columns(group=index, weight=1 / pl.len().over("item")), len(used))
    docs: list[int] = items["doc"].to_list()
    queries: list[int] = items["query"].to_list()
    return GroupLabels(
        attribute="subtopic",
        groups=tuple(qrels.subtopic_ids[group] for group in used),
        doc_ids=tuple(qrels.doc_ids[doc] for doc in docs),
        weights=weights,
        query_ids=tuple(qrels.query_ids[query] for query in queries),
    )


def write_groups(labels: GroupLabels, to: TextIO) -> None:
    """Write group labels with weights; :func:`read_groups` gives them back.

    They are a table with tabs; with commas and quotes where a name holds a tab or a line end.

    Args:
        labels: The labels.
        to: An open text file.

    Raises:
        ValueError: A name that would be read as another one, or as none: it is empty, begins or
            ends in a blank, holds a carriage return or NUL, means "no group", or is a group's that
            differs from another one only by case or blanks.
    """
    names = (*labels.groups, *labels.doc_ids, *(labels.query_ids or ()))
    _check_writable(labels, names)
    if any(_BREAKS.search(name) for name in names):
        table = csv.writer(to, lineterminator="\n")
    else:
        table = csv.writer(to, delimiter="\t", quoting=csv.QUOTE_NONE, quotechar=None, lineterminator="\n")
    rows = labels.to_polars()
    table.writerow(rows.columns)
    table.writerows(rows.iter_rows())


def _check_writable(labels: GroupLabels, names: Iterable[str]) -> None:
    for name in (labels.attribute, *names):
        if is_blank(name) or name != name.strip() or "\r" in name or "\0" in name:
            raise ValueError(f"'{shown(name)}' cannot stand in a table")
    squeezed = " ".join(labels.attribute.split())  # as headers are read
    if labels.attribute != squeezed or folded(squeezed) in ("query_id", "doc_id", "weight"):
        raise ValueError(f"'{shown(labels.attribute)}' cannot stand in the header of a table")
    if len({folded(group) for group in labels.groups}) < len(labels.groups):
        raise ValueError("two groups differ only by case or blanks: they would be read as one")
    for group in labels.groups:
        if not isinstance(_group(group), str):
            raise ValueError(f"'{shown(group)}' would be read as no group")
