"""The first visit to each page on the example, each on a server of its own that nobody has visited: Linux counts it."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser

from benchmarks.browser import ROOT, chromium, dashboard_server, open_page
from benchmarks.measuring import Goal, Row

SECONDS = Goal(1.5)
"""Of processor time, for each page."""
STILL, LOOK = 1.0, 0.1
"""Seconds without work after which a server has nothing left to do, and between two looks."""
WAKING = 0.03
"""Seconds of processor time, within ``STILL``, of a server that waits."""


def rows(*, small: bool) -> Iterator[Row]:
    """Processor time of the server, from the request to when all is there, and the time until the title."""
    pages = sorted(path.stem for path in (ROOT / "pages").glob("[a-z]*.py"))
    with chromium() as browser:
        for page in pages[:1] if small else pages:
            busy, seconds = visit(browser, page)
            yield Row(
                what=f"first visit to {page}: processor time",
                value=busy,
                unit="s",
                goal=SECONDS,
                note=f"its title after {seconds:.2g} s",
            )


def visit(browser: Browser, page: str) -> tuple[float, float]:
    """Seconds of the server's processor time, and seconds until the title stands."""
    with dashboard_server() as (address, server):
        before = busy_until_still(server)
        began = time.perf_counter()
        tab = open_page(browser, f"{address}/{'' if page == 'home' else page}")
        tab.wait_for_selector("h1")
        seconds = time.perf_counter() - began
        busy = busy_until_still(server) - before
        tab.context.close()
    return busy, seconds


def busy_until_still(process: int) -> float:
    """Processor time of all threads of a process since it began, once it has nothing left to do."""
    seen = [processor_time(process)]
    while len(seen) * LOOK < STILL or seen[-1] - seen[-round(STILL / LOOK)] > WAKING:
        time.sleep(LOOK)
        seen.append(processor_time(process))
    return seen[-1]


def processor_time(process: int) -> float:
    """Seconds that all threads of a process have computed."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    user, system = fields[11:13]  # the 14th and 15th, of which two stand before the bracket
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
