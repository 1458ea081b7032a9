"""The folder in which the dashboard keeps experiments, and the process that works on one: started, watched, stopped.

There is a folder each, with description, material and results. Nothing in it is special to the dashboard: ``fairviz
experiment run FOLDER/study.toml`` goes on where it was left. All that is known of a run is in its folder: who holds the
lock, how many answers the store has, what the log ends with, whether the manifest fits. A page that is closed and
opened again, or another one, sees the same.
"""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from fairviz.display.words import plural
from fairviz.errors import InputError, UsageError
from fairviz.experiments.bill import N_PILOT, Bill
from fairviz.experiments.runner import LOCK, STORE
from fairviz.experiments.store import Store
from fairviz.io.manifest import MANIFEST, faults
from fairviz.io.whole import holder, write_whole
from fairviz.resources import content, data_folder, example_folder
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
    if not due.n_stored:
        return due.title, f"Ask a pilot of {N_PILOT} and read the answers before the others are asked."
    stored = plural(state.n_stored, "answer is", "answers are")
    return due.title, f"Read the answers below, then let the run ask the others. {stored} stored."


def state(folder: Path) -> State:
    """What is known of the experiment in a folder; nothing is changed."""
    process = _process(folder)
    finished = (folder / MANIFEST).exists() and not faults(folder)
    action: Action | None = next((of for of, log in LOGS.items() if (folder / log).exists()), None)
    text = (folder / LOGS[action]).read_text(encoding="utf-8", errors="replace") if action else ""
    log = tuple(line for line in text.splitlines()[-LAST_LINES:] if line.strip())
    return State(process, Store(folder / STORE).n_answers(), finished, log, action)


_CHILDREN: dict[Path, subprocess.Popen[bytes]] = {}
"""Runs that this process started and has not seen end, by folder."""


def _process(folder: Path) -> int | None:
    """Who is at work in a folder, or will be in a moment."""
    for study_folder, child in list(_CHILDREN.items()):
        if child.poll() is not None:
            del _CHILDREN[study_folder]
    at_work = holder(folder / LOCK)
    return _CHILDREN[folder].pid if at_work is None and folder in _CHILDREN else at_work


PATIENCE = 10.0
"""Seconds until a process that was asked to stop is no longer waited for."""


# Studies, a folder each.


PLACE = "FAIRVIZ_STUDIES"
"""Environment variable that names the folder; unset: ``fairviz-studies`` in the home folder."""

DESCRIPTION = "study.toml"
RESULTS = "results"

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
"""Of a study: a folder's name on every system."""

FILE = re.compile(r"[^/\\\x00-\x1f]{1,120}")


def studies_folder() -> Path:
    """Where studies are."""
    return Path(os.environ.get(PLACE) or Path.home() / "fairviz-studies")


class KeptStudy(NamedTuple):
    """One study.

    Attributes:
        name: Of its folder.
        folder: Where it is.
    """

    name: str
    folder: Path

    @property
    def description(self) -> Path:
        """The TOML file."""
        return self.folder / DESCRIPTION

    @property
    def results(self) -> Path:
        """Where its answers and results are."""
        return self.folder / RESULTS

    @property
    def state(self) -> State:
        """How far it is; results of a description or material that was changed since are not finished."""
        results_state = state(self.results)
        if not results_state.finished:
            return results_state
        made = (self.results / MANIFEST).stat().st_mtime_ns
        own = (self.description, *(self.folder / name for name in self.material()))
        return results_state._replace(finished=all(path.stat().st_mtime_ns <= made for path in own))

    def start(self, action: Action = "run", *, keys: Mapping[str, str] | None = None) -> None:
        """Start ``fairviz experiment run``, or go on where it was stopped; it outlives whoever started it.

        Args:
            action: Everything, or a pilot's requests alone.
            keys: Environment variables that hold keys of endpoints, beside those that are set.

        Raises:
            UsageError: It is running already.
        """
        folder = self.results
        if _process(folder) is not None:
            raise UsageError(f"{folder}: it is running already; stop it first, or wait for it")
        folder.mkdir(parents=True, exist_ok=True)
        if action == "run":  # the old results do not stand for the new run while it is under way
            (folder / MANIFEST).unlink(missing_ok=True)
        what = ["run"] if action == "run" else ["ask", "--pilot"]
        files = [str(self.description), "--output", str(folder)]
        for log in LOGS.values():
            (folder / log).unlink(missing_ok=True)
        with (folder / LOGS[action]).open("wb") as log:
            _CHILDREN[folder] = subprocess.Popen(
                [sys.executable, "-m", "fairviz", "experiment", *what, *files],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **(keys or {})},
                start_new_session=OWN_SESSION,
                creationflags=OWN_GROUP,
            )

    def stop(self) -> bool:
        """End the run; answers that came are stored.

        It is terminated, not interrupted: a server that was started in the background hands an ignored Ctrl-C on.

        Returns:
            Whether it has stopped.
        """
        process = _process(self.results)
        if process is None:
            return True
        with suppress(OSError):  # it has ended meanwhile
            os.kill(process, signal.SIGTERM)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if _process(self.results) is None:
                return True
            time.sleep(0.05)
        return False

    def text(self) -> str:
        """The description as it is written.

        Raises:
            InputError: It cannot be read.
        """
        try:
            return self.description.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"cannot be read ({error})", file=str(self.description)) from error

    def material(self) -> tuple[str, ...]:
        """Names of the files beside the description."""
        return tuple(sorted(path.name for path in self.folder.iterdir() if path.is_file() and path.name != DESCRIPTION))


def studies() -> list[KeptStudy]:
    """All studies, by name."""
    folder = studies_folder()
    if not folder.is_dir():
        return []
    return [KeptStudy(path.name, path) for path in sorted(folder.iterdir()) if (path / DESCRIPTION).is_file()]


def make_study(name: str, description: str, material: Mapping[str, bytes]) -> KeptStudy:
    """A new study.

    Args:
        name: Letters, digits, dots, hyphens and underscores.
        description: The TOML text.
        material: Files that it names.

    Raises:
        UsageError: The name is none, or taken.
        OutputError: A file cannot be written.
    """
    if not NAME.fullmatch(name):
        raise UsageError("a study's name is up to 64 letters (a–z), digits, dots, hyphens and underscores")
    study = KeptStudy(name, studies_folder() / name)
    if study.folder.exists():
        raise UsageError(f"a study called {name} is there already: choose another name, or open it")
    study.folder.mkdir(parents=True)
    add_material(study, material)
    write_whole(study.description, description.encode())
    return study


def add_material(study: KeptStudy, material: Mapping[str, bytes]) -> None:
    """Write files beside the description; one of the same name is replaced.

    Raises:
        UsageError: A name is that of the description, or none of a file in one folder.
    """
    for file in material:
        if file in (DESCRIPTION, RESULTS) or file.startswith(".") or not FILE.fullmatch(file):
            raise UsageError(f"a file cannot be called {file!r} here; rename it")
    for file, body in material.items():
        write_whole(study.folder / file, body)


TEMPLATES: Mapping[str, Mapping[str, Any]] = content("experiments")["templates"]
"""A study of each kind to start from: its title, and its material in the folder of the shipped example."""


def template_of(kind: str) -> tuple[str, dict[str, bytes]]:
    """Description and material of a template; every file stands beside the description."""
    example = example_folder()
    description = (data_folder("studies") / f"{kind}.toml").read_text(encoding="utf-8")
    return description, {Path(file).name: (example / file).read_bytes() for file in TEMPLATES[kind]["material"]}


ANSWERERS = re.compile(r"\[\[?\s*(?:generator|open)\b")
TABLE = re.compile(r"\s*\[")


def with_generators(description: str, generators: Iterable[str]) -> str:
    """A description that asks others: its tables of generators replaced by these.

    Open questions name who answers them; they are left out with it.

    Args:
        description: The TOML text.
        generators: Tables ``[[generator]]`` as texts.
    """
    kept: list[str] = []
    inside = False
    for line in description.splitlines():
        if TABLE.match(line):
            inside = bool(ANSWERERS.match(line.strip()))
        if not inside:
            kept.append(line)
    return "\n".join(kept).rstrip() + "\n\n" + "\n\n".join(table.strip() for table in generators) + "\n"
