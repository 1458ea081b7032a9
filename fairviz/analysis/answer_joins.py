"""What of recorded answers can be measured: items answered, questions complete, answers read."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fairviz.answers import answered, merged_items
from fairviz.model import BiasItems, BiasPredictions, IntArray, VariantAnswers
from fairviz.model.bias import NO_TARGET, OUT_OF_CHOICE
from fairviz.model.variants import UNKNOWN


class ModelAnswers(NamedTuple):
    """The answers of one model to bias questions.

    Attributes:
        model: Its name; the file's where the answers do not say.
        n_answers: Answers to known items.
        n_items: Distinct items among them.
        n_out_of_choice: Answers that name none of the three options.
    """

    model: str
    n_answers: int
    n_items: int
    n_out_of_choice: int


class BiasJoin(NamedTuple):
    """Bias questions beside the answers to them.

    Attributes:
        n_items: Items loaded.
        n_answered: Items with an answer of any model.
        n_undefined: Items whose biased option is undefined; measures leave them out.
        n_unmatched: Answers to items that are not loaded; left out.
        models: The answers of each model.
        notes: What was left out or guessed, a sentence each.
    """

    n_items: int
    n_answered: int
    n_undefined: int
    n_unmatched: int
    models: tuple[ModelAnswers, ...]
    notes: tuple[str, ...]


class GroupAnswers(NamedTuple):
    """The answers about one value of an attribute, or to a condition of reference ("").

    Attributes:
        attribute: The attribute, "" for a condition of reference.
        value: The value, or the condition.
        n_questions: Distinct questions asked about it, alone or with other attributes.
        n_answers: Rows.
        n_unread: Closed answers that name no option.
    """

    attribute: str
    value: str
    n_questions: int
    n_answers: int
    n_unread: int


class VariantCounts(NamedTuple):
    """How complete the answers to variants are.

    Attributes:
        name: The file's name.
        n_blocks: Pairs of a question and who answered how (model, strategy, …).
        n_complete: Those with every variant that the same producer answered anywhere.
        n_unread: Closed answers that name no option.
        groups: Counts by condition of reference, then by attribute and value.
    """

    name: str
    n_blocks: int
    n_complete: int
    n_unread: int
    groups: tuple[GroupAnswers, ...]


def bias_join(items: Sequence[BiasItems], predictions: Sequence[BiasPredictions]) -> BiasJoin:
    """Match answers with questions and count.

    Args:
        items: Questions of one or more files.
        predictions: Answers of one or more files.

    Raises:
        InputError: They do not belong together (see :func:`fairviz.answers.answered`).
    """
    asked = merged_items(items)
    found = answered(asked, predictions)
    answers = found.answers
    model = answers.factor("model")
    names = ("",) if model is None else model.values
    codes = np.zeros(answers.items.size, np.int32) if model is None else model.codes
    return BiasJoin(
        n_items=len(asked),
        n_answered=int(np.unique(answers.items).size),
        n_undefined=int((asked.target == NO_TARGET).sum()),
        n_unmatched=found.n_unmatched,
        models=tuple(
            ModelAnswers(
                model=name,
                n_answers=int((codes == code).sum()),
                n_items=int(np.unique(answers.items[codes == code]).size),
                n_out_of_choice=int((answers.choices[codes == code] == OUT_OF_CHOICE).sum()),
            )
            for code, name in enumerate(names)
            if (codes == code).any()
        ),
        notes=found.notes,
    )


def variant_counts(answers: VariantAnswers) -> VariantCounts:
    """Count complete questions, and answers by group.

    Args:
        answers: Answers to demographic variants.
    """
    rows = [factor.codes for factor in answers.factors]
    producers = _codes(rows) if rows else np.zeros(len(answers), dtype=np.int64)
    variants = _codes([*answers.given.T, answers.condition])
    blocks = _codes([producers, answers.questions])
    wanted: dict[int, set[int]] = {}
    has: dict[int, set[int]] = {}
    who: dict[int, int] = {}
    triples: list[list[int]] = np.column_stack((producers, blocks, variants)).tolist()
    for producer, block, variant in triples:
        wanted.setdefault(producer, set()).add(variant)
        has.setdefault(block, set()).add(variant)
        who[block] = producer
    unread = (answers.choices == UNKNOWN) & (answers.kind == "closed")
    if not any(answers.words.values):
        unread[:] = False
    groups = [
        _group(answers, "", name, answers.condition == code, unread) for code, name in enumerate(answers.conditions)
    ]
    for a, (attribute, values) in enumerate(zip(answers.attributes, answers.values, strict=True)):
        groups += [
            _group(answers, attribute, value, answers.given[:, a] == code, unread) for code, value in enumerate(values)
        ]
    return VariantCounts(
        name=answers.name,
        n_blocks=len(has),
        n_complete=sum(found == wanted[who[block]] for block, found in has.items()),
        n_unread=int(unread.sum()),
        groups=tuple(groups),
    )


def _group(
    answers: VariantAnswers,
    attribute: str,
    value: str,
    rows: np.ndarray[tuple[int, ...], np.dtype[np.bool_]],
    unread: np.ndarray[tuple[int, ...], np.dtype[np.bool_]],
) -> GroupAnswers:
    n_questions = int(np.unique(answers.questions[rows]).size)
    return GroupAnswers(attribute, value, n_questions, int(rows.sum()), int((rows & unread).sum()))


def _codes(columns: Sequence[np.ndarray[tuple[int, ...], np.dtype[np.integer]]]) -> IntArray:
    """A number per row that is equal where all columns are."""
    stacked = np.column_stack(columns)
    return np.unique(stacked, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
