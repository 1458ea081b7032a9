"""Export, first part: measures of every system, against which groups and target, and their tables."""

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import streamlit as st

from fairviz.display.html import Code, html_text, section_of
from fairviz.display.latex import latex_text
from fairviz.display.methods import AgainstTarget
from fairviz.display.table import Cell as Value
from fairviz.display.table import Column as TableColumn
from fairviz.display.table import Table, csv_text
from fairviz.display.words import count, plural
from fairviz.errors import FairvizError, UndefinedError
from fairviz.evaluation.evaluate import Evaluation
from fairviz.evaluation.systems import facts, labelled_apart, named_outputs
from fairviz.metrics.catalogue import reads_groups
from fairviz.metrics.spec import parse_measure, parse_measures, split_measures
from fairviz.model import Dataset, Scores, SystemScore
from fairviz.studies.agreement.analysis import ONE_GROUP
from fairviz.studies.baseline.analysis import analyse as compare
from fairviz.studies.baseline.settings import BaselineSettings
from fairviz.studies.measures.analysis import MeasuresAnalysis, analyse
from fairviz.studies.measures.settings import MeasuresSettings
from pages._export.sections import (
    Form,
    MeasureSelection,
    can_group,
    is_light,
    offered,
    requested,
    usual,
)
from pages._kit import callout, counts_line, empty_state, section
from pages._kit.commands import read_split, study_commands, targets
from pages._kit.controls import choose_name, choose_place, relevance
from pages._kit.downloads import download_row
from pages._kit.html import Cell, Column, Row, el, folded_list, html_table, muted, page_table, with_interval
from pages._kit.recorded_outputs import pairing_controls
from pages._kit.target import first_attribute

# Groups and target.


OF_ONE_GROUP = ONE_GROUP | {"Skew", "PAIR"}


def grouping(loaded: Dataset) -> tuple[AgainstTarget, str]:
    """The controls, where there are labels: groups with their target, and the group of interest."""
    names = [labels.attribute for labels in loaded.labels]
    attribute = choose_place("Groups", names, "labels", first=first_attribute(loaded), width=160)
    offered = targets(loaded, attribute)
    target_name = st.selectbox(
        "Target",
        list(offered),
        key=f"export_target_{attribute}",
        width=260,
        persist_state="session",
        help="Equal: every group the same. Collection: as in all labelled documents. Candidates: as "
        "among each query's candidates. Useful documents: in proportion to the mean "
        "usefulness of a group's documents.",
    )
    groups = loaded.labels[attribute].groups
    group = groups[0]
    if len(groups) > 2:
        group = st.selectbox(
            "Group of interest, G+",
            groups,
            key=f"export_group_{attribute}",
            width=200,
            persist_state="session",
            help="The group that measures of one group compare with all others.",
        )
    st.page_link("pages/groups.py", label="Set a target", icon=":material/tune:")
    against = AgainstTarget(attribute, offered[target_name], read_split(loaded, attribute))
    return against, group if len(groups) > 2 else ""


def with_group(text: str, group: str) -> str:
    """A measure string that names a group, where the measure is one of one group and none is named."""
    try:
        spec = parse_measure(text)
    except FairvizError:
        return text  # said where it is evaluated
    distance = spec.params.get("distance")  # KL is of all groups, absdiff of one
    of_one = (spec.name in OF_ONE_GROUP and distance != "KL") or distance == "absdiff"
    if not of_one or "group" in spec.params:
        return text
    name, bracket, rest = text.partition("(")
    if bracket:
        return f"{name}(group={group!r}, {rest}"
    name, at, cutoff = text.partition("@")
    return f"{name}(group={group!r}){at}{cutoff}"


# Tables as the page shows them: the first rows, numbers as people read them.


SHOWN = 12
NO_BREAK = "\N{NO-BREAK SPACE}"
CARD_COLUMNS = 7
"""More columns than these make cards longer than a phone; such tables scroll sideways there."""


def preview(table: Table) -> None:
    """The first rows of a table."""
    columns = [
        Column(label=name, align="right" if table.is_numeric(i) else "left") for i, name in enumerate(table.headings)
    ]
    rows = [
        [_shown(table, column, cell) for column, cell in zip(table.columns, row, strict=True)]
        for row in table.rows[:SHOWN]
    ]
    narrow = "cards" if len(columns) <= CARD_COLUMNS else "scroll"
    counts_line(table.caption)  # outside: a caption would scroll sideways with its table
    html_table(columns, rows, caption=table.caption, narrow=narrow)
    n = len(table.rows)
    counts_line(f"The first {SHOWN} of {count(n)} rows; the files have all." if n > SHOWN else plural(n, "row"))


def preview_means(table: Table, *, show_caption: bool) -> None:
    """A row per system, a column per measure, each mean above its interval."""
    measures = [key for key in table.keys if f"{key}_low" in table.keys]
    labels = [key for key in table.keys if key == "labels"]
    shown = ("system", *labels, *measures, "n_queries")
    if show_caption:
        counts_line(table.caption)  # outside: a caption would scroll sideways with its table
    page_table(
        replace(table, rows=table.rows[:SHOWN]),
        show=shown,
        drawn={key: partial(_mean, key) for key in measures}
        | {key: lambda row: row.text("labels") or "–" for key in labels},
        columns={"system": Column(label="system"), "n_queries": Column(label="queries", align="right")},
        caption=f"{', '.join(measures)}: {table.caption}",
        narrow="cards" if len(shown) <= CARD_COLUMNS else "scroll",
    )
    if len(table.rows) > SHOWN:
        counts_line(f"The first {SHOWN} of {count(len(table.rows))} rows; the files have all.")


def _mean(key: str, row: Row) -> Cell:
    if math.isnan(row.number(key)):
        return muted("–")
    return with_interval(key, f"{key}_low", f"{key}_high")(row)


def _shown(table: Table, column: TableColumn, cell: Value) -> Cell:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return muted("–")
    if isinstance(cell, str | bool):
        return str(cell)
    return table.printed(cell, column).replace(" ", NO_BREAK)


# The table in the form asked for, what was refused, files and command.


NOTES_SHOWN = 40
STEMS: dict[Form, str] = {"means": "means", "queries": "per-query", "compared": "compared"}
"""Table of each form; means have one more for papers, per kind of system."""


def measure_results(loaded: Dataset, selection: MeasureSelection, measured: MeasuresAnalysis) -> None:
    """The table in the form asked for, its notes, files and command."""
    found, command, settings = measured, "evaluate", settings_of(selection)
    if not measured.evaluation.scores:
        _show_refused(measured.tables)
        return
    stem = STEMS[selection.form]
    if selection.form == "compared":
        chosen = _pair(loaded, measured.evaluation)
        if chosen is None:
            counts_line("This needs two systems with a measure per query in common.")
            return
        command, settings = "compare", replace(chosen, measures=selection.measures, against=selection.against)
        try:
            found = compare(loaded, settings)
        except UndefinedError:
            counts_line("These two have no query with a value in common: there is nothing to compare.")
            return
    known = {**measured.tables, **found.tables}
    shown = [name for name in known if name.startswith("means-")] if selection.form == "means" else [stem]
    printed = (*shown, "measures") if selection.form != "compared" else (stem,)
    blocks = [*shown, *(name for name in ("measures", "refused") if name in known)]
    commands = study_commands(command, settings, csv=stem, latex=printed)
    paragraphs = [
        f"Groups: {name}." if i == 0 else f"Target shares of attention: {name}."
        for i, (_, name) in enumerate(facts(loaded, selection.against))
    ]
    download_row(
        f"fairviz-{selection.form}",
        "Measures",
        frame_csv=lambda: csv_text(known[stem]),
        latex=lambda: "\n".join(latex_text(known[name], label=f"tab:{name}") for name in printed),
        html=lambda: html_text(
            "Measures",
            [
                section_of(known, loaded.name, *paragraphs, blocks=blocks),
                section_of(known, "Command", blocks=[Code(commands["csv"])]),
            ],
        ),
        commands=lambda: commands,
    )
    if any(isinstance(score, SystemScore) for score in measured.evaluation.scores) and selection.form != "means":
        counts_line(
            "Measures of whole systems average exposure over queries first: they have no value "
            "per query and are under Means."
        )
    _show_refused(known)
    size = plural(len(known[stem].rows), "row")
    if selection.form == "means":
        scores = measured.evaluation.scores
        n_systems, n_measures = (len({getattr(score, side) for score in scores}) for side in ("system", "measure"))
        size = f"{plural(n_systems, 'system')}, {plural(n_measures, 'measure')}"
    with st.expander(f"Preview: {size}"):
        if selection.form != "means":
            preview(known[stem])
        else:
            for name in shown:
                preview_means(known[name], show_caption=name == shown[0])
        if notes := found.notes:
            lines = [el("li", f"{note.file}: {note.message}") for note in notes[:NOTES_SHOWN]]
            lines += [el("li", f"and {len(notes) - NOTES_SHOWN} more")] if len(notes) > NOTES_SHOWN else []
            folded_list(f"{plural(len(notes), 'note')} on these numbers", lines)
    with st.expander("Command"):
        st.code(commands["csv"], language="bash", wrap_lines=True)


def _show_refused(tables: Mapping[str, Table]) -> None:
    """Measures that the data do not allow, each with its reason."""
    if "refused" in tables:
        rows = tables["refused"].rows
        entries = (el("li", el("strong", str(measure)), f": {reason} ({systems})") for measure, reason, systems in rows)
        folded_list(f"{plural(len(rows), 'measure')} not on these data, and why", entries, is_open=True)


def settings_of(selection: MeasureSelection) -> MeasuresSettings:
    """What is measured; two systems are compared at the depth that all have."""
    depth = "common" if selection.form == "compared" else "full"
    return MeasuresSettings(measures=selection.measures, against=selection.against, depth=depth, leave_out=True)


class _Measured(NamedTuple):
    """Scores of one system by measure, under the labels of one generator where several judged it."""

    system: str
    labels: str | None
    apart: bool
    task: str | None
    scores: dict[str, Scores]

    def pairs_with(self, other: "_Measured") -> bool:
        """Whether the two are of one task, under the same labels where either has several, and share a measure."""
        same_labels = self.labels == other.labels or not (self.apart or other.apart)
        shared = self.scores.keys() & other.scores.keys()
        return self.system != other.system and self.task == other.task and same_labels and bool(shared)


def _pair(loaded: Dataset, result: Evaluation) -> BaselineSettings | None:
    """Two systems of one task that share a measure; asks which two, and by whose labels."""
    scores = [score for score in result.scores if isinstance(score, Scores) and score.aggregate == "mean"]
    task = {name: said.task for name, said in (loaded.systems or {}).items()}
    task |= {outputs.system: outputs.task for outputs in named_outputs(loaded)}
    judged = result.judged
    apart = labelled_apart(judged)
    labels = {one.name: one.labels for one in judged}
    by_name: dict[str, _Measured] = {}
    for score in scores:
        name = score.system
        system = apart[name].system if name in apart else name
        new = _Measured(system, labels.get(name), name in apart, task.get(name), {})
        by_name.setdefault(name, new).scores[score.measure] = score
    every = [*by_name.values()]
    able = [one for one in every if any(map(one.pairs_with, every))]
    if len(able) < 2:
        return None
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        system = choose_name("System", list(dict.fromkeys(one.system for one in able)), "one", width=320)
        named = {one.labels or "": one for one in able if one.system == system}
        chosen = choose_name("Labels", list(named), "labels_of", width=160) if len(named) > 1 else next(iter(named))
        first = named[chosen]
        others = {one.system: one for one in every if first.pairs_with(one)}
        other = choose_name("minus", list(others), "other", width=320)
    return BaselineSettings(system=first.system, baseline=other, judged_by=first.labels or "", leave_out=True)


FORMS: dict[str, Form] = {"Means": "means", "Per query": "queries", "Two systems": "compared"}


def measure_part(loaded: Dataset) -> MeasureSelection | None:
    """Show the part; returns its settings, None where there is nothing to measure."""
    section(
        "Measures of every system",
        "Means with 95 % bootstrap intervals, one row per query, or two systems paired by query",
    )
    if not offered(loaded):
        empty_state(
            "Nothing to measure yet",
            "EE-D needs a run, other measures of rankings a run and judgements, those of groups a run and group "
            "labels, those of answers recorded outputs. Answers to bias questions and to variants have their downloads "
            "on Social bias and Demographic QA.",
        )
        return None
    selection = _controls(loaded)
    if not selection.measures:
        counts_line("Choose a measure above, or type one, such as nDCG@20 or EED(norm='none')@10.")
        return selection
    key = (loaded.arrangement, selection.measures, selection.against)
    icon, light = ":material/calculate:", is_light(loaded)
    if not requested("export_measures", key, "Compute the table", icon=icon, light=light):
        return selection
    try:
        with st.spinner("Measuring …"):
            measured = analyse(loaded, settings_of(selection))
    except FairvizError as error:
        callout("These measures cannot be computed", str(error))
        return selection
    measure_results(loaded, selection, measured)
    return selection


def _controls(loaded: Dataset) -> MeasureSelection:
    typed = st.multiselect(
        "Measures",
        offered(loaded),
        default=usual(loaded, relevance()),
        key="measures",
        accept_new_options=True,
        bind="query-params",
        help="Choose or type: NAME(param=value, …)@k, such as EED(norm='none')@10 or RBP(p=0.8). "
        "Every measure of ir-measures has its name here too.",
    )
    measures = tuple(dict.fromkeys(part for text in typed for part in _split(text)))
    against, group = None, ""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        form = st.segmented_control(
            "Rows", list(FORMS), default="Means", required=True, key="rows", bind="query-params"
        )
        if can_group(loaded) and any(map(_of_groups, measures)):
            against, group = grouping(loaded)
    if loaded.outputs:
        pairing_controls(loaded)
    if against is not None:
        counts_line(f"Target shares of attention: {against.words(loaded)}.")
    named = tuple(with_group(text, group) for text in measures) if group else measures
    return MeasureSelection(named, FORMS[form or "Means"], against)


def _of_groups(text: str) -> bool:
    try:
        return any(map(reads_groups, parse_measures([text])))
    except FairvizError:
        return False  # said where it is evaluated


def _split(text: str) -> list[str]:
    try:
        return split_measures(text)
    except FairvizError:
        return [text]  # said where it is evaluated
