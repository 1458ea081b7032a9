"""Sections of the page Inspect: one query's lists, two systems side by side."""

import math
from dataclasses import replace
from typing import NamedTuple

import streamlit as st

from fairviz.display.methods import AgainstTarget
from fairviz.display.theme import DARK, LIGHT, group_hues
from fairviz.display.words import called, capital, count, listing, number, percent, plural
from fairviz.experiments.retrievers import sentences
from fairviz.io.groups import DOES_NOT_APPLY
from fairviz.kernels.attention import TopK
from fairviz.kernels.grouping import UNLABELLED
from fairviz.model import Dataset, RagOutputs, RankingSample, Run
from fairviz.points.outputs import Answer, paired
from fairviz.points.targeted import GroupList, group_list
from fairviz.points.words import policy_words
from fairviz.studies.queries.analysis import one_query
from fairviz.studies.queries.charts import query_alt, query_figure
from fairviz.studies.queries.columns import tables
from fairviz.studies.queries.measures import Seen
from fairviz.studies.queries.settings import QueriesSettings
from pages._inspect.results import answers, drawn_lists, recorded_lists, tone
from pages._kit import colours, counts_line, readouts, section, show_figure
from pages._kit.commands import read_split, study_files
from pages._kit.controls import bound_number, choose_name, choose_place
from pages._kit.html import (
    WHOLE,
    Bar,
    Cell,
    Column,
    Drawing,
    Html,
    Key,
    Toned,
    el,
    grade_key,
    html_table,
    join,
    muted,
    page_table,
)
from pages._kit.recorded_outputs import run_named
from pages._kit.target import first_attribute, labelled_pools

MOST = 20
"""Documents of either list that are drawn."""


def side_by_side(names: tuple[str, str], pair: tuple[Seen, Seen], k: int, alpha: float) -> None:
    """The deterministic lists of two systems by rank, then the exposure of all documents that either shows.

    Args:
        names: The systems.
        pair: What each does for the query.
        k: Ranks that count.
        alpha: Of the exposure.
    """
    shown = [list(one.names[: min(k, MOST)]) for one in pair]
    both = set(shown[0]) & set(shown[1])
    found = [[doc for doc in docs if one.gain[doc] > 0] for one, docs in zip(pair, shown, strict=True)]
    useful, only = [len(docs) for docs in found], [sum(doc not in both for doc in docs) for docs in found]
    section(
        f"{names[0]} beside {names[1]}",
        f"{plural(len(both), 'document')} of the first {k} in both; relevant: {useful[0]} of {len(shown[0])} and "
        f"{useful[1]} of {len(shown[1])}, of these {only[0]} and {only[1]} in one list only",
    )
    _lists(names, pair, shown, both)
    _exposure(names, pair, shown, alpha)


def _document(doc: str, gain: float) -> Key:
    """A document with the colour of its grade."""
    return Key(text=doc, tone=tone(gain), code=True)


def _lists(names: tuple[str, str], pair: tuple[Seen, Seen], shown: list[list[str]], both: set[str]) -> None:
    graded = [(docs, one.gain, one.grade) for docs, one in zip(shown, pair, strict=True)]
    rows: list[list[Cell]] = []
    for rank in range(max(map(len, shown))):
        row: list[Cell] = [str(rank + 1)]
        for docs, gain, grade in graded:
            if rank < len(docs):
                doc = docs[rank]
                row += [_document(doc, gain[doc]), grade[doc], muted("both") if doc in both else "only here"]
            else:
                row += ["", "", ""]
        rows.append(row)
    columns = [Column(label="Rank")]
    for name in names:
        columns += [Column(label=name), Column(label="grade", align="right"), Column(label="")]
    html_table(columns, rows, caption=f"The first ranks of {names[0]} and {names[1]}", narrow="scroll")


def _exposure(names: tuple[str, str], pair: tuple[Seen, Seen], shown: list[list[str]], alpha: float) -> None:
    """Bars of both on one scale, the documents that one of them exposes most first."""
    exposed = [dict(zip(one.names, one.exposure.tolist(), strict=True)) for one in pair]
    ranks = [{doc: rank for rank, doc in enumerate(one.names, start=1)} for one in pair]
    gain, grade = pair[0].gain | pair[1].gain, pair[0].grade | pair[1].grade
    docs = list(dict.fromkeys([*shown[0], *shown[1]]))
    docs.sort(key=lambda doc: -max(of.get(doc, 0.0) for of in exposed))
    top = max(1e-9, *(of.get(doc, 0.0) for of in exposed for doc in docs))
    rows: list[list[Cell]] = []
    for doc in docs:
        row: list[Cell] = [_document(doc, gain[doc]), grade[doc]]
        for of, rank in zip(exposed, ranks, strict=True):
            known = doc in of
            row += [
                str(rank[doc]) if known else muted("not retrieved"),
                number(of[doc]) if known else "",
                Bar(length=of.get(doc, 0.0) / top, tone=tone(gain[doc])),
            ]
        rows.append(row)
    columns = [Column(label="Document"), Column(label="grade", align="right")]
    for name in names:
        columns += [Column(label=f"rank, {name}", align="right"), Column(label="ε", align="right"), Column(label="")]
    html_table(
        columns,
        rows,
        caption=f"Exposure ε at α = {alpha:g} of what either shows, bars on one scale",
        show_caption=True,
        narrow="scroll",
        tall=len(rows) > 12,
    )
    counts_line(f"rank: in the order of scores · {plural(len(rows), 'document')} in the first ranks of either")


GLYPHS = {
    "circle": "●",
    "diamond": "◆",
    "square": "■",
    "triangle-up": "▲",
    "pentagon": "⬟",
    "triangle-down": "▼",
    "circle-open": "○",
}
"""Characters that look like the markers of figures."""
ALL = 1e-9
"""Weights that miss 1 by less are 1."""


class Labelled(NamedTuple):
    """The documents of one query and their groups, best score first."""

    attribute: str
    groups: tuple[str, ...]
    documents: GroupList

    def cell(self, at: int) -> Html:
        """Marker and name of each group of a document; what has no label is hatched."""
        if self.documents.not_applicable[at]:
            return el("span", DOES_NOT_APPLY, cls="fv-mute", style="white-space:nowrap")
        weights = self.documents.weights[at].tolist()
        parts = [
            _named(self.groups, g, "" if w > 1 - ALL else f" {percent(w)}") for g, w in enumerate(weights) if w > 0
        ]
        rest = 1 - sum(weights)
        if rest > ALL:
            share = "" if rest > 1 - ALL else f" {percent(rest)}"
            swatch = el("span", cls="fv-swatch fv-hatched", aria_hidden="true")
            name = el("span", f"no label{share}", cls="fv-mute", style="white-space:nowrap")
            parts.append(el("span", swatch, name, cls="fv-keyed"))
        return join(*parts)

    def sentence(self, k: int) -> str:
        """How many of the first k documents each group has."""
        shown = min(k, len(self.documents.doc_ids))
        sums = self.documents.weights[:shown].sum(axis=0).tolist()
        words = [f"{_amount(n)} labelled {called(group)}" for group, n in zip(self.groups, sums, strict=True) if n]
        outside = int(self.documents.not_applicable[:shown].sum())
        words += [f"{outside} to which it does not apply"] if outside else []
        rest = shown - outside - sum(sums)
        words += [f"{_amount(rest)} without a label"] if rest > ALL else []
        return f"Of the first {plural(shown, 'document')}, by {self.attribute}: {listing(words)}."


def choose_labels(loaded: Dataset) -> int | None:
    """Which labels to show; None where there are none."""
    names = [labels.attribute for labels in loaded.labels]
    if not names:
        return None
    return choose_place("Groups", names, "labels", first=first_attribute(loaded), width=140)


def labelled(loaded: Dataset, attribute: int, system: int, judgements: int | None, query: str, k: int) -> Labelled:
    """The retrieved documents of a query with their groups."""
    of = labelled_pools(loaded, attribute, system, judgements, "drop")
    pools, members = of.pools, of.members
    n = int(pools.n_retrieved[pools.query_ids.index(query)])
    result = group_list(loaded.runs[system], pools, members, query, TopK(k), most=n)
    return Labelled(loaded.labels[attribute].attribute, members.groups, result)


def lab_link(loaded: Dataset, query: str) -> None:
    """The way to this query's lists before and after re-ranking, where there is a price."""
    if loaded.labels and loaded.qrels:
        st.page_link(
            "pages/policy_lab.py",
            label="Before and after re-ranking, in Policy lab",
            icon=":material/balance:",
            query_params={"query": query},
        )


def _named(groups: tuple[str, ...], at: int, share: str) -> Html:
    name = f"{groups[at]}{share}"
    whole = "white-space:nowrap" if len(name) <= WHOLE else ""
    if groups[at] == UNLABELLED:
        mark = el("span", cls="fv-swatch fv-hatched", aria_hidden="true")
    else:
        light, dark = (group_hues(groups, colours)[at] for colours in (LIGHT, DARK))
        size = ";font-size:.7em" if light.marker == "pentagon" else ""  # fonts draw it larger
        mark = el(
            "span",
            GLYPHS[light.marker],
            cls="fv-key",
            aria_hidden="true",
            style=f"color:light-dark({light.line},{dark.line}){size}",
        )
    return el("span", mark, el("span", name, style=whole), cls="fv-keyed", style="margin-right:.6rem")


def _amount(value: float) -> str:
    return f"{value:.0f}" if abs(value - round(value)) < 0.05 else f"{value:.1f}"


ROWS = 20
LISTS = 8


def exposure(result: Seen, k: int) -> None:
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
    grade_key(result.gains)
    share, rest = beyond(result)
    last = "document 41" if rest == 1 else f"documents 41–{count(40 + rest)} together"
    counts_line(
        f"{count(result.n_retrieved)} retrieved · {sum(result.judged)} of them judged"
        + (f" · {last}: {percent(share)}" if rest else "")
        + ("" if result.is_judged else " · this query has no judgements: grades unknown")
    )


def items(result: Seen, settings: QueriesSettings, loaded: Dataset, groups: Labelled | None = None) -> None:
    """The retrieved items in order: group, grade, exposure, target, and their text where known."""
    table = tables(items=one_query(loaded, settings))["query"]
    top, gain, grade = max(float(result.exposure.max(initial=0)), 1e-9), result.gain, result.grade
    passages = loaded.passages or {}
    drawn: dict[str, Drawing] = {
        "doc_id": lambda row: _document(row.text("doc_id"), gain[row.text("doc_id")]),
        "grade": lambda row: grade[row.text("doc_id")],
        "bar": lambda row: Bar(length=row.number("exposure") / top, tone=tone(gain[row.text("doc_id")])),
    }
    columns = {"rank": "Rank", "doc_id": "Document", "exposure": "exposure ε", "target": "target ε*"}
    heads: dict[str, Column | str] = {**columns, "bar": Column(label="ε", wide=True)}
    if groups:
        heads["groups"] = groups.attribute
        drawn["groups"] = lambda row: groups.cell(int(row.number("rank")) - 1)
    if passages:
        heads["text"] = Column(label="Text", wide=True)
        drawn["text"] = lambda row: shortened(passages.get(row.text("doc_id"), ""))
    shown = ("rank", "doc_id", "groups", "grade", "score", "exposure", "target", "bar", "text")
    first = replace(table, rows=table.rows[:ROWS])
    page_table(
        first,
        show=[key for key in shown if key in drawn or key in table.keys],
        drawn=drawn,
        columns=heads,
        caption=f"First {len(first.rows)} of {count(result.n_retrieved)} retrieved documents, in the order of scores",
        narrow="scroll",
        tall=True,
    )


def lists(loaded: Dataset, run: Run, settings: QueriesSettings, result: Seen) -> None:
    """Lists drawn from the policy at α, or recorded ones; colours are grades."""
    query, k = settings.query, settings.k
    recorded = [s for s in loaded.samples if query in s.query_ids and s.source is run]
    names = {_drawn_at(sample): sample for sample in recorded}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        source = "drawn now"
        if names:
            source = st.selectbox("Lists", [source, *names], key="lists", bind="query-params", width=200)
        seed = bound_number("Seed", 0, 9999, 42, "draw_seed", width=140, disabled=source in names)
    if source in names:
        shown = recorded_lists(names[source], query, LISTS)
    else:
        shown = drawn_lists(run, settings, n_lists=LISTS, seed=seed)
    gains = result.gain
    ranks = {name: f"document {i}" for i, name in enumerate(result.names, start=1)}
    whole = all(len(d) <= WHOLE for ranking in shown for d in ranking[:k])
    depth = min(max((len(ranking) for ranking in shown), default=0), k)
    rows: list[list[Cell]] = []
    for i, ranking in enumerate(shown, start=1):
        cells = [_document(d if whole else ranks.get(d, "–"), gains.get(d, 0)) for d in ranking[:depth]]
        rows.append([str(i), *cells, *[""] * (depth - len(cells))])
    columns = [Column(label="List"), *(Column(label=f"rank {r + 1}") for r in range(depth))]
    words = policy_words(settings.scores, settings.offset)
    now = f"α = {settings.alpha:g}{f', {words}' if words else ''}, seed {seed}"
    how = now if source not in names else source
    caption = f"{plural(len(rows), 'list')}, {how}"
    if not whole:
        caption += "; documents by their place in the order of scores, as above"
    html_table(columns, rows, caption=caption, show_caption=True, narrow="scroll")


def _drawn_at(sample: RankingSample) -> str:
    """What a recorded sample says of how it was drawn."""
    alpha = "" if sample.alpha is None else f", α = {sample.alpha:g}"
    policy = "" if sample.policy in (None, "plackett-luce") else f", {sample.policy}"
    words = policy_words(sample.scores, sample.offset)
    return f"recorded{alpha}{policy}{f', {words}' if words else ''}"


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
        lambda: tables(items=one_query(loaded, shown)),
        csv="query",
        latex=["query"],
    )


def title(result: Seen, k: int) -> str:
    """What the deterministic list does for this query: a count of what is shown."""
    useful = int((result.gains > 0).sum())
    shown = int(((result.gains > 0) & (result.fixed > 0)).sum())
    if not result.is_judged:
        return "This query has no judgements"
    if not useful:
        return "No retrieved document is judged relevant"
    return f"The deterministic top {k} contains {shown} of {plural(useful, 'relevant document')}"


def beyond(result: Seen) -> tuple[float, int]:
    """Share of attention past the items that the chart draws, and how many those are."""
    tail = result.exposure[40:]
    return (float(tail.sum() / result.exposure.sum()), int(tail.size)) if tail.size else (0, 0)


NOTHING_BESIDE = "no other"


def outputs(loaded: Dataset, query: str, result: Seen) -> tuple[RagOutputs | None, RagOutputs | None]:
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
        names = list(labels)
        left = labels[names[choose_place("Answers of", names, "answers", width=360)]]
        alike = [name for name, other in labels.items() if other is not left and other.task == left.task]
        right = None
        if alike:
            beside = choose_name("Other answers", [NOTHING_BESIDE, *alike], "answers_beside", width=360)
            right = labels.get(beside)
        n = max(int(one.n_samples[one.query_ids.index(query)]) for one in (left, right) if one is not None)
        at = 1
        if n > 1:
            at = bound_number(f"Answer, of {n}", 1, n, 1, "answer", width=140)
    if right is None:
        _one_answer(loaded, query, result, left, at)
    else:
        for column, one in zip(st.columns(2, gap="large"), (left, right), strict=True):
            with column:
                name = label(one, having.index(one))
                st.html(el("h3", name, cls="fv-part"))
                _one_answer(loaded, query, result, one, at, f" of {name}")
    return left, right


def _one_answer(loaded: Dataset, query: str, result: Seen, source: RagOutputs, at: int, whose: str = "") -> None:
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
    given = answers(source, query, run_named(loaded, pairing.run))
    answer = given[min(at, len(given)) - 1]
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


def _cited_sentences(answer: Answer, passages: dict[str, str], result: Seen, whose: str) -> None:
    """Each sentence with what it cites; one that cites nothing is marked."""
    gains = result.gain
    rows: list[list[Cell]] = []
    for i, (text, cited) in enumerate(answer.sentences, start=1):
        keys = [
            el("div", _keyed(gains.get(doc, 0), f"given at {_place(answer, doc)}"))
            for doc in cited
            if doc in answer.given
        ]
        if outside := [doc for doc in cited if doc not in answer.given]:  # ids are long, and the same ones come again
            head = el("summary", f"{plural(len(outside), 'document')} not retrieved")
            keys.append(el("details", head, *(el("div", el("code", doc)) for doc in outside), cls="fv-notes"))
        said: list[Cell] = [join(*keys) if keys else Toned(text="no citation", tone="loss")]
        if passages:
            said.append(join(*(el("p", shortened(passages.get(doc, ""), PASSAGE)) for doc in cited)))
        rows.append([str(i), text or "(blank)", *said])
    columns = [Column(label="Sentence", short=True), Column(label="Text"), Column(label="Cites")]
    html_table(
        [*columns, *([Column(label="Passages cited")] if passages else [])],
        rows,
        caption=f"The answer{whose}, sentence by sentence, with what each cites",
        tall=len(rows) > 12,
    )


PASSAGE = 300
"""Characters of a passage that stand beside the sentence that cites it."""


def _keyed(gain: float, text: str) -> Html:
    dot = el("span", cls=f"fv-key fv-fill-{tone(gain)}", aria_hidden="true")
    return el("span", dot, el("span", text), cls="fv-keyed")


def label(recorded: RagOutputs, position: int) -> str:
    """Outputs by what tells them apart."""
    alpha = "" if recorded.alpha is None else f" · α = {recorded.alpha:g}"
    policy = f" · {recorded.policy}" if recorded.policy and recorded.alpha is None else ""
    name = recorded.generator or recorded.system
    return f"{position + 1} · {name}{policy}{alpha}"


def _text(answer: Answer, passages: dict[str, str]) -> Html:
    """The answer; a sentence that stands in a used item carries that item's number."""
    if not answer.text:
        return el("p", "(empty answer)", cls="fv-text fv-mute")
    rest, parts = answer.text, [Html("")]
    for sentence in sentences(answer.text):
        before, _, rest = rest.partition(sentence)
        numbers = [_place(answer, doc) for doc in answer.used if sentence in passages.get(doc, "")]
        source = el("sup", ", ".join(numbers), cls="fv-tone-gain") if numbers else None
        parts.append(join(before, sentence, source))
    return el("p", *parts, rest, cls="fv-text fv-answer")


def _place(answer: Answer, doc: str) -> str:
    return str(answer.given.index(doc) + 1) if doc in answer.given else doc


def _sources(answer: Answer, passages: dict[str, str], result: Seen, whose: str) -> None:
    gains = result.gain
    docs = [*answer.given, *(doc for doc in answer.used if doc not in answer.given)]
    rows: list[list[Cell]] = [
        [
            str(answer.given.index(doc) + 1) if doc in answer.given else "not retrieved",
            _document(doc, gains.get(doc, 0)),
            Toned(text="✓ used", tone="gain")
            if doc in answer.used
            else Toned(text="not used", tone="mute", bold=False),
            *([_passage(answer, doc, passages.get(doc, ""))] if passages else []),
        ]
        for doc in docs
    ]
    columns = [
        Column(label="Retrieval rank"),
        Column(label="Document", short=True),
        Column(label="In the answer", short=True),
    ]
    if passages:
        columns.append(Column(label="Text"))
    html_table(columns, rows, caption=f"Retrieved documents, and which are used{whose}", tall=len(rows) > 12)


def _passage(answer: Answer, doc: str, text: str) -> Html:
    """The sentences that the answer took from a used item, marked; else how the item begins."""
    taken = [s for s in sentences(answer.text) if s in text] if doc in answer.used else []
    if not taken:
        return join(shortened(text))
    return join(*(part for s in taken for part in (el("mark", s), " ")))
