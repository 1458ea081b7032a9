"""Inspect: one query from list to answer: who is exposed at α, what is drawn, what is used."""

import streamlit as st

from fairviz.show.words import count, number, percent, plural
from fairviz.studies.tradeoff.figures_queries import query_alt, query_figure
from pages._inspect import sections
from pages._inspect.results import queries, seen
from pages._kit import colours, counts_line, dataset, empty_state, header, readouts, rule, section, show_figure
from pages._kit.controls import choose_query, choose_relevance
from pages._tradeoff.results import usual_judgements

HOW = r"""
Each **bar** is an item: how often it is expected among the first $k$ when the list is drawn at α.
The **dashed outline** is the deterministic list, the **colour** the grade.

$$\varepsilon_d=\mathbb{E}_\pi\left[v_{\mathrm{rank}(d)}\right],\qquad v_r=1 \text{ if } r\le k$$

Exposure is exact; the lists below it are a few draws of the same policy. *Kim & Diaz 2025, 3.3.1.*
"""

loaded = dataset()
if not loaded.runs:
    header("Inspect", "No run is loaded", "This page shows one query of a run.")
    empty_state("Load a run", "A TREC run with scores, and judgements to see which documents help.")
    st.stop()

top = st.container()
with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
    names = [run.system for run in loaded.runs]
    system = 0
    if len(names) > 1:
        picked = st.selectbox("System", names, key="system", bind="query-params", width=200)
        system = names.index(picked)
    judged = [qrels.name for qrels in loaded.qrels]
    judgements = usual_judgements(loaded) if judged else None
    if judgements is not None and len(judged) > 1:
        picked = st.selectbox("Judgements", judged, index=judgements, key="judgements", bind="query-params", width=200)
        judgements = judged.index(picked)
    run, words = loaded.runs[system], loaded.texts or {}
    known = queries(loaded, run)
    query = choose_query("Query", known, words, key="inspected", width=360)
    attribute = sections.choose_labels(loaded)
    k = int(st.number_input("Cutoff k", 1, 100, 5, key="k", bind="query-params", width=120))
    gain = choose_relevance(disabled=not judged)
if judgements is not None and query not in loaded.qrels[judgements].query_ids:
    judgements = None

alpha = st.slider(
    "α: how strongly the ranking follows the scores",
    0.0,
    8.0,
    2.0,
    0.125,
    format="%g",
    key="alpha",
    bind="query-params",
)
result = seen(loaded, system, judgements, query, k, alpha, gain)
with top:
    header(
        f"Inspect · {loaded.name} · query {query} · k = {k}",
        sections.title(result, k),
        words.get(query, f"{run.system}, {count(result.n_retrieved)} retrieved documents."),
        how=HOW,
    )
readouts(
    [
        (percent(result.stays), f"of attention stays on the first {k}", ""),
        (
            percent(result.useful),
            f"on relevant documents (deterministic: {percent(sections.fixed_useful(result))})",
            "plackett-luce",
        ),
        (number(result.disparity), "EE-D, disparity ↓", ""),
        (number(result.relevance), f"{result.quality}, quality ↑", ""),
    ]
)
show_figure(query_figure(result.bars, colours=colours()), "query-exposure", query_alt(result.bars))
sections.legend(result)
share, rest = sections.beyond(result)
unjudged = "" if judgements is not None else " · this query has no judgements: grades unknown"
counts_line(
    f"{count(result.n_retrieved)} retrieved · {sum(result.judged)} of them judged"
    + (f" · documents 41–{count(40 + rest)} together: {percent(share)}" if rest else "")
    + unjudged
)
rule()
first = plural(min(sections.ROWS, result.n_retrieved), "document")
by_group = None
if attribute is not None:
    by_group = sections.labelled(loaded, attribute, system, judgements, query, k)
section(
    "The documents",
    f"First {first} of {count(result.n_retrieved)}, in the order of scores; ε at the α above, ε* in the "
    "ideal. The CSV has all.",
)
sections.items(result, loaded, by_group)
if by_group is not None:
    counts_line(by_group.sentence(k))
    sections.lab_link(loaded, query)
sections.downloads(loaded, system, judgements, query, k, alpha, gain, by_group)
rule()
section(f"Sampled rankings ({sections.LISTS} draws)", "Colours are grades as in the chart.")
sections.lists(loaded, run, query, k, alpha, result)
rule()
section("The answers", "What a generator was given, and what its answer used.")
sections.outputs(loaded, query, result)
