"""Answers to bias questions measured: rows, changes, levels, what was retrieved; and what a reader should know."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from fairviz.display.intervals import tables_to_draw
from fairviz.display.table import Table
from fairviz.display.words import Finding
from fairviz.errors import InputError, UndefinedError, UsageError
from fairviz.model import BiasItems, Dataset, GroupLabels, Note, Run
from fairviz.remembered import remembered
from fairviz.studies.social_bias.answers import (
    INSTRUCTION,
    MatchedAnswers,
    answered,
    at_fixed_values,
    merged_items,
    read_as_unknown,
    reading_words,
    recorded,
    usual_reference,
    values_in,
    varying,
    with_value,
    wordings,
)
from fairviz.studies.social_bias.columns import (
    CHANGES_TO_READ,
    ROWS_TO_READ,
    changes_table,
    dose_table,
    levels_table,
    reading_table,
    rows_table,
    shares_table,
    slopes_table,
    with_reading,
)
from fairviz.studies.social_bias.documents import STEREOTYPICAL, dose_responses, stereotype_share
from fairviz.studies.social_bias.findings import (
    change_finding,
    levels_finding,
    one_letter_words,
    table_finding,
    unread_state,
    worst_case_words,
)
from fairviz.studies.social_bias.labels import reference_setting, where_words
from fairviz.studies.social_bias.measures import LEANINGS, MEASURES
from fairviz.studies.social_bias.rows import Row, bias_changes, bias_rows, levels
from fairviz.studies.social_bias.settings import BiasSettings
from fairviz.studies.study import Analysis, Chart


@remembered
def matched_answers(data: Dataset, unknown: tuple[str, ...] = ()) -> MatchedAnswers:
    """Answers matched with their questions, some wordings of unread ones read as “unknown”.

    Raises:
        InputError: They cannot be matched.
    """
    if unknown:
        matched = matched_answers(data)
        return replace(matched, answers=read_as_unknown(matched.answers, unknown))
    return answered(merged_items(data.bias_items), data.bias_predictions)


@remembered
def part_answers(data: Dataset, compared: BiasSettings) -> pl.DataFrame:
    """Answers at the fixed values."""
    answers = matched_answers(data, compared.unknown).answers
    return at_fixed_values(answers, compared) if compared.compare else answers


def columns_of(data: Dataset, compared: BiasSettings) -> tuple[str, ...]:
    """Columns that rows are kept apart by unless others are named: model, category, setting, and what varies.

    Where a column is compared: model, category and that column.
    """
    if compared.compare:
        return tuple(dict.fromkeys(("model", "category", compared.compare)))
    answers = part_answers(data, compared)
    usual = ["model", "category", *(["setting"] if "setting" in recorded(answers) else [])]
    return tuple(name for name in dict.fromkeys([*usual, *varying(answers)]) if name != INSTRUCTION)


@remembered
def measured_rows(
    data: Dataset, compared: BiasSettings, by: tuple[str, ...] = (), *, to: str | None = None, **how: Any
) -> pl.DataFrame:
    """Rows of answers by some columns: one table, which p is corrected over; ``to``: of one compared value alone.

    Unread answers that count ("count") are neither towards nor against: Diff-Bias is then as if they said "unknown".
    """
    answers = part_answers(data, compared)
    if to is not None:
        answers = answers.filter(with_value(answers, compared.compare, to))
    return bias_rows(matched_answers(data).items, answers, by=by or columns_of(data, compared), **how)


@remembered
def changes_against(
    data: Dataset, compared: BiasSettings, against: tuple[str, str], by: tuple[str, ...] = (), **how: Any
) -> pl.DataFrame:
    """Changes of every row against a column's value, see :func:`~.rows.bias_changes`.

    Raises:
        FairvizError: Nothing can be paired with it.
    """
    return bias_changes(part_answers(data, compared), by=by or columns_of(data, compared), against=against, **how)


def analyse(data: Dataset, settings: BiasSettings) -> Analysis:
    """Match answers with their items, measure and compare them.

    Args:
        data: Questions and answers; runs and the polarity of their documents, where answers were given these.
        settings: Columns, comparison, which levels.

    Raises:
        InputError: No answer is to a known item.
        UndefinedError: Questions or answers are missing, or nothing is left to be shown.
        UsageError: A column or a value is not there.
    """
    if not (data.bias_items and data.bias_predictions):
        raise UndefinedError("questions and answers to them are needed: give --items FILE and --answers FILE")
    matched = matched_answers(data, settings.unknown)
    items = matched.items
    read = reading_words(wordings(matched_answers(data).answers), settings.unknown) if settings.unknown else ""
    if settings.compare or settings.only:
        settings = _resolved(matched.values, settings)
    compared = settings.compared
    answers = part_answers(data, compared)
    columns = tuple(dict.fromkeys(settings.by)) or columns_of(data, compared)
    rows = measured_rows(data, compared, columns, ooc=settings.ooc, seed=settings.seed)
    made = {"rows": rows_table(rows)}
    retrieved, documents = _documents(data, items, answers, settings)
    against, hints = _against(answers, settings)
    changed: list[Finding] = []
    if against is not None:
        how: dict[str, Any] = {"ooc": settings.ooc, "groups": settings.by_group, "seed": settings.seed}
        changes = changes_against(data, compared, against, columns, **how)
        changed = changed_findings(changes, settings, columns, matched.names)
        table = changes_table(changes)
        caption = f"{changed[0].title}; {table.caption}" if len(changed) == 1 else table.caption
        made["changes"] = replace(table, caption=caption)
    made |= {"reading": reading_table(matched.read_by, len(matched.answers)), **retrieved}
    shown, charts = shown_levels(rows, settings), dict[str, Chart]()
    if shown.is_empty():
        raise UndefinedError("no answers are left: choose others of --to, --model and --type")
    is_one = settings.compare in ("", "model") or settings.to is not None
    if is_one and {"model", "category"} <= {*columns} <= {"model", "category", settings.compare}:
        made["levels"] = levels_table(shown, settings.context, matched.names)
        finding = headline(shown.rows(named=True), settings, matched.names)
        charts = levels_charts(made["levels"])
    else:
        finding = table_finding(shown.rows(named=True), settings.context)
    named = rows.rows(named=True)
    letter = one_letter_words(named, {})
    hints += _pooled(answers, columns)
    hints += [text for text in (worst_case_words(named, "diffbias_a"), letter and f"no verdict: {letter}") if text]
    first = data.bias_predictions[0].name
    of_matching, of_rows = ([Note(first, None, text) for text in texts] for texts in (matched.notes, hints))
    noted = {stem: with_reading(table, read) for stem, table in made.items()}
    return Analysis(
        findings=(*changed, finding),
        tables=noted,
        charts=charts,
        printed={stem: _printed(stem, table.keys) for stem, table in noted.items() if table.audience == "all"},
        notes=(*of_matching, *documents, *of_rows),
    )


FEW = {"rows": (MEASURES[0], ROWS_TO_READ), "changes": ("measure", CHANGES_TO_READ)}
"""Columns that a terminal has room for, behind those that name a row, which end before the first."""


def _printed(stem: str, keys: tuple[str, ...]) -> tuple[str, ...]:
    first, few = FEW.get(stem, ("", ()))
    return (*keys[: keys.index(first)], *few) if first in keys else keys


def _resolved(values: Mapping[str, Sequence[str]], settings: BiasSettings) -> BiasSettings:
    """The settings with the column and the reference that are compared."""
    column = settings.compare or "model"
    every = values.get(column, ())
    reference = settings.reference or (usual_reference(every) if every else "")
    for name, value in [(column, reference), *settings.fixed]:
        if name not in values:
            raise UsageError(f"--compare, --only: {name!r}: expected one of {', '.join(values)}")
        if value not in values[name]:
            expected = ", ".join(map(repr, values[name]))
            raise UsageError(f"--reference, --only: {name}={value!r}: expected one of {expected}")
    if settings.to is None and column != "model" and (settings.models or settings.types):
        expected = ", ".join(map(repr, values[column]))
        raise UsageError(f"--model, --type: levels are of one {column}: give it by --to, one of {expected}")
    return replace(settings, compare=column, reference=reference)


def _against(answers: pl.DataFrame, settings: BiasSettings) -> tuple[tuple[str, str] | None, list[str]]:
    """Column and value that rows are compared with, and what to do where nothing says it."""
    if settings.against:
        column, mark, value = settings.against.partition("=")
        if not mark or not column:
            raise UsageError(f"--against {settings.against}: expected COLUMN=VALUE, such as setting='w/o RAG'")
        return (column, value), []
    every = values_in(answers, "setting") if "setting" in recorded(answers) else ()
    if len(every) < 2 or settings.compare:
        return None, []
    without = reference_setting(every)
    if without is not None:
        return ("setting", without), []
    text = f"no setting says that it is without retrieval ({', '.join(every)}): nothing is compared"
    return None, [f"{text}; name the reference with --against setting=NAME"]


def changed_findings(
    changes: pl.DataFrame, settings: BiasSettings, columns: Sequence[str], names: Mapping[str, str]
) -> list[Finding]:
    """What each value of a named column changes from the one that is named: of rows by model and bias type alone."""
    column, _, reference = settings.against.partition("=")
    if not (settings.against and {"category"} <= {*columns} <= {"model", "category", column}):
        return []
    rows = changes.filter(pl.col("measure") == settings.context)
    if "stereotyped" in rows.columns:
        rows = rows.filter(pl.col("stereotyped") == "")
    ends = {"reference": reference, "names": names}
    return [
        change_finding(
            rows.filter(pl.col(column).cast(pl.String) == value).to_dicts(), column=column, value=value, **ends
        )
        for value in rows[column].cast(pl.String).unique(maintain_order=True)
    ]


def _pooled(answers: pl.DataFrame, columns: Sequence[str]) -> list[str]:
    pooled = [name for name in varying(answers) if name not in (*columns, INSTRUCTION)]
    words = ", ".join(f"{name} ({len(values_in(answers, name))} values)" for name in pooled)
    return [f"rows pool {words}: name them in --by to part them"] if pooled else []


def shown_levels(rows: pl.DataFrame, settings: BiasSettings) -> pl.DataFrame:
    """The levels of the value, the models and the types that are chosen, as people read them; none of a lost column."""
    chosen = [
        pl.col(name).cast(pl.String).is_in(values) if name in rows.columns else pl.lit(False)
        for name, values in settings.shown.items()
    ]
    return levels(rows.filter(pl.lit(True), *chosen), settings.context, settings.sort)


def levels_charts(table: Table) -> dict[str, Chart]:
    """Diff-Bias of a table of levels with its intervals, rows by their subject and verdict; none where none has any."""
    names = ("category", "stereotyped", "model", "verdict", *LEANINGS, "low", "high", "p_holm")
    drawn = tables_to_draw({"levels": table.select([key for key in names if key in table.keys])})
    return {stem: Chart("", "intervals", (own,)) for stem, own in drawn.items()}


def headline(rows: Sequence[Row], settings: BiasSettings, names: Mapping[str, str]) -> Finding:
    """What levels that are looked at say: on which bias types answers lean, or that too many of them are unread."""
    where = where_words(settings.compare or "model", settings.to or "")
    return unread_state(rows, settings.context) or levels_finding(rows, settings.context, where=where, names=names)


def _documents(
    data: Dataset, items: BiasItems, answers: pl.DataFrame, settings: BiasSettings
) -> tuple[dict[str, Table], list[Note]]:
    """What was retrieved, and how many stereotypical documents items were given where they are queries of the runs."""
    polarity, group = stereotypes(data.labels)
    if not data.runs or polarity is None:
        return {}, []
    named = named_runs(data)
    k, seed = settings.k, settings.seed
    shares = [stereotype_share(run, polarity, k=k, group=group, seed=seed) for run in data.runs]
    retrieved = {"retrieval": shares_table(pl.DataFrame(shares))}
    try:
        doses, slopes = dose_responses(items, answers, named, polarity, group=group, k=k)
    except InputError as error:
        text = f"answers are not counted by stereotypical documents: {error.reason}"
        text = f"{text}; {error.fix}" if error.fix else text
        return retrieved, [Note(error.file or next(iter(named)), None, text)]
    return retrieved | {"dose": dose_table(doses), "slopes": slopes_table(slopes)}, []


def named_runs(data: Dataset) -> dict[str, Run]:
    """Runs by the files that they are of, else by their systems."""
    return {run.file or run.system: run for run in data.runs}


def stereotypes(labels: Sequence[GroupLabels]) -> tuple[GroupLabels | None, str]:
    """Labels of the polarity of documents, and their stereotypical group."""
    for own in labels:
        for group in own.groups:
            if group.casefold().startswith(STEREOTYPICAL):
                return own, group
    return None, ""
