"""Policy lab: what a target costs, method by method, and what it does to a list."""

from functools import partial

import numpy as np
import streamlit as st

from fairviz.display.words import quoted
from fairviz.errors import FairvizError
from fairviz.studies.policy_lab.results import NAMES, Aim, Choices, results
from pages._kit import callout, empty_state, header, heading, how_to_read, rule, step_by_step
from pages._kit.controls import standing_group
from pages._kit.session import dataset
from pages._kit.target import editing, one_group
from pages._policy_lab import sections
from pages._policy_lab.downloads import downloads
from pages._policy_lab.results import (
    as_told,
    before_after_section,
    choose_budget,
    choose_methods,
    depths_of,
    prices_of,
    settings,
)
from pages._policy_lab.sections import TargetRows

loaded = dataset()
if not (loaded.labels and loaded.runs and loaded.qrels):
    header("Policy lab", "A price needs rankings, judgements and group labels", "")
    names = ("ranked lists with scores (a run)", "judgements (qrels)", "group labels")
    there = zip(names, (loaded.runs, loaded.qrels, loaded.labels), strict=True)
    empty_state(
        f"No {' and no '.join(name for name, nouns in there if not nouns)} in {loaded.name}",
        "Load ranked lists, judgements of their documents, and a table doc_id, group. The example has two kinds of "
        "groups: the region and the size of providers.",
    )
    st.stop()


def lab() -> None:
    """All of it: title, target, budget and charts follow each other."""
    top, right = st.columns([8, 1.7], gap="small")
    with right:
        how_to_read("policy_lab")
    left, right = st.columns([6, 5], gap="large")
    with right:
        budget, fixed = choose_budget()
        hidden = st.container()
        with st.container(horizontal=True, gap="small"):
            chosen = Choices(budget, fixed, choose_methods())
            selected = settings(loaded)
    edit = editing(
        loaded,
        attribute=selected.attribute,
        system=selected.system,
        judgements=selected.judgements,
        unlabelled=selected.unlabelled,
    )
    aim = Aim.of(edit.target)
    kick = f"Policy lab · {loaded.name} · first {selected.k} ranks"
    if len(aim.groups) == 1:
        alone = f"Only one group, {quoted(aim.groups[0])}: nothing to compare"
        top.html(heading(kick, alone, "A target needs two groups."))
        one_group(loaded, selected.attribute, unlabelled=sections.some_unlabelled(loaded, selected))
        return
    try:
        prices = prices_of(loaded, selected, aim)
    except FairvizError as error:
        top.html(heading(kick, "This distance has no value on these data", "Choose another under More."))
        callout("What is missing", str(error))
        return
    depths = depths_of(loaded, selected, aim)
    with left:
        rows = TargetRows(edit, np.nan_to_num(prices.bench.today))
    rule()
    told = sections.told(loaded, selected, aim, prices, depths)
    methods = st.container()

    step_by_step([(NAMES[name], partial(prices.compute, [name])) for name in chosen.methods])
    group = standing_group(aim.groups)
    found = results(prices, chosen, group=group, is_set=edit.state.is_set)
    top.html(sections.head(kick, found, prices, selected))
    hidden.html(sections.switch_words(found))
    rows.fill(found, prices)
    methods.html(sections.methods(found, prices, selected, told))
    if not found.outcome.silent:
        rule()
        sections.frontier(found, selected)
    rule()
    selection = before_after_section(loaded, prices, selected, found)
    target = edit.target if edit.state.is_set else None
    of_command = partial(as_told, loaded, selected, chosen, target=target, group=group)
    downloads(loaded, prices, selected, found, selection, depths, told=of_command)


@st.fragment
def page() -> None:
    """A move repaints this and nothing else."""
    with st.container(key="lab", gap="xsmall"):
        lab()


page()
