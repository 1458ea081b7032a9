"""Policy lab: statements about shares of attention, what they lead to, what that costs, and what other methods do."""

from dataclasses import replace

import streamlit as st

from fairviz.display.markup import style
from fairviz.display.words import quoted
from fairviz.points.targets import exposure_of, targeted_system
from fairviz.studies.policy_lab.analysis import stated_under
from fairviz.studies.policy_lab.findings import stated_finding
from pages._kit import heading, how_to_read, section, without_data
from pages._kit.commands import against_target
from pages._kit.session import dataset
from pages._kit.target import FREE, TARGET, editing, keep_in_link, one_group, standing_statements
from pages._policy_lab import downloads, methods, proposals, statements

loaded = dataset()
if not (loaded.labels and loaded.runs):
    names = ("ranked lists with scores (a run)", "group labels")
    loaded_nouns = zip(names, (loaded.runs, loaded.labels), strict=True)
    missing = " and no ".join(name for name, nouns in loaded_nouns if not nouns)
    without_data("policy_lab", missing=missing)
    st.stop()


def lab() -> None:
    """All of it: what is asked for, what it leads to, who pays, which lists; other methods where they are open."""
    top, right = st.columns([8, 1.7], gap="small")
    with right:
        how_to_read("policy_lab")
    answers, (left, side) = st.container(), st.columns([19, 9], gap="medium")
    with side:
        budget, fixed, (system, attribute, usual) = statements.choose_all(loaded)
    judgements = usual.judgements if loaded.qrels else None
    edit = editing(loaded, attribute=attribute, system=system, judgements=judgements, unlabelled=usual.unlabelled)
    with left:
        section("What you ask for", statements.HOW)
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            also = statements.choose_statements(loaded, edit)
    standing = standing_statements(loaded)
    is_target = standing == TARGET and edit.state.is_set
    settings = replace(
        usual,
        statements="" if standing in (TARGET, FREE) else standing,
        against=against_target(loaded, attribute, edit.target if is_target else None),
        budget=budget,
        fixed=fixed,
        methods=methods.standing_methods(),
    )
    kick = f"Policy lab · {loaded.name} · first {settings.k} ranks"
    if len(edit.groups) == 1:
        alone = f"Only one group, {quoted(edit.groups[0])}: nothing to compare"
        top.html(heading(kick, alone, "A target needs two groups."))
        key = targeted_system(loaded, settings.against, settings.system, settings.judgements, settings.unlabelled).key
        one_group(loaded, attribute, exposure_of(loaded, *key, settings.browsing, settings.k))
        return
    outcome = stated_under(loaded, settings)
    keep_in_link(edit)
    top.html(heading(kick, *stated_finding(outcome)))
    with left:
        statements.rows_section(edit, outcome, also)
    picture = side.container()
    if not outcome.statements.is_empty():
        answers.html(statements.answers_strip(outcome))
        statements.consequences(outcome)
    settings = proposals.side_by_side(loaded, edit, settings, outcome)
    settings = statements.since_last_time(loaded, settings, outcome)
    settings, selection, crosses = methods.other_methods(loaded, settings)
    with picture:
        statements.line(outcome, crosses)
    if not outcome.statements.is_empty():
        wrong, by_group = statements.if_labels_were_wrong(outcome)
        settings = replace(settings, wrong=wrong, wrong_of=by_group)
    statements.not_shown(outcome)
    downloads.downloads(loaded, settings, outcome, selection)


@st.fragment
def page() -> None:
    """A move repaints this and nothing else."""
    with st.container(key="lab", gap="xsmall"):
        st.html(style("boxes", "policy_lab"))
        lab()


page()
