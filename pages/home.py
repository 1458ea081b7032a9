"""Home: what this is, what to drop, what the loaded data show, and three doors."""

import streamlit as st

from fairviz.resources import content
from pages._data import files
from pages._home import at_once, door, show, tradeoff
from pages._kit import counts_line
from pages._kit.html import el, join
from pages._kit.session import dataset, is_example
from pages._kit.shell import inventory

loaded = dataset()
with st.container(key="home"):
    left, right = st.columns([5, 6], gap="large")
with left:
    st.html(
        join(
            el("p", "Ranking, retrieval, generation", cls="fv-kicker"),
            el("h1", "What does fairness cost, and to whom?", cls="fv-title"),
            el(
                "p",
                "A system ranks documents; a reader or a language model uses only the top. fairviz measures who gets "
                "that attention, what it costs to share it differently, and how sure you can be.",
                cls="fv-lead",
            ),
        )
    )
    files.add_files(then="pages/data.py")
with right, st.container(key="doors", gap="small"):
    for box in content("home")["doors"]:
        door(**box)
head = el("h2", "What the example shows" if is_example() else "What your data show", cls="fv-section")
st.html(join(head, el("p", " · ".join(inventory(loaded)), cls="fv-sub fv-wide")))
with st.container(key="findings", gap="small"):
    found = at_once(loaded)
    for one in found:
        show(one)
    with st.spinner("Computing the curves …"):
        price = tradeoff(loaded)
    if price is not None:
        show(price)
    elif not found:
        counts_line("Nothing can be compared yet: add a run with judgements or group labels, or answers of a model.")
