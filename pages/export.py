"""Export: tables, figures and commands of the loaded data, to take into a paper or a class."""

import streamlit as st

from fairviz.evaluation.coverage import lead_of
from fairviz.points.outputs import paired
from pages._export import bundle_part, cite_part, measure_part, pinned_title, save_part
from pages._kit import page_head, rule
from pages._kit.session import dataset

loaded = dataset()
head, top = page_head("export"), st.container()
measures = measure_part(loaded)
rule()
cite_part()
head(pinned_title(measures), lead_of(loaded, paired(loaded)))
with top:
    study, bundle = st.columns(2, gap="large") if measures else (st.container(), None)
    with study:
        save_part(loaded)
    if bundle and measures:
        with bundle:
            bundle_part(loaded, measures)
    rule()
