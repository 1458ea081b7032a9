"""Commands that a bundle names give its numbers."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from fairviz.evaluate.evaluate import evaluate
from fairviz.groups import Preset
from fairviz.io.dataset import read_example
from fairviz.metrics.spec import parse_measures
from fairviz.model import Dataset
from fairviz.resources import example_folder
from fairviz.show.methods import AgainstTarget, curve_command, evaluate_command
from tests.cli.conftest import Command, Done

ROOT = Path(__file__).parents[2]

REGIONS = 1
"""Place of the regions among the labels of the example; its target speaks of them."""


@pytest.fixture(scope="module")
def example() -> Dataset:
    return read_example(example_folder())


def run(fairviz: Command, command: str) -> dict[str, object]:
    """What the command line prints for a command of ours, as JSON."""
    words = shlex.split(command.replace("\\\n", " "))
    assert words[0] == "fairviz"
    done = fairviz(*words[1:], "--format", "json")
    assert done.code == 0, done.err
    return done.json


def test_the_commands_run_as_they_are_written(
    example: Dataset, fairviz: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    specs = parse_measures(["EED@5, EU(utility='rougeL', norm='best'), EAR@5, nDCG@10"])
    command = evaluate_command(example, specs, folder="data/demo/")
    assert "--qrels extractive=data/demo/utility.qrels" in command
    assert all(len(line) <= 92 for line in command.splitlines())
    results = run(fairviz, command)["results"]
    assert isinstance(results, list)
    assert len(results) == 5 * 2 + 6 * 2
    curve = curve_command(example, judgements=1, k=5, gain="binary", alphas="0:8:3", folder="data/demo/")
    assert "--qrels data/demo/utility.qrels" in curve
    points = run(fairviz, curve)["points"]
    assert isinstance(points, list)
    assert len(points) == 3 * 3 + 2


@pytest.mark.parametrize("target", ["uniform", "file", (("Africa", 0.4), ("Asia", 0.3), ("Europe", 0.3))])
def test_commands_of_groups_give_the_same_numbers(
    example: Dataset,
    tmp_path: Path,
    target: Preset | tuple[tuple[str, float], ...],
    fairviz: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A target of one's own is written by the command: that one runs in a shell, in a process of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "300")
    against = AgainstTarget(REGIONS, target)
    measures = parse_measures(["AWRF, nDKL@10, logDP(group='Asia'), nDCG@10"])
    command = evaluate_command(example, measures, folder=f"{ROOT}/data/demo/", against=against)
    assert "--groups" in command
    if isinstance(target, tuple):
        own = command.replace("\nfairviz ", f"\n{sys.executable} -m fairviz ", 1)
        process = subprocess.run(
            ["sh", "-c", own],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        done = Done(process.returncode, process.stdout, process.stderr)
    else:
        done = fairviz(*shlex.split(command.replace("\\\n", " "))[1:])
    assert done.code == 0, done.err
    found = evaluate(
        [*example.runs],
        measures,
        qrels=example.qrels,
        labels=against.labels(example),
        target=against.shares(example),
    )
    lines = [line.split() for line in done.out.splitlines() if line.startswith("bm25 ")][:4]
    assert [line[1] for line in lines] == ["AWRF", "nDKL@10", "logDP(group='Asia')", "nDCG@10"]
    for line, score in zip(lines, found.scores, strict=True):
        assert float(line[2]) == pytest.approx(score.value, abs=6e-5)
