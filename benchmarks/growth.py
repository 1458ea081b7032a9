"""How the cost of exact exposure grows with queries, pool size and k."""

from collections.abc import Callable, Iterator

from benchmarks.material import random_qrels, random_run
from benchmarks.measuring import Row, interleaved, ratio, shown
from fairviz.kernels.attention import TopK
from fairviz.kernels.pool import pool
from fairviz.model import Exposure
from fairviz.policies import PlackettLuce

ALPHA = 2.0
BASE = (1000, 100, 5)
QUERIES = (250, 500, 2000, 4000)
ITEMS = (25, 50, 200, 400)
DEPTHS = (1, 2, 10, 20, 50)
REPEATS = 3


def rows(*, small: bool) -> Iterator[Row]:
    """Ratio of each size to the base of 1,000 queries × 100 items at k = 5."""
    scale = 50 if small else 1
    sizes = [BASE, *((q, *BASE[1:]) for q in QUERIES), *((BASE[0], n, BASE[2]) for n in ITEMS)]
    sizes += [(*BASE[:2], k) for k in DEPTHS]
    tasks = [_task(q // scale, n, k) for q, n, k in sizes]
    seconds = interleaved(*tasks, repeats=1 if small else REPEATS)
    yield Row(
        what="exact exposure, 1,000 queries × 100 items, k = 5, α = 2: the base",
        value=1.0,
        unit="×",
        note=shown(seconds[0]),
    )
    for (q, n, k), own in zip(sizes[1:], seconds[1:], strict=True):
        changed = [
            f"{name} × {now / before:g}"
            for name, now, before in zip(("queries", "pool size", "k"), (q, n, k), BASE, strict=True)
            if now != before
        ]
        yield Row(
            what=f"{q:,} queries × {n} items, k = {k} ({changed[0]})",
            value=ratio(own, seconds[0]),
            unit="×",
            note=shown(own),
        )


def _task(n_queries: int, n_items: int, k: int) -> Callable[[], Exposure]:
    run = random_run(n_queries=n_queries, n_items=n_items)
    pools = pool(run, random_qrels(run))
    return lambda: PlackettLuce(ALPHA).exposure(pools, TopK(k))
