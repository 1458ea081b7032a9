"""Groups of documents: labels ``[query_id] doc_id group [weight]`` under a header, and target shares of the groups.

One file describes one attribute. Weights of an item sum to at most 1; what is missing to 1 is
unlabelled, never a group of its own. A document can also be said to have none ("does not apply"): a row of zeros.
"""

import csv
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, NamedTuple, TextIO, cast

import numpy as np
import polars as pl

from fairviz.errors import InputError
from fairviz.io.cells import csv_rows
from fairviz.io.columns import DOC, QUERY, Columns, by_place, columns_of_file, in_rows
from fairviz.io.json import Json, json_object, json_type, wrong_in
from fairviz.io.limits import MANY_GROUPS
from fairviz.io.names import check_ids, folded, is_blank, refuse_repeated
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.source import Source, is_parquet, reader
from fairviz.io.text import whole_text
from fairviz.model import GroupLabels, Qrels, Target
from fairviz.model.arrays import alike, read_once, segment_ids
from fairviz.model.judgements import WEIGHT_TOLERANCE
from fairviz.numerals import count, plural

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_DOC = {"doc_id", "docid", "docno", "doc", "document", "document_id", "page_id", "item", "item_id"}
_QUERY = {"query_id", "qid", "query", "topic", "topic_id"}
BLANK = " "
SEPARATORS = {"\t": "tabs", ",": "commas", BLANK: "blanks, or by tabs where names hold blanks"}
DOES_NOT_APPLY = "does not apply"
"""How a table says that a document has no group of the attribute, as it is written."""
_BREAKS = re.compile(r"[\t\n]")
_NO_GROUP = {"", "unknown", "na", "n/a", "nan", "null", "-1", "?"}  # n/a: so programs write what is missing
_NOT_APPLICABLE = {"does not apply", "not applicable", "not_applicable", "not-applicable"}
_FIX = "Write a header such as: doc_id, group (or query_id, doc_id, group, weight), tab-separated."


def means_no_group(label: str) -> bool:
    """Whether a label says that there is none: ``Unknown``, ``NA``, ``-1``."""
    return label.lower() in _NO_GROUP


def does_not_apply(label: str) -> bool:
    """Whether a label says that the attribute does not apply to the document: it is not missing, there is none."""
    return folded(label) in _NOT_APPLICABLE


def is_group_header(cells: list[str]) -> bool:
    """Whether the first line of a file is the header of a group table."""
    names = [folded(cell) for cell in cells]
    at = 1 if names and names[0] in _QUERY else 0
    if len(names) == at + 3 and names[-1] != "weight":
        return False
    return at + 2 <= len(names) <= at + 3 and names[at] in _DOC


def is_wide_group_header(cells: list[str]) -> bool:
    """Whether the first line of a file is the header of labels by several attributes, a column each."""
    names = [folded(cell) for cell in cells]
    return len(names) > 2 and names[0] in _DOC and not {"text", "title", "weight"} & set(names)


def header_cells(line: str) -> tuple[list[str], str]:
    """The cells of a header line and the character that separates them: tab, comma or blank."""
    separator = next((character for character in "\t," if character in line), BLANK)
    return (line.split() if separator == BLANK else line.split(separator)), separator


class _Header(NamedTuple):
    """The attribute's name, which optional columns there are, what separates the cells, and whether it is a line."""

    attribute: str
    per_query: bool
    weighted: bool
    separator: str
    stands: bool = True


def _header(text: str, notes: NoteBook) -> _Header:
    """What the first line says.

    Raises:
        InputError: It is no header.
    """
    first = text.split("\n", 1)[0]
    cells, separator = header_cells(first)
    if separator == BLANK:
        notes.add("columns are separated by blanks, not by tabs", 1)
    if _is_weighted_row(cells):
        notes.add("no header: read as doc_id, group, weight", 1)
        return _Header("group", per_query=False, weighted=True, separator=separator, stands=False)
    if not is_group_header(cells):
        hint = " (semicolon separated?)" if ";" in first else ""
        reason = f"expected a header with doc_id and a group column{hint}, found: {shown(first)}"
        raise InputError(reason, file=notes.file, line=1, fix=_FIX)
    names = [cell.strip() for cell in cells]
    refuse_repeated(names, "column", file=notes.file, line=1)
    per_query = names[0].lower() in _QUERY
    attribute = names[1 + per_query]
    if is_blank(attribute) or folded(attribute) == "weight":
        reason = f"no column of groups, found: {shown(first)}"
        raise InputError(reason, file=notes.file, line=1, fix=_FIX)
    return _Header(attribute, per_query, len(names) == 3 + per_query, separator)


def _is_weighted_row(cells: list[str]) -> bool:
    """Whether a first line is data already: a document, its group and a weight in [0, 1]."""
    try:
        return len(cells) == 3 and 0 <= float(cells[2]) <= 1
    except ValueError:
        return False


def _rows(text: str, header: _Header, notes: NoteBook) -> tuple[pl.DataFrame, InputError | None]:
    """The rows to the first that is at fault, without blanks around cells, and what is wrong with that one.

    At fault is one with other columns than the header, without an id, or with a weight that is none. Without a column
    of queries these are "".
    """
    quoted, fix = header.separator == ",", "Quote cells as CSV."
    n_cells = 2 + header.per_query + header.weighted
    rows: list[tuple[int, str, str, str, float | None]] = []
    fault = None
    try:
        for line, cells in csv_rows(text, header.separator, notes.file, quoted=quoted, fix=fix):
            if header.stands and line == 1:
                continue
            if header.separator == BLANK:
                cells = [cell for cell in cells if cell]
            cells = [cell.strip() for cell in cells]
            if not any(cells):
                notes.add("blank line skipped", line)
                continue
            if len(cells) != n_cells:
                reason = f"{plural(len(cells), 'cell')}, header has {n_cells}"
                fix = f"Separate {plural(n_cells, 'cell')} by {SEPARATORS[header.separator]}."
                raise InputError(reason, file=notes.file, line=line, fix=fix)
            if any(map(is_blank, cells[: 1 + header.per_query])):
                raise InputError("empty id", file=notes.file, line=line, fix="Name the document on each row.")
            weight = _weight(cells[-1], line, notes.file) if header.weighted else None
            doc, label = cells[header.per_query : header.per_query + 2]
            rows.append((line, cells[0] if header.per_query else "", doc, label, weight))
    except InputError as error:
        fault = error
    schema = {"line": pl.Int64, **dict.fromkeys(("query", "doc", "label"), pl.String), "weight": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row"), fault


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
    if is_blank(label) or means_no_group(label):
        return _NONE
    return _OUTSIDE if does_not_apply(label) else folded(label)


def _coded(rows: pl.DataFrame) -> tuple[pl.DataFrame, list[list[str]]]:
    """The rows with the ``code`` of each one's group, and the spellings of each group, as they come."""
    spellings: dict[str | int, list[str]] = {}
    for label in rows["label"].unique(maintain_order=True):
        spellings.setdefault(_group(label), []).append(label)
    named = [group for group in spellings if isinstance(group, str)]
    codes = {_NONE: _NONE, _OUTSIDE: _OUTSIDE} | {group: code for code, group in enumerate(named)}

    def code_of(label: str) -> int:
        return codes[_group(label)]

    code = read_once(rows.select("label"), code_of, pl.Int32)
    return rows.with_columns(code=code), [spellings[group] for group in named]


def _weight(text: str, line: int, file: str) -> float | None:
    """The weight that a cell gives, None where it gives none.

    Raises:
        InputError: It is no finite number >= 0.
    """
    if not text:
        return None
    try:
        weight = float(text) if text.isascii() and "_" not in text else None
    except ValueError:
        weight = None
    if weight is not None and 0 <= weight < math.inf:
        return weight
    what = "not a number" if weight is None else "negative" if -math.inf < weight < 0 else "not finite"
    reason = f"group weight is {what}: {shown(text)}"
    raise InputError(reason, file=file, line=line, fix="Give weights between 0 and 1.")


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
        first,
        again=~pl.struct("item", "code").is_first_distinct(),
        later=~pl.col("item").is_first_distinct(),
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
        raise InputError(f"{shown(row['doc'])} has two {what}: {both}", file=notes.file, line=row["line"], fix=fix)
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
    items = rows.group_by("item", maintain_order=True).agg(
        pl.col("doc", "code").first(), pl.col("weight").sum(), pl.col("line").last()
    )
    total = pl.col("weight")
    for row in items.filter((total > 1 + WEIGHT_TOLERANCE) | (total == 0)).head(1).iter_rows(named=True):
        percent = " (percentages?)" if abs(row["weight"] - 100) <= 100 * WEIGHT_TOLERANCE else ""
        raise InputError(
            f"group weights of {shown(row['doc'])} sum to {row['weight']:g}, expected 1{percent}",
            file=notes.file,
            line=row["line"],
            fix="Make the weights of a document sum to 1; less leaves the rest unlabelled.",
        )
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
    matrix = csr_array(
        (parts["weight"].to_numpy(), parts["group"].cast(pl.Int32).to_numpy(), offsets), shape=(len(items), n_groups)
    )
    return matrix, items


@reader
def read_groups(source: Source, *, labels: Literal["one", "split"] = "one") -> Parsed[GroupLabels]:
    """Read the groups of documents.

    Args:
        source: A path or ``(name, bytes)``, TSV or CSV, plain or gzip'ed.
        labels: What two unweighted labels of an item mean: "one" refuses them, "split" gives each
            an equal part.

    Returns:
        The labels with notes; ``lines`` holds the first line of each group.

    Raises:
        InputError: The file cannot be read, weights of an item are negative or sum to more than 1
            or to 0, or an item has two labels.
    """
    if is_parquet(source):
        return labels_of_columns(columns_of_file(source), labels=labels)
    notes = NoteBook(source.name)
    text = whole_text(source, notes)
    if not text.strip():
        raise InputError("no data lines", file=source.name, fix=_FIX)
    header = _header(text, notes)
    rows, fault = _rows(text, header, notes)
    rows, spellings = _coded(rows.with_columns(item=alike(rows.select("query", "doc"))[0]))
    docs = rows["doc"].unique(maintain_order=True)
    first_names = [first for first, *_ in spellings]
    distinct = _distinct(rows, first_names, notes, may_split=labels == "split")
    if fault is not None:
        raise fault
    if rows.is_empty():
        raise InputError("no data rows", file=source.name, line=1, fix="The header stands alone.")
    lines = dict(rows.group_by("label").agg(pl.col("line").first()).iter_rows())
    for spelt in spellings:
        if len(spelt) > 1:
            listed = ", ".join(shown(name) for name in spelt[:5])
            notes.add(f"labels differ only by case or space: {listed}: read as one", lines[spelt[1]])
    rows = _shares(distinct, notes)
    rows = rows.filter((pl.col("code") == _OUTSIDE) | ((pl.col("code") != _NONE) & (pl.col("weight") > 0)))
    used: list[int] = rows.filter(pl.col("code") >= 0)["code"].unique().sort().to_list()
    if not used:
        reason = "no document has a group label"
        raise InputError(reason, file=source.name, line=1, fix="Name the group of each document that has one.")
    for code, name in enumerate(first_names):
        if code not in used:
            notes.add(f"no document has a weight above 0 in {shown(name)}: left out", lines[name], kind="no member")
    names = tuple(first_names[code] for code in used)
    if len(names) == 1:
        notes.add("only one group: disparity is 0 by construction")
    elif len(names) > MANY_GROUPS:
        notes.add(f"{len(names)} groups (a continuous attribute?)")
    check_ids(tuple(docs), "document id", lambda _: None, notes)
    named = header.attribute if header.attribute.lower() != "group" else source.stem
    place = pl.col("code").replace_strict(used, range(len(used)), default=_NONE)
    weights, items = _matrix(rows.with_columns(group=place), len(used))
    value = GroupLabels(
        attribute=named,
        groups=names,
        doc_ids=tuple(items["doc"]),
        weights=weights,
        query_ids=tuple(items["query"]) if header.per_query else None,
    )
    kind = "group table" + (", weighted" if header.weighted else "")
    label_text = f"{kind}: {len(names)} {'group' if len(names) == 1 else 'groups'} of {shown(named)}"
    outside = int(value.not_applicable.sum())
    if outside:
        label_text += f", which {DOES_NOT_APPLY} to {count(outside)} {'document' if outside == 1 else 'documents'}"
    return notes.parsed(value, label_text, {name: lines[name] for name in first_names})


def labels_of_columns(
    columns: Columns, *, name: str = "", labels: Literal["one", "split"] = "one"
) -> Parsed[GroupLabels]:
    """The group labels that a table holds.

    Columns: doc_id (docno), one column of groups, whose name is that of the attribute, and any of weight, query_id. A
    missing label is none.

    Args:
        columns: The table.
        name: Name of the attribute; without, that of the column.
        labels: What two unweighted labels of a document mean: "one" refuses them.

    Raises:
        InputError: A column is missing, or labels of a document contradict each other.
    """
    doc, query, weight = columns.need(DOC, "documents"), columns.find(QUERY), columns.find(("weight",))
    group = columns.find((*([folded(name)] if name else []), "group"))
    others = [column for column in columns.table.columns if column not in (doc, query, weight)]
    if group is None and len(others) != 1:
        reason = f"which column holds the groups? It has: {', '.join(map(shown, others)) or 'none'}"
        fix = "Name it group, or give doc_id and one other column."
        raise InputError(reason, file=columns.file, fix=fix)
    group = group or others[0]
    wanted = [column for column in (query, doc, group, weight) if column is not None]
    with by_place(columns.file, columns.place):
        texts = [columns.texts(column, empty="" if column == group else None).to_list() for column in wanted]
    header = [*([QUERY[0]] if query else []), DOC[0], name or group, *(["weight"] if weight else [])]
    lines = ("\t".join(row) for row in zip(*texts, strict=True))
    source = Source(columns.file, None, "\n".join(["\t".join(header), *lines, ""]).encode())
    with by_place(columns.file, columns.place, first=2):
        parsed = in_rows(read_groups(source, labels=labels), columns.place, first=2)
    return replace(parsed, value=replace(parsed.value, attribute=name or group))


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
    place = pl.col("group").replace_strict(used, range(len(used)))
    rows = rows.with_columns(item=alike(rows.select("query", "doc"))[0])
    weights, items = _matrix(rows.with_columns(group=place, weight=1 / pl.len().over("item")), len(used))
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
    from scipy.sparse import csr_array

    names = (*labels.groups, *labels.doc_ids, *(labels.query_ids or ()))
    _check_writable(labels, names)
    separator = "," if any(_BREAKS.search(name) for name in names) else "\t"
    if separator == ",":
        if re.search('[,"]', labels.attribute):
            raise ValueError(f"'{shown(labels.attribute)}' cannot stand in a header with commas")
        table = csv.writer(to, lineterminator="\n")
    else:
        table = csv.writer(to, delimiter="\t", quoting=csv.QUOTE_NONE, quotechar=None, lineterminator="\n")
    header = (*(() if labels.query_ids is None else ("query_id",)), "doc_id", labels.attribute, "weight")
    to.write(separator.join(header) + "\n")
    rows, outside = csr_array(labels.weights), labels.not_applicable
    for row, doc in enumerate(labels.doc_ids):
        item = (doc,) if labels.query_ids is None else (labels.query_ids[row], doc)
        if outside[row]:
            table.writerow((*item, DOES_NOT_APPLY, "1"))
        for at in range(int(rows.indptr[row]), int(rows.indptr[row + 1])):
            table.writerow((*item, labels.groups[int(rows.indices[at])], repr(float(rows.data[at]))))


def _check_writable(labels: GroupLabels, names: Iterable[str]) -> None:
    for name in (labels.attribute, *names):
        if is_blank(name) or name != name.strip() or "\r" in name or "\0" in name:
            raise ValueError(f"'{shown(name)}' cannot stand in a table")
    if _BREAKS.search(labels.attribute) or folded(labels.attribute) in ("query_id", "doc_id", "weight"):
        raise ValueError(f"'{shown(labels.attribute)}' cannot stand in the header of a table")
    if len({folded(group) for group in labels.groups}) < len(labels.groups):
        raise ValueError("two groups differ only by case or blanks: they would be read as one")
    for group in labels.groups:
        if means_no_group(group):
            raise ValueError(f"'{shown(group)}' would be read as no group")
        if does_not_apply(group):
            raise ValueError(f"'{shown(group)}' would be read as: the attribute does not apply")


# Target shares of attention: one JSON object ``{group: share}``, or one of these per query.


FORM = 'Write {"group": share, …} with shares that sum to 1, or {"query": {"group": share, …}, …}.'


@reader
def read_target(source: Source) -> Parsed[Target]:
    """Read target shares.

    Args:
        source: A path or ``(name, bytes)``, plain or gzip'ed. Values that are objects make it a
            target per query; a group that a query does not name has the share 0 there.

    Raises:
        InputError: Not an object of shares >= 0 that sum to 1.
    """
    notes = NoteBook(source.name)
    content, text = json_object(source, notes, what="group -> share", fix=FORM)
    if not content:
        raise InputError("expected group -> share, found an empty object", file=source.name, line=1, fix=FORM)
    wrong = wrong_in(text, source.name)
    per_query = all(isinstance(value, dict) for value in content.values())
    targets = cast("dict[str | None, dict[str, Json]]", content if per_query else {None: content})
    spellings: dict[str, str] = {}
    rows = {query: _target_shares(shares, query, spellings, wrong) for query, shares in targets.items()}
    groups = tuple(dict.fromkeys(group for row in rows.values() for group in row))
    table = np.array([[row.get(group, 0.0) for group in groups] for row in rows.values()])
    queries = tuple(query for query in rows if query is not None)
    target = Target(groups=groups, shares=table if per_query else table[0], query_ids=queries if per_query else None)
    label = f"target for {plural(len(groups), 'group')}"
    return notes.parsed(target, f"{label} in {plural(len(rows), 'query', 'queries')}" if per_query else label)


def _target_shares(
    content: Mapping[str, object], query: str | None, spellings: dict[str, str], wrong: Callable[..., InputError]
) -> dict[str, float]:
    """Shares of one target; ``spellings`` are of the groups met so far, ``wrong`` makes the error of a name."""
    at, where = ((), "") if query is None else ((query,), f" for query {shown(query)}")
    if query is not None and is_blank(query):
        raise wrong(f"query id is blank: '{shown(query)}'", "Name the query.", *at)
    if not content:
        raise wrong(f"no shares{where}", FORM, *at)
    shares: dict[str, float] = {}
    for group, share in content.items():
        same = spellings.setdefault(folded(group), group)
        if same != group:
            reason = f"duplicate group {shown(group)}{where}: case and blanks do not tell it from {shown(same)}"
            raise wrong(reason, "Name each group once.", *at, group)
        if is_blank(group):
            raise wrong(f"the name of a group{where} is blank: '{shown(group)}'", "Name the group.", *at, group)
        if isinstance(share, bool) or not isinstance(share, int | float):
            reason = f"target share of {shown(group)}{where} is no number but {json_type(share)}"
            raise wrong(reason, "Give shares as numbers.", *at, group)
        if share < 0:
            reason = f"target share of {shown(group)}{where} is negative: {share:g}"
            raise wrong(reason, "Give shares >= 0.", *at, group)
        shares[group] = float(share)
    total = sum(shares.values())
    if abs(total - 1) > WEIGHT_TOLERANCE:
        percent = abs(total - 100) <= 100 * WEIGHT_TOLERANCE
        reason = f"target shares{where} sum to {total:g}{' (percentages?)' if percent else ''}"
        raise wrong(reason, "Divide by 100." if percent else "Make the shares sum to 1.", *at, next(iter(content)))
    return shares


def write_target(target: Target, to: TextIO) -> None:
    """Write target shares as one JSON object.

    Args:
        target: The shares.
        to: An open text file.
    """
    rows = [dict(zip(target.groups, row, strict=True)) for row in np.atleast_2d(target.shares).tolist()]
    whole = rows[0] if target.query_ids is None else dict(zip(target.query_ids, rows, strict=True))
    to.write(json.dumps(whole, ensure_ascii=False) + "\n")
