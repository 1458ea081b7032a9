"""Utility of answers: as recorded, or how well each matches its references (DESIGN 2.5)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias

import numpy as np

from fairviz.alignment import lookup
from fairviz.errors import UsageError
from fairviz.metrics.consumption import largest_utility
from fairviz.metrics.utility import (
    Scale,
    StringUtility,
    accuracy,
    error_closeness,
    number,
    rouge_1,
    rouge_l,
    token_f1,
)
from fairviz.model import FloatArray, RagOutputs

Utility: TypeAlias = Literal["recorded"] | StringUtility
"""Utilities as recorded with the outputs, or computed against references."""

References: TypeAlias = Mapping[str, Sequence[str]]
"""Right answers by query id."""


class AnswerUtilities:
    """Utilities of answers against one set of references, computed once per system.

    ``norm='best'`` looks at every run of a generator for each of them; without remembering, twelve
    systems would be compared with their references twelve times.
    """

    def __init__(self, references: References | None = None) -> None:
        self._references = references
        self._known: dict[tuple[int, Utility], tuple[RagOutputs, FloatArray]] = {}

    def of(self, outputs: RagOutputs, utility: Utility = "recorded") -> FloatArray:
        """(O) utility of each output, NaN = none recorded, or no reference for its query.

        ``mae`` is max − error; max is the distance between the smallest and the largest of all
        references. Equal answers to one query are scored once.

        Raises:
            UsageError: If references are needed and missing, or one for ``mae`` is no number.
        """
        if utility == "recorded":
            return outputs.utilities
        key = id(outputs), utility  # the outputs are held beside the values, so ids stay theirs
        if key not in self._known:
            self._known[key] = outputs, self._computed(outputs, utility)
        return self._known[key][1]

    def best(self, outputs: RagOutputs, recorded: Sequence[RagOutputs], utility: Utility = "recorded") -> FloatArray:
        """(Q) the largest utility that the generator reached for each query in any recorded run.

        Runs of one generator count together, of one task where tasks are recorded; oracle runs are
        among them. Without a named generator, the outputs themselves count alone.

        Args:
            outputs: Whose queries are asked about; it counts whether or not ``recorded`` has it.
            recorded: All recorded runs of any generator.
            utility: As in :meth:`of`.
        """
        best = np.full(len(outputs.query_ids), np.nan)
        for other in (outputs, *recorded):
            if other is not outputs and not _same_generator(outputs, other):
                continue
            index = {query: q for q, query in enumerate(other.query_ids)}
            largest = largest_utility(self.of(other, utility), other.offsets)
            reached = np.append(largest, np.nan)[lookup(outputs.query_ids, index)]
            best = np.fmax(best, reached)
        return best

    def _computed(self, outputs: RagOutputs, utility: StringUtility) -> FloatArray:
        if not self._references:
            raise UsageError(f"utility='{utility}' compares with reference answers: give references")
        score = _score(utility, self._references)
        values = np.full(len(outputs.texts), np.nan)
        for query, query_id in enumerate(outputs.query_ids):
            right = self._references.get(query_id, ())
            known: dict[str, float] = {}
            for o in range(int(outputs.offsets[query]), int(outputs.offsets[query + 1])):
                text = outputs.texts[o]
                if text not in known:
                    known[text] = score(text, right)
                values[o] = known[text]
        return values


def reference_scale(references: References) -> Scale:
    """Smallest and largest of all reference numbers: the scale on which MAE is taken.

    Raises:
        UsageError: If a reference is no number.
    """
    numbers: list[float] = []
    for query, answers in references.items():
        for answer in answers:
            value = number(answer)
            if value is None:
                shown = answer if len(answer) <= 40 else answer[:40] + "…"
                raise UsageError(f"utility='mae' needs numbers as references; query {query} has {shown!r}")
            numbers.append(value)
    if not numbers:
        raise UsageError("utility='mae' needs at least one reference number")
    return Scale(min(numbers), max(numbers))


def _same_generator(a: RagOutputs, b: RagOutputs) -> bool:
    same_task = a.task is None or b.task is None or a.task == b.task
    return a.generator is not None and a.generator == b.generator and same_task


def _score(utility: StringUtility, references: References) -> Callable[[str, Sequence[str]], float]:
    match utility:
        case "accuracy":
            return accuracy
        case "f1":
            return token_f1
        case "rouge1":
            return rouge_1
        case "rougeL":
            return rouge_l
        case "mae":
            scale = reference_scale(references)
            return lambda text, right: error_closeness(text, right, scale=scale)
