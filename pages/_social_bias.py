"""Social bias: what is looked at, by controls and address; answers that were not read."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast, get_args

import polars as pl
import streamlit as st

from fairviz.display.table import shortened
from fairviz.display.words import count, in_words, signed
from fairviz.errors import InputError
from fairviz.model import Dataset
from fairviz.resources import example_folder, recorded_folder
from fairviz.studies.social_bias.analysis import matched_answers, named_runs, part_answers, stereotypes
from fairviz.studies.social_bias.answers import (
    FOLLOWS,
    INSTRUCTION,
    MOST_READ,
    MatchedAnswers,
    answer_sheet,
    most_frequent,
    reading_words,
    recorded,
    usual_reference,
    values_in,
    values_of,
    wordings,
)
from fairviz.studies.social_bias.columns import rows_table
from fairviz.studies.social_bias.documents import WHOSE, dose_responses, forced_stacks, stacks
from fairviz.studies.social_bias.findings import WORST, read_line, unread_finding
from fairviz.studies.social_bias.labels import (
    is_nothing,
    is_one_sided,
    nothing_words,
    type_label,
    value_words,
    words_of,
)
from fairviz.studies.social_bias.measures import Leaning, Sort
from fairviz.studies.social_bias.rows import Row
from fairviz.studies.social_bias.settings import BiasSettings
from pages._kit import callout, section
from pages._kit.controls import choose, choose_name, choose_names, choose_one
from pages._kit.html import (
    Cell,
    PageColumn,
    PageRow,
    around_zero,
    el,
    glyph,
    html_table,
    notes_below,
    page_table,
    two_lines,
)
from pages._kit.link import name_mark
from pages._kit.session import RECORDED, cached, is_shipped

SORTS: tuple[Sort, ...] = get_args(Sort)
NOBODY = "–"
"""What stands in a control of comparisons where nothing is compared."""
READ = "read"
"""Parameter of the address: a reading and the mark of each wording that is read so."""
AS_UNKNOWN = "unknown-"


@cached
def recorded_wordings(loaded: Dataset) -> dict[str, int]:
    """How often each wording of unread answers was recorded, the most frequent first."""
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
    documents = _documents(loaded)
    polarity, group = stereotypes(documents.labels)
    if polarity is None or not documents.runs:
        return [], ""
    items, answers = matched_answers(loaded).items, part_answers(loaded, compared)
    try:
        counted, slopes = dose_responses(items, answers, named_runs(documents), polarity, group=group)
    except InputError as error:
        return [], str(error)
    responses: list[Row] = []
    for row in slopes.filter(pl.col("context") == context).iter_rows(named=True):
        own = counted.filter(pl.col(name) == row[name] for name in WHOSE)
        responses.append(row | {"stacks": stacks(own, forced_stacks(answers, row))})
    return responses, ""


# Controls.


def choose_settings(loaded: Dataset, matched: MatchedAnswers, unknown: tuple[str, ...]) -> BiasSettings:
    """The row of controls; only those with a choice are shown."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall"):
        context = choose("context", required=True)
        columns, words = matched.columns or ("model",), words_of("compared").get
        column = choose_name("Compare", columns, "compared_by", width=115, words=words)
        settings = _compared(loaded, matched, column, choose_name, unknown=unknown)
        models = choose_names("Models", settings.models, "models", words=matched.name)
        kinds = choose_names("Bias types", settings.types, "types", words=type_label)
        sort = cast("Sort", choose_one("Sort", SORTS, "sort_types", width=165))
    return replace(settings, context=context, models=models, types=kinds, sort=sort)


def usual_settings(loaded: Dataset, matched: MatchedAnswers) -> BiasSettings:
    """Settings with which the page opens, before anything is chosen."""
    column = (matched.columns or ("model",))[0]
    return _compared(loaded, matched, column, _usual)


def _usual(_label: str, _names: Sequence[str], _key: str, *, usual: str, **_how: object) -> str:
    """The name that stands in a control before a person chooses."""
    return usual


def _compared(
    loaded: Dataset, matched: MatchedAnswers, column: str, choose: Callable[..., str], unknown: tuple[str, ...] = ()
) -> BiasSettings:
    """A column that is compared, every other one held at one value, one after the other: each may leave fewer values.

    Args:
        loaded: Data with bias answers.
        matched: All answers.
        column: What is compared.
        choose: Which of several values, as ``choose_name`` does.
        unknown: Wordings that are read as "unknown".
    """
    compared = BiasSettings(compare=column, reference=usual_reference(matched.values[column]), unknown=unknown)
    follows = FOLLOWS.get(column, ())
    for name, label in words_of("compared").items():
        if name in (column, "instruction", "model") or name not in matched.values:
            continue
        if column == "model" and name in follows:
            continue  # a model has one size, and is tuned or not
        choices = options(loaded, compared).get(name, ())
        choices = [value for value in choices if not (name in follows and is_nothing(value))]
        if len(choices) < 2:
            continue

        def words(value: str, name: str = name) -> str:
            return value or nothing_words(name)

        usual = choices[-1 if name == "k" else 0]
        value = choose(label, choices, f"only_{name}", usual=usual, width=100, words=words)
        compared = replace(compared, only=(*compared.only, f"{name}={value}"))
    left = options(loaded, compared)
    value = None
    if column != "model":
        label, words, usual = words_of("compared")[column], partial(value_words, column), _most_telling(left[column])
        value = choose(label, left[column], "to", usual=usual, width=125, words=words)
    return replace(compared, to=value, models=left["model"], types=_types(matched))


def for_command(matched: MatchedAnswers, settings: BiasSettings) -> BiasSettings:
    """What is looked at, for a command: without names where all are shown."""
    return replace(
        settings,
        models=() if settings.models == matched.values["model"] else settings.models,
        types=() if settings.types == _types(matched) else settings.types,
    )


def choose_comparison(loaded: Dataset, matched: MatchedAnswers, settings: BiasSettings) -> tuple[str, str] | None:
    """(from, to): a natural baseline or what a person chose."""
    column = settings.compare
    values = settings.models if column == "model" else options(loaded, settings.compared)[column]
    if column == "language" or len(values) < 2:
        return None  # questions of languages are not the same, nothing is paired
    usual = next((value for value in values if is_nothing(value) and value != settings.to), NOBODY)
    others = [NOBODY, *(value for value in values if value != settings.to)]

    def words(name: str) -> str:
        return name if name == NOBODY else value_words(column, matched.name(name))

    reference = choose_name("Compare with", others, "from", usual=usual, width=170, words=words)
    if reference == NOBODY:
        return None
    if settings.to is not None:
        return reference, settings.to
    rest = [value for value in values if value != reference]
    return reference, choose_name("Model compared", rest, "to", width=170, words=words)


def read_unknown(every: Iterable[str], texts: Sequence[str] | None = None) -> tuple[str, ...]:
    """Wordings that the address, or these texts of one, read as "unknown", by their marks."""
    texts = st.query_params.get_all(READ) if texts is None else texts
    marks = [text.removeprefix(AS_UNKNOWN) for text in texts if text.startswith(AS_UNKNOWN)]
    return tuple(words for words in every if name_mark(words) in marks)


def read_elsewhere(loaded: Dataset, params: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Wordings that the page reads as "unknown" where it is not shown: by its address."""
    if not (params.get(READ) and loaded.bias_items and loaded.bias_predictions):
        return ()
    return read_unknown(recorded_wordings(loaded), params[READ])


def read_so(chosen: Iterable[str]) -> None:
    """Write a reading into the address, which every table is made by."""
    st.query_params[READ] = [f"{AS_UNKNOWN}{name_mark(words)}" for words in chosen]


def _types(matched: MatchedAnswers) -> tuple[str, ...]:
    """Bias types with an answer, in the order of the file."""
    return values_in(matched.answers, "category")


def _most_telling(values: Sequence[str]) -> str:
    """Stereotypical documents tell most, else the first that is no absence."""
    stereotypical = next((value for value in values if is_one_sided(value) > 0), None)
    return stereotypical or next((value for value in values if not is_nothing(value)), values[0])


def _documents(loaded: Dataset) -> Dataset:
    """Runs and polarities that answers were given; those of the shipped examples are no part of their data."""
    if not is_shipped(loaded):
        return loaded
    return _documents_in((recorded_folder() if loaded.name == RECORDED else example_folder()) / "bias")


@st.cache_resource(show_spinner=False)
def _documents_in(folder: Path) -> Dataset:
    from fairviz.io.dataset import add_file

    documents = Dataset()
    for pattern in ("full-set.*.run.gz", "polarity.tsv"):
        for path in sorted(folder.glob(pattern)):
            documents = add_file(documents, str(path))
    return documents


LONGEST = 90
OFFERED = 30
"""Wordings that can be chosen one by one."""


def reading(
    loaded: Dataset, matched: MatchedAnswers, rows: Sequence[Row], settings: BiasSettings, *, calm: bool
) -> None:
    """How many answers were read and how; above 2 % unread, the worst case; the reading that a person chose.

    Args:
        loaded: Data with bias answers.
        matched: All answers.
        rows: Rows that are looked at.
        settings: What is looked at.
        calm: Whether the title says the worst case already.
    """
    read_by, n_unread, n_answers = matched.read_by, matched.n_unread, len(matched.answers)
    line = read_line(read_by, n_unread, n_answers)
    st.html(el("p", el("strong", line.title), f" {line.sentence}", cls="fv-read"))
    warning = unread_finding(rows, settings.context, read_by=read_by, n_unread=n_unread, n_answers=n_answers)
    if warning is not None and not calm:
        callout(warning.title, warning.sentence)
    if settings.unknown:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.html(el("p", f"{read_words(loaded, settings)}, as you chose.", cls="fv-counts"))
            st.button("Undo this reading", on_click=read_so, args=((),), type="tertiary", key="read_undo")


def read_words(loaded: Dataset, settings: BiasSettings) -> str:
    """What a person had unread answers read as, in words; "" for nothing."""
    return reading_words(recorded_wordings(loaded), settings.unknown)


def too_much(
    levels: pl.DataFrame, both: pl.DataFrame, every: Mapping[str, int], matched: MatchedAnswers, settings: BiasSettings
) -> None:
    """Worst cases as bands, and the wordings that a person may name as “unknown”.

    Args:
        levels: Rows that are looked at, unread answers left out.
        both: The same rows with every unread answer read as “unknown”.
        every: How often each wording of unread answers was given.
        matched: All answers.
        settings: What is looked at.
    """
    left, right = st.columns([3, 2], gap="large")
    with left:
        section(
            "Worst case: all unread answers on one side",
            "Bars: from all against the stereotype to all towards it. Two readings beside them, neither is a finding.",
        )
        _bands(levels, both, matched, settings.context)
    with right:
        _wordings(every)


def _bands(levels: pl.DataFrame, both: pl.DataFrame, matched: MatchedAnswers, measure: Leaning) -> None:
    ends = [f"{measure}{end}" for end in WORST]
    as_unknown = {(kind, model): value for kind, model, value in both.select("category", "model", "value").rows()}

    def readings(row: PageRow) -> Cell:
        unknown = as_unknown[row.text("category"), row.text("model")]
        readings_of = (("left out", row.number(measure)), ("read as “unknown”", unknown))
        below = "; ".join(f"{signed(value, 0)} unread {words}" for words, value in readings_of if not math.isnan(value))
        return two_lines(" to ".join(in_words(row.number(end), 0, sign=True) for end in ends), below)

    span = around_zero([-20.0, 20.0, *(end for row in levels.select(ends).rows() for end in row)])
    page_table(
        rows_table(levels),
        {
            "category": PageColumn("Bias type", lambda row: type_label(row.text("category"))),
            "model": PageColumn(cell=lambda row: matched.name(row.text("model"))),
            "interval": PageColumn(cell=lambda row: glyph(*map(row.number, (measure, *ends)), span=span)),
            "readings": PageColumn("Diff-Bias", readings),
        },
        caption="Worst cases of unread answers",
    )


def _wordings(every: Mapping[str, int]) -> None:
    if not every:
        section("What was not read", "Only options were recorded, no words: nothing can be read otherwise.")
        return
    section(
        "What was not read",
        "All in one wording." if len(every) == 1 else f"Most frequent of {count(len(every))} wordings.",
    )
    first, offered = most_frequent(every), [*every][:OFFERED]
    shown = [[shortened(words, LONGEST), count(every[words])] for words in first or offered[:MOST_READ]]
    html_table(["Answer", "Times"], shown, caption="Wordings")
    with st.container(horizontal=True):
        if first:
            label = f"Read {'this' if len(first) == 1 else f'these {len(first)}'} as “unknown”"
            st.button(label, on_click=read_so, args=(first,), type="primary", key="read_these")
        with st.popover("Choose one by one"):
            places = st.multiselect(
                "Wordings that mean “unknown”",
                range(len(offered)),
                format_func=lambda index: f"{shortened(offered[index], LONGEST)} ({count(every[offered[index]])})",
                key="read_choice",
            )
            picked = [offered[index] for index in places]
            st.button("Read as “unknown”", on_click=read_so, args=(picked,), disabled=not picked, key="read_chosen")
    notes_below("A named reading, counted and written into every export and into the address.")
