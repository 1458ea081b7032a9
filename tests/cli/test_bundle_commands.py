"""Commands that a bundle names give its numbers."""

import io
import os
import shlex
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from fairviz.cli.study import settings_of
from fairviz.display.bundle import PinnedTable
from fairviz.display.methods import AgainstTarget
from fairviz.evaluation.evaluate import evaluate
from fairviz.io.dataset import add_file
from fairviz.io.source import Options
from fairviz.metrics.catalogue import parse_measures
from fairviz.model import Dataset
from fairviz.reporting.assemble import assembled
from fairviz.reporting.request import Request
from fairviz.resources import example_folder
from tests.app.reading import QRELS, RUN
from tests.cli.conftest import Command
from tests.cli.parsers import parser_of
from tests.evaluating import evaluate_command
from tests.loaded import example, load_dataset
from tests.studies.policy_lab.few import compare

ROOT = Path(__file__).parents[2]

REGIONS = 1
"""Place of the regions among the labels of the example; its target speaks of them."""


@pytest.fixture(name="example")
def shipped() -> Dataset:
    return example()


def reproduced(packed: bytes, folder: Path, *arguments: str) -> str:
    """What the script of a bundle says, unpacked in a folder and run from another one."""
    elsewhere, programs = folder / "un packed", folder / "programs"
    for each in (elsewhere, programs):
        each.mkdir()
    with zipfile.ZipFile(io.BytesIO(packed)) as files:
        files.extractall(elsewhere)
    for name, words in (("fairviz", " -m fairviz"), ("python3", "")):
        (programs / name).write_text(f'#!/bin/sh\nexec {sys.executable}{words} "$@"\n')
        (programs / name).chmod(0o755)
    done = subprocess.run(
        ["sh", str(elsewhere / "reproduce.sh"), *arguments],
        cwd=folder,
        env=os.environ | {"PATH": f"{programs}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    *said, last = done.stdout.splitlines()
    assert not [line for line in said if line.startswith("differs")]
    return last


@pytest.mark.slow
def test_the_script_of_the_example_makes_every_file_again(
    example: Dataset, fairviz: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every table byte for byte, and the report; its commands in one process.

    Two re-rankers have prices, for one target: all take seconds, here and in the command.
    """
    compare(monkeypatch, "det-greedy", "plackett-luce")
    monkeypatch.setattr("fairviz.studies.policy_lab.analysis.MOST_QUERIES", 20)
    wanted = Request(
        measures=("EED@5", "EER@5", "nDCG@10", "AWRF", "EU", "EU(utility='rougeL')", "EAR@5", "EAED@5"),
        k=5,
        alpha=(0.0, 4.0, 8.0),
        against=AgainstTarget(REGIONS, "file"),
    )
    made = assembled(example, wanted)
    with zipfile.ZipFile(io.BytesIO(made.bundle())) as packed:
        files = {name: packed.read(name) for name in packed.namelist()}
    monkeypatch.chdir(tmp_path)
    for line in files["reproduce.sh"].decode().replace("\\\n", " ").splitlines():
        match shlex.split(line, comments=True):
            case ["link", name]:
                Path(name).parent.mkdir(parents=True, exist_ok=True)
                Path(name).symlink_to(example_folder().parents[1] / name)
            case ["fairviz", *words]:
                done = fairviz(*words)
                assert done.code == 0, done.err
            case _:
                pass
    with zipfile.ZipFile("bundle.zip") as again:
        made_again = {name: again.read(name) for name in again.namelist()}
    same = [name for name in files if name.startswith("tables/") or name in ("report.html", "methods.txt")]
    assert len(same) > 45
    assert [name for name in same if files[name] != made_again.get(name)] == []


def test_a_script_reads_files_whose_names_a_shell_would_take_apart(
    tmp_path: Path, fairviz: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And prints a pinned table again."""
    data, run = tmp_path / "my data", "it's; a run.run"
    data.mkdir()
    (data / run).write_text(RUN)
    (data / "usefulness.qrels").write_text(QRELS)
    loaded = load_dataset([data / name for name in (run, "usefulness.qrels")], name="Mine").dataset
    loaded = replace(loaded, files=tuple(replace(file, name=Path(file.name).name) for file in loaded.files))
    made = assembled(loaded, Request(measures=("nDCG@10",), k=5, alpha=(0.0, 1.0, 8.0)))
    points = f"{evaluate_command(loaded, parse_measures(['P@1']))} --format csv --escape-formulas"
    monkeypatch.chdir(data)
    csv = fairviz(*shlex.split(points.replace("\\\n", " "))[1:]).out
    pinned = [PinnedTable("po ints", csv, "", "Export", commands=(("csv", points),))]
    assert reproduced(made.bundle(pinned=pinned), tmp_path, str(data)).endswith(" 0 differ")
    assert (tmp_path / "un packed" / "reproduced" / "pinned" / "po ints.csv").read_text() == csv != ""
    assert sorted(path.name for path in data.iterdir()) == sorted([run, "usefulness.qrels"])


def test_a_report_with_a_target_set_by_hand_is_of_the_same_data_as_the_one_its_command_makes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its command writes the target to a file, which counts as one of the data."""
    compare(monkeypatch, "det-greedy")  # its prices are not looked at
    files = [
        ("a.run", b"q1 Q0 d1 1 2 a\nq1 Q0 d2 2 1 a\n"),
        ("a.qrels", b"q1 0 d1 1\nq1 0 d2 0\n"),
        ("side.tsv", "doc_id\tside\nd1\tCôte d'Or\nd2\tright\n".encode()),
    ]
    loaded = load_dataset(files, name="Mine").dataset
    by_hand = AgainstTarget(0, (("Côte d'Or", 1 / 3), ("right", 2 / 3)))
    made = assembled(loaded, Request(measures=("AWRF",), k=1, alpha=(0.0, 1.0), against=by_hand))
    printf, _, text, _, name = shlex.split(made.command.splitlines()[0])
    again = add_file(loaded, (name, text.encode()), Options(role="target"))
    asked = Request(measures=("AWRF",), k=1, alpha=(0.0, 1.0), against=AgainstTarget(0, "file"))
    assert (printf, assembled(again, asked).lead) == ("printf", made.lead)


def test_a_command_prints_the_offset_as_a_page_does() -> None:
    """Tables of standardised scores have a column of it: 1 on both sides."""
    args = parser_of("report").parse_args(["a.run", "-k", "5", "--scores", "ranks", "--offset", "1"])
    assert repr(settings_of(args, Request, Dataset()).offset) == "1"


def test_commands_of_groups_give_the_same_numbers(
    example: Dataset, tmp_path: Path, fairviz: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A target of one's own is written by the command: a shell runs it, and says with which words it calls fairviz."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "300")
    Path("data").symlink_to(example_folder().parent)
    against = AgainstTarget(REGIONS, (("Africa", 0.4), ("Asia", 0.3), ("Europe", 0.3)))
    measures = parse_measures(["AWRF, nDKL@10, logDP(group='Asia'), nDCG@10"])
    command = evaluate_command(example, measures, against=against)
    assert "--groups" in command
    assert all(len(line) <= 92 for line in command.splitlines())
    words = "fairviz() { printf '%s\\0' \"$@\"; }\n"
    called = subprocess.run(["sh", "-c", words + command], capture_output=True, text=True, check=True)
    done = fairviz(*called.stdout.split("\0")[:-1])
    assert done.code == 0, done.err
    found = evaluate(
        [*example.runs], measures, qrels=example.qrels, labels=against.labels(example), target=against.shares(example)
    )
    lines = [line.split() for line in done.out.splitlines() if line.startswith("bm25 ")][:4]
    assert [line[1] for line in lines] == ["AWRF", "nDKL@10", "logDP(group='Asia')", "nDCG@10"]
    for line, score in zip(lines, found.scores, strict=True):
        assert float(line[2]) == pytest.approx(score.value, abs=6e-5)
