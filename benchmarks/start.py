"""From the command to the first chart on the example, in a browser that is open."""

import statistics
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import NamedTuple

from playwright.sync_api import Browser

from benchmarks.browser import bare_page, chromium, dashboard, open_chart
from benchmarks.measuring import REPEATS, Goal, Row

FIRST = "/tradeoff"
"""Home has no chart: this page has the first."""


class Start(NamedTuple):
    """Seconds until the server is ready, and until the first chart stands."""

    ready: float
    chart: float


def rows(*, small: bool) -> Iterator[Row]:
    """Median seconds, and the ratio to a bare Streamlit page."""
    with chromium() as browser:
        if not small:
            start(dashboard(), browser, FIRST)  # compiled kernels and byte code are there afterwards
        found: list[tuple[Start, Start]] = [
            (start(dashboard(), browser, FIRST), start(bare_page(), browser)) for _ in range(1 if small else REPEATS)
        ]
    ready = statistics.median(ours.ready for ours, _ in found)
    yield Row(
        what="start → first chart on the example",
        value=statistics.median(ours.chart for ours, _ in found),
        unit="s",
        goal=Goal(4),
        note=f"ready after {ready:.2g} s",
    )
    floor = statistics.median(bare.chart for _, bare in found)
    yield Row(
        what="start → first chart / a bare Streamlit page with one chart",
        value=statistics.median(ours.chart / bare.chart for ours, bare in found),
        unit="×",
        goal=Goal(1.1),
        note=f"the bare page: {floor:.2g} s",
    )


def start(server: AbstractContextManager[str], browser: Browser, path: str = "") -> Start:
    """Start a server, open a page with a chart, wait for the chart, and end both."""
    began = time.perf_counter()
    with server as address:
        ready = time.perf_counter() - began
        page = open_chart(browser, f"{address}{path}")
        chart = time.perf_counter() - began
        page.context.close()
    return Start(ready, chart)
