"""Inspect: one query from list to answer: who is exposed at α, what is drawn, what is used."""

from dataclasses import replace

import streamlit as st

from fairviz.display.words import count, plural
from fairviz.points.columns import policy_words, spacing_note
from fairviz.studies.queries.analysis import exposure_of, judged_first
from fairviz.studies.queries.settings import QueriesSettings
from pages import _inspect as sections
from pages._inspect import query_table, side_by_side
from pages._kit import counts_line, fold, page_head, rule, section, without_data
from pages._kit.controls import (
    choose_alpha,
    choose_cutoff,
    choose_judgements,
    choose_name,
    choose_place,
    choose_policy,
    choose_query,
    choose_relevance,
)
from pages._kit.session import dataset
from pages._kit.target import choose_labels

NO_OTHER = "no other"

loaded = dataset()
if not loaded.runs:
    without_data("inspect")
    st.stop()

sections.open_first()
head = page_head("inspect", wide=True)
with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
    names = [run.system for run in loaded.runs]
    system = choose_place("System", names, "system", width=200)
    run, words = loaded.runs[system], loaded.texts or {}
    alike = [other for other in loaded.runs if other is not run and not set(run.query_ids).isdisjoint(other.query_ids)]
    beside = [NO_OTHER, *(other.system for other in alike)]
    chosen = choose_name("Other system", beside, "beside", width=200)
    other = None if chosen == NO_OTHER else names.index(chosen)
    judgements = choose_judgements(loaded, run) if loaded.qrels else None
    query_ids = judged_first(run, loaded.qrels)
    query = choose_query("Query", query_ids, words, width=280)
    attribute = choose_labels(loaded, width=140) if loaded.labels else None
    k = choose_cutoff("Cutoff k")
    rel = choose_relevance(loaded)
    with st.popover("Advanced", icon=":material/tune:", width="content"):
        policy = choose_policy()
judged = judgements
if judgements is not None and query not in loaded.qrels[judgements].query_ids:
    judgements = None

listed = st.container(key="queries")
alpha = choose_alpha(2.0)
settings = QueriesSettings(
    k=k,
    alpha=alpha,
    system=run.system,
    beside="" if other is None else loaded.runs[other].system,
    rel=rel,
    **policy,
    query=query,
    judgements=judged or 0,
)
result = exposure_of(loaded, settings)
about = words.get(query, f"{run.system}, {count(result.items.height)} retrieved documents.")
head(sections.title(result, k), about, f"query {query}", f"k = {k}")
sections.exposure(result, k)
if policy_words(**policy):
    counts_line(spacing_note(**policy))
first = plural(min(sections.ROWS, result.items.height), "document")
members, name = None, ""
if attribute is not None:
    members = sections.labelled(loaded, attribute, system, judgements, query)
    name = loaded.attributes[attribute].attribute
section(
    "The documents",
    f"First {first} of {count(result.items.height)}, in the order of scores; ε at the α above, ε* in the "
    "ideal. The CSV has all.",
)
sections.items(result, settings, loaded, name, members)
if members is not None:
    counts_line(sections.groups_sentence(members, name, k))
    sections.lab_link(loaded, query)
rule()
if other is not None and query in loaded.runs[other].query_ids:
    pair = result, exposure_of(loaded, replace(settings, system=loaded.runs[other].system))
    side_by_side((run.system, loaded.runs[other].system), pair, k)
    rule()
elif other is not None:
    counts_line(f"{loaded.runs[other].system} has no list for query {query}.")
section("The answers", "What a generator was given, and what its answer used.")
answers = sections.outputs(loaded, query, result)
with fold("Sampled rankings", f"{sections.LISTS} lists that a reader may see at α = {alpha:g}", key="draws") as is_open:
    if is_open:
        sections.lists(run, settings, result)
section("Everything above as files")
of_query, files = st.columns(2)
with of_query:
    sections.downloads(loaded, settings, attribute)
with listed:
    query_table(loaded, settings, attribute, answers, files)
