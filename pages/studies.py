"""Every study by its own settings: what its command is told, as controls; all that it finds, as charts and tables."""

from collections.abc import Sequence
from typing import Any, cast

import streamlit as st

from fairviz.display.methods import AgainstTarget
from fairviz.display.words import capital
from fairviz.errors import FairvizError
from fairviz.kernels.attention import own_attention
from fairviz.model import Dataset
from fairviz.remembered import remembered_few
from fairviz.reporting.assemble import usual_measures
from fairviz.reporting.request import Request
from fairviz.studies import STUDIES, study_of
from fairviz.studies.study import Analysis, Option, Settings, Study, listed
from pages._kit import callout, counts_line, in_rows, page_head, rule
from pages._kit.analysis import show
from pages._kit.commands import usual_against
from pages._kit.controls import choose_number, usual_judgements
from pages._kit.session import dataset
from pages._kit.target import first_attribute

COLUMNS = 4
"""Controls of a row."""
NEED_MEASURES = ("evaluate", "compare")
"""Studies of measures that somebody names: those that the data allow to begin with."""


def choose_settings(study: Study, loaded: Dataset) -> Settings:
    """Every setting of a study as a control, in the address by its name; what cannot be is said, and left as usual."""
    options = study.settings.options()
    against = usual_against(loaded, first_attribute(loaded)) if loaded.labels else None
    chosen: dict[str, Any] = {} if "against" in options else {"against": against}
    shown = [_begun(study, option, loaded, against) for option in options.values()]
    chosen |= _rows(study, shown[:COLUMNS])
    if len(shown) > COLUMNS:
        with st.expander("More settings"):
            chosen |= _rows(study, shown[COLUMNS:])
    if "judgements" not in options and loaded.qrels:
        chosen["judgements"] = usual_judgements(loaded, next(iter((*loaded.runs, *loaded.samples)), None))
    try:
        return study.settings.of(chosen)
    except FairvizError as error:
        callout("Set as usual where it cannot be so", str(error))
        return study.settings.of({name: value for name, value in chosen.items() if name not in options})


def _begun(study: Study, option: Option, loaded: Dataset, against: AgainstTarget | None) -> Option:
    """The setting with what the page begins with, where a command has no default."""
    if option.name == "measures" and study.command in NEED_MEASURES:
        return option._replace(default=usual_measures(loaded, Request(against=against)))
    return option


def _rows(study: Study, options: Sequence[Option]) -> dict[str, Any]:
    """Controls beside each other, and what is chosen there by the names of the settings."""
    return {
        option.name: _control(option, key=f"{study.command}-{option.name}")
        for option in in_rows(options, COLUMNS, gap="small")
    }


def _control(option: Option, key: str) -> Any:
    """The usual control of a kind of setting."""
    label, about = option.name.replace("_", " ").capitalize(), option.help
    if option.kind is bool:
        return st.toggle(label, option.default, key=key, bind="query-params", help=about)
    if isinstance(option.kind, tuple) and option.several:
        return tuple(st.multiselect(label, option.kind, option.default, key=key, bind="query-params", help=about))
    if isinstance(option.kind, tuple):
        none = option.default is None or option.default not in option.kind
        words = [*option.kind, *(own_attention() if option.own is not None else ())]
        names = ["", *words] if none else words
        start = 0 if none else names.index(str(option.default))
        return st.selectbox(label, names, start, key=key, bind="query-params", help=about) or option.default
    if option.kind is int and not option.several and option.default is not None:
        return choose_number(label, int(option.low), int(option.high), option.default, key, help=about)
    text = st.text_input(label, _written(option), key=key, bind="query-params", help=about)
    return _read(option, text)


def _written(option: Option) -> str:
    """The default as a person types it."""
    if option.default is None or option.default != option.default:
        return ""
    if not option.several:
        return f"{option.default:g}" if isinstance(option.default, float) else str(option.default)
    return option.write(option.default) if option.write and option.default else ", ".join(map(str, option.default))


def _read(option: Option, text: str) -> Any:
    """What was typed; the default where it is none, and that is said."""
    if not text.strip():
        return option.default
    try:
        if option.read is not None:
            return option.read(text)
        values = listed(text) if option.several and option.name != "measures" else (text.strip(),)
        read = tuple(option.value(value) for value in values)
    except ValueError as error:
        callout(f"{option.name}: {error}")
        return option.default
    return read if option.several else read[0]


@remembered_few
def analysed(data: Dataset, command: str, settings: Settings) -> Analysis:
    """What a study finds; kept, so that another table of it costs nothing."""
    return cast("Study", study_of(command)).analyse(data, settings)


loaded = dataset()
head = page_head("studies")
by_title = {study.title: study for study in STUDIES}
study = by_title[st.selectbox("Study", list(by_title), key="question", bind="query-params")]
settings = choose_settings(study, loaded)
rule()
try:
    analysis = analysed(loaded, study.command, settings)
except FairvizError as error:
    head(study.title, capital(study.purpose))
    callout("These data, so set, do not answer it", str(error))
    st.stop()
head(*(analysis.findings[0] if analysis.findings else (study.title, capital(study.purpose))))
show(study.command, settings, analysis, loaded)
counts_line("The address of this page holds its settings: copy it to share.")
