"""Rankings as JSON: ``{query: {document: score}}``, and what tools of retrieval and re-ranking make of it.

ranx and pytrec_eval write the object itself. MTEB's predictions (mteb 2) hold it by subset and split, beside the name
of the model. PyLate has a list of ``{"id", "score"}`` for each query. Pyserini and RankLLM (rank_llm 0.25) have a
record for each query: ``{"query": {"qid"}, "candidates": [{"docid", "score"}]}``, in lines or in one array; that of
PyLate's evaluator is ``{"query_id", "results": [{"corpus_id", "score"}]}``. Samples of Ragas whose answers cite
nothing still say what was retrieved, in its order: ``retrieved_context_ids``; so do records of RAGChecker without its
judgements: ``retrieved_context``, of documents with ``doc_id`` and ``text``.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
import polars as pl

from fairviz.errors import InputError
from fairviz.io.columns import CANDIDATES, Columns, columns_of_file, lists_in, without_lines
from fairviz.io.json import Head, Json, is_id, json_object, json_records, json_type, wrong_in
from fairviz.io.logs import field_text, text_of
from fairviz.io.notes import NoteBook, Parsed, called, shown
from fairviz.io.parquet import plain
from fairviz.io.rag_traces import RAGAS, RAGCHECKER, document_id, is_ragchecker, records_of
from fairviz.io.source import Source
from fairviz.numerals import plural

T = TypeVar("T")

MTEB = "mteb_model_meta"
"""The name under which MTEB says which model it was."""
RETRIEVED = "retrieved_context_ids"
"""Where a sample of Ragas says what was retrieved."""
_DOC = ("docid", "id", "doc_id", "docno", "corpus_id")
_FIX = 'Write {"query": {"document": score}}.'


def has_candidates(head: Head) -> bool:
    """Whether a file has a record with the scored documents of each query: PyLate's evaluator calls them results."""
    of_evaluator = {"query_id", "results"} <= head.keys and '"corpus_id"' in head.text
    return of_evaluator or head.keys >= CANDIDATES


def has_retrieved(head: Head) -> bool:
    """Whether a file holds samples of Ragas, or records of RAGChecker, that say what was retrieved."""
    return RETRIEVED in head.keys or is_ragchecker(head.text)


_Lists: TypeAlias = tuple[str, str, Mapping[str, Json], Callable[..., InputError]]
"""What made rankings, the format of their file, query -> documents with their scores (not checked yet), and the maker
of errors: of the reason, how to mend it, the query and the document."""


def named_lists(source: Source) -> Columns | None:
    """The columns of a Parquet file, or of one of text whose names are those of rankings or judgements; else None."""
    head = Head(source)
    of_records = has_candidates(head) or has_retrieved(head)
    if (of_records or not source.is_parquet) and lists_in(head.keys) is None:
        return None
    return columns_of_file(source)


Read: TypeAlias = Callable[[Columns], Parsed[T]]
"""What makes a noun of columns query_id, doc_id, and score or grade."""


def json_lists(source: Source, head: Head, column: Literal["score", "grade"], read: Read[T]) -> tuple[Parsed[T], str]:
    """Rankings, or judgements ``{query: {document: grade}}`` of ranx and pytrec_eval, and the name of the system.

    Content does not tell judgements from a run whose scores are whole numbers: who reads them says what they are.

    Args:
        source: The file.
        head: Its first part.
        column: What the numbers are.
        read: Of the columns.

    Returns:
        What was read; and the name of the system, which is the file's stem where nothing in it says it.

    Raises:
        InputError: Not rankings with finite numbers, or ``read`` refuses them.
    """
    notes = NoteBook(source.name)
    lists = _candidates if has_candidates(head) else _retrieved if has_retrieved(head) else _object
    system, label, rankings, wrong = lists(source, notes)
    if not rankings:
        raise source.wrong("no data: it holds no query", _FIX, 1)
    parsed = _read(rankings, column, wrong, NoteBook(source.name), read)
    label = label if column == "score" else parsed.format
    return replace(parsed, format=label, notes=(*notes.collected, *parsed.notes)), system


def dict_lists(lists: Mapping[Any, Any], name: str, column: Literal["score", "grade"], read: Read[T]) -> Parsed[T]:
    """Rankings or judgements in memory, ``{query: {document: score or grade}}``.

    Args:
        lists: Keys and numbers of any kind, such as NumPy's; of a query also a list of documents: ranked, best first,
            or relevant.
        name: What they are called, besides their type.
        column: What the numbers are.
        read: Of the columns.

    Raises:
        InputError: As :func:`json_lists`.
    """
    notes = NoteBook(called(lists, name))
    if not lists:
        raise notes.wrong("no data: the object is empty", _FIX)

    def wrong(reason: str, fix: str, *_: str) -> InputError:
        return notes.wrong(reason, fix)

    return _read({str(query): _numbered(docs, column) for query, docs in lists.items()}, column, wrong, notes, read)


def _numbered(docs: Any, column: Literal["score", "grade"]) -> Json:
    """Documents with their numbers: grades of 1 of a list of relevant ones, of a ranked list scores n − rank + 1."""
    if column == "grade" and isinstance(docs, (set, frozenset)):
        docs = [*docs]
    ranking: Json = plain(docs)
    if isinstance(ranking, list) and ranking and all(map(is_id, ranking)) and len({*map(str, ranking)}) == len(ranking):
        return {str(doc): 1 if column == "grade" else len(ranking) - index for index, doc in enumerate(ranking)}
    if column == "grade" and isinstance(ranking, dict):
        return {doc: int(grade) if isinstance(grade, bool) else grade for doc, grade in ranking.items()}
    return ranking


def _read(
    rankings: Mapping[str, Json], column: str, wrong: Callable[..., InputError], notes: NoteBook, read: Read[T]
) -> Parsed[T]:
    """What a reader of columns makes of rankings; its errors name the query, the document and their line."""
    first, values = next(iter(rankings.items()))
    if measures := _measures(values):
        reason = f"values of measures ({', '.join(map(shown, measures[:3]))}), and no scores of documents"
        raise wrong(reason, "Give the run that was measured.", first)
    scored = [(query, _scored(query, ranking, wrong)) for query, ranking in rankings.items()]
    queries = [query for query, docs in scored for _ in docs]
    docs = [doc for _, docs in scored for doc in docs]
    numbers = [number for _, docs in scored for number in docs.values()]
    table = pl.DataFrame({"query_id": queries, "doc_id": docs, column: numbers})
    try:
        parsed = read(Columns(table, notes, kind="JSON", lines=np.arange(len(docs))))
    except InputError as error:
        row = error.line or 0
        of_number = f"query {shown(queries[row])}, document {shown(docs[row])}: {error.reason}"
        reason = error.reason if error.reason.startswith(("query id", "document id")) else of_number
        raise wrong(reason, error.fix, queries[row], docs[row]) from error
    return without_lines(parsed)


def _object(source: Source, notes: NoteBook) -> _Lists:
    """The rankings of a file that is one object.

    Raises:
        InputError: It is no object, is empty, or holds predictions of several splits.
    """
    content, text = json_object(source, notes, what="object of query -> documents", fix=_FIX)
    wrong = wrong_in(text, source.name)
    model = content.pop(MTEB, None)
    if not content:
        raise source.wrong("no data: the object is empty", _FIX, 1)
    if not isinstance(model, dict):
        return source.stem, "JSON run", content, wrong
    parts = [
        (subset, split, rankings)
        for subset, by_split in content.items()
        for split, rankings in (by_split.items() if isinstance(by_split, dict) else ())
    ]
    subset, split, rankings = parts[0] if len(parts) == 1 else ("", "", None)
    if not isinstance(rankings, dict):
        names = ", ".join(f"{shown(subset)}/{shown(split)}" for subset, split, _ in parts) or "none"
        fix = "Save the predictions of one subset and split in a folder of their own."
        raise source.wrong(f"predictions of one subset and split are needed, found {names}", fix, 1)

    def within(reason: str, fix: str, *path: str) -> InputError:
        return wrong(reason, fix, subset, split, *path)

    return str(model.get("model_name") or source.stem), "MTEB predictions", rankings, within


_MEASURES = frozenset(
    ("ndcg", "map", "mrr", "recall", "precision", "recip_rank", "rprec", "bpref", "gm_map", "success")
)
_BESIDE = frozenset(("p", "r", "ap", "rr", "num_ret", "num_rel", "num_rel_ret", "num_q", "infap", "set_f"))
"""Names that documents can have, too, where no other is beside them."""


def _measures(values: Json) -> list[str]:
    """The names in an object, where all are those of measures, as pytrec_eval, ir_measures and BEIR write their values.

    Examples:
        >>> _measures({"map": 0.3, "ndcg_cut_10": 0.5, "P_10": 0.1}), _measures({"p_1": 9.5, "p_2": 7.1})
        (['map', 'ndcg_cut_10', 'P_10'], [])
    """
    names = list(values) if isinstance(values, dict) else []
    plain = {re.sub(r"(_cut)?[@_][0-9]+$", "", name.casefold()) for name in names}
    return names if plain <= _MEASURES | _BESIDE and plain & _MEASURES else []


def _candidates(source: Source, notes: NoteBook) -> _Lists:
    """The rankings of a file with a record for each query.

    Raises:
        InputError: A record has no id of a query, or one that another has.
    """
    rankings: dict[str, Json] = {}
    lines: dict[str, int] = {}
    for line, record in json_records(source, notes):
        query = record.get("query")
        name = query.get("qid") if isinstance(query, dict) else record.get("query_id")
        if isinstance(name, bool) or not isinstance(name, str | int):
            raise source.wrong("query has no qid", 'Write {"query": {"qid": …, "text": …}, "candidates": […]}.', line)
        if str(name) in rankings:
            reason = f"query {shown(str(name))} stands on line {lines[str(name)]}, too"
            raise source.wrong(reason, "Keep one record of each query.", line)
        rankings[str(name)], lines[str(name)] = record.get("candidates", record.get("results")), line

    return source.stem, "candidates of Pyserini, RankLLM or PyLate", rankings, _wrong_on(lines, source)


def _wrong_on(lines: Mapping[str, int], source: Source) -> Callable[..., InputError]:
    """The maker of errors of a file with a record for each query, by the lines of these."""

    def wrong(reason: str, fix: str, query: str, *_: str) -> InputError:
        return source.wrong(reason, fix, lines[query])

    return wrong


def _retrieved(source: Source, notes: NoteBook) -> _Lists:
    """What was retrieved for each question of a file of samples; the first of a list counts most.

    Raises:
        InputError: A list holds something else than ids, or a question was asked twice with other lists.
    """
    rankings: dict[str, Json] = {}
    lines: dict[str, int] = {}
    names: dict[str, str] = {}
    tool = RAGAS if RETRIEVED in Head(source).keys else RAGCHECKER
    records = records_of(source, tool, notes)
    if tool == RAGCHECKER:
        message = "that nobody judged: what they use, and with it EAR, is undefined; read is what was retrieved"
        notes.add(f"{plural(len(records), 'answer')} {message}")
    for line, record in records:
        question = text_of(record.get("user_input", record.get("question", record.get("query"))))
        name = field_text(record, "query_id", "sample_id", "id") or names.setdefault(question, f"q{len(names) + 1}")
        contexts = record.get("retrieved_context")
        ids = [*map(document_id, contexts)] if isinstance(contexts, list) else record.get(RETRIEVED) or []
        if not isinstance(ids, list) or any(isinstance(each, bool) or not isinstance(each, str | int) for each in ids):
            raise source.wrong(f"{RETRIEVED} holds no list of ids", "Write a list of document ids, best first.", line)
        ranked = list(dict.fromkeys(map(str, ids)))
        scored: Json = {doc: len(ranked) - index for index, doc in enumerate(ranked)}
        if not ranked:
            notes.add("nothing was retrieved: left out", line)
        elif rankings.setdefault(name, scored) != scored:
            reason = f"question {shown(name)} of line {lines[name]} has another list here"
            raise source.wrong(reason, "Keep one sample of each question.", line)
        lines.setdefault(name, line)

    return source.stem, f"what was retrieved, of {tool}", rankings, _wrong_on(lines, source)


def _scored(query: str, ranking: Json, wrong: Callable[..., InputError]) -> dict[str, float]:
    """The documents of a query with their scores.

    Raises:
        InputError: They are no such thing, or there are none.
    """
    if isinstance(ranking, list) and all(isinstance(item, dict) for item in ranking):
        pairs = [_pair(query, item, wrong) for item in ranking]
        names = [doc for doc, _ in pairs]
        if len({*names}) < len(names):
            duplicate = next(doc for position, doc in enumerate(names) if doc in names[:position])
            raise wrong(f"duplicate document {shown(duplicate)} for query {shown(query)}", "Keep one of them.", query)
        ranking = dict(pairs)
    if not isinstance(ranking, dict):
        reason = f"query {shown(query)}: expected object of doc -> score, found {json_type(ranking)}"
        raise wrong(reason, _FIX, query)
    if not ranking:
        reason = f"query {shown(query)} has no documents"
        raise wrong(reason, "Give its documents, or leave the query out.", query)
    for doc, score in ranking.items():
        if isinstance(score, bool) or not isinstance(score, int | float):
            what = f"query {shown(query)}, document {shown(doc)}"
            reason = f"{what}: expected a number, found {json_type(score)}"
            raise wrong(reason, "Give numbers as scores.", query, doc)
    return {doc: float(score) for doc, score in ranking.items() if isinstance(score, int | float)}


def _pair(query: str, item: Json, wrong: Callable[..., InputError]) -> tuple[str, Json]:
    """A document of a list and its score.

    Raises:
        InputError: It names no document.
    """
    name = next((item[key] for key in _DOC if key in item), None) if isinstance(item, dict) else None
    if isinstance(item, dict) and isinstance(name, str | int) and not isinstance(name, bool):
        return str(name), item.get("score")
    reason = f"query {shown(query)}: an entry of its list names no document ({', '.join(_DOC)})"
    raise wrong(reason, f'Write [{{"{_DOC[0]}": document, "score": score}}] for the query.', query)
