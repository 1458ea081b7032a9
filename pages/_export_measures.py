"""Export, first part: a table of measures, its preview, its files and its command."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import streamlit as st

from fairviz.analysis.comparison import compare_all
from fairviz.analysis.evaluate import Evaluation
from fairviz.errors import FairvizError
from fairviz.metrics.spec import parse_measures, split_measures
from fairviz.model import Dataset, Scores, SystemScore
from fairviz.report.against_target import AgainstTarget, reads_groups
from fairviz.report.commands import evaluate_command
from fairviz.report.content import Code, Section, Table
from fairviz.report.csv import csv_text
from fairviz.report.html import html_text
from fairviz.report.latex import latex_text
from fairviz.report.measure_tables import (
    comparison_content,
    definitions_content,
    long_content,
    means,
    means_caption,
    queries_content,
    refused_content,
    wide_content,
)
from pages._export_asked import asked_for
from pages._export_groups import grouping, with_group
from pages._export_preview import preview, preview_means, show_refused
from pages._export_systems import can_group, evaluation, is_light, offered, pairs, usual
from pages._recorded import sources, usual_source
from pages._shared import (
    callout,
    counts_line,
    download_row,
    el,
    empty_state,
    is_example,
    listing,
    plural,
    section,
)

SEED = 0
FORMS: dict[str, Literal["means", "queries", "compared"]] = {
    "Means": "means",
    "Per query": "queries",
    "Two systems": "compared",
}
NOTES_SHOWN = 40


class Chosen(NamedTuple):
    """What the table shows.

    Attributes:
        measures: Measure strings.
        form: Means, values per query, or two systems compared.
        given_from: What was given where outputs do not record their list.
        against: Groups and target, where there are labels.
    """

    measures: tuple[str, ...]
    form: Literal["means", "queries", "compared"]
    given_from: str
    against: AgainstTarget | None = None


def measure_part(loaded: Dataset) -> Chosen | None:
    """Show the part; returns its settings, None where there is nothing to measure."""
    section(
        "Measures of every system",
        "Means with 95 % bootstrap intervals, one row per query, or two systems paired by query",
    )
    if not offered(loaded):
        empty_state(
            "Nothing to measure yet",
            "Measures of rankings need a run and judgements, those of groups a run and group "
            "labels, those of answers recorded outputs.",
        )
        return None
    chosen = _controls(loaded)
    if not chosen.measures:
        counts_line("Choose a measure above, or type one, such as nDCG@20 or EED(norm='none')@10.")
        return chosen
    key = (loaded.fingerprint, chosen.measures, chosen.given_from, chosen.against)
    icon, light = ":material/calculate:", is_light(loaded)
    if not asked_for("export_measures", key, "Compute the table", icon=icon, light=light):
        return chosen
    try:
        with st.spinner("Measuring …"):
            found = evaluation(loaded, chosen.measures, chosen.given_from, chosen.against)
    except FairvizError as error:
        callout("These measures cannot be computed", str(error))
        return chosen
    _results(loaded, chosen, found)
    return chosen


def folder() -> str:
    """Where the files of a command are, seen from where it is run."""
    return "data/demo/" if is_example() else ""


def _controls(loaded: Dataset) -> Chosen:
    typed = st.multiselect(
        "Measures", offered(loaded), default=usual(loaded), key="measures",
        accept_new_options=True, bind="query-params",
        help="Choose or type: NAME(param=value, …)@k, such as EED(norm='none')@10 or RBP(p=0.8). "
        "Every measure of ir-measures has its name here too.",
    )  # fmt: skip
    known, given_from = sources(loaded), ""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        form = st.segmented_control(
            "Rows", list(FORMS), default="Means", required=True, key="rows", bind="query-params"
        )
        if loaded.outputs and known:
            given_from = st.selectbox(
                "Items given", known, index=known.index(usual_source(loaded)), key="given",
                bind="query-params", width=220,
                help="These outputs do not record the list they were given: it is taken from the "
                "first k of a run, or from the references that they record.",
            )  # fmt: skip
    measures = tuple(dict.fromkeys(part for text in typed for part in _split(text)))
    chosen = Chosen(measures, FORMS[form or "Means"], str(given_from))
    if not can_group(loaded) or not any(map(_of_groups, measures)):
        return chosen
    groups = grouping(loaded)
    return chosen._replace(measures=with_group(measures, groups.group), against=groups.against)


def _of_groups(text: str) -> bool:
    try:
        return any(map(reads_groups, parse_measures([text])))
    except FairvizError:
        return False  # said where it is evaluated


def facts(loaded: Dataset, against: AgainstTarget | None) -> tuple[tuple[str, str], ...]:
    """Columns of the file that say which groups and target the numbers are of."""
    if against is None:
        return ()
    return (("groups", against.labels(loaded).attribute), ("target", against.words(loaded)))


def _split(text: str) -> list[str]:
    try:
        return split_measures(text)
    except FairvizError:
        return [text]  # said where it is evaluated


def _results(loaded: Dataset, chosen: Chosen, found: Evaluation) -> None:
    """The table in the form asked for, its notes, files and command."""
    refused = refused_content(found.refused)
    if not found.scores:
        show_refused(refused)
        return
    match chosen.form:
        case "means":
            whole, shown = _means(found.scores, facts(loaded, chosen.against))
        case "queries":
            whole = queries_content(found.scores)
            preview(whole)
            shown = (whole,)
        case "compared":
            pair = _pair([one for one in found.scores if isinstance(one, Scores)])
            if pair is None:
                counts_line("Two systems with a measure per query in common are needed.")
                return
            whole = comparison_content(compare_all(pair, seed=SEED), seed=SEED)
            preview(whole)
            shown = (whole,)
    if any(isinstance(one, SystemScore) for one in found.scores) and chosen.form != "means":
        counts_line(
            "Measures of whole systems average exposure over queries first: they have no value "
            "per query and are under Means."
        )
    show_refused(refused)
    _notes(found)
    specs = parse_measures(chosen.measures)
    refusals = {one.measure for one in found.refused}
    kept = [spec for spec in specs if spec.text not in refusals]
    valued = {one.measure for one in found.scores}
    defined = definitions_content([spec for spec in specs if spec.text in valued])
    if refusals & valued:
        counts_line(
            f"Not in the command, since some systems do not allow it: "
            f"{listing(sorted(refusals & valued))}."
        )
    command = evaluate_command(
        loaded,
        kept,
        folder=folder(),
        pairs=pairs(loaded, chosen.given_from),
        per_query=chosen.form != "means",
        against=chosen.against,
    )
    told = [f"Groups: {name}." if i == 0 else f"Target shares of attention: {name}."
            for i, (_, name) in enumerate(facts(loaded, chosen.against))]  # fmt: skip
    about = (defined, *([refused] if refused.rows else []))
    download_row(
        f"fairviz-{chosen.form}",
        frame_csv=lambda: csv_text(whole),
        latex=lambda: "\n".join(map(latex_text, (*shown, defined))),
        html=lambda: html_text(
            "Measures",
            [
                Section(loaded.name, tuple(told), (*shown, *about)),
                Section("Again", (), (Code(command),)),
            ],
        ),
    )
    same = "The values compared" if chosen.form == "compared" else "The same"
    where = "" if is_example() else ", where your files are"
    counts_line(f"{same} from a shell{where}:")
    st.code(command, language="bash", wrap_lines=True)


def _means(
    scores: Sequence[Scores | SystemScore], beside: Sequence[tuple[str, str]]
) -> tuple[Table, tuple[Table, ...]]:
    """Shows values by kind of system; all of them for a program, and as a paper prints them."""
    kinds = means(scores, seed=SEED)
    for i, table in enumerate(kinds):
        preview_means(table, means_caption(SEED), show_caption=i == 0)
    whole = long_content(scores, seed=SEED, beside=beside)
    return whole, tuple(wide_content(t, seed=SEED) for t in kinds)


def _pair(scores: Sequence[Scores]) -> list[tuple[Scores, Scores]] | None:
    """Scores of two systems, measure by measure; asks which two."""
    by_system: dict[str, dict[str, Scores]] = {}
    for one in scores:
        by_system.setdefault(one.system, {})[one.measure] = one
    names = [
        name
        for name, own in by_system.items()
        if any(own.keys() & by_system[other].keys() for other in by_system if other != name)
    ]
    if len(names) < 2:
        return None
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        first = st.selectbox("System", names, key="one", bind="query-params", width=320)
        own = by_system[str(first)]
        others = [n for n in names if n != first and own.keys() & by_system[n].keys()]
        second = st.selectbox("minus", others, key="other", bind="query-params", width=320)
    other = by_system[str(second)]
    return [(own[measure], other[measure]) for measure in own if measure in other]


def _notes(found: Evaluation) -> None:
    """What a reader of these numbers should know, folded where it is much."""
    if not found.notes:
        return
    with st.expander(f"{plural(len(found.notes), 'note')} on these numbers"):
        lines = (el("li", f"{note.file}: {note.message}") for note in found.notes[:NOTES_SHOWN])
        st.html(el("ul", *lines, cls="fv-counts"))
        if len(found.notes) > NOTES_SHOWN:
            counts_line(f"and {len(found.notes) - NOTES_SHOWN} more")
