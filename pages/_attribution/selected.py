"""The system that is selected, and the downloads of the page."""

import numpy as np
import streamlit as st

from fairviz.display.html import html_text
from fairviz.display.theme import plotly_script
from fairviz.display.words import NO_INTERVAL, considered, count, number, plural, signed
from fairviz.model import Dataset, Factors
from fairviz.points.generations import Generation
from fairviz.points.outputs import Answer, OutputPoints, answers_to, cited_by_rank
from fairviz.points.view import system_name
from fairviz.stats.bootstrap import PairedDifference, in_one_table
from fairviz.stats.tests import verdict
from fairviz.studies.attribution.analysis import Results, analyse
from fairviz.studies.attribution.charts import cited_by_rank_alt, cited_by_rank_figure
from fairviz.studies.attribution.columns import summary_table
from fairviz.studies.attribution.findings import rank_title
from fairviz.studies.attribution.settings import AttributionSettings
from pages._attribution.results import IN_A_ROW
from pages._kit import colours, counts_line, section, show_figure, user_text
from pages._kit.commands import study_files
from pages._kit.controls import choose_query
from pages._kit.html import (
    Cell,
    Column,
    Html,
    Row,
    Toned,
    around_zero,
    el,
    glyph,
    html_table,
    join,
    muted,
    page_table,
    with_interval,
)
from pages._kit.link import inspect_link, selected_queries
from pages._kit.panels import TALL
from pages._kit.recorded_outputs import given_words


def downloads(loaded: Dataset, selection: AttributionSettings) -> None:
    """The row of buttons; files are written when one is pressed."""

    def page() -> str:
        lead = f"{loaded.name}: k = {selection.k}. Retrieved context of {given_words(loaded)}."
        sections = analyse(loaded, selection).in_report()
        return html_text("Attribution", sections, lead=lead, plotly_js=plotly_script())

    study_files(
        "fairviz-attribution",
        "Points and means",
        ("attribution", selection),
        lambda: analyse(loaded, selection).tables,
        csv="consumption-points",
        latex=["consumption"],
        html=page,
    )


NO_BREAK = "\N{NO-BREAK SPACE}"


def result_section(result: Results, shown: Results, setting: str) -> None:
    """Citations by rank of what is shown at full size, where they are not shown first, and the numbers of all."""
    if result.single_sample:
        summary_section(result)
        return
    if len(result.groups) > 1:
        rank_row(shown, setting)
        summary_section(result)
        return
    left, right = st.columns([5, 7], gap="large")
    with left:
        rank_row(shown, setting)
    with right:
        summary_section(result)


def rank_row(results: Results, setting: str) -> None:
    """How often the document at each retrieval rank is cited, per generator."""
    named = [(group.name, group.under(setting)) for group in results.known.groups]
    listed = [(name, points, cited_by_rank(points.matches)) for name, points in named if points]
    if not listed:
        return
    n = max(int((~np.isnan(points.rate)).sum()) for _, points, _ in listed)
    section(
        rank_title([decline for _, decline in results.declines]),
        f"Share of answers that cite the document at each retrieval rank; {plural(n, 'query', 'queries')}, {setting}",
    )
    highest = max(float(np.nanmax(shares, initial=0)) for _, _, shares in listed)
    columns = st.columns(IN_A_ROW, gap="medium") if len(listed) > 1 else [st.container()]
    for i, (name, _, shares) in enumerate(listed):
        with columns[i % len(columns)]:
            if len(listed) > 1:
                st.html(el("h3", name, cls="fv-part"))
            show_figure(
                cited_by_rank_figure(shares, highest=highest, colours=colours()),
                f"cited-by-rank-{i}",
                cited_by_rank_alt(name, shares),
            )


def summary_section(results: Results) -> None:
    """Every generator under every setting: how much is used, from how many sources."""
    section(
        "Effective number of sources",
        "1 / mean of ‖ε‖² / (Σε)² over queries, given → used"
        + ("; Δ: share of use minus share of retrieval, unbiased, where lists vary" if results.tested else "")
        + "; 95 % bootstrap intervals"
        + (f"; filled: unlikely to be chance (paired t, {considered(len(results.tested))})" if results.tested else ""),
    )
    several, compared = len(results.groups) > 1, bool(results.tested)
    corrected = in_one_table([row.change for row in results.tested])
    changes = {(row.name, row.setting): change for row, change in zip(results.tested, corrected, strict=True)}

    def name_of(row: Row) -> str:
        return system_name(Factors()._replace(**{name: row.get(name) for name in results.by}), results.by)

    def change_of(row: Row) -> PairedDifference | None:
        return changes.get((name_of(row), row.text("lists")))

    def lists(row: Row) -> str:
        name = f"{name_of(row)}, {row['lists']}" if several else row.text("lists")
        return name.replace(" = ", f"{NO_BREAK}={NO_BREAK}")

    def sources(row: Row) -> str:
        given, used = row.number("sources_given"), row.number("sources_used")
        return f"{number(given, 1)}{NO_BREAK}→{NO_BREAK}{number(used, 1)}"

    ends = (end for row in results.tested for end in row.change.interval)
    k = results.groups[0].points[0].matches.k
    page_table(
        summary_table(results.rows, k=k),
        show=("lists", "sources", *(("change", "interval") if compared else ()), "EAR", "counts"),
        drawn={
            "lists": lists,
            "sources": sources,
            "change": lambda row: _change(change_of(row)),
            "interval": lambda row: _change_glyph(change_of(row)),
            "EAR": with_interval("EAR", "EAR_low", "EAR_high"),
            "counts": lambda row: f"{count(int(row.number('n_queries')))} · {count(int(row.number('n_outputs')))}",
        },
        columns={
            "lists": Column(label="System and lists" if several else "Retrieved context"),
            "sources": Column(label="sources", align="right"),
            "change": Column(label="Δ share", align="right"),
            "interval": Column(label="Δ, 95 % interval", span=around_zero(ends), zero=0.0),
            "EAR": Column(label="EAR ↑", align="right"),
            "counts": Column(label="queries · answers", align="right", wide=True),
        },
        caption="Use of the retrieved context",
        narrow="scroll",
        tall=len(results.rows) > TALL,
    )


def _change(change: PairedDifference | None) -> Cell:
    """Consumed minus retrieved concentration, where it may be compared."""
    if change is None:
        return muted("–")
    if np.isnan(change.interval.low):
        return signed(change.difference)
    apart = _apart(change)
    return Toned(text=signed(change.difference), tone="ink" if apart else "mute", bold=apart)


def _change_glyph(change: PairedDifference | None) -> Cell:
    if change is None:
        return ""
    if np.isnan(change.interval.low):
        return muted(NO_INTERVAL)
    return glyph(change.difference, *change.interval, apart=_apart(change))


def _apart(change: PairedDifference) -> bool:
    return verdict(change.difference, change.p_holm, change.n_queries) in ("higher", "lower")


QUERY = "attribution_query"
BRUSH = "attribution_brush"
"""Where a session keeps the queries of the points selected last."""
LONG_LIST = 10
"""From this many items given on, only the cited ones are listed."""
PASSAGE = 220
"""Characters of a document's text that the list of citations shows."""


def pick(chart: str, setting: str) -> None:
    """Take the queries of the points that were selected in a chart; the first is looked at here."""
    queries = selected_queries(chart, setting)
    if queries:
        st.session_state[QUERY] = queries[0]
        st.session_state[BRUSH] = queries


def brushed_link(query: str) -> None:
    """The way to all selected queries, while the one looked at is among them."""
    queries: tuple[str, ...] = st.session_state.get(BRUSH, ())
    inspect_link(queries if query in queries else (query,))


def query_control(loaded: Dataset, results: Results) -> str | None:
    """The query looked at: pressed in a chart, or chosen here."""
    known = list(
        dict.fromkeys(q for group in results.groups for points in group.points for q in points.outputs.query_ids)
    )
    if not known:
        return None
    label = "One query: press a point, or choose"
    return choose_query(label, known, loaded.texts or {}, key=QUERY)


def query_table(results: Results, selection: AttributionSettings, setting: str, query: str) -> None:
    """What each generator did with one query."""
    rows: list[list[Cell]] = []
    for group in results.groups:
        points = group.under(setting)
        if points is None or query not in points.outputs.query_ids:
            rows.append([group.name, *[Toned(text="–", tone="mute", bold=False)] * 7])
            continue
        rows.append([group.name, *_row(points, points.outputs.query_ids.index(query), selection)])
    names = ["cited", "EAR ↑", f"{selection.relevance} ↑", "EE-D ↓", "EAE-D ↓", "sources", "above EAR²·x"]
    html_table(
        [Column(label="Generator"), *(Column(label=name, align="right") for name in names)],
        rows,
        caption=f"Query {query}, {setting}; disparities on the scale chosen above",
        narrow="scroll",
    )


def _row(points: OutputPoints, q: int, selection: AttributionSettings) -> list[Cell]:
    scaled, share, by_k = points.on(selection.scale), points.on("share"), points.on("k")
    k = points.matches.k
    chance = points.rate[q] ** 2 * by_k[0][q]
    return [
        f"{number(float(points.rate[q]) * k, 0 if points.single_sample else 1)} of {k}",
        number(float(points.rate[q])),
        number(float(points.relevance[q])),
        number(float(scaled[0][q])),
        number(float(scaled[1][q])),
        f"{_sources(share[0][q])} → {_sources(share[1][q])}",
        signed(float(by_k[1][q] - chance)),
    ]


def _sources(share: float) -> str:
    return number(1 / share, 1) if share > 0 else "–"


def answers(loaded: Dataset, results: Results, setting: str, query: str) -> None:
    """One answer of one generator with its citations."""
    having = [
        group for group in results.groups if (points := group.under(setting)) and query in points.outputs.query_ids
    ]
    if not having:
        counts_line("No answer to this query was recorded under this setting.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        group = _chosen_group(having)
        points = group.under(setting)
        if points is None:
            return
        recorded_answers = _cited(points, query)
        at = 1
        if len(recorded_answers) > 1:
            at = st.number_input(
                f"Answer, of {len(recorded_answers)}", 1, len(recorded_answers), 1, key="cited_answer", width=140
            )
    answer = recorded_answers[min(int(at), len(recorded_answers)) - 1]
    st.html(el("h3", "Answer", cls="fv-part"))
    user_text(answer.text or "(empty answer)")
    _citations(loaded, answer, "Place in the references" if points.matches.only_cited else "Retrieval rank")
    n_cited, n_given = sum(doc in answer.used for doc in answer.given), len(answer.given)
    left_out = n_given > LONG_LIST and n_given > n_cited
    rest = f", {n_given - n_cited} not cited and not listed" if left_out else ""
    utility = "" if np.isnan(answer.utility) else f" · utility {number(answer.utility)}"
    outside = f" · {len(answer.outside)} cited, not retrieved" if answer.outside else ""
    counts_line(f"{n_cited} of {plural(n_given, 'retrieved document')} cited{rest}{outside}{utility}")


def _chosen_group(having: list[Generation]) -> Generation:
    if len(having) == 1:
        return having[0]
    names = [group.name for group in having]
    name = st.selectbox("Answer of", names, key="answers_of", bind="query-params", width=240)
    return having[names.index(name)] if name in names else having[0]


def _cited(points: OutputPoints, query: str) -> list[Answer]:
    """The recorded answers to a query with the items given to them as they are measured."""
    given, offsets = points.matches.given, points.outputs.offsets
    at = points.outputs.query_ids.index(query)
    lists = [given.docs[slice(*given.sample_offsets[place : place + 2])] for place in range(*offsets[at : at + 2])]
    return [
        answer._replace(given=tuple(given.doc_ids[d] for d in docs))
        for answer, docs in zip(answers_to(points.outputs, query), lists, strict=True)
    ]


def _citations(loaded: Dataset, answer: Answer, place: str) -> None:
    """The items given and cited, in the order of the list; then those cited from elsewhere."""
    passages = loaded.passages or {}
    rows: list[list[Cell]] = []
    for rank, doc in enumerate(answer.given, start=1):
        used = doc in answer.used
        if not used and len(answer.given) > LONG_LIST:
            continue
        mark: Cell = Toned(text="✓ cited", tone="gain") if used else Toned(text="not cited", tone="mute", bold=False)
        rows.append([str(rank), _document(doc), mark, *_passage(passages, doc)])
    for doc in answer.outside:
        mark = Toned(text="cited, not retrieved", tone="loss")
        rows.append(["–", _document(doc), mark, *_passage(passages, doc)])
    columns = [place, "Document", "In the answer", *(["Text"] if passages else [])]
    html_table(
        [Column(label=name) for name in columns],
        rows,
        caption="Retrieved documents, and which are cited",
        narrow="cards",
    )


def _document(doc: str) -> Html:
    """A document's id, kept on one line where it is short."""
    return el("code", doc, style="white-space:nowrap" if len(doc) <= 24 else None)


def _passage(passages: dict[str, str], doc: str) -> list[Cell]:
    if not passages:
        return []
    text = passages.get(doc, "")
    return [text if len(text) <= PASSAGE else f"{text[:PASSAGE].rsplit(' ', 1)[0]} …"]


def selected_head(loaded: Dataset, query: str) -> None:
    """Head of the box of the selected point."""
    words = (loaded.texts or {}).get(query, "")
    st.html(
        join(
            el("p", f"Selected query {query}", cls="fv-kicker"),
            el("p", words, cls="fv-text") if words else None,
        )
    )
