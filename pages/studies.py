"""Every study by its own settings: what its command is told, as controls; all that it finds, as charts and tables."""

import streamlit as st

from fairviz.display.words import capital
from fairviz.errors import FairvizError
from fairviz.studies import STUDIES
from pages._kit import callout, counts_line, page_head, rule
from pages._kit.session import dataset
from pages._studies import analysed, choose_settings, show

loaded = dataset()
head = page_head("studies")
by_title = {study.title: study for study in STUDIES}
study = by_title[st.selectbox("Study", list(by_title), key="question", bind="query-params")]
settings = choose_settings(study, loaded)
rule()
try:
    found = analysed(loaded, study.command, settings)
except FairvizError as error:
    head(study.title, capital(study.purpose))
    callout("These data, so set, do not answer it", str(error))
    st.stop()
head(*(found.findings[0] if found.findings else (study.title, capital(study.purpose))))
show(study, settings, found, loaded)
counts_line("The address of this page holds its settings: copy it to share.")
