"""Group labels of documents: ``[query_id] doc_id group [weight]`` under a header, tabs or commas.

One file describes one attribute. Weights of an item sum to at most 1; what is missing to 1 is
unlabelled, never a group of its own.
"""

from typing import Literal, TextIO

import numpy as np
from scipy.sparse import csr_array

from fairviz.errors import InputError
from fairviz.formats.group_rows import group_rows, means_no_group
from fairviz.formats.group_weights import GroupNames, ItemLabels, Label, folded, weight_of
from fairviz.formats.limits import MANY_GROUPS
from fairviz.formats.notes import NoteBook, Parsed, shown
from fairviz.formats.odd_ids import note_odd_ids
from fairviz.formats.source import FileInput, Source, as_source
from fairviz.model import GroupLabels, Qrels


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
    book = NoteBook(source.name)
    header, rows = group_rows(source, book)
    groups = GroupNames()
    items: dict[tuple[str | None, str], ItemLabels] = {}
    n_rows = 0
    for row in rows:
        n_rows += 1
        code = None if row.label is None else groups.code(row.label, row.line)
        item = items.setdefault((row.query, row.doc), ItemLabels(row.doc))
        label = Label(code, weight_of(row, book.file), row.line)
        item.add(label, groups, book, labels=labels)
    if not n_rows:
        raise InputError("no data rows", file=source.name, line=1, fix="The header stands alone.")
    groups.note_spellings(book)
    weights = {key: item.shares(book) for key, item in items.items()}
    labelled = {key: shares for key, shares in weights.items() if shares}
    _note_number_of_groups(len(groups.names), book)
    note_odd_ids(tuple(dict.fromkeys(doc for _, doc in items)), "document id", lambda _: None, book)
    named = header.attribute if header.attribute.lower() != "group" else source.stem
    value = _labels(named, tuple(groups.names), labelled, per_query=header.per_query)
    kind = "group table" + (", weighted" if header.weighted else "")
    label_text = f"{kind}: {len(groups.names)} groups of {shown(named)}"
    return Parsed(value=value, file=source.name, format=label_text, notes=book.notes, lines=groups.lines)


def labels_from_qrels(qrels: Qrels, *, attribute: str = "subtopic") -> GroupLabels:
    """Subtopics as groups, per query: a document belongs to the subtopics it is relevant to.

    A document that is relevant to several belongs to each with an equal part. A subtopic that
    nothing is relevant to (the ``0`` of rows that say "not relevant") is no group.

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
    used = sorted({int(subtopic) for subtopic in qrels.subtopics[qrels.grades > 0]})
    groups = {subtopic: group for group, subtopic in enumerate(used)}
    members: dict[tuple[str | None, str], dict[int, float]] = {}
    for q, query in enumerate(qrels.query_ids):
        for row in range(int(qrels.offsets[q]), int(qrels.offsets[q + 1])):
            if qrels.grades[row] > 0:
                item = (query, qrels.doc_ids[int(qrels.docs[row])])
                members.setdefault(item, {})[groups[int(qrels.subtopics[row])]] = 1.0
    shares = {item: {group: 1 / len(found) for group in found} for item, found in members.items()}
    names = tuple(qrels.subtopic_ids[subtopic] for subtopic in used)
    return _labels(attribute, names, shares, per_query=True)


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
    if len({folded(group) for group in labels.groups}) < len(labels.groups):
        raise ValueError("two groups differ only by case or blanks: they would be read as one")
    for group in labels.groups:
        if means_no_group(group):
            raise ValueError(f"{shown(group)!r} would be read as no group")


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
