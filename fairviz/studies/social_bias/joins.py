"""What of recorded answers can be measured: items answered, questions complete, answers read."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fairviz.model import BiasItems, BiasPredictions
from fairviz.model.bias import NO_TARGET, OUT_OF_CHOICE
from fairviz.studies.social_bias.items import merged_items
from fairviz.studies.social_bias.matching import answered, reading_notes


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
        read_by: How many answers each rule read.
        n_unread: Answers that name no option.
        notes: What was left out or guessed, a sentence each.
        reading: How answers were read, a sentence each.
    """

    n_items: int
    n_answered: int
    n_undefined: int
    n_unmatched: int
    models: tuple[ModelAnswers, ...]
    read_by: dict[str, int]
    n_unread: int
    notes: tuple[str, ...]
    reading: tuple[str, ...]


def bias_join(items: Sequence[BiasItems], predictions: Sequence[BiasPredictions]) -> BiasJoin:
    """Match answers with questions and count.

    Args:
        items: Questions of one or more files.
        predictions: Answers of one or more files.

    Raises:
        InputError: They do not belong together (see :func:`fairviz.studies.social_bias.matching.answered`).
    """
    questions = merged_items(items)
    matched = answered(questions, predictions)
    answers, read = matched
    reading = reading_notes(read.read_by, read.n_answers)
    model = answers.factor("model")
    names = ("",) if model is None else model.values
    codes = np.zeros(answers.items.size, np.int32) if model is None else model.codes
    return BiasJoin(
        n_items=len(questions),
        n_answered=int(np.unique(answers.items).size),
        n_undefined=int((questions.target == NO_TARGET).sum()),
        n_unmatched=read.n_unmatched,
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
        read_by=read.read_by,
        n_unread=read.n_unread,
        notes=tuple(note for note in read.notes if note not in reading),
        reading=tuple(reading),
    )
