"""Experiments from their description: what will be asked, the asking, and the data that come of it."""

from __future__ import annotations  # signatures in the names of types, as people read them

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from fairviz.api.door import frame_of, public, tell
from fairviz.api.files import load
from fairviz.experiments.bill import bill, bill_table, limit
from fairviz.experiments.runner import Experiment as Runner
from fairviz.model import Dataset

if TYPE_CHECKING:
    import pandas as pd


class Experiment:
    """An experiment that was read; nothing is asked or written yet.

    Attributes:
        folder: Where answers are stored and files are written.
    """

    def __init__(self, description: Path, output: Path | None) -> None:
        self._runner = Runner(description, output=output)
        self.folder = self._runner.folder

    @property
    def n_missing(self) -> int:
        """Requests that have no answer yet, as far as they are known."""
        missing = self._runner.missing()
        return 0 if missing is None else missing.n

    def bill(self) -> pd.DataFrame:
        """What will be asked of whom, and what it costs: the table of ``fairviz experiment check``."""
        return frame_of(bill_table(bill(self._runner)))

    def run(self, *, max_calls: int | None = None, max_cost: float | None = None) -> Dataset:
        """Ask what is missing, make every file, and load them: what ``fairviz experiment run`` does.

        Every answer is stored as it comes and never asked again; stop when you like, and run it again.

        Args:
            max_calls: Leave the rest after so many calls.
            max_cost: Leave the rest before it costs more.

        Raises:
            UndefinedError: A limit was reached, or more answers are missing than ``max_failures`` allows; what came is
                stored.
            OutputError: A file cannot be written.
        """
        report = self._runner.run(stop=limit(self._runner, calls=max_calls, cost=max_cost))
        tell(report.notes)
        return load(report.files, name=self._runner.settings.name)


@public
def experiment(description: str | PathLike[str], *, output: str | PathLike[str] | None = None) -> Experiment:
    """Read the description of an experiment: retrieve, sample, generate, attribute and label, from a TOML file.

    Args:
        description: The file; ``data/demo`` of the repository has one of each kind to start from.
        output: Folder to write to; None: the study's name beside its file.

    Returns:
        The experiment: ``bill()``, ``run()``, ``folder``.

    Raises:
        InputError: A file cannot be read, or the description has mistakes: all of them, a line each.
        UsageError: The description names what is not accepted.
    """
    return Experiment(Path(description), None if output is None else Path(output))
