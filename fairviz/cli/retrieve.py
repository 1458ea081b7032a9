"""``fairviz retrieve``: what a retriever finds in a collection for each question, as a run on standard output."""

import argparse
import tomllib
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fairviz.cli._common import (
    ids_without_blanks,
    print_lines,
    warn,
)
from fairviz.cli._files import name_of, source_of
from fairviz.errors import UsageError
from fairviz.io.notes import shown
from fairviz.model import Note
from fairviz.numerals import plural

if TYPE_CHECKING:
    from fairviz.experiments.components.registry import RetrieverTable


def run(args: argparse.Namespace) -> int:
    """Retrieve, then print."""
    from fairviz.experiments.components.registry import retrieved_run, retriever_of
    from fairviz.experiments.inputs import read_documents
    from fairviz.io.corpus import read_queries
    from fairviz.io.rankings import write_run

    choice = _choice(args)
    documents, questions = read_documents(source_of(args.corpus)), read_queries(source_of(args.queries))
    retriever = retriever_of(choice, documents.value, documents.file)
    retrieved = retrieved_run(retriever, documents.value, questions.value, depth=args.depth)
    empty = [query for query, n in zip(retrieved.query_ids, np.diff(retrieved.offsets), strict=True) if not n]
    unanswered = [Note(questions.file, None, _without_documents(empty))] if empty else []
    warn([*documents.notes, *questions.notes, *retriever.notes, *unanswered])
    with ids_without_blanks(f"{documents.file}, {questions.file}"):
        print_lines(partial(write_run, retrieved))
    return 0


def _without_documents(queries: Sequence[str]) -> str:
    return f"nothing was retrieved for {plural(len(queries), 'question')}, {shown(queries[0])} first"


def _choice(args: argparse.Namespace) -> "RetrieverTable":
    from fairviz.experiments.components.registry import chosen
    from fairviz.experiments.config import read_retrievers

    if args.description is None:
        if args.retriever is None:
            raise UsageError("retrieve needs --retriever NAME, such as bm25, or --description FILE.toml")
        return chosen(args.retriever, **dict(_parameter(text) for text in args.set))
    if args.set:
        raise UsageError("--set changes a retriever that is named; parameters of a --description stand in the file")
    name = Path(name_of(args.description))
    known = {choice.label: choice for choice in read_retrievers(name, source_of(args.description))}
    if args.retriever is None and len(known) == 1:
        return next(iter(known.values()))
    if args.retriever not in known:
        raise UsageError(f"{name}: give --retriever, one of: {', '.join(known)}")
    return known[args.retriever]


def _parameter(text: str) -> tuple[str, object]:
    """A parameter as typed: numbers, true, false and lists as in TOML, anything else a text.

    Examples:
        >>> _parameter("k1=1.2"), _parameter("model=all-MiniLM")
        (('k1', 1.2), ('model', 'all-MiniLM'))
    """
    key, given, value = text.partition("=")
    if not given or not key or not value:
        raise UsageError(f"--set {text}: expected KEY=VALUE, such as k1=1.2")
    try:
        return key, tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return key, value
