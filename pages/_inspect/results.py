"""Queries and systems of the page Inspect: computed, remembered, sorted and filtered."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.elements.arrow import DataframeStateInput

from fairviz.display.latex import latex_text
from fairviz.display.methods import AgainstTarget
from fairviz.display.table import Table, csv_text
from fairviz.display.words import plural
from fairviz.errors import FairvizError
from fairviz.evaluation.systems import facts, named_outputs
from fairviz.exposure import Gain
from fairviz.metrics.catalogue import reads_groups
from fairviz.metrics.spec import parse_measures
from fairviz.model import Curve, Dataset, Pools, RagOutputs, RankingSample, Run, Scores
from fairviz.policies import PlackettLuce
from fairviz.pool import pool
from fairviz.report.page_tables import InspectSettings
from fairviz.studies.queries import measures as of_queries
from fairviz.studies.queries.columns import QueryResults, tables
from fairviz.studies.queries.measures import (
    QueryComparison,
    QueryMeasures,
    QueryPolicy,
    Seen,
    further_scores,
    generator_measures,
    judged_first,
    over,
    query_curve,
    run_measures,
    undefined_words,
)
from pages._kit import callout, counts_line, section
from pages._kit.cache import cached
from pages._kit.commands import page_commands, usual_against
from pages._kit.controls import AS_PUBLISHED, ScorePolicy, following, one_of
from pages._kit.downloads import download_row
from pages._kit.html import Tone
from pages._kit.link import BRUSHED, brushed, forget_brushed
from pages._kit.recorded_outputs import recorded, usual_k

PAIRED_CUTOFF = 20
"""Items taken as given where outputs record none: as many as TREC RAG gives."""


def tone(gain: float) -> Tone:
    """The fill of a grade, as in the chart."""
    steps: tuple[Tone, ...] = ("grade0", "grade1", "grade2", "grade3")
    return steps[int(np.clip(gain, 0, 3))]


@cached
def pools_of(loaded: Dataset, system: int, judgements: int | None) -> Pools:
    """One run aligned with one set of judgements."""
    return pool(loaded.runs[system], None if judgements is None else loaded.qrels[judgements])


@cached
def seen(
    loaded: Dataset,
    system: int,
    judgements: int | None,
    query: str,
    k: int,
    alpha: float,
    gain: Gain = "graded",
    policy: ScorePolicy = AS_PUBLISHED,
) -> Seen:
    """One query at α, remembered."""
    pools = pools_of(loaded, system, judgements)
    return of_queries.seen(pools, query, k=k, alpha=alpha, gain=gain, scores=policy.scores, offset=policy.offset)


def drawn_lists(
    run: Run, query: str, *, k: int, alpha: float, policy: ScorePolicy, n_lists: int, seed: int
) -> list[list[str]]:
    """Lists of one query drawn now; equal seeds, equal lists."""
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
    sample = PlackettLuce(alpha, policy.offset, policy.scores).sample(query_run, depth=k, n_samples=n_lists, rng=rng)
    return recorded_lists(sample, query, n_lists)


def recorded_lists(sample: RankingSample, query: str, n_lists: int) -> list[list[str]]:
    """The first recorded lists of one query."""
    at = sample.query_ids.index(query)
    first, last = (int(end) for end in sample.query_offsets[at : at + 2])
    return [
        [sample.doc_ids[d] for d in sample.docs[sample.sample_offsets[s] : end]]
        for s, end in enumerate(sample.sample_offsets[first + 1 : last + 1][:n_lists], start=first)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One recorded output.

    Attributes:
        sample: Its id within the query.
        text: The answer.
        sentences: Its sentences with the items that each cites; empty where that is not recorded.
        given: Items given to the generator, best first.
        used: Items that the answer uses.
        utility: As recorded; NaN where it was not.
        paired: Whether ``given`` are the first items of the run, for want of a record.
    """

    sample: str
    text: str
    sentences: tuple[tuple[str, tuple[str, ...]], ...]
    given: tuple[str, ...]
    used: tuple[str, ...]
    utility: float
    paired: bool


def answers(outputs: RagOutputs, query: str, run: Run | None) -> list[Answer]:
    """The recorded outputs of one query; the first items of the run that fed them where none are recorded as given."""
    at = outputs.query_ids.index(query)
    listed = None
    if outputs.given_from != "ranking" and run is not None and query in run.query_ids:
        row = run.query_ids.index(query)
        first, last = (int(end) for end in run.offsets[row : row + 2])
        docs = run.docs[first : min(last, first + (outputs.k or PAIRED_CUTOFF))]
        listed = tuple(run.doc_ids[d] for d in docs)
    return [_answer(outputs, o, listed) for o in range(*map(int, outputs.offsets[at : at + 2]))]


def _answer(outputs: RagOutputs, o: int, listed: tuple[str, ...] | None) -> Answer:
    def names(docs: np.ndarray, offsets: np.ndarray) -> tuple[str, ...]:
        return tuple(outputs.doc_ids[d] for d in docs[offsets[o] : offsets[o + 1]])

    recorded = [] if outputs.sentences is None else outputs.sentences.of(o, outputs.texts[o])
    return Answer(
        sample=outputs.samples[o],
        text=outputs.texts[o],
        sentences=tuple((text, tuple(outputs.doc_ids[d] for d in docs)) for text, docs in recorded),
        given=names(outputs.given, outputs.given_offsets) if listed is None else listed,
        used=names(outputs.attributed, outputs.attributed_offsets),
        utility=float(outputs.utilities[o]),
        paired=listed is not None,
    )


INSPECTED = "inspected"
"""Key of the control that holds the query looked at."""
_ORDER, _SHOWN = "inspect_order", "inspect_shown"
HEIGHT = 282
"""Pixels: seven rows and the headings."""
AS_LOADED = "as loaded"
ORDERS = ("lowest first", "highest first")


class View(NamedTuple):
    """What the table is made for.

    Attributes:
        system: Position of the run looked at.
        other: Position of the run beside it.
        judgements: Position of the judgements.
        k: Ranks that count.
        alpha: Of Plackett–Luce.
        gain: How relevance is counted.
        policy: How scores become a policy.
        labels: Position of the labels; None without any.
    """

    system: int
    other: int | None
    judgements: int | None
    k: int
    alpha: float
    gain: Gain
    policy: ScorePolicy
    labels: int | None

    def against(self, loaded: Dataset, measures: str) -> AgainstTarget | None:
        """The labels that are shown and their target, where any of the measures is one of groups."""
        return None if self.labels is None or not _of_groups(measures) else usual_against(loaded, self.labels)

    def as_command(self, loaded: Dataset, measures: str = "") -> InspectSettings:
        """The same as a command takes it."""
        return InspectSettings(
            k=self.k,
            alpha=self.alpha,
            system=loaded.runs[self.system].system,
            beside="" if self.other is None else loaded.runs[self.other].system,
            judgements=self.judgements or 0,
            gain=self.gain,
            scores=self.policy.scores,
            offset=self.policy.offset,
            measures=measures,
            against=self.against(loaded, measures),
        )


def _of_groups(measures: str) -> bool:
    try:
        return any(map(reads_groups, parse_measures([measures]))) if measures.strip() else False
    except FairvizError:
        return False  # said where they are measured


def _names_of(loaded: Dataset, answers: tuple[RagOutputs | None, RagOutputs | None]) -> dict[str, str]:
    """Recorded outputs by the names that tell them apart."""
    named = zip(loaded.outputs, named_outputs(loaded), strict=True)
    names = {id(one): each.system for one, each in named}
    return {name: names[id(one)] for name, one in zip(("answers", "answers_beside"), answers, strict=True) if one}


class Further(NamedTuple):
    """A measure that a person typed, or why it cannot be had."""

    scores: tuple[Scores, ...] = ()
    problem: str = ""


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
    view: View,
    query: str,
    answers: tuple[RagOutputs | None, RagOutputs | None],
    files: DeltaGenerator,
) -> None:
    """Choose what queries are sorted by, show them, and open the one that is pressed.

    Args:
        loaded: The data.
        view: The page's settings.
        query: The query looked at.
        answers: The recorded outputs looked at, and those beside them.
        files: Where its downloads stand.
    """
    title, controls = st.container(), st.container(horizontal=True, vertical_alignment="bottom")
    with controls:
        of = _choose_kind() if answers[0] is not None else "rankings"
        typed = _choose_measure(view) if of == "rankings" else ""
    if of == "answers":
        result, problem, k = _answers(loaded, view, answers)
    else:
        (result, problem), k = _rankings(loaded, view, typed), view.k
    if result is None:
        callout("The queries cannot be listed", problem)
        return
    whole = len(result.first.query_ids)
    result = result.only(brushed(result.first.query_ids))
    n = len(result.first.query_ids)
    sortable = {measure.key: measure for measure in result.sortable}
    with controls:
        chosen = _choose_sort({key: measure.label for key, measure in sortable.items()})
        highest = chosen != AS_LOADED and _choose_order() == ORDERS[1]
    result = result.sorted_by(chosen, highest=highest)
    order = list(result.first.query_ids)
    st.session_state[_ORDER] = order

    def told() -> InspectSettings:
        set_to = replace(
            view.as_command(loaded, "" if problem else typed),
            k=k,
            sort="" if chosen == AS_LOADED else chosen,
            highest="yes" if highest else "no",
            queries=() if n == whole else tuple(order),
        )
        return replace(set_to, **_names_of(loaded, answers)) if of == "answers" else set_to

    table = tables(QueryResults(queries=result))["queries"]
    with title:
        beside = "" if result.second is None else f" beside {result.second.name}"
        section(
            f"Queries of {result.first.name}{beside}",
            "Press a row to look at its query; keys J and K go to the next and the previous one in this order",
        )
    _grid(loaded, result, table, query, chosen)
    parts = [plural(n, "query", "queries") if n == whole else f"{n} of {whole} queries, selected in a chart"]
    place = f"the one shown is number {order.index(query) + 1} of {n}" if query in order else ""
    parts.append(place or f"query {query} is not among them")
    if chosen in sortable:  # the grid does not say it to who cannot see it
        parts.append(f"sorted by {sortable[chosen].label}, {ORDERS[highest]}")
    against = view.against(loaded, "" if problem else typed)
    parts += [] if against is None else [f"groups: {', target: '.join(value for _, value in facts(loaded, against))}"]
    parts += [f"first {k} ranks", undefined_words(result.sortable), problem]
    counts_line(" · ".join(part for part in parts if part))
    if st.query_params.get(BRUSHED):
        st.button("All queries", icon=":material/select_all:", on_click=forget_brushed)
    with files:
        download_row(
            "fairviz-inspect-queries",
            "Every query, in the order of the table",
            frame_csv=lambda: csv_text(table),
            latex=lambda: latex_text(table, label="tab:queries"),
            commands=lambda: page_commands("inspect", told(), csv="queries", latex=["queries"]),
        )


def _grid(loaded: Dataset, result: QueryComparison, table: Table, query: str, chosen: str) -> None:
    """The rows; ids and words of people are cells of this widget, which draws them as text.

    What the rows are sorted by stands beside the query, before the line along α.
    """
    words = loaded.texts or {}
    known = (one for one in result.sortable if not np.isnan(one.values).all())
    shown = sorted(known, key=lambda one: one.key != chosen)
    rows = table.select(["query_id", *(one.key for one in shown)]).rows
    frame = pd.DataFrame(list(rows), columns=["query", *(f"m{i}" for i in range(len(shown)))])
    config: dict[str, Any] = {"query": st.column_config.TextColumn("Query")}
    for i, one in enumerate(shown):
        signs = "%+.3f" if one.key.endswith("_difference") else "%.3f"
        config[f"m{i}"] = st.column_config.NumberColumn(one.label, format=signs)
    if result.first.alphas.size > 1:
        drawn = result.first.along
        frame.insert(
            2 if chosen != AS_LOADED else 1,
            "along",
            [[value for value in row if value == value] for row in drawn.tolist()],
        )
        low, high = float(np.nanmin(drawn, initial=0.0)), float(np.nanmax(drawn, initial=1.0))
        label = f"{result.first.along_label}, α {result.first.alphas[0]:g} to {result.first.alphas[-1]:g}"
        config["along"] = st.column_config.LineChartColumn(label, y_min=low, y_max=high)
    if words:
        frame["words"] = [words.get(one, "") for one in result.first.query_ids]
        config["words"] = st.column_config.TextColumn("Text", width="large")
    order = result.first.query_ids
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


def _rankings(loaded: Dataset, view: View, typed: str) -> tuple[QueryComparison | None, str]:
    known = judged_first(loaded.runs[view.system], loaded.qrels)
    first, problem = _of_run(loaded, view, view.system, typed)
    if view.other is None:
        return QueryComparison(first=over(first, known)), problem
    second, _ = _of_run(loaded, view, view.other, typed)
    return QueryComparison(first=over(first, known), second=over(second, known)), problem


def _of_run(loaded: Dataset, view: View, system: int, typed: str) -> tuple[QueryMeasures, str]:
    def curve(policy: QueryPolicy, alphas: tuple[float, ...]) -> Curve:
        return curve_of(loaded, system, view.judgements, view.k, policy, alphas, view.gain, view.policy)

    others = further(loaded, system, view.judgements, typed, view.against(loaded, typed))
    run = loaded.runs[system]
    return run_measures(curve, view.alpha, others.scores, judged_first(run, loaded.qrels)), others.problem


@cached
def curve_of(
    loaded: Dataset,
    system: int,
    judgements: int | None,
    k: int,
    policy: QueryPolicy,
    alphas: tuple[float, ...],
    gain: Gain,
    scores: ScorePolicy,
) -> Curve:
    """EE-D and EE-R of every query of a run at some α, remembered."""
    pools, name = pools_of(loaded, system, judgements), loaded.runs[system].system
    return query_curve(pools, name, policy, alphas, k=k, gain=gain, scores=scores.scores, offset=scores.offset)


@cached
def further(loaded: Dataset, system: int, judgements: int | None, typed: str, against: AgainstTarget | None) -> Further:
    """Measures of a run that a person typed, per query, remembered."""
    judged = None if judgements is None else loaded.qrels[judgements]
    try:
        return Further(further_scores(loaded.runs[system], typed, judged, loaded, against))
    except FairvizError as error:
        return Further(problem=str(error))


def _answers(
    loaded: Dataset, view: View, answers: tuple[RagOutputs | None, RagOutputs | None]
) -> tuple[QueryComparison | None, str, int]:
    k = usual_k(loaded)
    measured = recorded(loaded, k, view.gain)
    first, second = (None if one is None else generator_measures(measured.points, one) for one in answers)
    if first is None:
        return None, " ".join(measured.problems), k
    if second is not None:
        second = over(second, first.query_ids)
    return QueryComparison(first=first, second=second), "", k


def _choose_kind() -> str:
    kinds = ("rankings", "answers")
    return following(
        "table_of",
        kinds[0],
        one_of(kinds),
        lambda: st.segmented_control("Table of", kinds, key="table_of", required=True),
    )


def _choose_measure(view: View) -> str:
    """Further measures, as the command line takes them."""
    usual = "nDCG@10" if view.judgements is not None else ""
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
