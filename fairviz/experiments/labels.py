"""Usefulness of documents to a generator: what each adds to its answer when it is given alone (Kim & Diaz 2025).

The answers are asked for in an experiment, or were recorded elsewhere: without documents, and with one document each.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Literal, TypeAlias, cast, get_args

import numpy as np

from fairviz.errors import UsageError
from fairviz.experiments.protocols import Document, Prompt
from fairviz.metrics.utility import StringUtility, error_closeness, reference_scale, string_utility
from fairviz.model import FloatArray, IndexArray, IntArray, Note, Qrels, RagOutputs
from fairviz.numerals import count

Score: TypeAlias = Callable[[str, Sequence[str]], float]
"""Utility of an answer, beside its references."""

LAMP: Mapping[str, StringUtility] = {
    "lamp-1": "accuracy",
    "lamp-2": "accuracy",
    "lamp-3": "mae",
    **dict.fromkeys(("lamp-4", "lamp-5", "lamp-6", "lamp-7"), "rougeL"),
}
"""Metrics of the tasks of LaMP (Salemi et al. 2024), by which the paper measures utility: citation and tag by accuracy,
stars by their error, texts by ROUGE-L. LaMP gives RMSE beside MAE; labels are the same by both, since either falls
where an answer comes nearer to its reference."""

STARS = (1.0, 5.0)
"""What an answer to LaMP-3 can be."""

Utility: TypeAlias = Literal[StringUtility, "lamp-1", "lamp-2", "lamp-3", "lamp-4", "lamp-5", "lamp-6", "lamp-7"]
"""A string utility, or the metric of a task of LaMP."""

UTILITIES: tuple[str, ...] = get_args(Utility)


def score_of(utility: str, references: Mapping[str, Sequence[str]]) -> Score:
    """The utility of a name in :data:`UTILITIES`.

    An error e becomes the utility max − e, max being the distance between the smallest and the largest right number.

    Raises:
        UsageError: A reference is no number where errors are measured.

    Examples:
        >>> score_of("lamp-3", {"q": ["4"]})("2", ["4"]), score_of("lamp-1", {"q": ["[1]"]})("[2]", ["[1]"])
        (2.0, 0.0)
    """
    name = cast("StringUtility", LAMP.get(utility, utility))
    if utility in LAMP and name == "mae":
        reference_scale(references)  # refuses what is no number
        return partial(error_closeness, scale=STARS)
    return string_utility(name, references)


def label_prompts(question: str, documents: Sequence[Document], *, template: str = "") -> list[Prompt]:
    """What is asked to label documents: the question alone, then with each document alone."""
    alone = Prompt(question, (), template=template)
    return [alone, *(alone._replace(documents=(document,)) for document in documents)]


def utility_gains(answers: Sequence[str], references: Sequence[str], *, score: Score) -> FloatArray:
    """(D) utility gain δ_j = u_j − u_i of document j given alone over the answer without any, u_i (3.1).

    Documents with a positive one are useful. A label depends on the generator: another one may make nothing of the
    same document.

    Args:
        answers: (1 + D) one generator's answers to :func:`label_prompts`.
        references: Right answers, at least one.
        score: The utility of an answer.

    Raises:
        ValueError: If there is no reference.
    """
    if not references:
        raise ValueError("utility gain needs at least one reference answer")
    scores = {answer: score(answer, references) for answer in dict.fromkeys(answers)}
    utilities = np.array([scores[answer] for answer in answers])
    return utilities[1:] - utilities[0]


def utility_qrels(
    doc_ids: Sequence[str],
    labelled: Mapping[str, IndexArray],
    useful: Mapping[str, IndexArray],
    *,
    generator: str | None,
) -> Qrels:
    """Binary labels: 1 for the useful documents, 0 for the others that were labelled.

    Args:
        doc_ids: The corpus.
        labelled: For each query, ascending positions in the corpus of all that is to have a label.
        useful: For each query, those of them that are useful.
        generator: Name of the generator whose labels these are.
    """
    docs = list(labelled.values())
    grades: list[IntArray] = [np.isin(docs_of, useful[query]).astype(np.int64) for query, docs_of in labelled.items()]
    return Qrels(
        name="utility",
        query_ids=tuple(labelled),
        doc_ids=tuple(doc_ids),
        offsets=np.cumsum([0, *map(len, docs)]),
        docs=np.concatenate([*docs, np.empty(0, np.int32)]).astype(np.int32),
        grades=np.concatenate([*grades, np.empty(0, np.int64)]),
        generator=generator,
    )


RECORDED = "recorded"
"""Utility as the outputs say."""


def recorded_labels(
    outputs: Sequence[RagOutputs], *, utility: str, references: Mapping[str, Sequence[str]] | None, generator: str
) -> tuple[Qrels, tuple[Note, ...]]:
    """Grade 1 where the answer with a document is better than the answer without any, else 0 (Kim & Diaz 2025, 3.1).

    Several answers to one prompt count with their mean. A question without an answer to no documents has no label.

    Args:
        outputs: Answers of one generator.
        utility: A name in :data:`~fairviz.experiments.labels.UTILITIES`, or :data:`RECORDED`.
        references: Right answers by query id.
        generator: Whose labels these are.

    Returns:
        The labels, and notes of what could not be used.

    Raises:
        UsageError: The utility is unknown, or it needs references or numbers that are not there.
    """
    score = _score(utility, references)
    utilities: dict[str, dict[str, list[float]]] = {}
    n_longer = n_undefined = 0
    for output in outputs:
        for row, query_id in enumerate(output.query_ids):
            for answer in output.answers(row):
                right = (references or {}).get(query_id, ())
                answer_utility = answer.utility if score is None else score(answer.text, right)
                if len(answer.given) > 1 or output.given_from == "nowhere":
                    n_longer += 1
                elif np.isnan(answer_utility):
                    n_undefined += 1
                else:
                    doc_id = answer.given[0] if answer.given else _ALONE
                    utilities.setdefault(query_id, {}).setdefault(doc_id, []).append(answer_utility)
    usable = {query_id: means for query_id, means in utilities.items() if _ALONE in means and len(means) > 1}
    reasons = {
        "answers to several documents, or to what is not recorded": n_longer,
        "answers without a utility": n_undefined,
        "questions without answers both to no document and to one": len(utilities) - len(usable),
    }
    notes = tuple(Note(generator, None, f"{count(n)} {what}: left out") for what, n in reasons.items() if n)
    return _qrels(usable, generator), notes


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


def _qrels(utilities: Mapping[str, Mapping[str, Sequence[float]]], generator: str) -> Qrels:
    places: dict[str, int] = {}
    labelled: dict[str, IndexArray] = {}
    useful: dict[str, IndexArray] = {}
    for query_id, by_document in utilities.items():
        means = {doc_id: float(np.mean(values)) for doc_id, values in by_document.items()}
        baseline = means.pop(_ALONE)
        docs = np.array([places.setdefault(doc_id, len(places)) for doc_id in means], dtype=np.int32)
        labelled[query_id], useful[query_id] = docs, docs[np.array(list(means.values())) > baseline]
    return utility_qrels(tuple(places), labelled, useful, generator=generator)
