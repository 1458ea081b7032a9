"""Group labels of documents: ``[query_id] doc_id group [weight]`` under a header, tabs or commas.

One file describes one attribute. Weights of an item sum to at most 1; what is missing to 1 is
unlabelled, never a group of its own. A document can also be said to have none ("does not apply"): a row of zeros.
"""

import csv
import math
import re
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, NamedTuple, TextIO

import numpy as np
import polars as pl

from fairviz.errors import InputError
from fairviz.io.cells import csv_rows
from fairviz.io.columns import DOC, QUERY, Columns, by_place, columns_of_file, in_rows
from fairviz.io.ids import check_ids
from fairviz.io.limits import MANY_GROUPS
from fairviz.io.names import folded, is_blank, refuse_repeated
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.parquet import is_parquet
from fairviz.io.source import FileInput, Source, as_source, reader
from fairviz.io.text import whole_text
from fairviz.model import GroupLabels, Qrels
from fairviz.model.arrays import segment_ids
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


def _rows(text: str, header: _Header, notes: NoteBook) -> Iterator[tuple[int, list[str]]]:
    """The cells of each row, without blanks around them, and its line.

    Raises:
        InputError: A row has other columns than the header, or no id.
    """
    quoted, fix = header.separator == ",", "Quote cells as CSV."
    n_cells = 2 + header.per_query + header.weighted
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
        yield line, cells


# What the rows of one item say together: groups, weights, and what cannot be true of both.


_NONE, _OUTSIDE = -1, -2
"""Codes of rows that name no group: the label is missing, or the attribute does not apply."""


class Label(NamedTuple):
    """One row of an item: the code of its group, its weight where one is given, its line."""

    group: int
    weight: float | None
    line: int


class GroupNames:
    """Group names as they are met; spellings that differ by case or blanks are one group.

    Attributes:
        names: The first spelling of each group.
        lines: Its line.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self.lines: dict[str, int] = {}
        self._codes: dict[str, int] = {}
        self._known: dict[str, int] = {}
        self._spellings: list[dict[str, int]] = []

    def code(self, doc: str, label: str, line: int, notes: NoteBook) -> int:
        """The index of the group that the label of a document names; that it has none is noted."""
        known = self._known.get(label)
        if known is not None:
            return known
        if is_blank(label):
            notes.add(f"empty group label for {shown(doc)}: unlabelled", line, kind="empty label")
            return _NONE
        if means_no_group(label):
            notes.add(f"{shown(label)} is no group: {shown(doc)} is unlabelled", line, kind="no group")
            return _NONE
        if does_not_apply(label):
            self._known[label] = _OUTSIDE
            return _OUTSIDE
        code = self._codes.setdefault(folded(label), len(self.names))
        if code == len(self.names):
            self.names.append(label)
            self.lines[label] = line
            self._spellings.append({})
        self._spellings[code][label] = line
        self._known[label] = code
        return code

    def name(self, code: int) -> str:
        """What a message calls the group of a row."""
        if code == _OUTSIDE:
            return DOES_NOT_APPLY
        return "no group" if code == _NONE else shown(self.names[code])

    def note_spellings(self, notes: NoteBook) -> None:
        """Say which spellings were read as one."""
        for spellings in self._spellings:
            if len(spellings) > 1:
                names = ", ".join(shown(name) for name in list(spellings)[:5])
                line = list(spellings.values())[1]
                notes.add(f"labels differ only by case or space: {names}: read as one", line)


def _joined(
    doc: str, before: tuple[Label, ...], label: Label, groups: GroupNames, notes: NoteBook, *, may_split: bool
) -> tuple[Label, ...]:
    """The labels of an item with those of one more row; a repeated one is noted.

    Args:
        doc: The item, for messages.
        before: Its labels so far.
        label: What the row says.
        groups: The names, for messages.
        notes: Where a repeated row is noted.
        may_split: Whether two unweighted labels mean an equal part of each.

    Raises:
        InputError: The row contradicts an earlier one.
    """
    other = next((known for known in before if known.group == label.group), None)
    if other is not None and other.weight == label.weight:
        notes.add(f"duplicate row for {shown(doc)}", label.line, kind="duplicate row")
        return before
    no_part = False
    if other is None and before:
        no_part = _OUTSIDE in (before[0].group, label.group)
        unweighted = before[0].weight is None or label.weight is None  # such a one stands alone
        other = before[0] if no_part or (unweighted and not may_split) else None
    if other is not None:
        names = (groups.name(group) for group in (other.group, label.group))
        what = "weights" if other.group == label.group else "group labels"
        raise InputError(
            f"{shown(doc)} has two {what}: {f' (line {other.line}), '.join(names)}",
            file=notes.file,
            line=label.line,
            fix="Keep one." if no_part else "Keep one, give weights, or read with labels=split.",
        )
    return (*before, label)


def _shares(doc: str, labels: tuple[Label, ...], notes: NoteBook) -> dict[int, float] | None:
    """Weight per group of an item; labels without weights share 1. None where the attribute does not apply.

    Raises:
        InputError: The weights sum to more than 1, or to 0.
    """
    equal = 1 / len(labels)
    weights = [equal if label.weight is None else label.weight for label in labels]
    total, line = sum(weights), labels[-1].line
    if total > 1 + WEIGHT_TOLERANCE or total == 0:
        percent = " (percentages?)" if abs(total - 100) <= 100 * WEIGHT_TOLERANCE else ""
        raise InputError(
            f"group weights of {shown(doc)} sum to {total:g}, expected 1{percent}",
            file=notes.file,
            line=line,
            fix="Make the weights of a document sum to 1; less leaves the rest unlabelled.",
        )
    if labels[0].group == _OUTSIDE:
        return None
    if total < 1 - WEIGHT_TOLERANCE:
        message = f"group weights of {shown(doc)} sum to {total:g}: the rest is unlabelled"
        notes.add(message, line, kind="weights below 1")
    return {label.group: w for label, w in zip(labels, weights, strict=True) if label.group != _NONE and w > 0}


def _matrix(items: Iterable[dict[int, float] | None]) -> tuple["csr_array", list[int], list[int]]:
    """Weights per group of items as a sparse matrix.

    Args:
        items: Weight by group; None where the attribute does not apply to the item.

    Returns:
        The rows of items that have a group, or of zeros where none applies; which items, which groups (columns).
    """
    from scipy.sparse import csr_array

    columns, values, counts = array("i"), array("d"), array("i")
    for shares in items:
        columns.extend(shares or {})
        values.extend((shares or {}).values())
        counts.append(_OUTSIDE if shares is None else len(shares))
    labelled, used = np.flatnonzero(counts), np.unique(np.array(columns, dtype=np.int32))
    offsets = np.concatenate([[0], np.cumsum(np.maximum(np.array(counts)[labelled], 0))]).astype(np.int32)
    places = np.searchsorted(used, np.array(columns, dtype=np.int32)).astype(np.int32)
    rows = csr_array((np.array(values, dtype=np.float64), places, offsets), shape=(labelled.size, used.size))
    return rows, labelled.tolist(), used.tolist()


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


@reader
def read_groups(file: FileInput | Source, *, labels: Literal["one", "split"] = "one") -> Parsed[GroupLabels]:
    """Read the groups of documents.

    Args:
        file: A path or ``(name, bytes)``, TSV or CSV, plain or gzip'ed.
        labels: What two unweighted labels of an item mean: "one" refuses them, "split" gives each
            an equal part.

    Returns:
        The labels with notes; ``lines`` holds the first line of each group.

    Raises:
        InputError: The file cannot be read, weights of an item are negative or sum to more than 1
            or to 0, or an item has two labels.
    """
    source = as_source(file)
    if is_parquet(source):
        return labels_of_columns(columns_of_file(source), labels=labels)
    notes = NoteBook(source.name)
    text = whole_text(source, notes)
    if not text.strip():
        raise InputError("no data lines", file=source.name, fix=_FIX)
    header = _header(text, notes)
    groups = GroupNames()
    items: dict[str | tuple[str, str], tuple[Label, ...]] = {}  # by document, or by query and document
    for line, cells in _rows(text, header, notes):
        doc = cells[header.per_query]
        code = groups.code(doc, cells[1 + header.per_query], line, notes)
        label = Label(code, _weight(cells[-1], line, notes.file) if header.weighted else None, line)
        key = (cells[0], doc) if header.per_query else doc
        before = items.get(key, ())
        items[key] = _joined(doc, before, label, groups, notes, may_split=labels == "split") if before else (label,)
    if not items:
        raise InputError("no data rows", file=source.name, line=1, fix="The header stands alone.")
    groups.note_spellings(notes)
    docs = [key if isinstance(key, str) else key[1] for key in items]
    shares = (_shares(doc, labels, notes) for doc, labels in zip(docs, items.values(), strict=True))
    weights, labelled, used = _matrix(shares)
    if not used:
        reason = "no document has a group label"
        raise InputError(reason, file=source.name, line=1, fix="Name the group of each document that has one.")
    names = _with_members(groups, used, notes)
    if len(names) == 1:
        notes.add("only one group: disparity is 0 by construction")
    elif len(names) > MANY_GROUPS:
        notes.add(f"{len(names)} groups (a continuous attribute?)")
    check_ids(tuple(dict.fromkeys(docs)), "document id", lambda _: None, notes)
    named = header.attribute if header.attribute.lower() != "group" else source.stem
    queries = [key[0] for key in items] if header.per_query else []
    value = GroupLabels(
        attribute=named,
        groups=names,
        doc_ids=tuple([docs[i] for i in labelled]),
        weights=weights,
        query_ids=tuple([queries[i] for i in labelled]) if header.per_query else None,
    )
    kind = "group table" + (", weighted" if header.weighted else "")
    label_text = f"{kind}: {len(names)} {'group' if len(names) == 1 else 'groups'} of {shown(named)}"
    outside = int(value.not_applicable.sum())
    if outside:
        label_text += f", which {DOES_NOT_APPLY} to {count(outside)} {'document' if outside == 1 else 'documents'}"
    return notes.parsed(value, label_text, groups.lines)


def labels_of_columns(
    given: Columns, *, name: str = "", labels: Literal["one", "split"] = "one"
) -> Parsed[GroupLabels]:
    """The group labels that a table holds.

    Columns: doc_id (docno), one column of groups, whose name is that of the attribute, and any of weight, query_id. A
    missing label is none.

    Args:
        given: The table.
        name: Name of the attribute; without, that of the column.
        labels: What two unweighted labels of a document mean: "one" refuses them.

    Raises:
        InputError: A column is missing, or labels of a document contradict each other.
    """
    doc, query, weight = given.need(DOC, "documents"), given.find(QUERY), given.find(("weight",))
    group = given.find((*([folded(name)] if name else []), "group"))
    others = [column for column in given.table.columns if column not in (doc, query, weight)]
    if group is None and len(others) != 1:
        reason = f"which column holds the groups? It has: {', '.join(map(shown, others)) or 'none'}"
        fix = "Name it group, or give doc_id and one other column."
        raise InputError(reason, file=given.file, fix=fix)
    group = group or others[0]
    wanted = [column for column in (query, doc, group, weight) if column is not None]
    with by_place(given.file, given.place):
        texts = [given.texts(column, empty="" if column == group else None).to_list() for column in wanted]
    header = [*([QUERY[0]] if query else []), DOC[0], name or group, *(["weight"] if weight else [])]
    lines = ("\t".join(row) for row in zip(*texts, strict=True))
    source = Source(given.file, None, "\n".join(["\t".join(header), *lines, ""]).encode())
    with by_place(given.file, given.place, first=2):
        parsed = in_rows(read_groups(source, labels=labels), given.place, first=2)
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
    places = {group: place for place, group in enumerate(used)}
    items = rows.group_by("query", "doc", maintain_order=True).agg("group")
    listed: list[tuple[int, int, list[int]]] = items.rows()
    weights, _, _ = _matrix({places[group]: 1 / len(groups) for group in groups} for *_, groups in listed)
    return GroupLabels(
        attribute="subtopic",
        groups=tuple(qrels.subtopic_ids[group] for group in used),
        doc_ids=tuple(qrels.doc_ids[doc] for _, doc, _ in listed),
        weights=weights,
        query_ids=tuple(qrels.query_ids[query] for query, *_ in listed),
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


def _with_members(groups: GroupNames, used: list[int], notes: NoteBook) -> tuple[str, ...]:
    """The groups to which some item belongs."""
    for group in set(range(len(groups.names))) - set(used):
        name = groups.names[group]
        notes.add(f"no document has a weight above 0 in {shown(name)}: left out", groups.lines[name], kind="no member")
    return tuple(groups.names[group] for group in used)
