"""An experiment in a process of its own: started, watched, stopped, continued; whoever looks may come and go.

All that is known of it is in its folder: who holds the lock, how many answers the store has, what the log ends with,
whether the manifest fits. A page that is closed and opened again, or another one, sees the same.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from fairviz.display.words import duration, plural
from fairviz.errors import UsageError
from fairviz.experiments.bill import N_PILOT, Bill
from fairviz.experiments.runner import LOCK, STORE
from fairviz.experiments.store import Store
from fairviz.io.manifest import MANIFEST, faults
from fairviz.io.whole import holder
from fairviz.system import OWN_GROUP, OWN_SESSION

Action: TypeAlias = Literal["run", "pilot"]
"""Everything, or a pilot's requests alone."""

LOGS: Mapping[Action, str] = {"run": "run.log", "pilot": "pilot.log"}
"""What the last process printed; a new one removes the log of the other."""

LAST_LINES = 12
"""Of the log, shown."""

STOPPED = "error:"
"""Begins a line of the log that says why a process ended."""


class State(NamedTuple):
    """What is known of an experiment.

    Attributes:
        process: Number of the process that is at work in the folder, None where none is.
        n_stored: Answers that are stored.
        finished: Whether the results are whole.
        log: The last lines that the last process wrote.
        action: What this process does or did; None where there was none.
    """

    process: int | None
    n_stored: int
    finished: bool
    log: tuple[str, ...]
    action: Action | None = None

    @property
    def running(self) -> bool:
        """Whether a process is at work in the folder."""
        return self.process is not None

    @property
    def errors(self) -> tuple[str, ...]:
        """What the log of a process that stopped with an error says; nothing where it did not."""
        return self.log if any(line.startswith(STOPPED) for line in self.log) else ()


def stage(state: State, due: Bill | None) -> tuple[str, str]:
    """Where a study stands: what is known of it, and what to do next.

    Args:
        state: What is known of its folder.
        due: What is still to be asked; None: its description cannot be followed.
    """
    what = state.action or "run"
    if state.running:
        return f"The {what} is under way", "Close the page if you like: it continues. Stopping it loses no answer."
    if due is None:
        return "The description has mistakes", "Correct the keys listed below, then save; nothing was asked."
    if state.finished:
        return "Finished: the results are complete", "Open them on the other pages."
    if state.errors:
        return f"The last {what} stopped with an error", "Read the message below, correct the cause and continue."
    if not due.n_missing:
        return "Every answer is stored", "Start the run: it makes no calls and writes the results."
    title = f"{plural(due.n_missing, 'call')} to make"
    title += f", about {duration(due.seconds)}" if due.seconds is not None else ""
    if not due.n_stored:
        return title, f"Ask a pilot of {N_PILOT} and read the answers before the others are asked."
    stored = plural(state.n_stored, "answer is", "answers are")
    return title, f"Read the answers below, then let the run ask the others. {stored} stored."


def state(folder: Path) -> State:
    """What is known of the experiment in a folder; nothing is changed."""
    process = _process(folder)
    finished = (folder / MANIFEST).exists() and not faults(folder)
    action: Action | None = next((of for of, log in LOGS.items() if (folder / log).exists()), None)
    text = (folder / LOGS[action]).read_text(encoding="utf-8", errors="replace") if action else ""
    log = tuple(line for line in text.splitlines()[-LAST_LINES:] if line.strip())
    return State(process, Store(folder / STORE).n_answers(), finished, log, action)


def start(
    description: Path,
    folder: Path,
    *,
    action: Action = "run",
    keys: Mapping[str, str] | None = None,
) -> None:
    """Start ``fairviz experiment run``, or go on where it was stopped; it outlives whoever started it.

    Args:
        description: The TOML file.
        folder: Where it writes.
        action: Everything, or a pilot's requests alone.
        keys: Environment variables that hold keys of endpoints, beside those that are set.

    Raises:
        UsageError: It is running already.
    """
    if _process(folder) is not None:
        raise UsageError(f"{folder}: it is running already; stop it first, or wait for it")
    folder.mkdir(parents=True, exist_ok=True)
    if action == "run":  # the old results do not stand for the new run while it is under way
        with suppress(FileNotFoundError):
            (folder / MANIFEST).unlink()
    what = ["run"] if action == "run" else ["ask", "--pilot"]
    command = [sys.executable, "-m", "fairviz", "experiment", *what, str(description), "--output", str(folder)]
    for log in LOGS.values():
        (folder / log).unlink(missing_ok=True)
    with (folder / LOGS[action]).open("wb") as log:
        _CHILDREN[folder] = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env={**os.environ, **(keys or {})},
            start_new_session=OWN_SESSION,
            creationflags=OWN_GROUP,
        )


_CHILDREN: dict[Path, subprocess.Popen[bytes]] = {}
"""Runs that this process started and has not seen end, by folder."""


def _process(folder: Path) -> int | None:
    """Who is at work in a folder, or will be in a moment."""
    for place, child in list(_CHILDREN.items()):
        if child.poll() is not None:
            del _CHILDREN[place]
    at_work = holder(folder / LOCK)
    return _CHILDREN[folder].pid if at_work is None and folder in _CHILDREN else at_work


PATIENCE = 10.0
"""Seconds until a process that was asked to stop is no longer waited for."""


def stop(folder: Path) -> bool:
    """End the run; answers that came are stored.

    It is terminated, not interrupted: a server that was started in the background hands an ignored Ctrl-C on.

    Returns:
        Whether it has stopped.
    """
    process = _process(folder)
    if process is None:
        return True
    with suppress(OSError):  # it has ended meanwhile
        os.kill(process, signal.SIGTERM)
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if _process(folder) is None:
            return True
        time.sleep(0.05)
    return False
