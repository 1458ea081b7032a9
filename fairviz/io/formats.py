"""The formats that are read: which file is of which, decided by its first lines, and the reader of each role.

A format is a line of :data:`FORMATS`; the first whose ``recognises`` holds of a file's head is meant. A log of another
tool is a line of :data:`~fairviz.io.log_tools.TOOLS`. What a file holds is a role; :data:`READERS` has its reader.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fairviz.errors import InputError
from fairviz.extras import load_entry_points
from fairviz.io.bbq import is_bias_items, read_bias_items
from fairviz.io.bbq_answers import is_bias_predictions, read_bias_predictions
from fairviz.io.columns import DOC, lists_in, lists_in_parquet
from fairviz.io.corpus import are_tab_lines, are_topics, holds_words, read_corpus, read_queries, read_references
from fairviz.io.groups import header_cells, holds_labels, is_group_header, read_groups
from fairviz.io.json import Head, are_lines, first_keys, first_value
from fairviz.io.json_runs import MTEB, has_candidates, has_retrieved
from fairviz.io.log_tools import TOOLS, holds
from fairviz.io.logs import LogTool
from fairviz.io.manifest import read_manifest
from fairviz.io.notes import Parsed, shown
from fairviz.io.qrels import read_qrels
from fairviz.io.rag import read_outputs
from fairviz.io.rag_results import is_rag_results
from fairviz.io.rag_traces import FIX as CITE
from fairviz.io.rag_traces import NOT_CITED, sample_tool, trace_tool
from fairviz.io.rag_traces import TOOLS as TRACE_TOOLS
from fairviz.io.rankings import fairtrec_columns, is_marco, read_rankings
from fairviz.io.source import Role, Source, reader
from fairviz.io.tables import has_popularity, has_weights, is_factors, read_factors, read_popularity, read_weights
from fairviz.io.targets import holds_bounds, read_target_or_bounds
from fairviz.io.variants import is_variants, read_variants
from fairviz.model.judgements import WEIGHT_TOLERANCE
from fairviz.resources import content

READERS: Mapping[Role, Callable[..., Parsed[Any]]] = {
    "run": read_rankings,
    "qrels": read_qrels,
    "groups": read_groups,
    "target": read_target_or_bounds,
    "rag": read_outputs,
    "references": read_references,
    "corpus": read_corpus,
    "queries": read_queries,
    "weights": read_weights,
    "popularity": read_popularity,
    "bias-items": read_bias_items,
    "bias-predictions": read_bias_predictions,
    "variants": read_variants,
    "systems": read_factors,
    "manifest": read_manifest,
}
"""The reader of a file of each role, which takes :meth:`Options.of <fairviz.io.source.Options.of>` the role."""


def _cells(head: Head) -> list[str]:
    """Cells of the header of a table of groups."""
    return [] if head.is_json else header_cells(head.first)[0]


def _n_columns(head: Head) -> int:
    """Columns of a table separated by blanks, 0 in JSON and of words without a digit."""
    is_text = head.is_json or re.search("[0-9]", head.first) is None
    return 0 if is_text else len(re.split(r"[ \t\v\f]+", head.first.strip(" \t\v\f\r")))


def _one_object(head: Head) -> str:
    """How the first value of a file begins that is one JSON object; "x" of any other."""
    of_one = head.text.startswith("{") and not are_lines(head.text)
    return first_value(head.text) or "x" if of_one else "x"


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of file.

    Attributes:
        role: What it holds.
        label: The format in words for people.
        recognises: Whether the head of a file is of it, where it is of none before.
        also: A second role that it has.
        translate: Makes of its text and its name a text that is read, for a format of somebody's own.
    """

    role: Role
    label: str
    recognises: Callable[[Head], bool]
    also: Role | None = None
    translate: Callable[[str, str], bytes] | None = None


def _json(role: Role, label: str, recognises: Callable[[Head], bool], also: Role | None = None) -> Format:
    """A format of JSON alone."""
    return Format(role, label, lambda head: head.is_json and recognises(head), also)


def _logs(tool: LogTool) -> tuple[Format, ...]:
    """Logs of a tool: of answers to variants, of bias questions with answers, of answers to these."""

    def of(kind: str) -> Callable[[Head], bool]:
        return lambda head: tool.recognises(head.keys) and holds(head.keys, head.text) == kind

    name = f"log of {tool.name}"
    return (
        _json("variants", f"{name}: answers to demographic variants", of("variants")),
        _json("bias-items", f"{name}: bias questions with answers", of("items"), "bias-predictions"),
        _json("bias-predictions", f"{name}: answers to bias questions", of("answers")),
    )


def _traces(tool: str) -> Format:
    """Answers with citations that a tool recorded."""
    return _json("rag", f"RAG outputs ({tool})", lambda head: trace_tool(head.keys, head.text) == tool)


_RAG_KEYS = {"topic_id", "narrative_id", "metadata", "answer", "ranking", "attributed", "utility"}


def _is_rag(head: Head) -> bool:
    one_line = first_keys(head.text) is not None
    return bool(head.keys & _RAG_KEYS) and (not one_line or bool(head.keys & {"query_id", "topic_id", "metadata"}))


_JSON_RUN = "JSON run"
_UNLABELLED = {"context", "question", "ans0", "context_condition"}
"""Columns of bias questions that may lack the right answer, of which their reader says so."""

FORMATS: list[Format] = [
    *map(_traces, TRACE_TOOLS),
    _json("variants", "answers to demographic variants (rag_results)", lambda head: is_rag_results(head.keys)),
    *(format for tool in TOOLS for format in _logs(tool)),
    Format("run", "FairTREC run", lambda head: bool(fairtrec_columns(head.raw))),
    _json("run", "candidates of Pyserini, RankLLM or PyLate", has_candidates),
    _json("run", "what was retrieved, of Ragas or RAGChecker", has_retrieved),
    _json("run", "MTEB predictions", lambda head: MTEB in head.keys),
    Format("run", "table with query_id, doc_id and score or rank", lambda head: lists_in(head.keys) == "run"),
    Format("qrels", "table with query_id, doc_id and grade (BEIR)", lambda head: lists_in(head.keys) == "qrels"),
    Format("systems", "factors of systems", lambda head: is_factors(head.keys)),
    Format("weights", "weights of queries", lambda head: has_weights(head.keys) and "text" not in head.keys),
    Format("queries", "questions with weights", lambda head: has_weights(head.keys), "weights"),
    Format("popularity", "popularity of documents", lambda head: has_popularity(head.keys)),
    Format("variants", "answers to demographic variants", lambda head: is_variants(head.keys)),
    Format(
        "bias-items",
        "bias questions with answers",
        lambda head: is_bias_items(head.keys) and is_bias_predictions(head.keys),
        "bias-predictions",
    ),
    Format("bias-items", "bias questions", lambda head: is_bias_items(head.keys)),
    Format("bias-predictions", "answers to bias questions", lambda head: is_bias_predictions(head.keys)),
    Format("bias-items", "bias questions", lambda head: head.keys >= _UNLABELLED),
    Format("groups", "group table", lambda head: is_group_header(_cells(head))),
    Format("queries", "TREC topics", lambda head: not head.is_json and are_topics(head.text)),
    Format("corpus", "passages", lambda head: not head.is_json and holds_words(head.keys, "doc_id")),
    Format("queries", "questions", lambda head: not head.is_json and holds_words(head.keys, "query_id")),
    Format("queries", "questions", lambda head: not head.is_json and are_tab_lines(head.text)),
    Format("run", "TREC run", lambda head: _n_columns(head) >= 6),
    Format("run", "MS MARCO run", lambda head: not head.is_json and is_marco(head.first)),
    Format("qrels", "TREC qrels", lambda head: _n_columns(head) in (4, 5)),
    _json(
        "manifest",
        "manifest of an experiment",
        lambda head: {"schema", "files"} <= head.keys and '"sha256"' in head.text,
    ),
    _json("corpus", "passages (BEIR)", lambda head: {"_id", "title", "text"} <= head.keys),
    _json("queries", "questions (BEIR)", lambda head: {"_id", "text"} <= head.keys),
    _json("references", "reference answers", lambda head: {"answers", "query_id"} <= head.keys),
    _json("rag", "TREC RAGTIME", lambda head: {"metadata", "responses"} <= head.keys),
    _json("rag", "TREC RAG 2025", lambda head: _is_rag(head) and "metadata" in head.keys),
    _json("rag", "TREC RAG 2024", lambda head: _is_rag(head) and "topic_id" in head.keys),
    _json("rag", "fairviz RAG outputs", lambda head: _is_rag(head)),
    _json("corpus", "passages", lambda head: holds_words(head.keys, "doc_id")),
    _json("groups", "group table", lambda head: first_keys(head.text) is not None and holds_labels(head.keys)),
    _json("queries", "questions", lambda head: holds_words(head.keys, "query_id")),
    _json(  # lists stand in TREC's columns
        "rag", "recorded outputs", lambda head: bool(head.keys & {"topic_id", "query_id"}) and head.keys.isdisjoint(DOC)
    ),
    Format(
        "target",
        "target shares per query",
        lambda head: _one_object(head) in "{[" and _are_shares(_shares_per_query(head.text)),
    ),
    Format("target", "bounds of shares", lambda head: _one_object(head) in "{[" and holds_bounds(head.text)),
    Format("run", _JSON_RUN, lambda head: _one_object(head) in "{["),
    Format("target", "target shares", lambda head: _one_object(head) in "-0123456789"),
]
"""In the order in which a file is held against them; Parquet tables of lists are known by their columns."""


def add_format(own: Format) -> None:
    """Put a format of somebody's own before all others; one of its label takes the place of an earlier own one."""
    FORMATS[:] = [own, *(other for other in FORMATS if not (other.translate and other.label == own.label))]


def known_as(*roles: Role) -> tuple[str, ...]:
    """What files that hold one of the roles are recognised as, in words for people; of logs the tool."""
    meant = (each for each in FORMATS if each.role in roles)
    return tuple(dict.fromkeys(each.label.partition(":")[0] for each in meant))


@reader
def sniff(source: Source) -> Format:
    """The format of a file.

    Args:
        source: A path or ``(name, bytes)``, plain or gzip'ed.

    Raises:
        InputError: The file is unreadable, an archive, or not recognised.
    """
    if source.is_parquet and (role := lists_in_parquet(source)) is not None:
        return Format(role, f"Parquet {role}", lambda _: True)
    head = Head(source)
    recognised = _format_of(head)
    if recognised is None and load_entry_points("formats"):
        recognised = _format_of(head)
    if recognised is None:
        raise _not_recognised(source, head)
    if recognised.label == _JSON_RUN and _shares_per_query(head.text):
        reason = "scores of documents that sum to 1 in every query, or shares of groups: the file can be either"
        fix = (
            "Write scores as a TREC run. Of shares name all groups in every query, in one order, or give it as target."
        )
        raise source.wrong(reason, fix, 1)
    return recognised


_BETWEEN_CELLS = {";": "semicolons", "|": "vertical bars", ",": "commas"}


def _not_recognised(source: Source, head: Head) -> InputError:
    """The error of a file of no format: what it lacks, or what parts its cells; else the formats that are read."""
    if not head.is_json and not head.first:
        return source.wrong("no data lines", "The file holds blanks or comments only.")
    if (tool := sample_tool(head.keys, head.text)) is not None:
        if not head.is_json:
            fix = "Write JSON Lines or Parquet, such as frame.to_json(FILE, orient='records', lines=True)."
            return source.wrong(f"cells hold no lists (this looks like {tool})", fix, 1)
        return source.wrong(NOT_CITED.format(tool=tool), CITE, 1)
    for mark in () if head.is_json else filter(head.first.__contains__, _BETWEEN_CELLS):
        with_tabs = _format_of(Head(Source(source.name, None, head.raw.replace(mark.encode(), b"\t"))))
        if with_tabs is not None and (mark != "," or re.search("[0-9]", head.first)):  # text has commas, too
            looks = f"{shown(head.first)} (this looks like: {with_tabs.label})"
            reason = f"{_BETWEEN_CELLS[mark]} stand between its cells: {looks}"
            return source.wrong(reason, "Save it with tabs between the cells.", 1)
    fix = content("refused_files")["unknown"].format(logs=", ".join(tool.file for tool in TOOLS))
    return source.wrong(f"format not recognised: {shown(head.text.split(chr(10), 1)[0])}", fix, 1)


@reader
def answers_in(source: Source) -> Format | None:
    """The format of a file of answers, by its columns; None where they are of nothing known.

    Raises:
        InputError: The file is unreadable or an archive.
    """
    return _format_of(Head(source), "variants", "bias-items", "bias-predictions")


def _format_of(head: Head, *roles: Role) -> Format | None:
    formats = (format for format in FORMATS if not roles or format.role in roles)
    return next((format for format in formats if (head.is_json or head.first) and format.recognises(head)), None)


_INNER = re.compile(r'\{(?:[^{}"\\]|"(?:[^"\\]|\\.)*")*\}')
"""An object without objects in it."""


def _shares_per_query(text: str) -> list[dict[str, float]]:
    """The objects within, where all may be shares: two and more numbers that sum to 1, of one kind; else none."""
    try:
        rows = [json.loads(match[0], parse_int=float) for match in _INNER.finditer(text)]
    except (json.JSONDecodeError, RecursionError, ValueError):
        return []
    return rows if all(_sums_to_one(row) and row.keys() & rows[0].keys() for row in rows) else []


def _are_shares(rows: list[dict[str, float]]) -> bool:
    """Whether all queries have shares of the same groups, and are not ranked, each with its best document first."""
    same = len(rows) > 1 and all(row.keys() == rows[0].keys() for row in rows)
    in_order = all(list(row) == list(rows[0]) for row in rows)
    return same and (in_order or any([*row.values()] != sorted(row.values(), reverse=True) for row in rows))


def _sums_to_one(row: dict[str, Any]) -> bool:
    numbers = [value for value in row.values() if isinstance(value, float)]
    if len(numbers) != len(row) or len(row) < 2 or min(numbers) < 0:
        return False
    return abs(sum(numbers) - 1) <= WEIGHT_TOLERANCE
