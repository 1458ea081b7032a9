"""Social bias as tables: each result becomes rows here, once, for the command, the page and their files.

Keys are the command's column names; labels are what people read in LaTeX, in the HTML report and on the page. Rows of
``bias`` keep apart every recorded column that varies, except ``instruction``, over which measures are averaged.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from fairviz.display.table import Column, Table, declared, keyed
from fairviz.display.words import plural
from fairviz.model.arrays import read_once
from fairviz.studies.social_bias.documents import WHOSE
from fairviz.studies.social_bias.labels import subject_label, type_label, words_of
from fairviz.studies.social_bias.measures import LEANINGS, MEASURES, Leaning

ENDS = ("low", "high")


def _table(frame: pl.DataFrame, columns: Sequence[str | Column], *, caption: str = "", decimals: int) -> Table:
    """The columns of a frame that are declared."""
    return Table.of(frame, declared(columns, words_of("columns")), caption, decimals=decimals)


def _by(frame: pl.DataFrame, first: str) -> list[str]:
    """Columns that rows are kept apart by: those before the first measured one."""
    return frame.columns[: frame.columns.index(first)]


# Rows: the six measures of every combination, with intervals and counts.

ROWS_TO_READ = (
    *MEASURES,
    *(f"diffbias_{context}_{end}" for context in "ad" for end in ("low", "high")),
    "n_a",
    "n_s",
    "n_c",
)
"""Columns of a row that a terminal has room for, beside those that name it."""


COUNTS = (
    *("n_a", "n_au", "n_as", "n_ac", "n_s", "n_c", "n_ss", "n_sc", "n_su", "n_cs", "n_cc", "n_cu"),
    *("n_ooc_a", "n_ooc_d", "skipped_no_target"),
)
"""Answers by context and answer."""
SIZES = ("n_items", "n_missing", "n_templates", "n_instructions")


def rows_table(rows: pl.DataFrame) -> Table:
    """One line per combination: its columns, the six measures with intervals, counts, bounds."""
    columns = (
        *(*_by(rows, MEASURES[0]), *MEASURES, *(f"{measure}_{end}" for measure in MEASURES for end in ENDS)),
        *(*COUNTS, *SIZES, "bound_a", "bound_d_low", "bound_d_high", "small", "unread", "one_letter"),
        *(f"{measure}_worst_{end}" for measure in MEASURES for end in ENDS),
        *(f"{measure}_{p}" for measure in LEANINGS for p in ("p", "p_holm")),
    )
    caption = (
        "Accuracy and Diff-Bias in percent, 95 % intervals by bootstrap over templates; p of no lean by sign flips of "
        "templates, Holm over the table"
    )
    return _table(rows, columns, caption=caption, decimals=2)


# Levels: rows of one setting and kind of context, as people read them.


def levels_table(levels: pl.DataFrame, measure: Leaning, names: Mapping[str, str]) -> Table:
    """One line per bias type (or group) and model: answers by kind, Diff-Bias, interval and test, a verdict in words.

    Args:
        levels: Rows as they are read (:func:`~.rows.levels`).
        measure: Diff-Bias in one of the contexts.
        names: Short names of models.
    """
    kinds = [kind for kind in ("against", "unknown", "right", "towards") if kind in levels.columns]
    columns = (
        Column("category", "bias type"),
        *([Column("stereotyped", "about")] if "stereotyped" in levels.columns else []),
        Column("model"),
        Column("n_questions", "questions"),
        Column("n_templates", "templates"),
        *(Column(kind, words_of("columns")[kind]) for kind in kinds),
        Column(measure, "Diff-Bias", "signed"),
        *keyed(*ENDS, signed=ENDS),
        Column("p_holm", "p (Holm)", "p"),
        Column("verdict", "in words"),
    )
    n_tests = 0 if levels.is_empty() else levels["n_tests"][0]
    caption = f"Diff-Bias in percent, 95 % intervals by bootstrap over templates, Holm over {plural(n_tests, 'test')}"
    shown = levels.with_columns(
        category=read_once(levels.select("category"), type_label),
        model=pl.col("model").cast(pl.String).replace(names),
        **{measure: pl.col("value")},
    )
    return replace(_table(shown, columns, caption=caption, decimals=1), audience="papers")


# Changes: Diff-Bias here against the reference, with the test.

CHANGE_COLUMNS = (
    *keyed("measure", "against", "reference", "value", "change", *ENDS, signed=("reference", "value", "change", *ENDS)),
    Column("change_abs", "Δ|Diff-Bias|", "signed"),
    *keyed("abs_low", "abs_high", "p", signed=("abs_low", "abs_high"), p=["p"]),
    Column("p_holm", "p (Holm)", "p"),
    Column("n_items", "items"),
    Column("n_templates", "templates"),
    *keyed("n_towards", "n_away", "n_unused"),
    Column("verdict", "in words", "tone"),
    *keyed("tested", "exact"),
    Column("n_tests", "tests"),
)
"""What every change has, behind the columns that name it."""

CHANGES_TO_READ = ("measure", "reference", "value", "change", "low", "high", "p_holm", "n_items", "verdict")
"""Columns of a change that a terminal has room for, beside those that name it."""


def changes_table(changes: pl.DataFrame) -> Table:
    """One line per row and context: Diff-Bias in the reference and here, its change, the test."""
    caption = ""
    if not changes.is_empty():
        n_tests = int(changes["tested"].sum())
        caption = f"Holm over {plural(n_tests, 'test')}" if n_tests else "nothing tested"
        caption = f"changes against {changes['against'][0]}; {caption}"
    return _table(changes, (*keyed(*_by(changes, "measure")), *CHANGE_COLUMNS), caption=caption, decimals=2)


def printed_changes_table(changes: pl.DataFrame, *, reference: str, value: str) -> Table:
    """:func:`changes_table` for a paper: one column says what a row is about.

    Args:
        changes: The changes.
        reference: What the reference is called, as the heading of its values.
        value: What is compared with it is called so.
    """
    named = (pl.col(name) if name in changes.columns else pl.lit("") for name in ("category", "stereotyped"))
    subjects = read_once(changes.select(name.cast(pl.String) for name in named), subject_label)
    keys = ("n_items", "n_templates", "reference", "value", "change", *ENDS, "change_abs", "p_holm", "verdict")
    columns = {column.key: column for column in CHANGE_COLUMNS}
    columns |= {key: Column(key, called, "signed") for key, called in (("reference", reference), ("value", value))}
    table = _table(
        changes.with_columns(category=subjects),
        (Column("category", "bias type"), *(columns[key] for key in keys)),
        caption=f"Diff-Bias: {value} compared with {reference}, paired by question (Holm over tested rows)",
        decimals=1,
    )
    return replace(table, audience="papers")


def reading_table(read_by: Mapping[str, int], n_answers: int) -> Table:
    """One line per rule that read answers, then those that none could read."""
    counts = {**read_by, "unread": n_answers - sum(read_by.values())}
    return Table(
        (Column("rule", "read by"), Column("n_answers", "answers"), Column("share", "%")),
        tuple((rule, n, 100 * n / max(n_answers, 1)) for rule, n in counts.items()),
        caption="How recorded answers were read",
        audience="programs",
    )


# Documents retrieved, and values by model, bias type and setting.


def shares_table(retrieval: pl.DataFrame) -> Table:
    """One line per run: percent of its labelled documents that are stereotypical."""
    counts = ("collection", "n_queries", "n_undefined", "n_documents", "n_unlabelled")
    columns = ("system", "k", "stereo_documents", *ENDS, *counts)
    return _table(retrieval, columns, decimals=2)


def dose_table(doses: pl.DataFrame) -> Table:
    """One line per number of stereotypical documents: answers of each kind, percent of those that name an option."""
    kinds = ("stereotyped", "against", "unknown")
    counts = ("n_stereo", "n", *(f"n_{kind}" for kind in kinds), "n_ooc")
    columns = (*WHOSE, *counts, *(Column(kind, kind="share") for kind in kinds))
    n = pl.col("n")
    doses = doses.with_columns(pl.when(n > 0).then(100 * pl.col(f"n_{kind}") / n).alias(kind) for kind in kinds)
    return _table(doses, columns, caption="Answers by number of stereotypical documents given", decimals=1)


def slopes_table(slopes: pl.DataFrame) -> Table:
    """One line per model, setting, retriever, k and kind of context: points of Diff-Bias per stereotypical document."""
    counts = ("n", "n_templates", "n_without", "small")
    columns = (*WHOSE, Column("slope", kind="signed"), *ENDS, "p", "p_holm", *counts)
    n_tested = int(slopes["p_holm"].is_not_nan().sum())
    caption = (
        "Diff-Bias per stereotypical document, in points; 95 % intervals and p with templates as clusters, Holm over "
        f"{n_tested} slopes"
    )
    return _table(slopes, columns, caption=caption, decimals=1)


def with_reading(table: Table, reading: str) -> Table:
    """The table with what a person had unread answers read as, in its caption and in every row; "" for nothing."""
    if not reading:
        return table
    if table.audience == "papers":
        return replace(table, caption=f"{table.caption}; {reading}")
    rows = tuple((*row, reading) for row in table.rows)
    return replace(table, columns=(*table.columns, Column("reading")), rows=rows, caption=f"{table.caption}; {reading}")
