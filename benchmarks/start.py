"""From the command to the first chart on the example, in a browser that is open."""

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import NamedTuple

from playwright.sync_api import Browser

from benchmarks.browser import bare_page, chromium, dashboard, open_chart
from benchmarks.measuring import Goal, Row

FIRST = "/tradeoff"
"""Home has no chart: this page has the first."""
ROUNDS = 5


class Start(NamedTuple):
    """Seconds until the server is ready, and until the first chart stands."""

    ready: float
    chart: float


def rows(*, small: bool) -> Iterator[Row]:
    """Median seconds, and the ratio to a bare Streamlit page."""
    with chromium() as browser:
        starts = (lambda: start(dashboard(), browser, FIRST), lambda: start(bare_page(), browser))
        if not small:
            for warm in starts:  # compiled kernels and byte code are there afterwards
                warm()
        ours, bare = alternated(*starts, rounds=1 if small else ROUNDS)
    ready = statistics.median(one.ready for one in ours)
    yield Row(
        what="start → first chart on the example",
        value=statistics.median(one.chart for one in ours),
        unit="s",
        goal=Goal(5),
        note=f"ready after {ready:.2g} s",
    )
    ratios = [one.chart / floor.chart for one, floor in zip(ours, bare, strict=True)]
    yield Row(
        what="start → first chart / a bare Streamlit page with one chart",
        value=statistics.median(ratios),
        unit="×",
        goal=Goal(1.4),
        note=(
            f"the bare page: {statistics.median(one.chart for one in bare):.2g} s; "
            f"rounds: {min(ratios):.2f} to {max(ratios):.2f}"
        ),
    )


def alternated(*starts: Callable[[], Start], rounds: int) -> list[list[Start]]:
    """What each start took in every round; the one that begins changes, as the end of one may weigh on the next."""
    found: list[list[Start]] = [[] for _ in starts]
    for i in range(rounds):
        pairs = list(zip(starts, found, strict=True))
        for begin, own in pairs if i % 2 == 0 else reversed(pairs):
            own.append(begin())
    return found


def start(server: AbstractContextManager[str], browser: Browser, path: str = "") -> Start:
    """Start a server, open a page with a chart, wait for the chart, and end both."""
    began = time.perf_counter()
    with server as address:
        ready = time.perf_counter() - began
        page = open_chart(browser, f"{address}{path}")
        chart = time.perf_counter() - began
        page.context.close()
    return Start(ready, chart)
