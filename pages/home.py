"""Home: the question, today's finding on what is loaded, and three doors."""

import streamlit as st

from fairviz.model import Dataset
from fairviz.show.words import plural
from fairviz.studies.tradeoff.figures_headline import headline_alt, headline_figure
from fairviz.studies.tradeoff.progressive import GrowingCurves
from pages._home.parts import CUTOFF, Headline, advance, curves_of, door, drawn, group_sentence, home_headline
from pages._kit import colours, counts_line, dataset, el, example, join, section, show_figure
from pages._kit.shell import inventory

TICK = 0.3
"""Seconds between two looks at curves that grow."""


def chart(finding: Headline | None, loaded: Dataset, curves: GrowingCurves) -> None:
    """The finding as a title and its small chart; while curves grow, the chart so far."""
    if finding is None and advance(loaded, curves):
        st.rerun()  # complete: the title and the doors can say what was found
    lines = drawn(curves)
    if lines is None:
        return
    where = f"{loaded.name}: who is shown in the first {CUTOFF} places"
    if finding is None:
        section("Computing the curves", f"{where}; every point is exact when it arrives")
    else:
        mean = plural(finding.n_queries, "query", "queries")
        named = f", {finding.policy}" if finding.policy else ""
        section(finding.title, f"{where}, mean of {mean}, {finding.quality}{named}{finding.how_sure}")
    point = finding.point if finding else None
    figure = headline_figure(lines.plackett_luce, lines.optimal, lines.ends, point, colours=colours())
    show_figure(figure, "headline", headline_alt(lines.plackett_luce, point))


def shown_data(loaded: Dataset) -> tuple[Dataset, GrowingCurves, bool]:
    """What the chart shows, its curves, and whether they are complete; else the example."""
    curves = curves_of(loaded)
    if curves is not None:
        done = advance(loaded, curves)
        if drawn(curves) is not None:
            return loaded, curves, done
    shown = example()
    curves = curves_of(shown)
    if curves is None:
        raise ValueError("the example has a run and judgements")
    return shown, curves, advance(shown, curves)


loaded = dataset()
shown, curves, done = shown_data(loaded)
findings = home_headline(shown) if done else None
left, right = st.columns([4, 5], gap="large", vertical_alignment="center")
with left:
    chips = [f"Loaded: {loaded.name}", *inventory(loaded)]
    st.html(
        join(
            el("p", "Ranking, retrieval, generation", cls="fv-kicker"),
            el("h1", "What does fairness cost, and to whom?", cls="fv-title"),
            el(
                "p",
                "A system ranks items; a reader, or a language model, uses only the top. fairviz "
                "shows who gets that attention, what it costs to spread it, and how sure you "
                "can be.",
                cls="fv-lead",
            ),
            el("ul", *(el("li", chip) for chip in chips), cls="fv-chips"),
        )
    )
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        if st.button("Explore the trade-off", type="primary", icon=":material/tune:"):
            st.switch_page("pages/tradeoff.py")
        st.page_link("pages/data.py", label="Use your own files", icon=":material/note_add:")
with right:
    st.fragment(chart, run_every=None if done else TICK)(findings, shown, curves)
    if shown is not loaded:
        counts_line("Your files have no run with judgements to compare: this is the example.")
with st.container(key="doors"):
    doors = st.columns(3, gap="medium")
with doors[0]:
    text = findings.researcher if findings else "Curves without sampling noise, and paired tests."
    door(
        "Researcher",
        "Compare systems",
        text,
        ("pages/tradeoff.py", "Open the trade-off"),
        ("pages/social_bias.py", "What retrieval does to answers"),
    )
with doors[1]:
    text = (
        "No formulas first. Say which share of attention each group should get, see where it goes "
        "today, and what moving it costs. "
        f"{group_sentence(shown) if done else ''}"
    )
    door(
        "Policy maker",
        "Set a target, see the price",
        text,
        ("pages/groups.py", "Set a target"),
        ("pages/policy_lab.py", "See what it costs"),
        ("pages/demographic_qa.py", "Who gets fewer right answers"),
    )
with doors[2]:
    text = (
        "Guess first, then reveal: 50 minutes from “rank 1 wins” to what a target costs. Students guess on their "
        "phones; plan, handouts and key print. Nothing to upload."
    )
    door("Class", "Twelve lessons, guess first", text, ("pages/learn.py", "Open the class"))
