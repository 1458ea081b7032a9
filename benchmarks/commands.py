"""How long a command takes on the shipped example, beside the same measures by ir_measures' own command."""

import statistics
import subprocess
import sys
import time
from collections.abc import Iterator

from benchmarks.browser import ROOT
from benchmarks.measuring import REPEATS, Goal, Row

FILES = ("data/demo/bm25.run", "data/demo/usefulness.qrels")
PEER = "ir_measures of nDCG@10 and AP"
COMMANDS = {
    "import fairviz": ("-c", "import fairviz"),
    "fairviz measures": ("-m", "fairviz", "measures"),
    "fairviz evaluate, nDCG@10 and AP": (
        "-m",
        "fairviz",
        "evaluate",
        FILES[0],
        "--qrels",
        FILES[1],
        "-m",
        "nDCG@10, AP",
    ),
    "fairviz evaluate, EED@5 and EER@5": (
        *("-m", "fairviz", "evaluate", "data/demo/samples.alpha-4.run.gz", FILES[0]),
        *("--qrels", FILES[1], "-m", "EED@5, EER@5"),
    ),
    PEER: ("-m", "ir_measures", FILES[1], FILES[0], "nDCG@10", "AP"),
}
"""What is run, in turns."""
GOALS = {"import fairviz": 0.3, "fairviz measures": 0.5, "fairviz evaluate, nDCG@10 and AP": 0.8}
"""Seconds."""


def rows(*, small: bool) -> Iterator[Row]:
    """Median seconds of each, and the ratio of evaluate to its peer."""
    found: dict[str, list[float]] = {what: [] for what in COMMANDS}
    for turn in range(1 if small else REPEATS + 1):
        for what, arguments in COMMANDS.items():
            seconds = _seconds(arguments)
            if turn or small:  # the first fills the caches of the disk
                found[what].append(seconds)
    for what, seconds in found.items():
        goal = Goal(GOALS[what]) if what in GOALS else None
        yield Row(what=what, value=statistics.median(seconds), unit="s", goal=goal)
    ours, peer = found["fairviz evaluate, nDCG@10 and AP"], found[PEER]
    yield Row(
        what="fairviz evaluate / ir_measures",
        value=statistics.median(a / b for a, b in zip(ours, peer, strict=True)),
        unit="×",
        note="with intervals, which the peer has not",
    )


def _seconds(arguments: tuple[str, ...]) -> float:
    command, nowhere = [sys.executable, *arguments], subprocess.DEVNULL
    began = time.perf_counter()
    subprocess.run(command, cwd=ROOT, stdout=nowhere, stderr=nowhere, check=True)
    return time.perf_counter() - began
