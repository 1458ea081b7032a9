"""Labels from answers that were recorded elsewhere: without documents, and with one document each."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from fairviz.counts import count
from fairviz.errors import UsageError
from fairviz.experiments.rankings.labels import UTILITIES, Score, score_of
from fairviz.model import FloatArray, Note, Qrels, RagOutputs

RECORDED = "recorded"
"""Utility as the outputs say."""


class RecordedLabels(NamedTuple):
    """Labels, and what could not be used."""

    qrels: Qrels
    notes: tuple[Note, ...]


def recorded_labels(
    outputs: Sequence[RagOutputs], *, utility: str, references: Mapping[str, Sequence[str]] | None, generator: str
) -> RecordedLabels:
    """Grade 1 where the answer with a document is better than the answer without any, else 0 (Kim & Diaz 2025, 3.1).

    Several answers to one prompt count with their mean. A question without an answer to no documents has no label.

    Args:
        outputs: Answers of one generator.
        utility: A name in :data:`~fairviz.experiments.rankings.labels.UTILITIES`, or :data:`RECORDED`.
        references: Right answers by query id.
        generator: Whose labels these are.

    Raises:
        UsageError: The utility is unknown, or it needs references or numbers that are not there.
    """
    score = _score(utility, references)
    found: dict[str, dict[str, list[float]]] = {}
    n_longer = n_undefined = 0
    for one in outputs:
        utilities = _utilities(one, score, references or {})
        for row, query_id in enumerate(one.query_ids):
            for o in range(int(one.offsets[row]), int(one.offsets[row + 1])):
                given = one.given[one.given_offsets[o] : one.given_offsets[o + 1]]
                if given.size > 1 or one.given_from == "nowhere":
                    n_longer += 1
                elif np.isnan(utilities[o]):
                    n_undefined += 1
                else:
                    doc_id = one.doc_ids[int(given[0])] if given.size else _ALONE
                    found.setdefault(query_id, {}).setdefault(doc_id, []).append(float(utilities[o]))
    usable = {query_id: means for query_id, means in found.items() if _ALONE in means and len(means) > 1}
    reasons = {
        "answers to several documents, or to what is not recorded": n_longer,
        "answers without a utility": n_undefined,
        "questions without answers both to no document and to one": len(found) - len(usable),
    }
    notes = tuple(Note(generator, None, f"{count(n)} {what}: left out") for what, n in reasons.items() if n)
    return RecordedLabels(_qrels(usable, generator), notes)


_ALONE = ""
"""In the place of a document's id, for an answer without any."""


def _score(utility: str, references: Mapping[str, Sequence[str]] | None) -> Score | None:
    if utility == RECORDED:
        return None
    if utility not in UTILITIES:
        raise UsageError(f"--utility: unknown utility {utility!r}; accepted: {RECORDED}, {', '.join(UTILITIES)}")
    if references is None:
        raise UsageError(f"utility {utility} compares with right answers: give --references FILE")
    return score_of(utility, references)


def _utilities(outputs: RagOutputs, score: Score | None, references: Mapping[str, Sequence[str]]) -> FloatArray:
    """(O) utility of each answer, NaN = unknown."""
    if score is None:
        return outputs.utilities
    values = np.full(len(outputs.texts), np.nan)
    for row, query_id in enumerate(outputs.query_ids):
        right = references.get(query_id, ())
        for o in range(int(outputs.offsets[row]), int(outputs.offsets[row + 1])):
            values[o] = score(outputs.texts[o], right)
    return values


def _qrels(utilities: Mapping[str, Mapping[str, Sequence[float]]], generator: str) -> Qrels:
    grades: list[int] = []
    docs: list[int] = []
    offsets = [0]
    places: dict[str, int] = {}
    for by_document in utilities.values():
        baseline = float(np.mean(by_document[_ALONE]))
        for doc_id, values in by_document.items():
            if doc_id != _ALONE:
                docs.append(places.setdefault(doc_id, len(places)))
                grades.append(int(float(np.mean(values)) > baseline))
        offsets.append(len(docs))
    return Qrels(
        name="utility",
        query_ids=tuple(utilities),
        doc_ids=tuple(places),
        offsets=np.array(offsets),
        docs=np.array(docs, dtype=np.int32),
        grades=np.array(grades, dtype=np.int64),
        generator=generator,
    )
