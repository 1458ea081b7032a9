"""Answers one by one, and all of them as :class:`RagOutputs`, one noun per system."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fairviz.errors import InputError
from fairviz.formats.notes import shown
from fairviz.model import GivenFrom, RagOutputs


class Producer(NamedTuple):
    """What produced an answer; answers of one producer are one noun."""

    system: str
    task: str | None = None
    retriever: str | None = None
    generator: str | None = None
    policy: str | None = None
    alpha: float | None = None
    k: int | None = None


class OutputRow(NamedTuple):
    """One recorded answer.

    Attributes:
        line: Where it stands.
        producer: What produced it.
        query: Its query.
        sample: Which of the query's answers it is.
        given_from: Where the given documents were recorded.
        given: The documents given to the generator, distinct.
        attributed: The documents that it cites, distinct.
        text: The answer.
        utility: Recorded utility, NaN where there is none.
        question: The query's words, where recorded.
        id_type: "string" or "number": how the file wrote the query's id.
    """

    line: int
    producer: Producer
    query: str
    sample: str
    given_from: GivenFrom
    given: list[str]
    attributed: list[str]
    text: str
    utility: float
    question: str | None
    id_type: str


def build_outputs(rows: Sequence[OutputRow], file: str) -> tuple[RagOutputs, ...]:
    """One noun per producer, in file order.

    Args:
        rows: The answers in file order.
        file: Name of the file.

    Raises:
        InputError: A sample of a query is answered twice, or some answers of a producer say what
            was given to the generator and others do not.
    """
    by_producer: dict[Producer, list[OutputRow]] = {}
    for row in rows:
        by_producer.setdefault(row.producer, []).append(row)
    return tuple(_outputs(producer, found, file) for producer, found in by_producer.items())


def questions(rows: Sequence[OutputRow]) -> dict[str, str]:
    """The words of each query, where any answer records them."""
    return {row.query: row.question for row in reversed(rows) if row.question}


def _outputs(producer: Producer, rows: list[OutputRow], file: str) -> RagOutputs:
    first: dict[tuple[str, str], OutputRow] = {}
    by_query: dict[str, list[OutputRow]] = {}
    for row in rows:
        before = first.setdefault((row.query, row.sample), row)
        if before is not row:
            _refuse_second_answer(before, row, file)
        if row.given_from != rows[0].given_from:
            reason = f"only some answers of {shown(producer.system)} record what was given to it"
            fix = "Record the ranking of every answer, or of none."
            raise InputError(reason, file=file, line=row.line, fix=fix)
        by_query.setdefault(row.query, []).append(row)
    ordered = [row for found in by_query.values() for row in found]
    docs: dict[str, int] = {}
    given = [[docs.setdefault(doc, len(docs)) for doc in row.given] for row in ordered]
    cited = [[docs.setdefault(doc, len(docs)) for doc in row.attributed] for row in ordered]
    return RagOutputs(
        query_ids=tuple(by_query),
        doc_ids=tuple(docs),
        offsets=np.cumsum([0, *(len(found) for found in by_query.values())]),
        samples=tuple(row.sample for row in ordered),
        given_from=ordered[0].given_from,
        given_offsets=np.cumsum([0, *(len(codes) for codes in given)]),
        given=np.array([code for codes in given for code in codes], dtype=np.int32),
        attributed_offsets=np.cumsum([0, *(len(codes) for codes in cited)]),
        attributed=np.array([code for codes in cited for code in codes], dtype=np.int32),
        texts=tuple(row.text for row in ordered),
        utilities=np.array([row.utility for row in ordered], dtype=np.float64),
        system=producer.system,
        task=producer.task,
        retriever=producer.retriever,
        generator=producer.generator,
        policy=producer.policy,
        alpha=producer.alpha,
        k=producer.k,
    )


def _refuse_second_answer(before: OutputRow, row: OutputRow, file: str) -> None:
    query = shown(row.query)
    if before.id_type != row.id_type:
        reason = f"duplicate topic {query} (int and string): line {before.line} and this one"
    elif row.given_from == "references":
        reason = f"topic {query} answered twice (line {before.line})"
    else:
        sample = shown(row.sample)
        reason = f"sample {sample} of query {query} answered twice (line {before.line})"
    raise InputError(reason, file=file, line=row.line, fix="Keep one answer of each.")
