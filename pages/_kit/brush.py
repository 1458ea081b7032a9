"""From points of a chart to their queries in Inspect: selected there, carried by the address as marks, listed here.

A point says which query it is by the first value of its custom data. An address carries at most :data:`MOST` queries:
who selects more is not looking at single ones.
"""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from fairviz.display.words import plural
from pages._kit.link import name_mark

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
    said = [_said(point.get("customdata")) for point in (event["selection"]["points"] if event else [])]
    points = [(query, of) for query, of in said if isinstance(query, str)]  # a mean is of no query
    here = [point for point in points if point[1] == setting] or points
    return tuple(dict.fromkeys(query for query, _ in here))


def _said(data: Any) -> tuple[object, object]:
    """The first two values of a point's data: its query and its setting."""
    values = list(data.values()) if isinstance(data, dict) else data if isinstance(data, list | tuple) else []
    return tuple([*values, None, None][:2])


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


def brushed(known: Sequence[str]) -> list[str]:
    """The queries that the address names, of those that are known; all of these where it names none of them."""
    marks = set(st.query_params.get(BRUSHED, "").split("-"))
    return [query for query in known if name_mark(query) in marks] or list(known)


def forget_brushed() -> None:
    """All queries again."""
    st.query_params.pop(BRUSHED, None)
