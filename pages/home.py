"""Home: the question, today's finding on what is loaded, and three doors."""

import streamlit as st

from fairviz.figures.headline import headline_alt, headline_figure
from pages._headline import CUTOFF, Headline, headline
from pages._shared import (
    colours,
    counts_line,
    dataset,
    el,
    example,
    join,
    plural,
    section,
    show_figure,
)
from pages._shell import inventory


def chart(found: Headline, name: str) -> None:
    """The finding as a title and its small chart."""
    mean = plural(found.n_queries, "query", "queries")
    section(
        found.title,
        f"{name}: who is shown in the first {CUTOFF} places, mean of {mean}, useful = grade ≥ 1"
        f"{found.how_sure}",
    )
    ends = [(found.uniform, "all alike"), (found.deterministic, f"always the same {CUTOFF}")]
    figure = headline_figure(
        found.plackett_luce, found.optimal, ends, found.here, colours=colours()
    )
    show_figure(figure, "headline", headline_alt(found.plackett_luce, found.here))


def door(kind: str, title: str, text: str, page: str, label: str) -> None:
    """One box: for whom, what, and the way in."""
    with st.container(border=True, height="stretch"):
        st.html(
            join(
                el("p", kind, cls="fv-kicker"),
                el("h2", title, cls="fv-section"),
                el("p", text, cls="fv-door"),
            )
        )
        st.page_link(page, label=label, icon=":material/arrow_forward:", icon_position="right")


loaded = dataset()
shown = loaded if headline(loaded, CUTOFF) is not None else example()
found = headline(shown, CUTOFF)
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
        if st.button("Move the slider", type="primary", icon=":material/tune:"):
            st.switch_page("pages/tradeoff.py")
        st.page_link("pages/data.py", label="Use your own files", icon=":material/note_add:")
with right:
    if found is not None:
        chart(found, shown.name)
        if shown is not loaded:
            counts_line("Your files have no run with judgements yet: this is the example.")
with st.container(key="doors"):
    doors = st.columns(3, gap="medium")
with doors[0]:
    text = found.researcher if found else "Curves without sampling noise, and paired tests."
    door("Researcher", "Compare systems", text, "pages/tradeoff.py", "Open the trade-off")
with doors[1]:
    text = found.policy_maker if found else "Spread attention and see what it costs."
    door("Policy maker", "See the price", text, "pages/attribution.py", "Who is used?")
with doors[2]:
    text = (
        "Guess first, then reveal. Ten minutes from “rank 1 wins” to expected exposure, with the "
        "sums shown. Nothing to upload, nothing to install."
    )
    door("Class", "Five items, one slider", text, "pages/learn.py", "Start the lesson")
