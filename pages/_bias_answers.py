"""Recorded answers of the Social bias page, measured once per comparison and remembered."""

from typing import NamedTuple

from fairviz.analysis.bias_changes import BiasChange, bias_changes, holm_by
from fairviz.analysis.bias_rows import BiasRow, bias_rows
from fairviz.analysis.bias_view import (
    Compared,
    comparable,
    part_of,
    usual_reference,
    values_of,
)
from fairviz.answers import answered, merged_items
from fairviz.metrics.social_bias import OutOfChoice
from fairviz.model import BiasAnswers, BiasItems, Dataset
from fairviz.report.words import distinct_names
from pages._kept import kept

SEED = 0
N_RESAMPLES = 2_000
SHORTEST = 3
"""Letters that a model's name needs to be one."""


class Own(NamedTuple):
    """Answers with their items.

    Attributes:
        items, answers: The nouns, all files together.
        values: Values of each column of the answers.
        columns: Columns that can be compared.
        n_unmatched: Answers to unknown items, left out.
        n_fallback: Answers read by an option's first two words.
        notes: What was left out or guessed.
        names: Models by the part of their names that tells them apart.
    """

    items: BiasItems
    answers: BiasAnswers
    values: dict[str, tuple[str, ...]]
    columns: tuple[str, ...]
    n_unmatched: int
    n_fallback: int
    notes: tuple[str, ...]
    names: dict[str, str]

    def name(self, column: str, value: str) -> str:
        """A value as it is shown: of a model the part that tells it apart."""
        return self.names.get(value, value) if column == "model" else value


class Measured(NamedTuple):
    """What was measured for one comparison.

    Attributes:
        rows: By model, bias type and the compared column.
        changes: Against the reference; groups and all types together included, Holm corrected
            within each model and value. None for languages: their items are not the same.
        part: The answers behind them.
    """

    rows: tuple[BiasRow, ...]
    changes: tuple[BiasChange, ...]
    part: BiasAnswers


@kept
def own(loaded: Dataset) -> Own:
    """Answers matched with their items.

    Raises:
        InputError: They cannot be matched.
    """
    items = merged_items(loaded.bias_items)
    found = answered(items, loaded.bias_predictions)
    values = values_of(items, found.answers)
    return Own(
        items,
        found.answers,
        values,
        comparable(values),
        found.n_unmatched,
        found.n_fallback,
        found.notes,
        _short_names(values["model"]),
    )


def _short_names(models: tuple[str, ...]) -> dict[str, str]:
    """The part of each name that tells it apart; the whole where little would be left."""
    short = distinct_names(models)
    kept_whole = any(len(name) < SHORTEST for name in short)
    return dict(zip(models, models if kept_whole else short, strict=True))


@kept
def options(loaded: Dataset, compared: Compared) -> dict[str, tuple[str, ...]]:
    """Values that are left in each column once others are fixed."""
    mine = own(loaded)
    return values_of(mine.items, part_of(mine.items, mine.answers, compared))


@kept
def measured(loaded: Dataset, compared: Compared, ooc: OutOfChoice) -> Measured:
    """Rows, and changes against the reference."""
    mine = own(loaded)
    part = part_of(mine.items, mine.answers, compared)
    by = tuple(dict.fromkeys(("model", "category", compared.column)))
    rows = bias_rows(mine.items, part, by=by, ooc=ooc, seed=SEED, n_resamples=N_RESAMPLES)
    against = (compared.column, compared.reference)
    asked = {"against": against, "ooc": ooc, "seed": SEED, "n_resamples": N_RESAMPLES}
    if compared.column == "language":
        return Measured(rows, (), part)
    changes = bias_changes(mine.items, part, by=by, groups=True, **asked)
    if len({row.get("category") for row in rows}) > 1:
        whole = tuple(column for column in by if column != "category")
        changes = (*bias_changes(mine.items, part, by=whole, **asked), *changes)
    corrected = holm_by(changes, tuple(dict.fromkeys(("model", compared.column))))
    return Measured(rows, corrected, part)


@kept
def plain_rows(loaded: Dataset, compared: Compared, ooc: OutOfChoice) -> tuple[BiasRow, ...]:
    """Rows where there is nothing to compare: by model and bias type."""
    mine = own(loaded)
    part = part_of(mine.items, mine.answers, compared)
    return bias_rows(mine.items, part, by=("model", "category"), ooc=ooc, seed=SEED, n_resamples=N_RESAMPLES)


@kept
def rows_by_k(loaded: Dataset, fixed: tuple[tuple[str, str], ...], model: str, ooc: OutOfChoice) -> tuple[BiasRow, ...]:
    """Rows of one model by bias type (and all types together), setting and k."""
    mine = own(loaded)
    only = Compared("setting" if "setting" in mine.values else "k", "", fixed)
    part = part_of(mine.items, mine.answers, _with_nothing(only, mine, model))
    by = [name for name in ("setting", "k") if mine.answers.factor(name) is not None]
    asked = {"ooc": ooc, "seed": SEED, "n_resamples": N_RESAMPLES}
    each = bias_rows(mine.items, part, by=("category", *by), **asked)
    return (*bias_rows(mine.items, part, by=tuple(by), **asked), *each)


def _with_nothing(only: Compared, mine: Own, model: str) -> Compared:
    """The model fixed too; the reference is no retrieval, which has no retriever."""
    reference = usual_reference(only.column, mine.values[only.column])
    fixed = (*only.fixed, *((("model", model),) if len(mine.values["model"]) > 1 else ()))
    return Compared(only.column, reference, fixed)
