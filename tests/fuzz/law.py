"""What holds of any bytes: a noun that can be written and read again, or one line that says where and why."""

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from fairviz.errors import InputError, UnreadableError
from fairviz.experiments.bias import read_polar_documents
from fairviz.experiments.config import DocumentTable
from fairviz.experiments.questions import read_closed_questions
from fairviz.io.bbq import read_bias_items, write_bias_items
from fairviz.io.bbq_answers import carried_predictions, read_bias_predictions, write_bias_predictions
from fairviz.io.corpus import read_corpus, read_queries, read_references
from fairviz.io.dataset import add_file
from fairviz.io.formats import sniff
from fairviz.io.groups import read_groups, write_groups
from fairviz.io.join import validate
from fairviz.io.manifest import read_manifest
from fairviz.io.qrels import read_qrels, write_qrels
from fairviz.io.rag import read_outputs, write_outputs
from fairviz.io.rankings import read_ranked_run, read_rankings, write_run, write_samples
from fairviz.io.tables import read_popularity, read_weights
from fairviz.io.targets import read_target, read_target_or_bounds, write_target
from fairviz.io.trec import tag_of
from fairviz.io.variants import read_variants, write_variants
from fairviz.model import (
    BiasItems,
    BiasPredictions,
    Dataset,
    GroupLabels,
    Qrels,
    RagOutputs,
    RankingSample,
    Run,
    Target,
    VariantAnswers,
)
from fairviz.numerals import THIN
from fairviz.reporting.study_file import read_study

NAME = "some.file"
LONGEST = 700
"""Characters that a message may have."""


OF_THE_WHOLE_FILE = re.compile(
    r"gzip |empty file|decompressed size|other bytes follow|compressed with|this is (a|an) .*(archive|Parquet|log of)|"
    r"this Parquet file|a Parquet file that|.*no document has a group label|holds .* are wanted|was converted by|"
    r"row [0-9]+|no data lines|no column of|no rows|column 2 has several values|this .* holds one ranking|"
    r"no demographic variants|attribute .* has a single value|every (request|sample)|"
    r"this (HELM|Inspect)|one system's rankings are needed|"
    r"duplicate column|.* different options of closed|not an archive|"
    r"the (archive|member|list of its members)|two members|its members|unpacked it|it has .* members|study\.json|"
    r"saved by another|"
    r".*( is missing| is damaged| was changed after the study| is in it, of which)"
)
"""Reasons that stand on no line, or on a row."""


class Reading(NamedTuple):
    """A way to read a file, and to write what it gives."""

    read: Callable[..., Any]
    write: Callable[[Any, io.StringIO], None] | None = None


def _write_rankings(noun: Run | RankingSample, to: io.StringIO) -> None:
    (write_run if isinstance(noun, Run) else write_samples)(noun, to)  # type: ignore[arg-type]


def _write_outputs(noun: Any, to: io.StringIO) -> None:
    write_outputs(noun.outputs, to, questions=noun.questions)


def _read_samples(file: Any) -> Any:
    parsed = read_rankings(file, multi_sample=True)
    if isinstance(parsed.value, Run):  # of a format without samples
        raise InputError(f"this {parsed.format} holds one ranking per query", file=NAME, fix="Give samples.")
    return parsed


def _read_attributes(file: Any) -> Any:
    """All labels of a file, or of the files that they are written to: one after the other, a marked line between."""
    name, content = file
    parsed = [each for part in content.split(_BETWEEN) for each in read_groups((name, part)).every]
    return replace(parsed[0], value=tuple(each.value for each in parsed))


def _write_attributes(nouns: Any, to: io.StringIO) -> None:
    for noun in nouns:
        if to.tell():
            to.write(_BETWEEN.decode())
        write_groups(noun, to)


_BETWEEN = b"\0next file\0"

READINGS: dict[str, Reading] = {
    "rankings": Reading(read_rankings, _write_rankings),
    "samples": Reading(_read_samples, _write_rankings),
    "qrels": Reading(read_qrels, write_qrels),
    "subtopics": Reading(lambda file: read_qrels(file, subtopics=True), write_qrels),
    "groups": Reading(read_groups, write_groups),
    "split groups": Reading(lambda file: read_groups(file, labels="split"), write_groups),
    "attributes": Reading(_read_attributes, _write_attributes),
    "target": Reading(read_target, write_target),
    "bounds": Reading(read_target_or_bounds),
    "outputs": Reading(read_outputs, _write_outputs),
    "items": Reading(read_bias_items, write_bias_items),
    "predictions": Reading(read_bias_predictions, write_bias_predictions),
    "variants": Reading(read_variants, write_variants),
    "ranks": Reading(read_ranked_run),
    "references": Reading(read_references),
    "corpus": Reading(read_corpus),
    "queries": Reading(read_queries),
    "weights": Reading(read_weights),
    "popularity": Reading(read_popularity),
    "carried": Reading(carried_predictions),
    "questions": Reading(read_closed_questions),
    "manifest": Reading(read_manifest),
    "polar documents": Reading(lambda file: read_polar_documents(file, DocumentTable.model_construct(file=Path(NAME)))),
    "validate": Reading(lambda file: validate(file, "predictions")),
    "study": Reading(read_study),
    "sniff": Reading(sniff),
    "dataset": Reading(lambda file: add_file(Dataset(), file)),
}


def check(content: bytes, readings: Sequence[str] = tuple(READINGS)) -> dict[str, InputError | None]:
    """Read a file in several ways; what each refused it with, None where it was read.

    Raises:
        AssertionError: A refusal is not one plain line, or a noun does not come back as it was written.
    """
    return {name: _check(name, content) for name in readings}


def _check(name: str, content: bytes) -> InputError | None:
    reading = READINGS[name]
    try:
        noun = reading.read((NAME, content))
    except InputError as error:
        check_refusal(error)
        return error
    if reading.write is not None:
        check_comes_back(noun.value, reading)
    return None


def check_refusal(error: InputError) -> None:
    """One printable line with the file, the line where there is one, the reason and what mends it."""
    if isinstance(error, UnreadableError):
        raise AssertionError(f"{error}") from error.__cause__
    message = f"{error}. {error.fix}"
    assert error.file == NAME, error.file
    assert message.replace(THIN, " ").isprintable(), message  # what spaces thousands is a plain blank in a terminal
    assert len(message) < LONGEST, message
    assert error.fix, message
    assert (error.line or 0) >= 1 or OF_THE_WHOLE_FILE.match(error.reason), f"no line: {message}"


def check_comes_back(noun: Any, reading: Reading) -> None:
    """What a reader accepts its writer writes, and the reader gives it back."""
    assert reading.write is not None
    to = io.StringIO(newline="")
    reading.write(noun, to)
    written = to.getvalue().encode()
    try:
        again = reading.read((NAME, written)).value
    except InputError as error:
        raise AssertionError(f"{type(noun).__name__} is not read again: {error}") from error
    assert said(again) == said(noun), (
        f"{type(noun).__name__} comes back otherwise: {said(noun)!r:.300} … {said(again)!r:.300}"
    )


def said(noun: Any) -> Any:
    """What a noun says, with every id in its place, so that two nouns can be compared."""
    match noun:
        case Run():
            rows = zip(_ids(noun.doc_ids, noun.docs), map(repr, noun.scores.tolist()), strict=True)
            return tag_of(noun.system), _cut(noun.query_ids, noun.offsets, list(rows))
        case RankingSample():
            drawn = _cut(range(noun.sample_offsets.size - 1), noun.sample_offsets, _ids(noun.doc_ids, noun.docs))
            queries = _cut(noun.query_ids, noun.query_offsets, [docs for _, docs in drawn])
            return tag_of(noun.system), noun.policy, noun.alpha, queries
        case Qrels():
            topics = ["0"] * noun.docs.size if noun.subtopics is None else _ids(noun.subtopic_ids, noun.subtopics)
            rows = zip(topics, _ids(noun.doc_ids, noun.docs), noun.grades.tolist(), strict=True)
            return noun.name, noun.subtopics is None, _cut(noun.query_ids, noun.offsets, list(rows))
        case GroupLabels():
            rows = csr_array(noun.weights)
            weights = list(zip(_ids(noun.groups, rows.indices), rows.data.tolist(), strict=True))
            items = _cut(noun.doc_ids, rows.indptr, [(g, f"{w:.12g}") for g, w in weights])
            return noun.attribute, set(noun.groups), noun.query_ids, items
        case Target():
            return noun.groups, noun.query_ids, noun.shares.tolist()
        case RagOutputs():
            given = _cut(noun.samples, noun.given_offsets, _ids(noun.doc_ids, noun.given))
            cited = _cut(noun.texts, noun.attributed_offsets, _ids(noun.doc_ids, noun.attributed))
            rows = list(zip(given, cited, said_sentences(noun), map(repr, noun.utilities.tolist()), strict=True))
            names = ("system", "task", "retriever", "generator", "policy", "alpha", "k", "given_from")
            about = [getattr(noun, name) for name in names]
            return about, noun.dates, _cut(noun.query_ids, noun.offsets, rows)
        case BiasItems():
            return noun.frame.rows()
        case BiasPredictions():
            return noun.name, noun.frame.columns, noun.frame.rows()
        case GroupLabels(), *_:  # by several attributes
            return [said(each) for each in noun]
        case VariantAnswers():
            return noun.name, noun.kind, noun.frame.schema, noun.frame.rows()
        case _:  # recorded outputs: several nouns, and the words of their queries
            return [said(outputs) for outputs in noun.outputs], noun.questions


def said_sentences(noun: RagOutputs) -> list[list[tuple[str, list[str]]]]:
    """Of each answer its sentences, each with the documents that it cites; none where none are recorded."""
    return [[(text, [*docs]) for text, docs in answer] for answer in noun.sentences or [()] * len(noun.texts)]


def _ids(names: Sequence[str], codes: "np.ndarray[Any, Any]") -> list[str]:
    places: list[int] = codes.tolist()
    return [names[place] for place in places]


def _cut(names: Sequence[Any], offsets: "np.ndarray[Any, Any]", rows: list[Any]) -> list[tuple[Any, list[Any]]]:
    return [(name, rows[start:end]) for name, start, end in zip(names, offsets[:-1], offsets[1:], strict=True)]
