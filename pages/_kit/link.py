"""The link to a view: which data it was made with, and settings that no control could take.

Settings are in the address by ``bind="query-params"``; files cannot be, so that a link carries their
fingerprint. Addresses stay in histories and logs: names of files and of what they hold are not in
them unless a person says so.
"""

import re
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from fairviz.display.words import plural
from pages._kit.session import (
    PAIRS,
    SIGNED,
    dataset,
    is_example,
    open_recorded,
    recorded_example,
    remember,
    remembered,
    say_pair,
    signature,
    stated_pairs,
    whole_dataset,
    wrote,
)

LINK_LENGTH = 12
"""Hexadecimal digits of the fingerprint that a link carries."""

_NAMING = "links_name_files"
"""Where a session remembers that its links may name the files."""


def keep_link() -> None:
    """Put the data's fingerprint in the address, or hear that the link asks for other data."""
    loaded = dataset()
    mark = loaded.fingerprint[:LINK_LENGTH]
    if "link_heard" not in st.session_state:
        st.session_state["link_heard"] = True
        linked_mark = st.query_params.get("data", mark)
        if linked_mark != mark and linked_mark == recorded_example().fingerprint[:LINK_LENGTH]:
            open_recorded()
            loaded, mark = dataset(), linked_mark
        if linked_mark != mark:
            st.session_state["linked_data"] = linked_mark
            signed = st.query_params.get(SIGNED, "")
            is_own = wrote(signed, linked_mark)  # what its own browser had loaded is told to nobody else
            st.session_state["is_own_link"] = is_own
            st.session_state["linked_files"] = st.query_params.get_all("file") or (remembered(signed) if is_own else ())
    if st.session_state.get("linked_data") == mark:
        forget_link()
    if "linked_data" in st.session_state:
        return
    loaded_names = [] if is_example() else list(dict.fromkeys(source.name for source in loaded.files))
    names = loaded_names if st.session_state.get(_NAMING, False) else []
    if st.query_params.get("data") != mark:
        st.query_params["data"] = mark
    if st.query_params.get_all("file") != names:
        st.query_params["file"] = names
    signed = "" if is_example() else signature(mark)
    if signed:
        remember(signed, tuple(loaded_names))
    if st.query_params.get(SIGNED, "") != signed:
        st.query_params[SIGNED] = signed or ()


def choose_naming() -> None:
    """A box: whether the address, and so every link, names the loaded files."""
    st.checkbox(
        "Name these files in links",
        value=st.session_state.get(_NAMING, False),
        key="naming",
        on_change=lambda: st.session_state.update({_NAMING: st.session_state["naming"]}),
        help="The address of a page carries its settings and a fingerprint of the data. With names, whoever follows "
        "the link reads which files to load; names in an address stay in histories and logs.",
    )


FED = "fed"
"""Parameter of the address: OUTPUTS-RUN in :func:`name_mark`, for each system of outputs whose run a person said."""


def name_mark(name: str) -> str:
    """A name of people as the address carries it: it tells names of the same data apart, and nothing else."""
    return sha256(name.encode()).hexdigest()[:8]


def keep_pairs() -> None:
    """Hear which run fed which outputs from a followed link, then keep it in the address of every page.

    A link may give the names themselves, OUTPUTS=RUN.
    """
    if "pairs_heard" not in st.session_state:
        texts = st.query_params.get_all(FED)
        st.session_state["pairs_heard"] = [text for text in texts if _PAIR.fullmatch(text)]
        for output, mark, run in (text.rpartition("=") for text in texts):
            if mark:
                say_pair(output, run)
    heard: list[str] = st.session_state["pairs_heard"]
    if heard:  # pairs whose names are loaded by now are said; the others wait for their files
        from fairviz.evaluation.outputs import RECORDED  # heavy: only when needed

        loaded = whole_dataset()
        runs = {name_mark(name): name for name in [RECORDED, *(run.system for run in loaded.runs)]}
        by_mark = {name_mark(outputs.system): outputs.system for outputs in loaded.outputs}
        for text in tuple(heard):
            output, _, run = text.partition("-")
            if output in by_mark and run in runs:
                say_pair(by_mark[output], runs[run])
                heard.remove(text)
    words = [f"{name_mark(output)}-{name_mark(run)}" for output, run in stated_pairs()] + heard
    if st.query_params.get_all(FED) != words:
        st.query_params[FED] = words


_PAIR = re.compile(r"[0-9a-f]{8}-[0-9a-f]{8}")
_MARKS = re.compile(r"([0-9a-f]{8}(_[0-9a-f]{8})*)?")


def linked_files() -> tuple[str, ...] | None:
    """Names of the files that the followed link was made with, None if they are loaded."""
    if "linked_data" not in st.session_state:
        return None
    return tuple(st.session_state.get("linked_files", ()))


def is_own_link() -> bool:
    """Whether this browser itself had the data that the address asks for: it was reloaded, not sent a link."""
    return st.session_state.get("is_own_link", False)


def forget_link(*, settings: bool = False) -> None:
    """Go on with the data at hand instead of what the link asked for; and without its ``settings``."""
    for name in ("linked_data", "linked_files", "is_own_link"):
        st.session_state.pop(name, None)
    if settings:
        st.query_params.clear()
        for name in ("settings_heard", "pairs_heard", PAIRS):
            st.session_state.pop(name, None)


def hear_settings() -> None:
    """Remember the settings of a followed link, before controls take them or drop them."""
    if "settings_heard" not in st.session_state:
        params = st.query_params
        st.session_state["settings_heard"] = {
            name: params[name] for name in params if name not in {"data", "file", SIGNED, FED}
        }


def begin_with_address() -> None:
    """Let controls that are shown for the first time take what stands in the address now.

    Bound ones would take what it had when the page was opened.
    """
    context = get_script_run_ctx()
    if context is not None:
        with context.session_state.query_params() as parameters:
            parameters.set_initial_query_params_from_current()


def check_settings() -> None:
    """Find the settings of a followed link that were dropped; call it after the page's controls."""
    heard: dict[str, str] = st.session_state.get("settings_heard", {})
    for name, link_text in heard.items():
        now = st.session_state.get(name)
        if now is not None and name not in st.query_params and not _same(now, link_text):
            shown = f"{now:g}" if isinstance(now, float) else str(now)
            ignore(name, link_text, "what is usual" if _MARKS.fullmatch(shown) else shown)
    st.session_state["settings_heard"] = {}


IGNORED = "ignored"
"""(name, value in the link, value shown) of settings that no control could take, in the session."""


def ignore(name: str, link_text: str, shown: str) -> None:
    """A control could not take what the link says: it is said to the person."""
    st.session_state.setdefault(IGNORED, []).append((name, link_text, shown))


def _same(now: object, link_text: str) -> bool:
    """Whether a control shows what the link says; a default leaves the address, too."""
    if isinstance(now, float | int) and not isinstance(now, bool):
        try:
            return float(link_text) == now
        except ValueError:
            return False
    return not isinstance(now, str) or link_text in {now, name_mark(now)}


# From points of a chart to their queries in Inspect: selected there, carried by the address as marks.


BRUSHED = "queries"
"""Parameter of the address: marks of the queries that were selected in a chart."""
MOST = 200


def selected_queries(chart: str, setting: str = "") -> tuple[str, ...]:
    """The queries of the points that are selected in a chart, each once.

    Args:
        chart: Key of the chart.
        setting: Of points that say theirs beside the query: where some are of this one, only these count.
    """
    event = st.session_state.get(chart)
    points: list[tuple[str, object]] = []
    for point in event["selection"]["points"] if event else []:
        data = point.get("customdata")  # its query and its setting first
        values: list[Any] = list(data.values()) if isinstance(data, dict) else list(data or ())
        query, of, *_ = [*values, None, None]
        points += [(query, of)] if isinstance(query, str) else []  # a mean is of no query
    setting_points = [point for point in points if point[1] == setting] or points
    return tuple(dict.fromkeys(query for query, _ in setting_points))


def inspect_link(queries: Sequence[str]) -> None:
    """The way to the selected queries in Inspect, where answers are listed; nothing where none is selected."""
    if not queries:
        return
    some = queries[:MOST]
    rest = f" (the first {MOST} of {len(queries)})" if len(some) < len(queries) else ""
    st.page_link(
        "pages/inspect.py",
        label=f"Inspect the {plural(len(some), 'selected query', 'selected queries')}{rest}",
        icon=":material/search:",
        query_params={BRUSHED: "-".join(map(name_mark, some)), "q": some[0], "table_of": "answers"},
    )


def brushed(query_ids: Sequence[str]) -> list[str]:
    """The queries that the address names, of those that are known; all of these where it names none of them."""
    marks = set(st.query_params.get(BRUSHED, "").split("-"))
    return [query for query in query_ids if name_mark(query) in marks] or list(query_ids)
