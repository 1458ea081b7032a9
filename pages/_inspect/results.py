"""Queries and systems of the page Inspect: computed, remembered, sorted and filtered."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.elements.arrow import DataframeStateInput

from fairviz.display.table import Table
from fairviz.display.words import plural
from fairviz.errors import FairvizError
from fairviz.evaluation.systems import facts, named_outputs
from fairviz.metrics.catalogue import reads_groups
from fairviz.metrics.spec import parse_measures
from fairviz.model import Dataset, RagOutputs, RankingSample, Run
from fairviz.points.outputs import Answer, answers_to, recorded
from fairviz.policies import PlackettLuce
from fairviz.studies.queries.analysis import compared
from fairviz.studies.queries.columns import tables
from fairviz.studies.queries.measures import QueryMeasures, undefined_words
from fairviz.studies.queries.settings import QueriesSettings
from pages._kit import callout, counts_line, section
from pages._kit.commands import study_files, usual_against
from pages._kit.controls import following, one_of
from pages._kit.html import Tone
from pages._kit.link import BRUSHED, brushed, forget_brushed
from pages._kit.recorded_outputs import problems_of, usual_k

PAIRED_CUTOFF = 20
"""Items taken as given where outputs record none: as many as TREC RAG gives."""


def tone(gain: float) -> Tone:
    """The fill of a grade, as in the chart."""
    steps: tuple[Tone, ...] = ("grade0", "grade1", "grade2", "grade3")
    return steps[int(np.clip(gain, 0, 3))]


def drawn_lists(run: Run, settings: QueriesSettings, *, n_lists: int, seed: int) -> list[list[str]]:
    """Lists of one query drawn now; equal seeds, equal lists."""
    query = settings.query
    at = run.query_ids.index(query)
    rows = slice(int(run.offsets[at]), int(run.offsets[at + 1]))
    query_run = Run(
        system=run.system,
        query_ids=(query,),
        doc_ids=run.doc_ids,
        offsets=np.array([0, rows.stop - rows.start], dtype=np.int64),
        docs=run.docs[rows],
        scores=run.scores[rows],
    )
    rng = np.random.default_rng(seed)
    policy = PlackettLuce(settings.alpha, settings.offset, settings.scores)
    sample = policy.sample(query_run, depth=settings.k, n_samples=n_lists, rng=rng)
    return recorded_lists(sample, query, n_lists)


def recorded_lists(sample: RankingSample, query: str, n_lists: int) -> list[list[str]]:
    """The first recorded lists of one query."""
    at = sample.query_ids.index(query)
    first, last = (int(end) for end in sample.query_offsets[at : at + 2])
    return [
        [sample.doc_ids[d] for d in sample.docs[sample.sample_offsets[s] : end]]
        for s, end in enumerate(sample.sample_offsets[first + 1 : last + 1][:n_lists], start=first)
    ]


def answers(outputs: RagOutputs, query: str, run: Run | None) -> list[Answer]:
    """The recorded outputs of one query; the first items of the run that fed them where none are recorded as given."""
    if outputs.given_from == "ranking" or run is None or query not in run.query_ids:
        return answers_to(outputs, query)
    row = run.query_ids.index(query)
    first, last = (int(end) for end in run.offsets[row : row + 2])
    docs = run.docs[first : min(last, first + (outputs.k or PAIRED_CUTOFF))]
    listed = tuple(run.doc_ids[d] for d in docs)
    return [answer._replace(given=listed, paired=True) for answer in answers_to(outputs, query)]


INSPECTED = "inspected"
"""Key of the control that holds the query looked at."""
_ORDER, _SHOWN = "inspect_order", "inspect_shown"
HEIGHT = 282
"""Pixels: seven rows and the headings."""
AS_LOADED = "as loaded"
ORDERS = ("lowest first", "highest first")


def _of_groups(measures: tuple[str, ...]) -> bool:
    try:
        return any(map(reads_groups, parse_measures(list(measures)))) if measures else False
    except FairvizError:
        return False  # said where they are measured


def _names_of(loaded: Dataset, answers: tuple[RagOutputs | None, RagOutputs | None]) -> list[str]:
    """Recorded outputs by the names that tell them apart, empty for none."""
    named = zip(loaded.outputs, named_outputs(loaded), strict=True)
    names = {id(one): each.system for one, each in named}
    return [names[id(one)] if one is not None else "" for one in answers]


def step_buttons() -> None:
    """Previous and next query in the order of the table, also by key."""
    st.button("Previous", icon=":material/arrow_back:", shortcut="K", key="previous", on_click=_step, args=(-1,))
    st.button("Next", icon=":material/arrow_forward:", shortcut="J", key="next", on_click=_step, args=(1,))


def _step(by: int) -> None:
    order: list[str] = st.session_state.get(_ORDER, [])
    now = st.session_state.get(INSPECTED)
    if order:
        at = order.index(now) + by if now in order else 0
        st.session_state[INSPECTED] = order[min(max(at, 0), len(order) - 1)]


def query_table(
    loaded: Dataset,
    settings: QueriesSettings,
    attribute: int | None,
    answers: tuple[RagOutputs | None, RagOutputs | None],
    files: DeltaGenerator,
) -> None:
    """Choose what queries are sorted by, show them, and open the one that is pressed.

    Args:
        loaded: The data.
        settings: Of the study, with the query looked at.
        attribute: Which labels are shown; None without any.
        answers: The recorded outputs looked at, and those beside them.
        files: Where its downloads stand.
    """
    title, controls = st.container(), st.container(horizontal=True, vertical_alignment="bottom")
    with controls:
        of = _choose_kind() if answers[0] is not None else "rankings"
        typed = _choose_measure(bool(loaded.qrels)) if of == "rankings" else ""
    query, settings = settings.query, replace(settings, query="")
    if of == "answers":
        first, second = _names_of(loaded, answers)
        settings = replace(settings, k=usual_k(loaded), recorded=first, recorded_beside=second)
    else:
        measures = (typed,) if typed.strip() else ()
        against = usual_against(loaded, attribute) if attribute is not None and _of_groups(measures) else None
        settings = replace(settings, measures=measures, against=against)
    try:
        result, settings, problem = _compared(loaded, settings)
    except FairvizError as error:
        told = problems_of(recorded(loaded, settings.k, settings.gain)) if of == "answers" else ()
        callout("The queries cannot be listed", " ".join(told) or str(error))
        return
    whole = len(result.query_ids)
    result = result.over(brushed(result.query_ids))
    n, labels = len(result.query_ids), {column.key: column.label for column in result.sortable}
    with controls:
        chosen = _choose_sort(labels)
        highest = chosen != AS_LOADED and _choose_order() == ORDERS[1]
    result = result.sorted_by(chosen, highest=highest)
    order = list(result.query_ids)
    st.session_state[_ORDER] = order

    settings = replace(
        settings,
        sort="" if chosen == AS_LOADED else chosen,
        highest=highest,
        queries=() if n == whole else tuple(order),
    )
    known = tables(queries=result)
    with title:
        section(
            f"Queries of {result.name}{f' beside {result.other}' if result.other else ''}",
            "Press a row to look at its query; keys J and K go to the next and the previous one in this order",
        )
    _grid(loaded, result, known["queries"], query, chosen)
    parts = [plural(n, "query", "queries") if n == whole else f"{n} of {whole} queries, selected in a chart"]
    place = f"the one shown is number {order.index(query) + 1} of {n}" if query in order else ""
    parts.append(place or f"query {query} is not among them")
    if chosen in labels:  # the grid does not say it to who cannot see it
        parts.append(f"sorted by {labels[chosen]}, {ORDERS[highest]}")
    if settings.against is not None:
        parts.append(f"groups: {', target: '.join(value for _, value in facts(loaded, settings.against))}")
    parts += [f"first {settings.k} ranks", undefined_words(result), problem]
    counts_line(" · ".join(part for part in parts if part))
    if st.query_params.get(BRUSHED):
        st.button("All queries", icon=":material/select_all:", on_click=forget_brushed)
    with files:
        what = "Every query, in the order of the table"
        study = ("queries", settings)
        study_files("fairviz-inspect-queries", what, study, lambda: known, csv="queries", latex=["queries"])


def _grid(loaded: Dataset, result: QueryMeasures, table: Table, query: str, chosen: str) -> None:
    """The rows; ids and words of people are cells of this widget, which draws them as text.

    What the rows are sorted by stands beside the query, before the line along α.
    """
    words = loaded.texts or {}
    known = (column for column, values in result.sortable.items() if not np.isnan(values).all())
    shown = sorted(known, key=lambda one: one.key != chosen)
    rows = table.select(["query_id", *(one.key for one in shown)]).rows
    frame = pd.DataFrame(list(rows), columns=["query", *(f"m{i}" for i in range(len(shown)))])
    config: dict[str, Any] = {"query": st.column_config.TextColumn("Query")}
    for i, one in enumerate(shown):
        signs = "%+.3f" if one.kind == "signed" else "%.3f"
        config[f"m{i}"] = st.column_config.NumberColumn(one.label, format=signs)
    if result.alphas.size > 1:
        drawn = result.along
        frame.insert(
            2 if chosen != AS_LOADED else 1,
            "along",
            [[value for value in row if value == value] for row in drawn.tolist()],
        )
        low, high = float(np.nanmin(drawn, initial=0.0)), float(np.nanmax(drawn, initial=1.0))
        label = f"{result.along_label}, α {result.alphas[0]:g} to {result.alphas[-1]:g}"
        config["along"] = st.column_config.LineChartColumn(label, y_min=low, y_max=high)
    if words:
        frame["words"] = [words.get(one, "") for one in result.query_ids]
        config["words"] = st.column_config.TextColumn("Text", width="large")
    order = result.query_ids
    now, times = (order, query), 0
    if _SHOWN in st.session_state:
        before, times = st.session_state[_SHOWN]
        times += before != now
    st.session_state[_SHOWN] = now, times
    key = f"queries-{times}"
    st.dataframe(
        frame,
        key=key,
        height=min(HEIGHT, 36 * (len(frame) + 1) + 2),
        hide_index=True,
        column_config=config,
        placeholder="–",
        on_select=lambda: _open(key),
        selection_mode="single-row",
        selection_default=_selected([order.index(query)] if query in order else []),
        alt=f"{table.caption}: {plural(len(frame), 'row')}",
    )


def _selected(rows: list[int]) -> DataframeStateInput:
    return {"selection": {"rows": rows}}


def _open(key: str) -> None:
    """Look at the query of the row that was pressed."""
    rows = st.session_state[key]["selection"]["rows"]
    (order, _), times = st.session_state[_SHOWN]
    if rows:
        st.session_state[INSPECTED] = order[rows[0]]
        st.session_state[_SHOWN] = (order, order[rows[0]]), times


def _compared(loaded: Dataset, settings: QueriesSettings) -> tuple[QueryMeasures, QueriesSettings, str]:
    """The queries; without measures that cannot be had, and why."""
    try:
        return compared(loaded, settings), settings, ""
    except FairvizError as error:
        if not settings.measures:
            raise
        settings = replace(settings, measures=(), against=None)
        return compared(loaded, settings), settings, str(error)


def _choose_kind() -> str:
    kinds = ("rankings", "answers")
    return following(
        "table_of",
        kinds[0],
        one_of(kinds),
        lambda: st.segmented_control("Table of", kinds, key="table_of", required=True),
    )


def _choose_measure(judged: bool) -> str:
    """Further measures, as the command line takes them."""
    usual = "nDCG@10" if judged else ""
    return str(
        st.text_input(
            "Further measures",
            usual,
            key="query_measures",
            bind="query-params",
            width=200,
            help="As `fairviz evaluate -m` takes them: nDCG@10, AP, RBP(p=0.8), AWRF@10 …",
        )
    )


def _choose_sort(labels: dict[str, str]) -> str:
    known = {AS_LOADED: "as loaded", **labels}
    return following(
        "sort",
        AS_LOADED,
        one_of(known),
        lambda: st.selectbox("Sort by", list(known), format_func=lambda key: known[key], key="sort", width=240),
    )


def _choose_order() -> str:
    return following(
        "order",
        ORDERS[0],
        one_of(ORDERS),
        lambda: st.segmented_control("Order", ORDERS, key="order", required=True),
    )
