"""From a click on *Social bias* to its first table repainted: the example, and an upload."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from playwright.sync_api import Browser, Page

from benchmarks.bias import simulated_items
from benchmarks.browser import bare_page, chromium, dashboard, open_chart
from benchmarks.material import written
from benchmarks.measuring import Row
from benchmarks.move import ONCE, PACE, Pace, moves, repaint_rows, watched
from fairviz.io.bbq import write_bias_items
from fairviz.model import BiasItems

UPLOAD = {"Age": 3680, "Gender_identity": 5672, "Religion": 1200, "Sexual_orientation": 864}
"""Items of four categories of BBQ: 11,416."""

MODELS = ("one", "two", "three")
CONTEXTS = ("gives the answer", "does not say")

STANDS = """() => document.querySelector('[data-testid=stMain] table')
  && document.querySelector('[data-testid=stApp]')
    .getAttribute('data-test-script-state') === 'notRunning'"""
READ = """() => {
  const loaded = document.querySelector('[data-testid=stSidebar]').innerText;
  return loaded.includes('bias questions') && loaded.includes('Your files');
}"""

WATCH = """() => {
  const shown = () => document.querySelector('[data-testid=stMain] table')?.innerText;
  window.moves = [];
  document.addEventListener('click', () => {
    const start = performance.now(), before = shown();
    const look = () => {
      const now = shown();
      if (now === undefined || now === before) requestAnimationFrame(look);
      else requestAnimationFrame(() => window.moves.push(performance.now() - start));
    };
    requestAnimationFrame(look);
  }, true);
}"""
"""Milliseconds from each click to the second frame after the first table has changed."""


def rows(*, small: bool) -> Iterator[Row]:
    """Median and 95th percentile per data set, and the ratio to a bare Streamlit page."""
    pace = ONCE if small else PACE._replace(moves=PACE.moves // 2)
    with chromium() as browser, dashboard() as address, bare_page() as bare:
        floor = watched(open_chart(browser, bare))
        example = _watched(open_chart(browser, f"{address}/social_bias"))
        yield from _of(example, floor, pace, "the example")
        page = _uploaded(browser, address, 0.02 if small else 1.0)
        yield from _of(page, floor, pace, "11,416 items × 3 models")


def _of(page: Page, floor: Page, pace: Pace, data: str) -> Iterator[Row]:
    ours: list[float] = []
    bare: list[float] = []
    _clicks(page, pace.unmeasured, pace.pause)
    moves(floor, pace.unmeasured, pace.pause)
    while len(ours) < pace.moves:
        batch = min(pace.batch, pace.moves)
        ours += _clicks(page, batch, pace.pause)
        bare += moves(floor, batch, pace.pause)
    what = f"Social bias: click → table repainted, {data}"
    yield from repaint_rows(what, ours, bare, f"{len(ours)} clicks")


def _clicks(page: Page, n: int, pause: int) -> Sequence[float]:
    """Milliseconds of n switches between contexts that give the answer and contexts that do not."""
    page.bring_to_front()  # a page behind another draws no frames
    first = page.evaluate("window.moves.length")
    for i in range(n):
        page.wait_for_function(STANDS)
        if pause:
            page.wait_for_timeout(pause)
        page.get_by_role("radio", name=CONTEXTS[i % 2], exact=True).first.click()
        page.wait_for_function("n => window.moves.length === n", arg=first + i + 1)
    return page.evaluate("n => window.moves.slice(n)", first)


def _watched(page: Page) -> Page:
    page.wait_for_function(STANDS)
    page.evaluate(WATCH)
    return page


def _uploaded(browser: Browser, address: str, share: float) -> Page:
    """A browser session with uploaded questions and the answers of three models, at Social bias."""
    page = open_chart(browser, f"{address}/tradeoff")
    items = simulated_items({name: max(8, int(n * share)) for name, n in UPLOAD.items()})
    with TemporaryDirectory() as name:
        folder = Path(name)
        questions = written(folder / "items.csv", partial(write_bias_items, items))
        answers = folder / "answers.csv"
        answers.write_text(_answers(items), encoding="utf-8")
        page.get_by_role("link", name="Data", exact=True).first.click()
        page.locator("input[type=file]").first.set_input_files([str(questions), str(answers)])
        page.wait_for_function(READ)
    page.get_by_role("link", name="Social bias", exact=True).first.click()
    page.wait_for_function("() => document.body.innerText.toLowerCase().includes('your files')")
    return _watched(page)


def _answers(items: BiasItems) -> str:
    rng = np.random.default_rng(0)
    lines = ["model,category,example_id,pred"]
    for model in MODELS:
        picks: list[int] = rng.choice([0, 1, 2, 2], size=len(items)).tolist()
        lines += [
            f"{model},{category},{ident},{pick}"
            for (category, ident), pick in zip(items.frame.select("category", "id").iter_rows(), picks, strict=True)
        ]
    return "\n".join(lines) + "\n"
