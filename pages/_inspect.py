"""Parts of the page Inspect: the table of queries, one query's lists and answers, two systems side by side."""

import math
from dataclasses import replace
from itertools import pairwise, zip_longest
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.elements.arrow import DataframeStateInput

from fairviz.display.methods import AgainstTarget
from fairviz.display.table import Table
from fairviz.display.words import called, capital, count, listing, number, percent, plural
from fairviz.errors import FairvizError
from fairviz.evaluation.systems import facts, named_outputs
from fairviz.experiments.retrievers import part_of_run, sentences
from fairviz.kernels.grouping import Membership
from fairviz.metrics.catalogue import parse_measures, reads_groups
from fairviz.model import Dataset, RagAnswer, RagOutputs, Run
from fairviz.model.judgements import DOES_NOT_APPLY
from fairviz.points.columns import policy_words
from fairviz.points.outputs import paired, recorded
from fairviz.policies import PlackettLuce
from fairviz.studies.groups.findings import amount
from fairviz.studies.queries.analysis import (
    QueryExposure,
    QueryMeasures,
    compared,
    difference_finding,
    one_query,
    queries_table,
    undefined_words,
)
from fairviz.studies.queries.charts import ITEMS_DRAWN, query_alt, query_figure
from fairviz.studies.queries.settings import QueriesSettings
from pages._kit import callout, colours, counts_line, in_rows, readouts, section, show_figure
from pages._kit.commands import read_split, study_files, usual_against
from pages._kit.controls import QUERY, choose_name, choose_number, choose_one, put_in_address
from pages._kit.html import (
    WHOLE,
    Cell,
    Html,
    PageColumn,
    PageRow,
    Tone,
    bar,
    dotted,
    el,
    grade_key,
    html_table,
    in_tone,
    join,
    keyed,
    muted,
    page_table,
)
from pages._kit.link import BRUSHED, brushed
from pages._kit.recorded_outputs import problems_of, run_named, usual_k
from pages._kit.target import labelled_pools

PAIRED_CUTOFF = 20
"""Items taken as given where outputs record none: as many as TREC RAG gives."""


def tone(gain: float) -> Tone:
    """The fill of a grade, as in the chart."""
    steps: tuple[Tone, ...] = ("grade0", "grade1", "grade2", "grade3")
    return steps[int(np.clip(gain, 0, 3))]


def drawn_lists(run: Run, settings: QueriesSettings, *, n_lists: int, seed: int) -> list[list[str]]:
    """Lists of one query drawn now; equal seeds, equal lists."""
    query_run = part_of_run(run, [run.query_ids.index(settings.query)])
    rng = np.random.default_rng(seed)
    policy = PlackettLuce(settings.alpha, settings.offset, settings.scores)
    sample = policy.sample(query_run, depth=settings.k, n_samples=n_lists, rng=rng)
    return [[sample.doc_ids[d] for d in sample.docs[a:b]] for a, b in pairwise(sample.sample_offsets.tolist())]


def answers(outputs: RagOutputs, query: str, run: Run | None) -> list[RagAnswer]:
    """The recorded outputs of one query; the first items of the run that fed them where none are recorded as given."""
    recorded_answers = outputs.answers(outputs.query_ids.index(query))
    if outputs.given_from == "ranking" or run is None or query not in run.query_ids:
        return recorded_answers
    row = run.query_ids.index(query)
    first, last = (int(end) for end in run.offsets[row : row + 2])
    docs = run.docs[first : min(last, first + (outputs.k or PAIRED_CUTOFF))]
    listed = tuple(run.doc_ids[d] for d in docs)
    return [answer._replace(given=listed, paired=True) for answer in recorded_answers]


_ORDER, _SHOWN, _SORTED, _FIRST = "inspect_order", "inspect_shown", "inspect_sorted", "inspect_first"
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
    names = {id(output): each.system for output, each in named}
    return [names[id(output)] if output is not None else "" for output in answers]


def open_first() -> None:
    """Look at the first query of an order that was just chosen, before the control of the query is drawn."""
    if (first := st.session_state.pop(_FIRST, None)) is not None:
        st.session_state[QUERY] = first


def _step_buttons() -> None:
    """Previous and next query in the order of the table, also by key."""
    st.button("Previous", icon=":material/arrow_back:", shortcut="K", key="previous", on_click=_step, args=(-1,))
    st.button("Next", icon=":material/arrow_forward:", shortcut="J", key="next", on_click=_step, args=(1,))


def _step(by: int) -> None:
    order: list[str] = st.session_state.get(_ORDER, [])
    now = st.session_state.get(QUERY)
    if order:
        at = order.index(now) + by if now in order else 0
        st.session_state[QUERY] = order[min(max(at, 0), len(order) - 1)]


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
        of = "rankings"
        if answers[0] is not None:
            of = choose_one("Table of", (of, "answers"), "table_of", draw=st.segmented_control, required=True)
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
        problems = problems_of(recorded(loaded, settings.k, *settings.usefulness)) if of == "answers" else ()
        callout("The queries cannot be listed", " ".join(problems) or str(error))
        return
    every, whole = result, len(result.query_ids)
    result = result.over(brushed(result.query_ids))
    n, labels = len(result.query_ids), {column.key: column.label for column in result.sortable}
    with controls:
        sortable = {AS_LOADED: AS_LOADED, **labels}
        chosen = choose_one("Sort by", sortable, "sort", format_func=sortable.__getitem__, width=240)
        highest = chosen != AS_LOADED and ORDERS[1] == choose_one(
            "Order", ORDERS, "order", draw=st.segmented_control, required=True
        )
        _step_buttons()
    result = result.sorted_by(chosen, highest=highest)
    order = list(result.query_ids)
    st.session_state[_ORDER] = order
    before = st.session_state.get(_SORTED)
    st.session_state[_SORTED] = chosen, highest
    if before not in (None, (chosen, highest)) and chosen != AS_LOADED and order[:1] not in ([], [query]):
        st.session_state[_FIRST] = order[0]
        st.rerun()

    settings = replace(
        settings,
        sort="" if chosen == AS_LOADED else chosen,
        highest=highest,
        queries=() if n == whole else tuple(order),
    )
    table = queries_table(result)
    with title:
        finding = difference_finding(every, chosen)  # of queries picked in a chart nothing can be tested
        listed = f"Queries of {result.name}{f' beside {result.other}' if result.other else ''}"
        keys = "Press a row to look at its query; keys J and K go to the next and the previous one in this order"
        section(listed if finding is None else finding.title, keys if finding is None else f"{finding.sentence} {keys}")
    _grid(loaded, result, table, query, chosen)
    parts = [plural(n, "query", "queries") if n == whole else f"{n} of {whole} queries, selected in a chart"]
    position = f"the one shown is number {order.index(query) + 1} of {n}" if query in order else ""
    parts.append(position or f"query {query} is not among them")
    if chosen in labels:  # the grid does not say it to who cannot see it
        parts.append(f"sorted by {labels[chosen]}, {ORDERS[highest]}")
    if settings.against is not None:
        parts.append(f"groups: {', target: '.join(value for _, value in facts(loaded, settings.against))}")
    parts += [f"first {settings.k} ranks", undefined_words(result), problem]
    counts_line(" · ".join(part for part in parts if part))
    if st.query_params.get(BRUSHED):
        st.button("All queries", icon=":material/select_all:", on_click=put_in_address, args=(BRUSHED, ""))
    with files:
        what = "Every query, in the order of the table"
        study = ("queries", settings)
        study_files(
            "fairviz-inspect-queries", what, study, lambda: {"queries": table}, csv="queries", latex=["queries"]
        )


def _grid(loaded: Dataset, result: QueryMeasures, table: Table, query: str, chosen: str) -> None:
    """The rows; ids and words of people are cells of this widget, which draws them as text.

    What the rows are sorted by stands beside the query, before the line along α.
    """
    words = loaded.texts or {}
    columns = (column for column, values in result.sortable.items() if not np.isnan(values).all())
    shown = sorted(columns, key=lambda column: column.key != chosen)
    rows = table.select(["query_id", *(column.key for column in shown)]).rows
    frame = pd.DataFrame(list(rows), columns=["query", *(f"m{i}" for i in range(len(shown)))])
    config: dict[str, Any] = {"query": st.column_config.TextColumn("Query")}
    for i, column in enumerate(shown):
        signs = "%+.3f" if column.kind == "signed" else "%.3f"
        config[f"m{i}"] = st.column_config.NumberColumn(column.label, format=signs)
    if result.alphas.size > 1:
        drawn = result.along
        frame.insert(
            1 + sum(column.key == chosen for column in shown),  # undefined for every query it is no column
            "along",
            [[value for value in row if value == value] for row in drawn.tolist()],
        )
        low, high = float(np.nanmin(drawn, initial=0.0)), float(np.nanmax(drawn, initial=1.0))
        label = f"{result.along_label}, α {result.alphas[0]:g} to {result.alphas[-1]:g}"
        config["along"] = st.column_config.LineChartColumn(label, y_min=low, y_max=high)
    if words:
        frame["words"] = [words.get(query_id, "") for query_id in result.query_ids]
        config["words"] = st.column_config.TextColumn("Text", width="large")
    order = result.query_ids
    now, times = (order, query), 0
    if _SHOWN in st.session_state:
        before, times = st.session_state[_SHOWN]
        times += before != now
    st.session_state[_SHOWN] = now, times
    key = f"queries-{times}"
    selected: DataframeStateInput = {"selection": {"rows": [order.index(query)] if query in order else []}}
    st.dataframe(
        frame,
        key=key,
        height=min(HEIGHT, 36 * (len(frame) + 1) + 2),
        hide_index=True,
        column_config=config,
        placeholder="–",
        on_select=lambda: _open(key),
        selection_mode="single-row",
        selection_default=selected,
        alt=f"{table.caption}: {plural(len(frame), 'row')}",
    )


def _open(key: str) -> None:
    """Look at the query of the row that was pressed."""
    rows = st.session_state[key]["selection"]["rows"]
    (order, _), times = st.session_state[_SHOWN]
    if rows:
        st.session_state[QUERY] = order[rows[0]]
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


MOST = 20
"""Documents of either list that are drawn."""


def side_by_side(names: tuple[str, str], pair: tuple[QueryExposure, QueryExposure], k: int) -> None:
    """The deterministic lists of two systems by rank, with the exposure that each gives its documents."""
    shown = [side.items.head(min(k, MOST)) for side in pair]
    both = set(shown[0].join(shown[1], on="doc_id", how="semi")["doc_id"])
    relevant = [part.filter(pl.col("gain") > 0)["doc_id"].to_list() for part in shown]
    useful, only = [len(docs) for docs in relevant], [sum(doc not in both for doc in docs) for docs in relevant]
    section(
        f"{names[0]} beside {names[1]}",
        f"{plural(len(both), 'document')} of the first {k} in both; relevant: {useful[0]} of {shown[0].height} and "
        f"{useful[1]} of {shown[1].height}, of these {only[0]} and {only[1]} in one list only",
    )
    sides = [(side.gain, side.grade, dict(side.items.select("doc_id", "exposure").rows())) for side in pair]
    rows: list[list[Cell]] = []
    for rank, docs in enumerate(zip_longest(*(part["doc_id"] for part in shown)), start=1):
        row: list[Cell] = [str(rank)]
        for (gain, grade, exposure), doc in zip(sides, docs, strict=True):
            where = muted("both") if doc in both else "only here"
            own = ["", "", "", ""]
            if doc is not None:
                own = [_document(doc, gain[doc]), grade[doc], number(exposure[doc]), where]
            row += own
        rows.append(row)
    columns = ["Rank", *(column for name in names for column in (PageColumn(name), "grade", "ε", PageColumn()))]
    html_table(columns, rows, caption=f"The first ranks of {names[0]} and {names[1]}", narrow="scroll")


def _document(doc: str, gain: float) -> Html:
    """A document with the colour of its grade."""
    return dotted(doc, tone(gain), code=True)


ALL = 1e-9
"""Weights that miss 1 by less are 1."""


def labelled(loaded: Dataset, attribute: int, system: int, judgements: int | None, query: str) -> Membership:
    """Groups of the retrieved documents of a query, best score first."""
    of = labelled_pools(loaded, attribute, system, judgements, "drop")
    pools, at = of.pools, of.pools.query_ids.index(query)
    rows = slice(int(pools.offsets[at]), int(pools.offsets[at] + pools.n_retrieved[at]))
    members = of.members
    return replace(members, weights=members.weights[rows], not_applicable=members.not_applicable[rows])


def _groups_cell(members: Membership, at: int) -> Html:
    """Swatch and name of each group of a document; what has no label is hatched."""
    if members.not_applicable[at]:
        return el("span", DOES_NOT_APPLY, cls="fv-mute", style="white-space:nowrap")
    weights = members.weights[at].tolist()
    parts = [keyed(members.groups, g, "" if w > 1 - ALL else f" {percent(w)}") for g, w in enumerate(weights) if w > 0]
    rest = 1 - sum(weights)
    if rest > ALL:
        share = "" if rest > 1 - ALL else f" {percent(rest)}"
        swatch = el("span", cls="fv-swatch fv-hatched", aria_hidden="true")
        name = el("span", f"no label{share}", cls="fv-mute", style="white-space:nowrap")
        parts.append(el("span", swatch, name, cls="fv-keyed"))
    return join(*parts)


def groups_sentence(members: Membership, attribute: str, k: int) -> str:
    """How many of the first k documents each group has."""
    shown = min(k, len(members.weights))
    sums = members.weights[:shown].sum(axis=0).tolist()
    words = [f"{amount(n)} labelled {called(group)}" for group, n in zip(members.groups, sums, strict=True) if n]
    outside = int(members.not_applicable[:shown].sum())
    words += [f"{outside} to which it does not apply"] if outside else []
    rest = shown - outside - sum(sums)
    words += [f"{amount(rest)} without a label"] if rest > ALL else []
    return f"Of the first {plural(shown, 'document')}, by {attribute}: {listing(words)}."


def lab_link(loaded: Dataset, query: str) -> None:
    """The way to this query's lists before and after re-ranking, where there is a price."""
    if loaded.labels and loaded.qrels:
        st.page_link(
            "pages/policy_lab.py",
            label="Before and after re-ranking, in Policy lab",
            icon=":material/balance:",
            query_params={"query": query},
        )


ROWS = 20
LISTS = 8


def exposure(result: QueryExposure, k: int) -> None:
    """The read-outs at α, the bars, their key and what is counted.

    Args:
        result: The query at α.
        k: Ranks that count.
    """
    readouts(
        [
            (percent(result.stays), f"of attention stays on the first {k}", ""),
            (
                percent(result.useful),
                f"on relevant documents (deterministic: {percent(result.fixed_useful)})",
                "plackett-luce",
            ),
            (number(result.disparity), "EE-D, disparity ↓", ""),
            (number(result.relevance), f"{result.quality}, quality ↑", ""),
        ]
    )
    show_figure(query_figure(*result.bars, colours=colours()), "query-exposure", query_alt(*result.bars))
    grade_key(result.items["gain"].to_numpy())
    shown, tail = result.bars[0], result.bars[0][ITEMS_DRAWN:]
    share, rest = float(tail.sum() / shown.sum()) if tail.size else 0.0, tail.size
    last = "document 41" if rest == 1 else f"documents 41–{count(40 + rest)} together"
    counts_line(
        f"{count(result.items.height)} retrieved · {result.items['judged'].sum()} of them judged"
        + (f" · {last}: {percent(share)}" if rest else "")
        + ("" if result.is_judged else " · this query has no judgements: grades unknown")
    )


def items(
    result: QueryExposure, settings: QueriesSettings, loaded: Dataset, attribute: str, members: Membership | None
) -> None:
    """The retrieved items in order: group, grade, exposure, target, and their text where known."""
    table = one_query(loaded, settings)
    top, gain, grade = float(result.bars[0].max(initial=1e-9)), result.gain, result.grade
    passages = loaded.passages or {}

    def graded(row: PageRow) -> tuple[str, float]:
        """A document and its gain."""
        return row.text("doc_id"), gain[row.text("doc_id")]

    columns = {"rank": PageColumn("Rank"), "doc_id": PageColumn("Document", lambda row: _document(*graded(row)))}
    if members:
        columns["groups"] = PageColumn(attribute, lambda row: _groups_cell(members, int(row.number("rank")) - 1))
    columns["grade"] = PageColumn(cell=lambda row: grade[row.text("doc_id")])
    columns["score"] = PageColumn()
    columns["exposure"], columns["target"] = PageColumn("exposure ε"), PageColumn("target ε*")
    columns["bar"] = PageColumn("ε", lambda row: bar(row.number("exposure") / top, tone(graded(row)[1])), wide=True)
    if passages:
        columns["text"] = PageColumn("Text", lambda row: shortened(passages.get(row.text("doc_id"), "")), wide=True)
    first = replace(table, rows=table.rows[:ROWS])
    page_table(
        first,
        {key: column for key, column in columns.items() if column.cell or key in table.keys},
        caption=f"First {len(first.rows)} of {count(result.items.height)} retrieved documents, in the order of scores",
        narrow="scroll",
        tall=True,
    )


def lists(run: Run, settings: QueriesSettings, result: QueryExposure) -> None:
    """Lists drawn from the policy at α; colours are grades."""
    k, seed = settings.k, choose_number("Seed", 0, 9999, 42, "draw_seed", width=140)
    shown = drawn_lists(run, settings, n_lists=LISTS, seed=seed)
    gains = result.gain
    ranks = {name: f"document {i}" for i, name in enumerate(gains, start=1)}
    whole = all(len(d) <= WHOLE for ranking in shown for d in ranking[:k])
    depth = min(max((len(ranking) for ranking in shown), default=0), k)
    rows: list[list[Cell]] = []
    for i, ranking in enumerate(shown, start=1):
        cells = [_document(d if whole else ranks.get(d, "–"), gains.get(d, 0)) for d in ranking[:depth]]
        rows.append([str(i), *cells, *[""] * (depth - len(cells))])
    columns = [PageColumn("List"), *(PageColumn(f"rank {r + 1}") for r in range(depth))]
    words = policy_words(settings.scores, settings.offset)
    caption = f"{plural(len(rows), 'list')}, α = {settings.alpha:g}{f', {words}' if words else ''}, seed {seed}"
    if not whole:
        caption += "; documents by their place in the order of scores, as above"
    html_table(columns, rows, caption=caption, show_caption=True, narrow="scroll")


def shortened(text: str, longest: int = 150) -> str:
    """The start of a passage, cut between words."""
    return text if len(text) <= longest else f"{text[:longest].rsplit(' ', 1)[0]} …"


def downloads(loaded: Dataset, settings: QueriesSettings, attribute: int | None) -> None:
    """The exposure of this query's items, for files and papers.

    Args:
        loaded: The data.
        settings: Of the study, with the query looked at.
        attribute: Place of the labels that are shown; None without.
    """
    against = None if attribute is None else AgainstTarget(attribute, "uniform", read_split(loaded, attribute))
    shown = replace(settings, against=against)

    study_files(
        "fairviz-query",
        f"The documents of query {settings.query}",
        ("queries", shown),
        lambda: {"query": one_query(loaded, shown)},
        csv="query",
        latex=["query"],
    )


def title(result: QueryExposure, k: int) -> str:
    """What the deterministic list does for this query: a count of what is shown."""
    relevant = result.items.filter(pl.col("gain") > 0)
    useful, shown = relevant.height, relevant.filter(pl.col("fixed") > 0).height
    if not result.is_judged:
        return "This query has no judgements"
    if not useful:
        return "No retrieved document is judged relevant"
    return f"The deterministic top {k} contains {shown} of {plural(useful, 'relevant document')}"


NOTHING_BESIDE = "no other"


def outputs(loaded: Dataset, query: str, result: QueryExposure) -> tuple[RagOutputs | None, RagOutputs | None]:
    """One recorded answer, the items it was given, and those it used; another generator's beside it.

    Returns:
        The outputs that are shown, and those beside them.
    """
    having = [recorded for recorded in loaded.outputs if query in recorded.query_ids]
    if not having:
        counts_line("No recorded answers for this query. Load RAG outputs on the Data page.")
        return None, None
    labels = {label(recorded, i): recorded for i, recorded in enumerate(having)}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        left = labels[choose_name("Answers of", [*labels], "answers", width=360)]
        alike = [name for name, other in labels.items() if other is not left and other.task == left.task]
        right = labels.get(choose_name("Other answers", [NOTHING_BESIDE, *alike], "answers_beside", width=360))
        n = max(int(output.n_samples[output.query_ids.index(query)]) for output in (left, right) if output is not None)
        at = 1
        if n > 1:
            at = choose_number(f"Answer, of {n}", 1, n, 1, "answer", width=140)
    if right is None:
        _one_answer(loaded, query, result, left, at)
    else:
        for output in in_rows((left, right), 2, gap="large"):
            name = label(output, having.index(output))
            st.html(el("h3", name, cls="fv-part"))
            _one_answer(loaded, query, result, output, at, f" of {name}")
    return left, right


def _one_answer(
    loaded: Dataset, query: str, result: QueryExposure, source: RagOutputs, at: int, whose: str = ""
) -> None:
    """An answer and what it used.

    Args:
        loaded: The data.
        query: What was asked.
        result: The query at α, for grades.
        source: Whose answers.
        at: Which of them, 1-based.
        whose: Words that tell the tables of two answers apart.
    """
    pairing = next(p for p in paired(loaded) if p.outputs == source.system)
    recorded_answers = answers(source, query, run_named(loaded, pairing.run))
    answer = recorded_answers[min(at, len(recorded_answers)) - 1]
    passages = loaded.passages or {}
    if answer.sentences:
        _cited_sentences(answer, passages, result, whose)
        with st.expander(f"{plural(len(answer.given), 'retrieved document')}, and which are used"):
            _sources(answer, passages, result, whose)
    else:
        st.html(_text(answer, passages))
        _sources(answer, passages, result, whose)
    utility = "" if math.isnan(answer.utility) else f" · utility {number(answer.utility)}"
    inside = sum(1 for doc in answer.used if doc in answer.given)
    outside = len(answer.used) - inside
    bare = sum(1 for _, cited in answer.sentences if not cited)
    counts_line(
        f"sample {answer.sample} · {inside} used of {plural(len(answer.given), 'retrieved document')}"
        + (f" · {outside} cited, not retrieved" if outside else "")
        + (f" · {bare} of {plural(len(answer.sentences), 'sentence')} without a citation" if answer.sentences else "")
        + utility
        + (f" · retrieved = first {len(answer.given)} of {pairing.run}" if answer.paired else "")
        + (" · retrieved = its references" if source.given_from == "references" and not answer.paired else "")
        + " · used = attributed by the recorded method"
    )
    if pairing.question:
        counts_line(f"{capital(pairing.question)}: choose the run on Attribution or Data.")


def _cited_sentences(answer: RagAnswer, passages: dict[str, str], result: QueryExposure, whose: str) -> None:
    """Each sentence with what it cites; one that cites nothing is marked."""
    gains = result.gain
    rows: list[list[Cell]] = []
    for i, (text, cited) in enumerate(answer.sentences, start=1):
        keys = [
            el("div", dotted(f"given at {_position_words(answer, doc)}", tone(gains.get(doc, 0))))
            for doc in cited
            if doc in answer.given
        ]
        if outside := [doc for doc in cited if doc not in answer.given]:  # ids are long, and the same ones come again
            head = el("summary", f"{plural(len(outside), 'document')} not retrieved")
            keys.append(el("details", head, *(el("div", el("code", doc)) for doc in outside), cls="fv-notes"))
        cells: list[Cell] = [join(*keys) if keys else in_tone("no citation", "loss")]
        if passages:
            cells.append(join(*(el("p", shortened(passages.get(doc, ""), PASSAGE)) for doc in cited)))
        rows.append([str(i), text or "(blank)", *cells])
    columns = [PageColumn("Sentence", short=True), PageColumn("Text"), PageColumn("Cites")]
    html_table(
        [*columns, *([PageColumn("Passages cited")] if passages else [])],
        rows,
        caption=f"The answer{whose}, sentence by sentence, with what each cites",
        tall=len(rows) > 12,
    )


PASSAGE = 300
"""Characters of a passage that stand beside the sentence that cites it."""


def label(recorded: RagOutputs, position: int) -> str:
    """Outputs by what tells them apart."""
    alpha = "" if recorded.alpha is None else f" · α = {recorded.alpha:g}"
    policy = f" · {recorded.policy}" if recorded.policy and recorded.alpha is None else ""
    name = recorded.generator or recorded.system
    return f"{position + 1} · {name}{policy}{alpha}"


def _text(answer: RagAnswer, passages: dict[str, str]) -> Html:
    """The answer; a sentence that stands in a used item carries that item's number."""
    if not answer.text:
        return el("p", "(empty answer)", cls="fv-text fv-mute")
    rest, parts = answer.text, [Html("")]
    for sentence in sentences(answer.text):
        before, _, rest = rest.partition(sentence)
        numbers = [_position_words(answer, doc) for doc in answer.used if sentence in passages.get(doc, "")]
        source = el("sup", ", ".join(numbers), cls="fv-tone-gain") if numbers else None
        parts.append(join(before, sentence, source))
    return el("p", *parts, rest, cls="fv-text fv-answer")


def _position_words(answer: RagAnswer, doc: str) -> str:
    return str(answer.given.index(doc) + 1) if doc in answer.given else doc


def _sources(answer: RagAnswer, passages: dict[str, str], result: QueryExposure, whose: str) -> None:
    gains = result.gain
    docs = [*answer.given, *(doc for doc in answer.used if doc not in answer.given)]
    rows: list[list[Cell]] = [
        [
            str(answer.given.index(doc) + 1) if doc in answer.given else "not retrieved",
            _document(doc, gains.get(doc, 0)),
            in_tone("✓ used", "gain") if doc in answer.used else muted("not used"),
            *([_passage(answer, doc, passages.get(doc, ""))] if passages else []),
        ]
        for doc in docs
    ]
    columns = [
        PageColumn("Retrieval rank"),
        PageColumn("Document", short=True),
        PageColumn("In the answer", short=True),
    ]
    if passages:
        columns.append(PageColumn("Text"))
    html_table(columns, rows, caption=f"Retrieved documents, and which are used{whose}", tall=len(rows) > 12)


def _passage(answer: RagAnswer, doc: str, text: str) -> Html:
    """The sentences that the answer took from a used item, marked; else how the item begins."""
    taken = [s for s in sentences(answer.text) if s in text] if doc in answer.used else []
    if not taken:
        return join(shortened(text))
    return join(*(part for s in taken for part in (el("mark", s), " ")))
