"""Export, first part: the table in the form asked for, what was refused, files and command."""

from collections.abc import Sequence

import streamlit as st

from fairviz.analysis.comparison import compare_all
from fairviz.analysis.evaluate import Evaluation
from fairviz.metrics.spec import parse_measures
from fairviz.model import Dataset, Scores, SystemScore
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
from pages._export_chosen import SEED, Chosen, facts, folder
from pages._export_preview import preview, preview_means, show_refused
from pages._export_systems import pairs
from pages._shared import counts_line, download_row, el, is_example, listing, plural

NOTES_SHOWN = 40


def measure_results(loaded: Dataset, chosen: Chosen, found: Evaluation) -> None:
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
            pair = _pair([one for one in found.scores if isinstance(one, Scores) and one.aggregate == "mean"])
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
        counts_line(f"Not in the command, since some systems do not allow it: {listing(sorted(refusals & valued))}.")
    command = evaluate_command(
        loaded,
        kept,
        folder=folder(),
        pairs=pairs(loaded, chosen.given_from),
        per_query=chosen.form != "means",
        against=chosen.against,
    )
    told = [
        f"Groups: {name}." if i == 0 else f"Target shares of attention: {name}."
        for i, (_, name) in enumerate(facts(loaded, chosen.against))
    ]
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
