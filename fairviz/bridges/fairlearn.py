"""Answers about different people as Fairlearn's ``MetricFrame``: ``.overall``, ``.by_group``, ``.difference()``.

:func:`metric_frame` gives the frame of one attribute; its difference is the DP of ``fairviz variants``. Other metrics
of Fairlearn or scikit-learn read the same two vectors, right answers (all ones) and right or wrong.
"""

# pyright: reportMissingImports=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false, reportMissingTypeStubs=false
# Fairlearn has no types.

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from fairlearn.metrics import MetricFrame
from numpy.typing import ArrayLike

from fairviz.api.nouns import told
from fairviz.errors import UsageError
from fairviz.io.columns import read_records
from fairviz.io.variants import read_variants
from fairviz.model import VariantAnswers
from fairviz.model.answers import NOT_MENTIONED, UNKNOWN


def accuracy(_y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """Share of right answers."""
    return float(np.mean(np.asarray(y_pred)))


def metric_frame(
    answers: Any,
    attribute: str,
    *,
    metrics: Callable[..., Any] | Mapping[str, Callable[..., Any]] = accuracy,
    control: str | None = None,
) -> MetricFrame:
    """Answers to closed questions, disaggregated by what they say of a person.

    Answers that name no option are wrong; those to the question that mentions nobody belong to no group, and those
    whose right answer is not recorded count nowhere.

    Args:
        answers: What :func:`fairviz.variants` takes: one file, frame or list of dicts.
        attribute: "race", or an intersection such as "race+gender".
        metrics: Functions of (y_true, y_pred): y_true is 1, y_pred whether the answer was right.
        control: A recorded column, such as "strategy", within whose values groups are compared.

    Raises:
        InputError: The answers cannot be read.
        UsageError: They are open, nobody is described by that attribute, or the column is not recorded.
    """
    read = _read(answers)
    if read.kind != "closed":
        raise UsageError("a MetricFrame needs right and wrong answers: these are open ones")
    rows, values = _described(read, attribute)
    right = (read.choices == read.golds)[rows].astype(np.int64)
    return MetricFrame(
        metrics=dict(metrics) if isinstance(metrics, Mapping) else metrics,
        y_true=np.ones_like(right),
        y_pred=right,
        sensitive_features={attribute: values},
        control_features=None if control is None else {control: _recorded(read, control)[rows]},
    )


def _read(given: Any) -> VariantAnswers:
    if isinstance(given, VariantAnswers):
        return given
    return told(read_records(read_variants, given))


def _described(answers: VariantAnswers, attribute: str) -> tuple[Any, Any]:
    """Rows with a right answer that say exactly these attributes of a person, and what they say."""
    asked = attribute.split("+")
    if unknown := [name for name in asked if name not in answers.attributes]:
        raise UsageError(f"no attribute {unknown[0]!r}; there are: {', '.join(answers.attributes)}")
    places = [answers.attributes.index(name) for name in asked]
    said = answers.given != NOT_MENTIONED
    wanted = np.isin(np.arange(len(answers.attributes)), places)
    rows = np.flatnonzero((said == wanted).all(axis=1) & (answers.golds != UNKNOWN))
    names = [[answers.values[place][value] for value in answers.given[rows, place].tolist()] for place in places]
    return rows, np.array(["+".join(parts) for parts in zip(*names, strict=True)])


def _recorded(answers: VariantAnswers, column: str) -> Any:
    for factor in answers.factors:
        if factor.name == column:
            return np.array(factor.values)[factor.codes]
    raise UsageError(f"no column {column!r}; there are: {', '.join(factor.name for factor in answers.factors)}")
