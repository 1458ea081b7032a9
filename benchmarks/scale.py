"""How cost grows as work grows tenfold and a hundredfold: queries, documents, k, samples, groups; with its chart.

``python -m benchmarks.scale docs/scale.svg`` measures and draws.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np
import plotly.graph_objects as go

from benchmarks.material import random_qrels, random_run
from benchmarks.measuring import Row, interleaved, ratio, shown
from fairviz.display.paper import printed
from fairviz.display.theme import LIGHT, SMALL_SIZE, Palette, axis, base_layout, y_title
from fairviz.evaluation.evaluate import evaluate
from fairviz.io.whole import write_whole
from fairviz.kernels.attention import TopK
from fairviz.kernels.pool import pool
from fairviz.metrics.catalogue import parse_measures
from fairviz.model import GroupLabels
from fairviz.policies import PlackettLuce

FACTORS = (1, 10, 100)
ALPHA = 2.0
REPEATS = 3
MEASURED = "nDCG@10, AP, EED@5, EER@5"

Task = Callable[[], object]


def rows(*, small: bool) -> Iterator[Row]:
    """Of each kind of work: time at 10 and 100 times the size, over that at the base."""
    for (what, factor), (value, note) in measured(small=small).items():
        yield Row(what=f"{what} × {factor}", value=value, unit="×", note=note)


def measured(*, small: bool) -> dict[tuple[str, int], tuple[float, str]]:
    """(work, factor) -> its time over that of the base, and the time in words."""
    found: dict[tuple[str, int], tuple[float, str]] = {}
    for what, task in WORK.items():
        factors = FACTORS[:2] if small else FACTORS
        seconds = interleaved(*map(task, factors), repeats=1 if small else REPEATS)
        for factor, own in zip(factors, seconds, strict=True):
            found[what, factor] = ratio(own, seconds[0]), shown(own)
    return found


def _queries(factor: int) -> Task:
    """Measures of 100 queries × 100 documents, and of more queries."""
    return _evaluated(n_queries=100 * factor, n_items=100)


def _documents(factor: int) -> Task:
    """Measures of 100 queries × 20 documents, and of more documents for each."""
    return _evaluated(n_queries=100, n_items=20 * factor)


def _evaluated(*, n_queries: int, n_items: int) -> Task:
    run = random_run(n_queries=n_queries, n_items=n_items)
    qrels, measures = random_qrels(run), parse_measures([MEASURED])
    return lambda: evaluate([run], measures, qrels=[qrels])


def _depth(factor: int) -> Task:
    """Exact exposure of 20 queries × 200 documents at k = 1, and deeper."""
    run = random_run(n_queries=20, n_items=200)
    pools = pool(run, random_qrels(run))
    return lambda: PlackettLuce(ALPHA).exposure(pools, TopK(factor))


def _samples(factor: int) -> Task:
    """EE-D and EE-R of 100 queries × 10 sampled rankings of 100 documents, and of more samples."""
    run = random_run(n_queries=100, n_items=100)
    drawn = PlackettLuce(ALPHA).sample(run, depth=100, n_samples=10 * factor, rng=np.random.default_rng(0))
    qrels, measures = random_qrels(run), parse_measures(["EED@5, EER@5"])
    return lambda: evaluate([drawn], measures, qrels=[qrels])


def _groups(factor: int) -> Task:
    """AWRF and nDKL of 100 queries × 100 documents of 2 groups, and of more groups."""
    from scipy.sparse import csr_array

    run = random_run(n_queries=100, n_items=100)
    n_groups, n_docs = 2 * factor, len(run.doc_ids)
    member = np.random.default_rng(0).integers(0, n_groups, n_docs)
    labels = GroupLabels(
        attribute="side",
        groups=tuple(f"g{i}" for i in range(n_groups)),
        doc_ids=run.doc_ids,
        weights=csr_array((np.ones(n_docs), (np.arange(n_docs), member)), shape=(n_docs, n_groups)),
    )
    measures = parse_measures(["AWRF, nDKL"])
    return lambda: evaluate([run], measures, labels=labels, target="uniform")


WORK: Mapping[str, Callable[[int], Task]] = {
    "queries": _queries,
    "documents": _documents,
    "k": _depth,
    "samples": _samples,
    "groups": _groups,
}


def growth_figure(found: Mapping[tuple[str, int], tuple[float, str]], *, colours: Palette) -> go.Figure:
    """Time over that of the base, on logarithmic axes; the guide is time that grows as the work does."""
    figure = go.Figure()
    guide = {"color": colours.faint, "width": 1, "dash": "dot"}
    figure.add_scatter(x=FACTORS, y=FACTORS, mode="lines", line=guide, name="as the work", hoverinfo="skip")
    ends = {what: found[what, FACTORS[-1]][0] for what in WORK}
    for what, colour in zip(WORK, colours.groups, strict=False):
        values = [found[what, factor][0] for factor in FACTORS]
        figure.add_scatter(x=FACTORS, y=values, mode="lines+markers", line={"color": colour, "width": 2}, name=what)
    places = apart([float(np.log10(value)) for value in ends.values()])
    for (what, value), place in zip(ends.items(), places, strict=True):
        figure.add_annotation(
            x=2,
            y=place,
            text=f"{what} ×{value:.3g}",
            showarrow=False,
            xanchor="left",
            xshift=8,
            font={"color": colours.ink, "size": SMALL_SIZE},
        )
    top = max(2.0, *places) + 0.15
    ticks = {"tickvals": list(FACTORS), "ticktext": [f"×{factor}" for factor in FACTORS]}
    figure.update_layout(
        **base_layout(colours, height=300, margin={"r": 110}),
        xaxis=axis(colours, title="work", bounds=(-0.05, 2.05), type="log", **ticks),
        yaxis=axis(colours, bounds=(-0.2, top), type="log", **ticks),
        annotations=[*figure.layout.annotations, y_title(colours, "time")],
    )
    return figure


GAP = 0.17
"""Powers of ten that the names of two lines are apart at least."""


def apart(heights: list[float]) -> list[float]:
    """The heights, moved up where a name would stand on another.

    Examples:
        >>> apart([1.0, 1.0, 2.0])
        [1.0, 1.17, 2.0]
    """
    placed: dict[int, float] = {}
    last = -np.inf
    for i in sorted(range(len(heights)), key=heights.__getitem__):
        last = placed[i] = max(heights[i], last + GAP)
    return [float(placed[i]) for i in range(len(heights))]


def main(file: str) -> None:
    """Measure, print, draw."""
    found = measured(small=False)
    for (what, factor), (value, note) in found.items():
        print(f"{what} × {factor}: {value:.3g} × the time ({note})")
    chart = growth_figure(found, colours=LIGHT)
    write_whole(Path(file), *printed(chart, "svg"))


if __name__ == "__main__":
    main(sys.argv[1])
