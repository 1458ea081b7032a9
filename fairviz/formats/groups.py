"""Group labels of documents: ``[query_id] doc_id group [weight]`` under a header, tabs or commas.

One file describes one attribute. Weights of an item sum to at most 1; what is missing to 1 is
unlabelled, never a group of its own.
"""

import math
from typing import Literal, NamedTuple, TextIO

import numpy as np
from scipy.sparse import csr_array

from fairviz.errors import InputError
from fairviz.formats.group_rows import GroupRow, group_rows, means_no_group
from fairviz.formats.limits import MANY_GROUPS
from fairviz.formats.notes import NoteBook, Parsed, shown
from fairviz.formats.odd_ids import note_odd_ids
from fairviz.formats.source import FileInput, Source, as_source
from fairviz.model import GroupLabels, Qrels
from fairviz.model.judgements import WEIGHT_TOLERANCE


class _Label(NamedTuple):
    group: int | None
    weight: float | None
    line: int


class _Groups:
    """Group names as they are met; spellings that differ by case or blanks are one group."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.lines: dict[str, int] = {}
        self._codes: dict[str, int] = {}
        self._spellings: list[dict[str, int]] = []

    def code(self, label: str, line: int) -> int:
        code = self._codes.setdefault(_folded(label), len(self.names))
        if code == len(self.names):
            self.names.append(label)
            self.lines[label] = line
            self._spellings.append({})
        self._spellings[code].setdefault(label, line)
        return code

    def note_spellings(self, book: NoteBook) -> None:
        for spellings in self._spellings:
            if len(spellings) > 1:
                names = ", ".join(shown(name) for name in list(spellings)[:5])
                line = list(spellings.values())[1]
                book.add(f"labels differ only by case or space: {names}: read as one", line)


def read_groups(
    file: FileInput | Source, *, labels: Literal["one", "split"] = "one"
) -> Parsed[GroupLabels]:
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
    book = NoteBook(source.name)
    header, rows = group_rows(source, book)
    groups = _Groups()
    items: dict[tuple[str | None, str], list[_Label]] = {}
    n_rows = 0
    for row in rows:
        n_rows += 1
        code = None if row.label is None else groups.code(row.label, row.line)
        label = _Label(code, _weight(row, book.file), row.line)
        _add(items.setdefault((row.query, row.doc), []), label, row, groups, labels, book)
    if not n_rows:
        raise InputError("no data rows", file=source.name, line=1, fix="The header stands alone.")
    groups.note_spellings(book)
    weights = {item: _weights(item[1], found, book) for item, found in items.items()}
    labelled = {item: shares for item, shares in weights.items() if shares}
    _note_number_of_groups(len(groups.names), book)
    note_odd_ids(tuple({doc for _, doc in items}), "document id", lambda _: None, book)
    named = header.attribute if header.attribute.lower() != "group" else source.stem
    value = _labels(named, tuple(groups.names), labelled, per_query=header.per_query)
    kind = "group table" + (", weighted" if header.weighted else "")
    label_text = f"{kind}: {len(groups.names)} groups of {shown(named)}"
    return Parsed(
        value=value, file=source.name, format=label_text, notes=book.notes, lines=groups.lines
    )


def labels_from_qrels(qrels: Qrels, *, attribute: str = "subtopic") -> GroupLabels:
    """Subtopics as groups, per query: a document belongs to the subtopics it is relevant to.

    A document that is relevant to several belongs to each with an equal part.

    Args:
        qrels: Judgements with subtopics.
        attribute: What to call the attribute.

    Raises:
        InputError: The judgements carry no subtopics.
    """
    if qrels.subtopics is None:
        reason = "column 2 holds no subtopics: no document repeats with another value there"
        fix = "Read the file with subtopics, or give a group table."
        raise InputError(reason, file=qrels.name, fix=fix)
    members: dict[tuple[str | None, str], dict[int, float]] = {}
    for q, query in enumerate(qrels.query_ids):
        for row in range(int(qrels.offsets[q]), int(qrels.offsets[q + 1])):
            if qrels.grades[row] > 0:
                item = (query, qrels.doc_ids[int(qrels.docs[row])])
                members.setdefault(item, {})[int(qrels.subtopics[row])] = 1.0
    shares = {item: {group: 1 / len(found) for group in found} for item, found in members.items()}
    return _labels(attribute, qrels.subtopic_ids, shares, per_query=True)


def write_groups(labels: GroupLabels, to: TextIO) -> None:
    """Write group labels as TSV with weights; :func:`read_groups` gives them back.

    Args:
        labels: The labels.
        to: An open text file.

    Raises:
        ValueError: A name that would be read as another one, or as none: it is empty, begins or
            ends in a blank, holds a tab or a line end, means "no group", or is a group's that
            differs from another one only by case or blanks.
    """
    _check_writable(labels)
    query_header = "" if labels.query_ids is None else "query_id\t"
    to.write(f"{query_header}doc_id\t{labels.attribute}\tweight\n")
    rows = csr_array(labels.weights)
    for row, doc in enumerate(labels.doc_ids):
        query = "" if labels.query_ids is None else f"{labels.query_ids[row]}\t"
        for at in range(int(rows.indptr[row]), int(rows.indptr[row + 1])):
            group = labels.groups[int(rows.indices[at])]
            to.write(f"{query}{doc}\t{group}\t{float(rows.data[at])!r}\n")


def _check_writable(labels: GroupLabels) -> None:
    names = (labels.attribute, *labels.groups, *labels.doc_ids, *(labels.query_ids or ()))
    for name in names:
        if not name or name != name.strip() or any(c in name for c in "\t\r\n\0"):
            raise ValueError(f"{shown(name)!r} cannot stand in a TSV file")
    if len({_folded(group) for group in labels.groups}) < len(labels.groups):
        raise ValueError("two groups differ only by case or blanks: they would be read as one")
    for group in labels.groups:
        if means_no_group(group):
            raise ValueError(f"{shown(group)!r} would be read as no group")


def _folded(label: str) -> str:
    return " ".join(label.split()).casefold()


def _weight(row: GroupRow, file: str) -> float | None:
    if not row.weight:
        return None
    fix = "Give weights between 0 and 1."
    try:
        weight = float(row.weight) if row.weight.isascii() and "_" not in row.weight else None
    except ValueError:
        weight = None
    if weight is None:
        reason = f"group weight is not a number: {shown(row.weight)}"
        raise InputError(reason, file=file, line=row.line, fix=fix)
    if not math.isfinite(weight):
        reason = f"group weight is not finite: {shown(row.weight)}"
        raise InputError(reason, file=file, line=row.line, fix=fix)
    if weight < 0:
        reason = f"group weight is negative: {shown(row.weight)}"
        raise InputError(reason, file=file, line=row.line, fix=fix)
    return weight


def _add(
    found: list[_Label],
    label: _Label,
    row: GroupRow,
    groups: _Groups,
    labels: Literal["one", "split"],
    book: NoteBook,
) -> None:
    for other in found:
        if other.group == label.group and other.weight == label.weight:
            book.add(f"duplicate row for {shown(row.doc)}", row.line, kind="duplicate row")
            return
        unweighted = other.weight is None or label.weight is None
        if other.group == label.group or (unweighted and labels == "one"):
            first, second = (
                "no group" if g is None else shown(groups.names[g])
                for g in (other.group, label.group)
            )
            what = "weights" if other.group == label.group else "group labels"
            raise InputError(
                f"{shown(row.doc)} has two {what}: {first} (line {other.line}), {second}",
                file=book.file,
                line=row.line,
                fix="Keep one, give weights, or read with labels=split.",
            )
    found.append(label)


def _weights(doc: str, found: list[_Label], book: NoteBook) -> dict[int, float]:
    """Weight per group of one item; labels without weights share 1."""
    equal = 1 / len(found)
    total = sum(equal if label.weight is None else label.weight for label in found)
    line = found[-1].line
    if total > 1 + WEIGHT_TOLERANCE or total == 0:
        percent = " (percentages?)" if abs(total - 100) < 0.1 else ""
        raise InputError(
            f"group weights of {shown(doc)} sum to {total:g}, expected 1{percent}",
            file=book.file,
            line=line,
            fix="Make the weights of an item sum to 1; less leaves the rest unlabelled.",
        )
    if total < 1 - WEIGHT_TOLERANCE:
        message = f"group weights of {shown(doc)} sum to {total:g}: the rest is unlabelled"
        book.add(message, line, kind="weights below 1")
    shares = [(x.group, equal if x.weight is None else x.weight) for x in found]
    return {group: weight for group, weight in shares if group is not None and weight > 0}


def _note_number_of_groups(n_groups: int, book: NoteBook) -> None:
    if n_groups == 0:
        book.add("no item has a group label")
    elif n_groups == 1:
        book.add("only one group: disparity is 0 by construction")
    elif n_groups > MANY_GROUPS:
        book.add(f"{n_groups} groups (a continuous attribute?)")


def _labels(
    attribute: str,
    groups: tuple[str, ...],
    weights: dict[tuple[str | None, str], dict[int, float]],
    *,
    per_query: bool,
) -> GroupLabels:
    counts = [len(shares) for shares in weights.values()]
    columns = [group for shares in weights.values() for group in shares]
    values = [weight for shares in weights.values() for weight in shares.values()]
    matrix = csr_array(
        (
            np.array(values, dtype=np.float64),
            np.array(columns, dtype=np.int32),
            np.cumsum([0, *counts]).astype(np.int32),
        ),
        shape=(len(counts), len(groups)),
    )
    return GroupLabels(
        attribute=attribute,
        groups=groups,
        doc_ids=tuple(doc for _, doc in weights),
        weights=matrix,
        query_ids=tuple(query or "" for query, _ in weights) if per_query else None,
    )
