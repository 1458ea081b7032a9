"""Controls of the answers on the Social bias page: what is compared with what."""

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from fairviz.model import BiasAnswers, BiasItems, Dataset
from fairviz.show.words import distinct_names
from fairviz.studies.social_bias.changes import FOLLOWS, BiasChange, bias_changes, holm_by
from fairviz.studies.social_bias.findings import nothing_words, value_words
from fairviz.studies.social_bias.matching import answered, merged_items
from fairviz.studies.social_bias.measures import OutOfChoice
from fairviz.studies.social_bias.rows import BiasRow, bias_rows, is_without_rag
from fairviz.studies.social_bias.views import Compared, comparable, is_nothing, part_of, usual_reference, values_of
from pages._kit.cache import cached

# Recorded answers of the Social bias page, measured once per comparison and remembered.


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


@cached
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


@cached
def options(loaded: Dataset, compared: Compared) -> dict[str, tuple[str, ...]]:
    """Values that are left in each column once others are fixed."""
    mine = own(loaded)
    return values_of(mine.items, part_of(mine.items, mine.answers, compared))


@cached
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


@cached
def plain_rows(loaded: Dataset, compared: Compared, ooc: OutOfChoice) -> tuple[BiasRow, ...]:
    """Rows where there is nothing to compare: by model and bias type."""
    mine = own(loaded)
    part = part_of(mine.items, mine.answers, compared)
    return bias_rows(mine.items, part, by=("model", "category"), ooc=ooc, seed=SEED, n_resamples=N_RESAMPLES)


@cached
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


LABELS = {
    "setting": "Document collection",
    "retriever": "Retriever",
    "k": "k, documents",
    "shots": "Examples in the prompt",
    "size": "Model size",
    "tuned": "Instruction tuning",
    "instruction": "Task instruction",
    "language": "Language",
    "model": "Model",
}

OUT_OF_CHOICE: dict[str, OutOfChoice] = {"leave out": "drop", "count as wrong": "count"}

STEREO = "stereo"


class Chosen(NamedTuple):
    """What is looked at.

    Attributes:
        compared: Column, reference, and what is held fixed.
        value: The value held against the reference in the table of changes.
        values: All values of the column, the reference among them; empty with nothing to compare.
        model: The model of the table of changes.
        ooc: What becomes of answers that name no option.
        names: Models by the part of their names that tells them apart.
    """

    compared: Compared
    value: str
    values: tuple[str, ...]
    model: str
    ooc: OutOfChoice
    names: dict[str, str]

    @property
    def column(self) -> str:
        """The column compared."""
        return self.compared.column

    def words(self, value: str) -> str:
        """A value of the compared column as it is shown."""
        return value_words(self.column, self.names.get(value, value))

    @property
    def before(self) -> str:
        """The reference in words."""
        return self.words(self.compared.reference)

    @property
    def after(self) -> str:
        """What is held against it in words."""
        return self.words(self.value)

    @property
    def who(self) -> str:
        """Whose answers the table of changes is about; "" where models are compared."""
        return "" if self.column == "model" else self.names.get(self.model, self.model)


def comparison(loaded: Dataset, mine: Own) -> Chosen:
    """The row of controls; only those with a choice are shown."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        column = _column(mine)
        start = Compared(column, usual_reference(column, mine.values[column]))
        compared = _fixed(loaded, mine, start)
        left = options(loaded, compared)
        values = left[column] if mine.columns else ()
        if values:
            reference = _one(mine, "From", column, values, compared.reference, "from")
            compared = compared._replace(reference=reference)
            others = [value for value in values if value != reference]
            value = _one(mine, "To", column, others, _telling(others), "to") if others else ""
        else:
            value = ""
        models = options(loaded, compared)["model"]
        model = models[0]
        if column != "model" and len(models) > 1:
            model = str(
                st.selectbox(
                    "Model",
                    models,
                    key="bias_model",
                    bind="query-params",
                    format_func=lambda name: mine.name("model", name),
                    width=190,
                )
            )
        ooc = (
            st.segmented_control(
                "Answers that name no option",
                list(OUT_OF_CHOICE),
                default="leave out",
                key="out_of_choice",
                bind="query-params",
                required=True,
                help="Leave out: they leave numerator and denominator. Count as wrong: they stay in "
                "the denominator, as the paper's formula is printed.",
            )
            or "leave out"
        )
    return Chosen(compared, value, values, model, OUT_OF_CHOICE[ooc], mine.names)


def _column(mine: Own) -> str:
    if len(mine.columns) < 2:
        return mine.columns[0] if mine.columns else "model"
    picked = st.selectbox(
        "Compare",
        mine.columns,
        format_func=lambda name: LABELS[name],
        key="compare",
        bind="query-params",
        width=190,
    )
    return str(picked)


def _fixed(loaded: Dataset, mine: Own, start: Compared) -> Compared:
    """Hold every other column at one value, one after the other: each may leave fewer values."""
    compared = start
    for name in LABELS:
        if name in (start.column, "instruction", "model") or name not in mine.values:
            continue
        if start.column == "model" and name in FOLLOWS["model"]:
            continue  # a model has one size, and is tuned or not
        known = [
            value
            for value in options(loaded, compared).get(name, ())
            if not (name in FOLLOWS.get(start.column, ()) and is_nothing(value))
        ]
        if len(known) < 2:
            continue
        usual = known[-1] if name == "k" else known[0]
        value = _one(mine, LABELS[name], name, known, usual, "only")
        compared = compared._replace(fixed=(*compared.fixed, (name, value)))
    return compared


def _one(mine: Own, label: str, column: str, values: Sequence[str], usual: str, kind: str) -> str:
    """One value of a column; the key names both, so that another column has its own memory."""
    index = list(values).index(usual) if usual in values else 0
    return str(
        st.selectbox(
            label,
            values,
            index=index,
            key=f"{kind}_{column}",
            bind="query-params",
            width=160,
            format_func=lambda value: shown(mine, column, value),
        )
    )


def shown(mine: Own, column: str, value: str) -> str:
    """A value as a control names it."""
    return mine.name(column, value) or nothing_words(column)


def _telling(values: list[str]) -> str:
    """Stereotypical documents tell most, else the first that is no absence."""
    found = next((value for value in values if value.casefold().startswith(STEREO)), None)
    return found or next((v for v in values if not is_without_rag(v)), values[0])
