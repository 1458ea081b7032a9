"""Every study by its own settings: what its command is told, as controls; all that it finds, as charts and tables."""

import streamlit as st

from fairviz.display.words import capital
from fairviz.errors import FairvizError
from fairviz.studies import STUDIES
from pages._kit import callout, counts_line, header, rule
from pages._kit.session import dataset
from pages._studies import analysed, choose_settings, show

loaded = dataset()
top = st.container()
by_title = {study.title: study for study in STUDIES}
study = by_title[st.selectbox("Study", list(by_title), key="question", bind="query-params")]
settings = choose_settings(study, loaded)
rule()
kick = f"Studies · {loaded.name}"
try:
    found = analysed(loaded, study.command, settings)
except FairvizError as error:
    with top:
        header(kick, study.title, capital(study.purpose), how="studies")
    callout("These data, so set, do not answer it", str(error))
    st.stop()
with top:
    first = found.findings[0] if found.findings else None
    header(
        kick, first.title if first else study.title, first.sentence if first else capital(study.purpose), how="studies"
    )
show(study, settings, found, loaded)
counts_line("The address of this page holds its settings: copy it to share.")
