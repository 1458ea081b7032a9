"""From a move of a target share to the chart of shares repainted: *Groups & targets*."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page

from benchmarks.browser import bare_page, chromium, dashboard, open_chart, open_page
from benchmarks.groups import random_labels
from benchmarks.material import random_qrels, random_run, written
from benchmarks.measuring import Row
from benchmarks.move import LOADED, ONCE, PACE, Pace, moves, repaint_rows, watched
from fairviz.io.groups import write_groups
from fairviz.io.qrels import write_qrels
from fairviz.io.rankings import write_run

WATCH = """() => {
  const rowTexts = () => [...document.querySelectorAll('.fv-target-row')].map(row => row.textContent).join();
  window.moves = [];
  document.addEventListener('keydown', () => {
    const start = performance.now(), before = rowTexts();
    const look = () => {
      const now = rowTexts();
      if (!now || now === before) requestAnimationFrame(look);
      else requestAnimationFrame(() => window.moves.push(performance.now() - start));
    };
    requestAnimationFrame(look);
  }, true);
}"""
"""Milliseconds from each key press to the second frame after the rows say what the server says of the new target."""

TARGET = ".fv-target-row input[type=range]"

COMPLETE = """() => document.querySelector('.fv-target-row input[type=range]')
  && document.querySelector('[data-testid=stApp]')
    .getAttribute('data-test-script-state') === 'notRunning'"""


def rows(*, small: bool) -> Iterator[Row]:
    """Median and 95th percentile per data set, and the ratio to a bare Streamlit page."""
    pace = ONCE if small else PACE
    n_queries, n_systems = (20, 2) if small else (1000, 12)
    with chromium() as browser, dashboard() as address, bare_page() as bare:
        floor = watched(open_chart(browser, bare))
        example = _watched(open_page(browser, f"{address}/groups"))
        yield from _of(example, floor, pace, "the example")
        page = _uploaded(browser, address, n_queries=n_queries, n_systems=n_systems)
        yield from _of(page, floor, pace, f"{n_queries:,} queries × {n_systems} systems")


def _of(page: Page, floor: Page, pace: Pace, data: str) -> Iterator[Row]:
    ours: list[float] = []
    bare: list[float] = []
    _moves(page, pace.unmeasured, pace.pause)
    moves(floor, pace.unmeasured, pace.pause)
    while len(ours) < pace.moves:
        batch = min(pace.batch, pace.moves)
        ours += _moves(page, batch, pace.pause)
        bare += moves(floor, batch, pace.pause)
    what = f"target move → rows repainted, {data}"
    yield from repaint_rows(what, ours, bare, f"{len(ours)} moves")


def _moves(page: Page, n: int, pause: int) -> Sequence[float]:
    """As :func:`moves`, with the rest of the page standing before each move."""
    found: list[float] = []
    page.bring_to_front()  # a page behind another draws no frames
    while len(found) < n:
        page.wait_for_function(COMPLETE)
        found += moves(page, min(2, n), pause, slider=TARGET)
    return found


def _watched(page: Page) -> Page:
    page.wait_for_function(COMPLETE, timeout=300_000)
    page.evaluate(WATCH)
    return page


def _uploaded(browser: Browser, address: str, *, n_queries: int, n_systems: int) -> Page:
    """A browser session with uploaded runs, judgements and groups, at *Groups & targets*."""
    page = open_chart(browser, f"{address}/tradeoff")
    runs = [random_run(n_queries=n_queries, n_items=100, system=f"system-{i + 1:02}", seed=i) for i in range(n_systems)]
    with TemporaryDirectory() as name:
        folder = Path(name)
        files = [
            written(folder / "judged.qrels", partial(write_qrels, random_qrels(runs[0]))),
            written(folder / "groups.tsv", partial(write_groups, random_labels(runs[0]))),
            *(written(folder / f"{run.system}.run", partial(write_run, run)) for run in runs),
        ]
        page.get_by_role("link", name="Data", exact=True).first.click()
        page.locator("input[type=file]").first.set_input_files([str(file) for file in files])
        page.wait_for_function(LOADED, arg=n_systems)
    page.get_by_role("link", name="Groups & targets", exact=True).first.click()
    return _watched(page)
