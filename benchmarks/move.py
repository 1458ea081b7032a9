"""From a move of α to the chart repainted: the example, and 1,000 queries × 12 systems."""

import statistics
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from playwright.sync_api import Browser, Page

from benchmarks.browser import PATIENCE, bare_page, chromium, dashboard, open_chart
from benchmarks.material import random_qrels, random_run, written
from benchmarks.measuring import Goal, Row, percentile
from fairviz.io.qrels import write_qrels
from fairviz.io.rankings import write_run

MEDIAN, P95 = Goal(300), Goal(500)


class Pace(NamedTuple):
    """How often to move, how often before that without measuring, and milliseconds between two moves."""

    moves: int
    unmeasured: int = 2  # the first move loads what later ones have
    pause: int = 250  # a person looks before the next move
    batch: int = 10


PACE, ONCE = Pace(60), Pace(1, unmeasured=0, pause=0)
SLIDER = "[data-testid=stSlider] input[type=range]"

LOADED = """n => {
  const app = document.querySelector('[data-testid=stApp]');
  return document.querySelector('[data-testid=stSidebar]').innerText.includes(`${n} systems`)
    && app.getAttribute('data-test-script-state') === 'notRunning';
}"""
SHOWN = "() => document.body.innerText.toLowerCase().includes('trade-off · your files')"
COMPLETE = """() => document.querySelector('.st-key-tradeoff .js-plotly-plot')
  && document.querySelector('[data-testid=stApp]').getAttribute('data-test-script-state') === 'notRunning'"""

WATCH = """() => {
  const place = () => {
    const chart = document.querySelector('.st-key-tradeoff .js-plotly-plot');
    return chart && chart.data ? JSON.stringify(chart.data[chart.data.length - 1].x) : null;
  };
  window.moves = [];
  document.addEventListener('keydown', () => {
    const start = performance.now(), before = place();
    const look = () => {
      const now = place();
      if (now === null || now === before) requestAnimationFrame(look);
      else requestAnimationFrame(() => window.moves.push(performance.now() - start));
    };
    requestAnimationFrame(look);
  }, true);
}"""
"""Milliseconds from each key press to the second frame after the chart's last trace has moved."""


def rows(*, small: bool) -> Iterator[Row]:
    """Median and 95th percentile per data set, and the ratio to a bare Streamlit page."""
    pace = ONCE if small else PACE
    n_queries, n_systems = (20, 2) if small else (1000, 12)
    with chromium() as browser, dashboard() as address, bare_page() as bare:
        floor = watched(open_chart(browser, bare))
        example = watched(complete(open_chart(browser, f"{address}/tradeoff")))
        yield from _of(example, floor, pace, "the example")
        page, read = uploaded(browser, address, n_queries=n_queries, n_systems=n_systems)
        start = time.perf_counter()
        complete(page)
        note = f"read in {read:.2g} s, curves in {time.perf_counter() - start:.2g} s"
        data = f"{n_queries:,} queries × {n_systems} systems"
        yield from _of(watched(page), floor, pace, data, note)


def _of(page: Page, floor: Page, pace: Pace, data: str, note: str = "") -> Iterator[Row]:
    ours: list[float] = []
    bare: list[float] = []
    for one in (page, floor):
        moves(one, pace.unmeasured, pace.pause)
    while len(ours) < pace.moves:
        batch = min(pace.batch, pace.moves)
        ours += moves(page, batch, pace.pause)
        bare += moves(floor, batch, pace.pause)
    count = f"{len(ours)} moves" + (f"; {note}" if note else "")
    yield from repaint_rows(f"α move → chart repainted, {data}", ours, bare, count)


def repaint_rows(what: str, ours: Sequence[float], bare: Sequence[float], n: str) -> Iterator[Row]:
    """Median, 95th percentile, and the ratio to the bare page, of moves made in turn."""
    median = statistics.median(ours)
    yield Row(what=what, value=median, unit="ms", goal=MEDIAN, note=n)
    yield Row(what=f"{what}, 95th percentile", value=percentile(ours, 0.95), unit="ms", goal=P95)
    yield Row(
        what=f"{what} / a bare Streamlit page",
        value=median / statistics.median(bare),
        unit="×",
        note=f"the bare page: {statistics.median(bare):.3g} ms, 95th percentile {percentile(bare, 0.95):.3g} ms",
    )


def complete(page: Page) -> Page:
    """Wait until all curves are there."""
    page.wait_for_function(COMPLETE, timeout=5 * PATIENCE)
    return page


def watched(page: Page) -> Page:
    """Watch the page's chart from now on."""
    page.evaluate(WATCH)
    return page


def moves(page: Page, n: int, pause: int, *, slider: str = SLIDER) -> Sequence[float]:
    """Milliseconds of n moves of the slider by one step, half of them back."""
    page.bring_to_front()
    first = page.evaluate("window.moves.length")
    for i in range(n):
        page.locator(slider).first.press("ArrowRight" if i < n / 2 else "ArrowLeft")
        page.wait_for_function("n => window.moves.length === n", arg=first + i + 1)
        if pause:
            page.wait_for_timeout(pause)
    return page.evaluate("n => window.moves.slice(n)", first)


def uploaded(browser: Browser, address: str, *, n_queries: int, n_systems: int) -> tuple[Page, float]:
    """A session with uploaded runs on the trade-off page, and the seconds until they were read."""
    page = open_chart(browser, f"{address}/tradeoff")
    with TemporaryDirectory() as folder:
        files = _files(Path(folder), n_queries, n_systems)
        page.get_by_role("link", name="Data", exact=True).first.click()
        start = time.perf_counter()
        page.locator("input[type=file]").first.set_input_files([str(file) for file in files])
        page.wait_for_function(LOADED, arg=n_systems)
        seconds = time.perf_counter() - start
    page.get_by_role("link", name="Trade-off", exact=True).first.click()
    page.wait_for_function(SHOWN)
    return page, seconds


def _files(folder: Path, n_queries: int, n_systems: int) -> list[Path]:
    runs = [random_run(n_queries=n_queries, n_items=100, system=f"system-{i + 1:02}", seed=i) for i in range(n_systems)]
    judged = written(folder / "judged.qrels", partial(write_qrels, random_qrels(runs[0])))
    return [judged] + [written(folder / f"{run.system}.run", partial(write_run, run)) for run in runs]
