"""What the Trade-off page says in its title, for EE-R on the y axis."""

import numpy as np

from fairviz.report.findings import Finding, saving_finding, turning_note, undefined_finding
from pages._shared import plural
from pages._tradeoff_curves import Shown, Statistics
from pages._tradeoff_settings import Settings


def headline(shown: Shown, found: Statistics | None, chosen: Settings) -> Finding:
    """Today's finding; before the curves are complete, only what is being done."""
    if not shown.main.defined.any():
        return undefined_finding()
    if found is None:
        return Finding("Computing the curves", "Exact exposure, coarse to fine; move α meanwhile.")
    n_queries = len(shown.main.query_ids) - int(shown.main.n_undefined.max(initial=0))
    drawn = [shown.view.line, *shown.view.references]
    reach = max(
        (float(line.y.max()) for line in drawn if line.policy not in ("oracle", "uniform")),
        default=float("nan"),
    )
    finding = saving_finding(found.saving, gain=chosen.gain, reach=reach, n_queries=n_queries)
    if chosen.offset:
        return finding
    line, first = shown.view.line, found.areas[0]
    turns = turning_note(line.x.tolist(), line.alphas.tolist(), first.low, first.high)
    return finding._replace(sentence=f"{finding.sentence} {turns}".strip())


def why_undefined(shown: Shown, k: int) -> str:
    """How many queries lack what a trade-off needs, and of which kind."""
    pools = shown.pools
    ranked = pools.n_retrieved > 0
    small = int((ranked & (pools.sizes <= k)).sum())
    parts = [f"{plural(len(pools.query_ids), 'judged query', 'judged queries')}"]
    if missing := int((~ranked).sum()):
        parts.append(f"{missing} not in the run")
    if small:
        parts.append(f"{small} with no more than {k} items in the pool: try a smaller k")
    if alike := int(np.sum(ranked)) - small:
        parts.append(f"{alike} whose items are all equally useful")
    return " · ".join(parts)
