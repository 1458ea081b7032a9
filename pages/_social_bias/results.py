"""Answers to bias questions: matched, computed, remembered."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, get_args

import polars as pl
import streamlit as st

from fairviz.errors import InputError
from fairviz.model import Dataset, GroupLabels, Run
from fairviz.resources import example_folder, recorded_folder
from fairviz.studies.social_bias.analysis import COMPARED, matched_answers, part_answers
from fairviz.studies.social_bias.answers import (
    FOLLOWS,
    INSTRUCTION,
    Wording,
    answer_sheet,
    recorded,
    usual_reference,
    values_in,
    values_of,
    wordings,
)
from fairviz.studies.social_bias.documents import (
    STEREOTYPICAL,
    WHOSE,
    Stack,
    dose_responses,
    forced_stacks,
    runs_given,
    stacks,
)
from fairviz.studies.social_bias.labels import (
    is_nothing,
    is_one_sided,
    nothing_words,
    type_label,
    value_words,
    words_of,
)
from fairviz.studies.social_bias.matching import MatchedAnswers
from fairviz.studies.social_bias.measures import Leaning, Sort
from fairviz.studies.social_bias.rows import Row
from fairviz.studies.social_bias.settings import BiasSettings
from pages._kit.controls import choose_name, choose_names
from pages._kit.link import name_mark
from pages._kit.session import RECORDED, cached, is_shipped

SORTS: tuple[Sort, ...] = get_args(Sort)
NOBODY = "–"
"""What stands in a control of comparisons where nothing is compared."""
READ = "read"
"""Parameter of the address: a reading and the mark of each wording that is read so."""
AS_UNKNOWN = "unknown-"

CONTEXT_LABELS: dict[str, Leaning] = {"does not say": "diffbias_a", "gives the answer": "diffbias_d"}


class Settings(NamedTuple):
    """What is looked at.

    Attributes:
        asked: The column whose values can be compared, the reference of its answers, what is held fixed, the wordings
            that are read as "unknown", and what is shown: measure, value ("" where models themselves stand side by
            side), models, types and their order.
        names: Short names of models.
    """

    asked: BiasSettings
    names: dict[str, str]

    def name(self, model: str) -> str:
        """A model as it is shown."""
        return self.names.get(model, model)

    @property
    def compared(self) -> BiasSettings:
        """What is compared and held fixed, whatever of it is shown."""
        return self.asked.restricted_to(*COMPARED)

    def said(self, matched: MatchedAnswers) -> BiasSettings:
        """The same for a command, without names where all are shown."""
        return replace(
            self.asked,
            models=() if self.asked.models == matched.values["model"] else self.asked.models,
            types=() if self.asked.types == _types(matched) else self.asked.types,
        )


@cached
def known_wordings(loaded: Dataset) -> tuple[Wording, ...]:
    """Wordings of unread answers as they were recorded, the most frequent first."""
    return wordings(matched_answers(loaded).answers)


@cached
def options(loaded: Dataset, compared: BiasSettings) -> dict[str, tuple[str, ...]]:
    """Values that are left in each column once others are fixed."""
    return values_of(part_answers(loaded, compared))


@cached
def sheet_of(
    loaded: Dataset, compared: BiasSettings, producers: tuple[tuple[tuple[str, str], ...], ...]
) -> pl.DataFrame:
    """Answers of some producers, question by question.

    Raises:
        UsageError: One of them answers a question more than once.
    """
    items, answers = matched_answers(loaded).items, part_answers(loaded, compared)
    first: dict[str, str] = {}
    if INSTRUCTION in recorded(answers) and compared.compare != INSTRUCTION:
        first = {INSTRUCTION: values_in(answers, INSTRUCTION)[0]}
    return answer_sheet(items, answers, [{**first, **dict(producer)} for producer in producers])


# Dose and response.


@cached
def doses(loaded: Dataset, compared: BiasSettings, context: str) -> tuple[list[Row], str]:
    """Responses to the documents that the loaded runs hold, with those of collections of one kind beside them.

    Args:
        loaded: Data with bias answers.
        compared: What is held fixed.
        context: "ambiguous" or "disambiguated".

    Returns:
        Slopes, each with the columns of its chart (stacks), and why there are none: "" where no runs were loaded.
    """
    runs, labels = _documents(loaded)
    polarity = next((own for own in labels if STEREOTYPICAL in own.groups), None)
    if polarity is None or not runs:
        return [], ""
    items, answers = matched_answers(loaded).items, part_answers(loaded, compared)
    retrieved = [value for value in options(loaded, compared).get("setting", ()) if not is_nothing(value)]
    mixed = next((value for value in retrieved if not is_one_sided(value)), "")
    known = values_in(answers, "retriever") if "retriever" in recorded(answers) else ()
    try:
        given = runs_given(matched_answers(loaded).answers, {f"{mixed} {run.system}".strip(): run for run in runs})
        given = [documents for documents in given if documents.retriever in known or not documents.retriever]
        counted, slopes = dose_responses(items, answers, given, polarity)
    except InputError as error:
        return [], str(error)
    responses: list[Row] = []
    for row in slopes.filter(pl.col("context") == context).iter_rows(named=True):
        own = counted.filter(pl.col(name) == row[name] for name in WHOSE)
        responses.append(row | {"stacks": _columns(stacks(own), forced_stacks(answers, row))})
    return responses, ""


def _columns(retrieved: tuple[Stack, ...], forced: tuple[Stack, ...]) -> tuple[Stack, ...]:
    """In the order of their numbers, what was forced outermost."""
    return tuple(sorted((*retrieved, *forced), key=lambda stack: (stack.low + stack.high, bool(stack.setting))))


# Controls.


def choose_settings(loaded: Dataset, matched: MatchedAnswers, unknown: tuple[str, ...]) -> Settings:
    """The row of controls; only those with a choice are shown."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall"):
        context = st.segmented_control(
            "Context", list(CONTEXT_LABELS), default="does not say", required=True, key="context", bind="query-params"
        )
        column = _column(matched)
        values = matched.values[column]
        start = BiasSettings(compare=column, reference=usual_reference(values), unknown=unknown)
        compared = _fixed(loaded, matched, start, _choose_fixed)
        value = ""
        if column != "model":
            left = options(loaded, compared)[column]
            usual = left.index(_most_telling(left))
            words = lambda name: value_words(column, name)  # noqa: E731
            value = choose_name(words_of("compared")[column], left, "to", first=usual, width=125, words=words)
        models = choose_names(
            "Models", options(loaded, compared)["model"], "models", width=110, words=lambda name: matched.names[name]
        )
        kinds = choose_names("Bias types", _types(matched), "types", width=110, words=type_label)
        sort = st.selectbox("Sort", SORTS, key="sort_types", bind="query-params", width=165)
    measure = CONTEXT_LABELS[context or "does not say"]
    asked = replace(compared, measure=measure, to=value, models=models, types=kinds, sort=sort)
    return Settings(asked, matched.names)


def _column(matched: MatchedAnswers) -> str:
    columns = matched.columns
    if len(columns) < 2:
        return columns[0] if columns else "model"
    return choose_name("Compare", columns, "compared_by", width=115, words=words_of("compared").get)


def usual_settings(loaded: Dataset, matched: MatchedAnswers) -> Settings:
    """As the page opens, before anything is chosen."""
    column = (matched.columns or ("model",))[0]
    start = BiasSettings(compare=column, reference=usual_reference(matched.values[column]))
    compared = _fixed(loaded, matched, start, lambda _, known, usual: known[usual])
    left = options(loaded, compared)
    value = "" if column == "model" else _most_telling(left[column])
    return Settings(replace(compared, to=value, models=left["model"], types=_types(matched)), matched.names)


def _choose_fixed(name: str, known: Sequence[str], usual: int) -> str:
    words = lambda value: value or nothing_words(name)  # noqa: E731
    return choose_name(words_of("compared")[name], known, f"only_{name}", first=usual, width=100, words=words)


def _fixed(
    loaded: Dataset, matched: MatchedAnswers, start: BiasSettings, choose: Callable[[str, Sequence[str], int], str]
) -> BiasSettings:
    """Hold every other column at one value, one after the other: each may leave fewer values."""
    compared = start
    for name in words_of("compared"):
        if name in (start.compare, "instruction", "model") or name not in matched.values:
            continue
        if start.compare == "model" and name in FOLLOWS["model"]:
            continue  # a model has one size, and is tuned or not
        known = [
            value
            for value in options(loaded, compared).get(name, ())
            if not (name in FOLLOWS.get(start.compare, ()) and is_nothing(value))
        ]
        if len(known) < 2:
            continue
        value = choose(name, known, len(known) - 1 if name == "k" else 0)
        compared = replace(compared, only=(*compared.only, f"{name}={value}"))
    return compared


def choose_comparison(loaded: Dataset, matched: MatchedAnswers, settings: Settings) -> tuple[str, str]:
    """(from, to): a natural baseline or what a person chose; "" for none."""
    column = settings.asked.compare
    values = settings.asked.models if column == "model" else options(loaded, settings.compared)[column]
    if column == "language" or len(values) < 2:
        return "", ""  # questions of languages are not the same, nothing is paired
    words = lambda name: name if name == NOBODY else value_words(column, matched.names.get(name) or name)  # noqa: E731
    baseline = next((value for value in values if is_nothing(value) and value != settings.asked.to), None)
    others = [NOBODY, *(value for value in values if value != settings.asked.to)]
    usual = 0 if baseline is None else others.index(baseline)
    reference = choose_name("Compare with", others, "from", first=usual, width=170, words=words)
    if reference == NOBODY:
        return "", ""
    if column != "model":
        return reference, settings.asked.to
    rest = [value for value in values if value != reference]
    return reference, choose_name("Model compared", rest, "to", width=170, words=words)


def read_unknown(every: Sequence[Wording], texts: Sequence[str] | None = None) -> tuple[str, ...]:
    """Wordings that the address, or these texts of one, read as "unknown", by their marks."""
    texts = st.query_params.get_all(READ) if texts is None else texts
    marks = [text.removeprefix(AS_UNKNOWN) for text in texts if text.startswith(AS_UNKNOWN)]
    return tuple(wording.words for wording in every if name_mark(wording.words) in marks)


def read_elsewhere(loaded: Dataset, params: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Wordings that the page reads as "unknown" where it is not shown: by its address."""
    if not (params.get(READ) and loaded.bias_items and loaded.bias_predictions):
        return ()
    return read_unknown(known_wordings(loaded), params[READ])


def read_so(chosen: Sequence[Wording]) -> None:
    """Write a reading into the address, which every table is made by."""
    st.query_params[READ] = [f"{AS_UNKNOWN}{name_mark(wording.words)}" for wording in chosen]


def _types(matched: MatchedAnswers) -> tuple[str, ...]:
    """Bias types with an answer, in the order of the file."""
    return values_in(matched.answers, "category")


def _most_telling(values: Sequence[str]) -> str:
    """Stereotypical documents tell most, else the first that is no absence."""
    stereotypical = next((value for value in values if is_one_sided(value) > 0), None)
    return stereotypical or next((value for value in values if not is_nothing(value)), values[0])


def _documents(loaded: Dataset) -> tuple[tuple[Run, ...], tuple[GroupLabels, ...]]:
    """Runs and polarities that answers were given; those of the shipped examples are no part of their data."""
    if not is_shipped(loaded):
        return loaded.runs, loaded.labels
    return _documents_in((recorded_folder() if loaded.name == RECORDED else example_folder()) / "bias")


@st.cache_resource(show_spinner=False)
def _documents_in(folder: Path) -> tuple[tuple[Run, ...], tuple[GroupLabels, ...]]:
    from fairviz.io.dataset import add_file

    documents = Dataset()
    for pattern in ("full-set.*.run.gz", "polarity.tsv"):
        for path in sorted(folder.glob(pattern)):
            documents = add_file(documents, str(path))
    return documents.runs, documents.labels
