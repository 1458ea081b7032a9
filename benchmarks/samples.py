"""A multi-sample run of 10 million lines: read, checked, and EE-D, EE-R, EE-L of it."""

import json
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.material import random_qrels, random_run, written
from benchmarks.measuring import Goal, Row, timed
from fairviz.evaluation.evaluate import evaluate
from fairviz.io.qrels import write_qrels
from fairviz.io.trec import write_samples
from fairviz.metrics.spec import parse_measures
from fairviz.model import Qrels, RankingSample
from fairviz.policies import PlackettLuce

MEASURES = ["EED@5", "EER@5", "EEL@5"]
REPEATS = 3


def rows(*, small: bool) -> Iterator[Row]:
    """Seconds and peak memory of the command, and its ratio to merely splitting the lines."""
    n_queries, n_items, n_samples = (5, 20, 10) if small else (1000, 100, 100)
    run = random_run(n_queries=n_queries, n_items=n_items)
    qrels = random_qrels(run)
    sample = PlackettLuce(2.0).sample(run, depth=n_items, n_samples=n_samples, rng=np.random.default_rng(0))
    with TemporaryDirectory() as folder:
        place = Path(folder)
        drawn = written(place / "drawn.run", partial(write_samples, sample))
        judged = written(place / "judged.qrels", partial(write_qrels, qrels))
        measures = [word for measure in MEASURES for word in ("-m", measure)]
        options = ["--multi-sample", "--qrels", str(judged), "--format", "json", *measures]
        command = [sys.executable, "-m", "fairviz", "evaluate", str(drawn), *options]
        once = timed(command, drawn, separator=None, repeats=1 if small else REPEATS, folder=place)
        size = f"{sample.docs.size:,} lines, {drawn.stat().st_size / 1e6:,.0f} MB"
    yield Row(
        what="multi-sample run: read, checked, EE-D, EE-R, EE-L (whole command)",
        value=once.seconds,
        unit="s",
        goal=Goal(6),
        note=f"{size}; {once.busy:.2g} s of processor time",
    )
    yield Row(
        what="the same / a Python loop that splits every line",
        value=once.ratio,
        unit="×",
        note=f"the loop: {once.loop:.3g} s",
    )
    yield Row(what="its peak memory", value=once.peak / 1e9, unit="GB", goal=Goal(2.5))
    yield Row(
        what="largest difference to the samples in memory",
        value=_difference(once.printed, sample, qrels),
        unit="",
        goal=Goal(1e-9),
    )


def _difference(printed: str, sample: RankingSample, qrels: Qrels) -> float:
    values: Sequence[float] = [row["value"] for row in json.loads(printed)["results"]]
    found = evaluate([sample], parse_measures(MEASURES), qrels=[qrels])
    wanted = [scores.value for scores in found.scores]
    return float(np.abs(np.array(values) - wanted).max())
