"""What every benchmark needs: rows with goals, interleaved timing, a child's time and memory."""

import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

REPEATS = 5
"""Rounds of a timing; the median is reported."""


class Goal(NamedTuple):
    """What DESIGN 6 asks of a figure."""

    limit: float
    at_least: bool = False

    def met_by(self, value: float) -> bool:
        """Whether a figure is on the right side; NaN never is."""
        return value >= self.limit if self.at_least else value <= self.limit

    def __str__(self) -> str:
        return f"{'≥' if self.at_least else '≤'} {self.limit:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One measured figure.

    Attributes:
        what: What was measured.
        value: The figure.
        unit: "×", "s", "ms", "GB" or "" (a plain number).
        goal: What is asked of it, if anything.
        note: What stands behind the figure: absolute times of a ratio, sizes.
    """

    what: str
    value: float
    unit: str
    goal: Goal | None = None
    note: str = ""

    @property
    def verdict(self) -> str:
        """Whether the goal is met or missed, in a word; empty without a goal."""
        if self.goal is None:
            return ""
        return "met" if self.goal.met_by(self.value) else "missed"


def interleaved(*tasks: Callable[[], object], repeats: int = REPEATS) -> list[list[float]]:
    """Seconds of every task in every round; rounds alternate, so that load falls on all alike.

    Each task runs once before, unmeasured, to warm caches.
    """
    for task in tasks:
        task()
    seconds: list[list[float]] = [[] for _ in tasks]
    for _ in range(repeats):
        for task, own in zip(tasks, seconds, strict=True):
            start = time.perf_counter()
            task()
            own.append(time.perf_counter() - start)
    return seconds


def ratio(seconds: Sequence[float], base: Sequence[float]) -> float:
    """Median over the rounds of one task's time divided by another's in the same round."""
    return statistics.median(a / b for a, b in zip(seconds, base, strict=True))


def shown(seconds: Sequence[float]) -> str:
    """The median, in a unit that reads well."""
    median = statistics.median(seconds)
    scale, unit = (1, "s") if median >= 1 else (1e3, "ms") if median >= 1e-3 else (1e6, "µs")
    return f"{median * scale:.3g} {unit}"


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least ``share`` of all do not pass."""
    ordered = sorted(values)
    return ordered[max(0, -(-int(share * 100) * len(ordered) // 100) - 1)]


class Child(NamedTuple):
    """A finished child process.

    Attributes:
        seconds: On the wall.
        busy: Of all its threads on the processor: hardly changed by what else runs.
        peak: Memory in bytes.
        printed: Its standard output.
    """

    seconds: float
    busy: float
    peak: int
    printed: str


# A process starts with its parent's peak, so that a small one has to stand between.
BETWEEN = """
import json, resource, subprocess, sys, time
start = time.perf_counter()
code = subprocess.call(sys.argv[2:])
seconds = time.perf_counter() - start
used = resource.getrusage(resource.RUSAGE_CHILDREN)
peak = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
with open(sys.argv[1], "w") as file:
    json.dump([seconds, used.ru_utime + used.ru_stime, peak], file)
sys.exit(code)
"""


def child(command: Sequence[str], *, folder: Path) -> Child:
    """Run a command to its end, with modules compiled as those of an installed package are: the first run does that.

    Args:
        command: The program and its arguments.
        folder: Where its figures may be left for a moment, and its compiled modules for the next run.

    Raises:
        RuntimeError: If it fails; the text ends with what it wrote on standard error.
    """
    figures = folder / "child.json"
    compiled = os.environ | {"PYTHONPYCACHEPREFIX": str(folder / "compiled"), "PYTHONDONTWRITEBYTECODE": ""}
    between = [sys.executable, "-c", BETWEEN, str(figures), *command]
    ended = subprocess.run(between, capture_output=True, text=True, env=compiled)
    if ended.returncode:
        raise RuntimeError(f"{' '.join(command)} failed: {ended.stderr[-2000:]}")
    seconds, busy, peak = json.loads(figures.read_text())
    return Child(seconds, busy, peak, ended.stdout)


def machine() -> dict[str, str | int | float]:
    """Where the figures were measured."""
    load = os.getloadavg()[0]
    return {
        "cores": os.cpu_count() or 1,
        "processor": platform.machine(),
        "system": platform.system(),
        "python": platform.python_version(),
        "load at start": round(load, 2),
    }


class Timed(NamedTuple):
    """A command that reads a large file, run a few times, beside a loop that splits its lines.

    Attributes:
        seconds: Of the command, the median.
        ratio: To the loop, the median of the pairs.
        busy: Processor time of the command, the median.
        peak: Largest memory in bytes.
        loop: Seconds of the loop, the median.
        printed: What the command printed first.
    """

    seconds: float
    ratio: float
    busy: float
    peak: int
    loop: float
    printed: str


def timed(command: Sequence[str], file: Path, *, separator: str | None, repeats: int, folder: Path) -> Timed:
    """Run a command and the loop in turn; ``separator`` as in ``str.split``."""
    runs: list[Child] = []
    loops: list[float] = []
    for _ in range(repeats):
        runs.append(child(command, folder=folder))
        start = time.perf_counter()
        with file.open(encoding="utf-8") as lines:
            for line in lines:
                line.split(separator)
        loops.append(time.perf_counter() - start)
    return Timed(
        seconds=statistics.median(one.seconds for one in runs),
        ratio=statistics.median(a.seconds / b for a, b in zip(runs, loops, strict=True)),
        busy=statistics.median(one.busy for one in runs),
        peak=max(one.peak for one in runs),
        loop=statistics.median(loops),
        printed=runs[0].printed,
    )
