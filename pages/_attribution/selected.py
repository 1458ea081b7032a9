"""The selected point of the Attribution page: its query, its answers, what they cite."""

from typing import NamedTuple

import numpy as np
import streamlit as st

from fairviz.display.words import number, plural, signed
from fairviz.model import Dataset
from fairviz.studies.attribution.panels import Generation
from fairviz.studies.attribution.points import OutputPoints
from pages._attribution.panels import under
from pages._attribution.results import Results, Settings
from pages._kit import Cell, Column, Html, Toned, counts_line, el, html_table, join, user_text
from pages._kit.controls import choose_query
from pages._kit.link import inspect_link, selected_queries

QUERY = "attribution_query"
BRUSH = "attribution_brush"
"""Where a session keeps the queries of the points selected last."""
LONG_LIST = 10
"""From this many items given on, only the cited ones are listed."""
PASSAGE = 220
"""Characters of a document's text that the list of citations shows."""


class Cited(NamedTuple):
    """One answer with the items given to it, best first, and those it cites."""

    text: str
    given: tuple[str, ...]
    cited: tuple[str, ...]
    outside: tuple[str, ...]
    utility: float


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


def query_table(results: Results, selection: Settings, setting: str, query: str) -> None:
    """What each generator did with one query."""
    rows: list[list[Cell]] = []
    for group in results.groups:
        points = under(group, setting)
        if points is None or query not in points.outputs.query_ids:
            rows.append([group.name, *[Toned(text="–", tone="mute", bold=False)] * 7])
            continue
        rows.append([group.name, *_row(points, points.outputs.query_ids.index(query), selection)])
    names = ["cited", "EAR ↑", f"{selection.relevance_name} ↑", "EE-D ↓", "EAE-D ↓", "sources", "above EAR²·x"]
    html_table(
        [Column(label="Generator"), *(Column(label=name, align="right") for name in names)],
        rows,
        caption=f"Query {query}, {setting}; disparities on the scale chosen above",
        narrow="scroll",
    )


def _row(points: OutputPoints, q: int, selection: Settings) -> list[Cell]:
    scaled, share, by_k = points.on(selection.scale), points.on("share"), points.on("k")
    k = points.matches.k
    chance = points.rate[q] ** 2 * by_k.x[q]
    return [
        f"{number(float(points.rate[q]) * k, 0 if points.single_sample else 1)} of {k}",
        number(float(points.rate[q])),
        number(float(points.relevance[q])),
        number(float(scaled.x[q])),
        number(float(scaled.y[q])),
        f"{_sources(share.x[q])} → {_sources(share.y[q])}",
        signed(float(by_k.y[q] - chance)),
    ]


def _sources(share: float) -> str:
    return number(1 / share, 1) if share > 0 else "–"


def answers(loaded: Dataset, results: Results, setting: str, query: str) -> None:
    """One answer of one generator with its citations."""
    having = [
        group for group in results.groups if (points := under(group, setting)) and query in points.outputs.query_ids
    ]
    if not having:
        counts_line("No answer to this query was recorded under this setting.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        group = _chosen_group(having)
        points = under(group, setting)
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
    left_out = len(answer.given) > LONG_LIST and len(answer.given) > len(answer.cited)
    rest = f", {len(answer.given) - len(answer.cited)} not cited and not listed" if left_out else ""
    utility = "" if np.isnan(answer.utility) else f" · utility {number(answer.utility)}"
    outside = f" · {len(answer.outside)} cited, not retrieved" if answer.outside else ""
    counts_line(
        f"{len(answer.cited)} of {plural(len(answer.given), 'retrieved document')} cited{rest}{outside}{utility}"
    )


def _chosen_group(having: list[Generation]) -> Generation:
    if len(having) == 1:
        return having[0]
    names = [group.name for group in having]
    name = st.selectbox("Answer of", names, key="answers_of", bind="query-params", width=240)
    return having[names.index(name)] if name in names else having[0]


def _cited(points: OutputPoints, query: str) -> list[Cited]:
    """The recorded answers to a query."""
    outputs, matches = points.outputs, points.matches
    q = outputs.query_ids.index(query)
    ids = matches.given.doc_ids
    cited_answers: list[Cited] = []
    for o in range(int(outputs.offsets[q]), int(outputs.offsets[q + 1])):
        given, cited = (
            tuple(ids[d] for d in ranking.docs[ranking.sample_offsets[o] : ranking.sample_offsets[o + 1]])
            for ranking in (matches.given, matches.attributed)
        )
        attributed = outputs.attributed[outputs.attributed_offsets[o] : outputs.attributed_offsets[o + 1]]
        outside = tuple(outputs.doc_ids[d] for d in attributed if outputs.doc_ids[d] not in set(given))
        text, utility = outputs.texts[o], float(outputs.utilities[o])
        cited_answers.append(Cited(text, given, cited, outside, utility))
    return cited_answers


def _citations(loaded: Dataset, answer: Cited, place: str) -> None:
    """The items given and cited, in the order of the list; then those cited from elsewhere."""
    passages = loaded.passages or {}
    rows: list[list[Cell]] = []
    for rank, doc in enumerate(answer.given, start=1):
        used = doc in answer.cited
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
