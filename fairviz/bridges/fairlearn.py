"""Answers about different people as Fairlearn's ``MetricFrame``: ``.overall``, ``.by_group``, ``.difference()``.

:func:`metric_frame` gives the frame of one attribute; its difference is the DP of ``fairviz variants``. Other metrics
of Fairlearn or scikit-learn read the same two vectors, right answers (all ones) and right or wrong.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import polars as pl
from fairlearn.metrics import MetricFrame
from numpy.typing import ArrayLike

from fairviz.api.nouns import noun_of
from fairviz.errors import UsageError
from fairviz.io.columns import read_records
from fairviz.io.variants import read_variants
from fairviz.model import VariantAnswers


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
    read = answers if isinstance(answers, VariantAnswers) else noun_of(read_records(read_variants, answers))
    if read.kind != "closed":
        raise UsageError("a MetricFrame needs right and wrong answers: these are open ones")
    names, groups = attribute.split("+"), read.groups
    if unknown := [name for name in names if name not in groups]:
        raise UsageError(f"no attribute {unknown[0]!r}; there are: {', '.join(groups)}")
    if control is not None and control not in read.factors:
        raise UsageError(f"no column {control!r}; there are: {', '.join(read.factors)}")
    exactly = pl.col("attributes").cast(pl.List(pl.String)).list.sort().list.join("+") == "+".join(sorted(names))
    rows = read.frame.filter(exactly, pl.col("right").is_not_null())
    right = (rows["choice"] == rows["right"]).fill_null(False).cast(pl.Int64).to_numpy()
    return MetricFrame(
        metrics=dict(metrics) if isinstance(metrics, Mapping) else metrics,
        y_true=np.ones_like(right),
        y_pred=right,
        sensitive_features={attribute: rows["values"].list.join("+").to_numpy()},
        control_features=None if control is None else {control: rows[control].cast(pl.String).to_numpy()},
    )
