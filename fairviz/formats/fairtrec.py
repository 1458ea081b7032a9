"""FairTREC submissions: ``id [seq_no] page_id`` under that header, ranked by line order.

The format of the TREC Fair Ranking track 2022 (https://fair-trec.github.io): task 1 has one ranking
per topic, task 2 a sequence of rankings numbered by ``seq_no``.
"""

import re

import numpy as np

from fairviz.formats.columns import Kind, Layout, Table, gather, read_parts
from fairviz.formats.notes import NoteBook, Parsed
from fairviz.formats.ordering import offsets_of
from fairviz.formats.run_table import (
    note_identifiers,
    query_lines,
    refuse_repeated_documents,
)
from fairviz.formats.sample_table import sample_of_table
from fairviz.formats.source import Source
from fairviz.model import RankingSample, Run

_HEADER = re.compile(rb"[ \t]*id[ \t]+(seq_no[ \t]+)?page_id[ \t]*(\n|$)")


def is_fairtrec(head: bytes) -> bool:
    """Whether a file starts with FairTREC's header."""
    return _HEADER.match(head) is not None


def read_fairtrec(
    source: Source, head: bytes, *, multi_sample: bool | None = None
) -> Parsed[Run] | Parsed[RankingSample]:
    """Read a FairTREC file.

    A ranking's scores are n − rank. With several ``seq_no`` in a topic it is a sample of rankings.

    Args:
        source: The file.
        head: Its first bytes, which hold the header.
        multi_sample: Whether ``seq_no`` names samples; None: where a topic has more than one.

    Raises:
        InputError: A line that is no row, or a page twice in a ranking.
    """
    book = NoteBook(source.name)
    header = _HEADER.match(head)
    sequenced = header is not None and header[1] is not None
    columns: dict[str, Kind] = {"query": "id", "sample": "id", "doc": "id"}
    if not sequenced:
        del columns["sample"]
    layout = Layout("FairTREC run", columns, header=True)
    table = gather(list(read_parts(source, layout, book)), layout, source.name)
    if sequenced:
        table.numbers["rank"] = np.arange(table.ids["doc"].codes.size)
        samples = sample_of_table(table, book, tag=source.stem, file_format="FairTREC run, several rankings per topic")
        several = bool((samples.value.n_samples > 1).any())
        if several if multi_sample is None else multi_sample:
            return samples
    else:
        note_identifiers(table, book)
    return _one_ranking(table, source, book)


def _one_ranking(table: Table, source: Source, book: NoteBook) -> Parsed[Run]:
    queries, docs = table.ids["query"], table.ids["doc"]
    refuse_repeated_documents(table, queries.codes.astype(np.int64), source.name)
    order = np.argsort(queries.codes, kind="stable")
    offsets = offsets_of(queries.codes[order], len(queries.values))
    sizes = np.diff(offsets)
    ends = np.repeat(offsets[1:], sizes)
    run = Run(
        system=source.stem,
        query_ids=queries.values,
        doc_ids=docs.values,
        offsets=offsets,
        docs=docs.codes[order],
        scores=(ends - np.arange(ends.size) - 1).astype(np.float64),
    )
    return Parsed(
        value=run,
        file=source.name,
        format="FairTREC run",
        notes=book.notes,
        lines=query_lines(table),
    )
