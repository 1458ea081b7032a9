"""Learn: a class of twelve lessons, guess first; then the metric chooser, the glossary, and the papers' index."""

from collections.abc import Callable

import streamlit as st

from pages._kit import el
from pages._learn import glossary, metric_chooser, papers
from pages._learn.class_view import show_class
from pages._learn.place import here
from pages._learn.student import show_student

CLASS = "Class"
PARTS: dict[str, Callable[[], None]] = {
    "Choose a metric": metric_chooser.show,
    "Glossary": glossary.show,
    "Papers": papers.show,
}

place = here()
if not place.teaches:
    show_student(place)
else:
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        part = None
        if place.large:
            st.html(el("p", "fairviz", cls="fv-brand"), width="content")
        else:
            part = st.pills(
                "Part",
                [CLASS, *PARTS],
                default=CLASS,
                key="chapter",
                required=True,
                label_visibility="collapsed",
                bind="query-params",
                width="content",
            )
        top = st.container(width="content")
    if part in PARTS:
        PARTS[part]()
    else:
        show_class(place, top)
