"""Policy lab: what a target costs, method by method, and what it does to a list."""

from dataclasses import replace
from functools import partial

import streamlit as st

from fairviz.display.markup import style
from fairviz.display.words import count_word, quoted
from fairviz.errors import FairvizError
from fairviz.points.targets import exposure_of, held
from fairviz.studies.policy_lab.analysis import analyse, prices_under
from fairviz.studies.policy_lab.findings import price_finding
from fairviz.studies.policy_lab.strengths import NAMES
from pages import _policy_lab as parts
from pages._kit import callout, heading, how_to_read, rule, step_by_step, without_data
from pages._kit.commands import held_against
from pages._kit.controls import standing_group
from pages._kit.html import el
from pages._kit.session import dataset
from pages._kit.target import editing, keep_in_link, one_group

loaded = dataset()
if not (loaded.labels and loaded.runs and loaded.qrels):
    names = ("ranked lists with scores (a run)", "judgements (qrels)", "group labels")
    there = zip(names, (loaded.runs, loaded.qrels, loaded.labels), strict=True)
    missing = " and no ".join(name for name, nouns in there if not nouns)
    without_data("policy_lab", missing=missing)
    st.stop()


def lab() -> None:
    """All of it: title, target, budget and charts follow each other."""
    top, right = st.columns([8, 1.7], gap="small")
    with right:
        how_to_read("policy_lab")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        budget, fixed = parts.choose_budget()
        methods = parts.choose_methods()
        system, attribute, usual = parts.choose(loaded)
    hidden, target = st.container(), st.container()
    edit = editing(loaded, attribute=attribute, system=system, judgements=usual.judgements, unlabelled=usual.unlabelled)
    settings = replace(
        usual,
        against=held_against(loaded, attribute, edit.target if edit.state.is_set else None),
        group=standing_group(edit.groups),
        budget=budget,
        fixed=fixed,
        methods=methods,
    )
    kick = f"Policy lab · {loaded.name} · first {settings.k} ranks"
    if len(edit.groups) == 1:
        alone = f"Only one group, {quoted(edit.groups[0])}: nothing to compare"
        top.html(heading(kick, alone, "A target needs two groups."))
        key = held(loaded, settings.against, settings.system, settings.judgements, settings.unlabelled).key
        exposure = exposure_of(loaded, *key, settings.browsing, settings.k)
        one_group(loaded, attribute, unlabelled=bool(exposure.unlabelled_candidates.sum() > 0))
        return
    try:
        prices = prices_under(loaded, settings)
    except FairvizError as error:
        top.html(heading(kick, "This distance has no value on these data", "Choose another under More."))
        callout("What is missing", str(error))
        return
    keep_in_link(edit.where, edit.presets)
    rule()
    told = parts.told(loaded, settings, prices)
    table = st.container()
    step_by_step([(NAMES[name], partial(prices.compute, [name])) for name in methods])
    found = analyse(loaded, settings)
    top.html(heading(kick, *price_finding(found.outcome)))
    which = ""
    if n := found.outcome.hidden:
        which = f"the {count_word(n)} method{'' if n == 1 else 's'} that show{'s' if n == 1 else ''} lists at random"
    hidden.html(el("p", f"Fixed lists only hides {which}." if n else "", cls="fv-counts fv-screen"))
    with target:  # where a person moves a target, its rows of before stay until all of this is known
        parts.rows_section(edit, found)
    table.html(parts.methods(found, told))
    if not found.outcome.silent:
        rule()
        parts.frontier(found.outcome)
    rule()
    selection = parts.before_after_section(loaded, found)
    parts.downloads(loaded, found, selection)


@st.fragment
def page() -> None:
    """A move repaints this and nothing else."""
    with st.container(key="lab", gap="xsmall"):
        st.html(style("boxes", "policy_lab"))
        lab()


page()
