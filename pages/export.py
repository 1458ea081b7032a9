"""Export: tables, figures and commands of the loaded data, to take into a paper or a class."""

import streamlit as st

from fairviz.report.systems import lead_of
from pages._export.answers import answer_part
from pages._export.bundle import Parts, bundle_part, cite_part, pinned_title
from pages._export.curves import curve_part
from pages._export.measures import measure_part
from pages._export.study import save_part
from pages._kit import dataset, header, rule


def page() -> None:
    """What a person takes first, then part by part; nothing heavy is computed before it is asked for."""
    loaded = dataset()
    top = st.container()
    measures = measure_part(loaded)
    rule()
    curves = curve_part(loaded)
    rule()
    answers = answer_part(loaded, curves.k if curves else None)
    rule()
    cite_part()
    parts = Parts(measures, curves, answers)
    with top:
        header(f"Export · {loaded.name}", pinned_title(parts), lead_of(loaded), how="export")
        study, bundle = st.columns(2, gap="large") if any(parts) else (st.container(), None)
        with study:
            save_part(loaded)
        if bundle:
            with bundle:
                bundle_part(loaded, parts)
        rule()


page()
