"""Runs as one JSON object ``{query: {document: score}}``, as ranx and pytrec_eval write them."""

import numpy as np

from fairviz.errors import InputError
from fairviz.formats.notes import NoteBook, Parsed, shown
from fairviz.formats.odd_ids import note_odd_ids
from fairviz.formats.ordering import offsets_of, score_order
from fairviz.formats.source import Source
from fairviz.formats.strict_json import Json, json_type, parse_json
from fairviz.formats.text import whole_text
from fairviz.model import Run

_FIX = 'Write {"query": {"document": score}}.'


def read_json_run(source: Source) -> Parsed[Run]:
    """Read a JSON run; the file's stem names the system.

    Raises:
        InputError: Not an object of objects of finite numbers.
    """
    book = NoteBook(source.name)
    content = parse_json(whole_text(source, book), file=source.name)
    if not isinstance(content, dict):
        reason = f"expected object of query -> documents, found {json_type(content)}"
        raise InputError(reason, file=source.name, fix=_FIX)
    if not content:
        raise InputError("no data: the object is empty", file=source.name, fix=_FIX)
    doc_codes: dict[str, int] = {}
    queries: list[int] = []
    docs: list[int] = []
    scores: list[float] = []
    for q, (query, ranking) in enumerate(content.items()):
        if not isinstance(ranking, dict):
            reason = f"query {shown(query)}: expected object of doc -> score, found "
            raise InputError(reason + json_type(ranking), file=source.name, fix=_FIX)
        for doc, score in ranking.items():
            docs.append(doc_codes.setdefault(doc, len(doc_codes)))
            scores.append(_number(score, query, doc, source.name))
        queries.extend([q] * len(ranking))
    query_ids, doc_ids = tuple(content), tuple(doc_codes)
    query_codes = np.array(queries, dtype=np.int32)
    doc_rows, score_rows = np.array(docs, dtype=np.int32), np.array(scores, dtype=np.float64)
    order, n_tied = score_order(query_codes, score_rows, doc_rows, doc_ids)
    if n_tied:
        book.add(f"{n_tied:,} tied scores: ordered by document id, descending (as trec_eval)")
    if order is not None:
        query_codes, doc_rows, score_rows = query_codes[order], doc_rows[order], score_rows[order]
    note_odd_ids(query_ids, "query id", lambda _: None, book)
    note_odd_ids(doc_ids, "document id", lambda _: None, book)
    run = Run(
        system=source.stem,
        query_ids=query_ids,
        doc_ids=doc_ids,
        offsets=offsets_of(query_codes, len(query_ids)),
        docs=doc_rows,
        scores=score_rows,
    )
    return Parsed(value=run, file=source.name, format="JSON run", notes=book.notes)


def _number(score: Json, query: str, doc: str, name: str) -> float:
    if isinstance(score, bool) or not isinstance(score, int | float):
        reason = f"query {shown(query)}, document {shown(doc)}: expected a number, found "
        raise InputError(reason + json_type(score), file=name, fix="Give numbers as scores.")
    return float(score)
