"""Which kind of file is this? Decided by its first lines, never by its name alone."""

import json
import re
from typing import Any, NamedTuple

from fairviz.errors import InputError
from fairviz.io.answer_table import header_names
from fairviz.io.bbq import is_bias_items
from fairviz.io.bbq_answers import is_bias_predictions
from fairviz.io.factors import is_factors
from fairviz.io.groups import header_cells, is_group_header, is_wide_group_header
from fairviz.io.json import are_lines, first_keys, first_value, head_keys
from fairviz.io.log_answers import holds, log_tool
from fairviz.io.notes import shown
from fairviz.io.options import Role
from fairviz.io.parquet import is_parquet, parquet_names
from fairviz.io.rag_results import is_rag_results
from fairviz.io.rag_traces import trace_tool
from fairviz.io.rankings import is_fairtrec
from fairviz.io.source import FileInput, Source, as_source, reader
from fairviz.io.text import head_of
from fairviz.io.variant_rows import is_variants
from fairviz.model.judgements import WEIGHT_TOLERANCE
from fairviz.numerals import count_word

_INNER = re.compile(r'\{(?:[^{}"\\]|"(?:[^"\\]|\\.)*")*\}')
"""An object without objects in it."""

_RAG_KEYS = {"topic_id", "narrative_id", "metadata", "answer", "ranking", "attributed", "utility"}
_KNOWN = (
    "What is read: TREC runs (6 columns) and qrels (4), FairTREC, group tables with a header, tables of systems, "
    "of bias questions, of answers to them and to demographic variants, and JSON of these, of "
    "runs, targets, outputs, references, passages and questions; logs of lm-eval (--log_samples), Inspect (JSON), HELM "
    "(scenario_state.json), OpenAI Batch, Ragas and OpenInference. Any other: write a table of its answers."
)


class Sniffed(NamedTuple):
    """A guess at a file's role, the format in words for people, and a second role it has."""

    role: Role
    label: str
    also: Role | None = None


@reader
def sniff(file: FileInput | Source) -> Sniffed:
    """Guess what a file holds.

    Args:
        file: A path or ``(name, bytes)``, plain or gzip'ed.

    Raises:
        InputError: The file is unreadable, an archive, or not recognised.
    """
    source = as_source(file)
    if is_parquet(source):
        from fairviz.io.frames import lists_in  # Arrow's Parquet is loaded for such files alone

        if (role := lists_in(parquet_names(source))) is not None:
            return Sniffed(role, "Parquet run" if role == "run" else "Parquet qrels")
    head = head_of(source)
    text = head.decode(errors="replace")
    if text.lstrip()[:1] in ("{", "[") and (tool := trace_tool(head_keys(text.lstrip()), text)):
        return Sniffed("rag", f"RAG outputs ({tool})")
    guess = _json(text.lstrip()) if text.lstrip()[:1] in ("{", "[") else _table(head, text, source.name)
    if guess is None:
        line = shown(text.lstrip().split("\n", 1)[0])
        reason = f"format not recognised: {line}"
        raise InputError(reason, file=source.name, line=1, fix=_KNOWN)
    return guess


@reader
def answers_in(file: FileInput | Source) -> Sniffed | None:
    """Which answers a file holds, by its columns; None where they are of nothing known.

    Raises:
        InputError: The file is unreadable or an archive.
    """
    text = head_of(as_source(file)).decode(errors="replace").lstrip()
    if log := _log(text):
        return log
    return _answers(head_keys(text) if text[:1] in ("{", "[") else header_names(text.split("\n", 1)[0]))


def _table(head: bytes, text: str, name: str) -> Sniffed | None:
    if is_fairtrec(head):
        return Sniffed("run", "FairTREC run")
    lines = [line for line in text.split("\n") if line.strip() and not line.startswith("#")]
    if not lines:
        return None
    if is_factors(lines[0]):
        return Sniffed("systems", "factors of systems")
    if answers := _answers(header_names(lines[0])):
        return answers
    if is_group_header(header_cells(lines[0])[0]):
        return Sniffed("groups", "group table")
    cells = [cell.strip() for cell in header_cells(lines[0])[0]]
    if is_wide_group_header(cells):
        first, *attributes = cells
        *files, last = (f"{first},{attribute}" for attribute in attributes)
        fix = (
            f"This looks like a table of labels with {count_word(len(attributes))} attributes. Save one file per "
            f"attribute: {', '.join(files)} and {last}."
        )
        raise InputError(f"format not recognised: {shown(lines[0])}", file=name, line=1, fix=fix)
    n_columns = len(re.split(r"[ \t\v\f]+", lines[0].strip(" \t\v\f\r")))
    if n_columns >= 6:
        return Sniffed("run", "TREC run")
    if n_columns in (4, 5):
        return Sniffed("qrels", "TREC qrels")
    return Sniffed("run", "run in an unknown format") if n_columns == 3 else None


def _json(text: str) -> Sniffed | None:
    first, keys = first_keys(text), head_keys(text)
    if log := _log(text):
        return log
    if answers := _answers(keys):
        return answers
    if {"schema", "files"} <= keys and '"sha256"' in text:
        return Sniffed("manifest", "manifest of an experiment")
    if "answers" in keys and "query_id" in keys:
        return Sniffed("references", "reference answers")
    if keys & _RAG_KEYS and (first is None or keys & {"query_id", "topic_id", "metadata"}):
        return Sniffed("rag", _rag_label(keys))
    if "doc_id" in keys and "text" in keys:
        return Sniffed("corpus", "passages")
    if "query_id" in keys and "text" in keys:
        return Sniffed("queries", "questions")
    if keys & {"topic_id", "query_id"} and not keys & {"doc_id", "docid", "docno"}:  # lists stand in TREC's columns
        return Sniffed("rag", "recorded outputs")
    value = None if are_lines(text) else first_value(text)
    if value is None or not text.startswith("{"):
        return None
    if value in "{[":
        if _shares_per_query(text):
            return Sniffed("target", "target shares per query")
        return Sniffed("run", "JSON run")
    return Sniffed("target", "target shares") if value in "-0123456789" else None


def _log(text: str) -> Sniffed | None:
    """Logs of evaluation tools, and the results of a study, whose records hold what a table has in columns."""
    if text[:1] not in ("{", "["):
        return None
    keys = head_keys(text)
    if is_rag_results(keys):
        return Sniffed("variants", "answers to demographic variants (rag_results)")
    tool = log_tool(keys)
    if tool is None:
        return None
    held = holds(keys, text)
    if held == "variants":
        return Sniffed("variants", f"log of {tool}: answers to demographic variants")
    if held == "items":
        return Sniffed("bias-items", f"log of {tool}: bias questions with answers", "bias-predictions")
    return Sniffed("bias-predictions", f"log of {tool}: answers to bias questions")


def _answers(keys: set[str]) -> Sniffed | None:
    """Files of answers by their columns; bias questions may carry answers within them."""
    if is_variants(keys):
        return Sniffed("variants", "answers to demographic variants")
    if is_bias_items(keys) and is_bias_predictions(keys):
        return Sniffed("bias-items", "bias questions with answers", "bias-predictions")
    if is_bias_items(keys):
        return Sniffed("bias-items", "bias questions")
    if is_bias_predictions(keys):
        return Sniffed("bias-predictions", "answers to bias questions")
    return None


def _shares_per_query(text: str) -> bool:
    """Whether the objects within are shares: two and more numbers that sum to 1, of one kind."""
    try:
        rows = [json.loads(match[0], parse_int=float) for match in _INNER.finditer(text)]
    except (json.JSONDecodeError, RecursionError, ValueError):
        return False
    return bool(rows) and all(_sums_to_one(row) and row.keys() & rows[0].keys() for row in rows)


def _sums_to_one(row: dict[str, Any]) -> bool:
    numbers = [value for value in row.values() if isinstance(value, int | float)]
    if len(numbers) != len(row) or len(row) < 2 or min(numbers) < 0:
        return False
    return abs(sum(numbers) - 1) <= WEIGHT_TOLERANCE


def _rag_label(keys: set[str]) -> str:
    if "metadata" in keys:
        return "TREC RAG 2025"
    return "TREC RAG 2024" if "topic_id" in keys else "fairviz RAG outputs"
