"""Settings and results of the Social bias page: what is compared with what, measured once per comparison."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import streamlit as st

from fairviz.model import BiasAnswers, BiasItems, Dataset, GroupLabels, Run
from fairviz.resources import example_folder
from fairviz.show.words import distinct_names
from fairviz.studies.social_bias.changes import FOLLOWS, BiasChange, bias_changes, corrected
from fairviz.studies.social_bias.comparison import Compared, comparable, is_nothing, part_of, usual_reference, values_of
from fairviz.studies.social_bias.favoured import Sides, favoured_groups
from fairviz.studies.social_bias.labels import nothing_words, value_words
from fairviz.studies.social_bias.matching import answered, merged_items
from fairviz.studies.social_bias.measures import OutOfChoice
from fairviz.studies.social_bias.rows import BiasRow, bias_rows, is_without_rag
from pages._kit.cache import cached

SEED = 0
N_RESAMPLES = 2_000
SHORTEST = 3
"""Letters that a model's name needs to be one."""


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


class MatchedAnswers(NamedTuple):
    """Answers with their items.

    Attributes:
        items, answers: The nouns, all files together.
        values: Values of each column of the answers.
        columns: Columns that can be compared.
        n_unmatched: Answers to unknown items, left out.
        n_fallback: Answers read by an option's first two words.
        read_by: How many answers each rule read.
        n_unread: Answers that name no option.
        notes: What was left out or guessed.
        names: Models by the part of their names that tells them apart.
    """

    items: BiasItems
    answers: BiasAnswers
    values: dict[str, tuple[str, ...]]
    columns: tuple[str, ...]
    n_unmatched: int
    n_fallback: int
    read_by: dict[str, int]
    n_unread: int
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
            over all models, values and contexts. None for languages: their items are not the same.
        part: The answers behind them.
        sides: What the sign means in each bias type, named from the items answered.
    """

    rows: tuple[BiasRow, ...]
    changes: tuple[BiasChange, ...]
    part: BiasAnswers
    sides: Mapping[str, Sides]


@cached
def matched_answers(loaded: Dataset) -> MatchedAnswers:
    """Answers matched with their items.

    Raises:
        InputError: They cannot be matched.
    """
    items = merged_items(loaded.bias_items)
    matched = answered(items, loaded.bias_predictions)
    values = values_of(items, matched.answers)
    return MatchedAnswers(
        items,
        matched.answers,
        values,
        comparable(values),
        matched.n_unmatched,
        matched.n_fallback,
        matched.read_by,
        matched.n_unread,
        matched.notes,
        _short_names(values["model"]),
    )


def _short_names(models: tuple[str, ...]) -> dict[str, str]:
    """The part of each name that tells it apart; the whole where little would be left."""
    short = distinct_names(models)
    too_short = any(len(name) < SHORTEST for name in short)
    return dict(zip(models, models if too_short else short, strict=True))


@cached
def options(loaded: Dataset, compared: Compared) -> dict[str, tuple[str, ...]]:
    """Values that are left in each column once others are fixed."""
    matched = matched_answers(loaded)
    return values_of(matched.items, part_of(matched.items, matched.answers, compared))


@cached
def measured_answers(loaded: Dataset, compared: Compared, ooc: OutOfChoice) -> Measured:
    """Rows, and changes against the reference."""
    matched = matched_answers(loaded)
    part = part_of(matched.items, matched.answers, compared)
    by = tuple(dict.fromkeys(("model", "category", compared.column)))
    rows = bias_rows(matched.items, part, by=by, ooc=ooc, seed=SEED, n_resamples=N_RESAMPLES)
    sides = favoured_groups(matched.items, part)
    against = (compared.column, compared.reference)
    tests = {"against": against, "ooc": ooc, "seed": SEED, "n_resamples": N_RESAMPLES}
    if compared.column == "language":
        return Measured(rows, (), part, sides)
    changes = bias_changes(matched.items, part, by=by, groups=True, **tests)
    if len({row.get("category") for row in rows}) > 1:
        whole = tuple(column for column in by if column != "category")
        changes = (*bias_changes(matched.items, part, by=whole, **tests), *changes)
    return Measured(rows, corrected(changes), part, sides)


@cached
def plain_rows(loaded: Dataset, compared: Compared, ooc: OutOfChoice) -> tuple[BiasRow, ...]:
    """Rows where there is nothing to compare: by model and bias type."""
    matched = matched_answers(loaded)
    part = part_of(matched.items, matched.answers, compared)
    return bias_rows(matched.items, part, by=("model", "category"), ooc=ooc, seed=SEED, n_resamples=N_RESAMPLES)


@cached
def rows_by_k(loaded: Dataset, fixed: tuple[tuple[str, str], ...], model: str, ooc: OutOfChoice) -> tuple[BiasRow, ...]:
    """Rows of one model by bias type (and all types together), setting and k."""
    matched = matched_answers(loaded)
    only = Compared("setting" if "setting" in matched.values else "k", "", fixed)
    part = part_of(matched.items, matched.answers, _with_nothing(only, matched, model))
    by = [name for name in ("setting", "k") if matched.answers.factor(name) is not None]
    intervals = {"ooc": ooc, "seed": SEED, "n_resamples": N_RESAMPLES}
    of_types = bias_rows(matched.items, part, by=("category", *by), **intervals)
    return (*bias_rows(matched.items, part, by=tuple(by), **intervals), *of_types)


def _with_nothing(only: Compared, matched: MatchedAnswers, model: str) -> Compared:
    """The model fixed too; the reference is no retrieval, which has no retriever."""
    reference = usual_reference(only.column, matched.values[only.column])
    fixed = (*only.fixed, *((("model", model),) if len(matched.values["model"]) > 1 else ()))
    return Compared(only.column, reference, fixed)


class Settings(NamedTuple):
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


def choose_settings(loaded: Dataset, matched: MatchedAnswers) -> Settings:
    """The row of controls; only those with a choice are shown."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        column = _column(matched)
        start = Compared(column, usual_reference(column, matched.values[column]))
        compared = _fixed(loaded, matched, start)
        remaining = options(loaded, compared)
        values = remaining[column] if matched.columns else ()
        if values:
            reference = _select(matched, "From", column, values, compared.reference, "from")
            compared = compared._replace(reference=reference)
            others = [value for value in values if value != reference]
            value = _select(matched, "To", column, others, _most_telling(others), "to") if others else ""
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
                    format_func=lambda name: matched.name("model", name),
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
    return Settings(compared, value, values, model, OUT_OF_CHOICE[ooc], matched.names)


def _column(matched: MatchedAnswers) -> str:
    if len(matched.columns) < 2:
        return matched.columns[0] if matched.columns else "model"
    column = st.selectbox(
        "Compare",
        matched.columns,
        format_func=lambda name: LABELS[name],
        key="compare",
        bind="query-params",
        width=190,
    )
    return str(column)


def _fixed(loaded: Dataset, matched: MatchedAnswers, start: Compared) -> Compared:
    """Hold every other column at one value, one after the other: each may leave fewer values."""
    compared = start
    for name in LABELS:
        if name in (start.column, "instruction", "model") or name not in matched.values:
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
        value = _select(matched, LABELS[name], name, known, usual, "only")
        compared = compared._replace(fixed=(*compared.fixed, (name, value)))
    return compared


def _select(matched: MatchedAnswers, label: str, column: str, values: Sequence[str], usual: str, kind: str) -> str:
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
            format_func=lambda value: matched.name(column, value) or nothing_words(column),
        )
    )


def _most_telling(values: list[str]) -> str:
    """Stereotypical documents tell most, else the first that is no absence."""
    stereotypical = next((value for value in values if value.casefold().startswith(STEREO)), None)
    return stereotypical or next((value for value in values if not is_without_rag(value)), values[0])


@st.cache_resource(show_spinner=False)
def documents_of_example() -> tuple[tuple[Run, ...], tuple[GroupLabels, ...]]:
    """Runs and polarities that the example's answers were made with; no part of its data set."""
    from fairviz.io.dataset import load_dataset

    folder = example_folder() / "bias"
    files = [*sorted(folder.glob("full-set.*.run.gz")), folder / "polarity.tsv"]
    read = load_dataset([path for path in files if path.is_file()]).dataset
    return read.runs, read.labels
