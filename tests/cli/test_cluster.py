"""Ranges on a Dask cluster of two processes, one of which is killed midway."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

from fairviz.errors import UsageError
from fairviz.evaluation.evaluate import scored
from fairviz.evaluation.ranges import Measured, by_range, on_cluster
from fairviz.evaluation.rankings import RankingScorer
from fairviz.io import stored
from fairviz.io.stored import StoredRun
from fairviz.metrics.catalogue import parse_measures
from fairviz.model import Qrels, Run
from tests.cli.conftest import Command
from tests.evaluation.test_ranges import SMALL, example, loaded, rows_of_example

pytest.importorskip("distributed", reason='Dask is absent: pip install "fairviz[scale]"')
pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    """A scheduler and two workers of one thread each, on this machine alone."""
    folder = tmp_path_factory.mktemp("cluster")
    found = folder / "scheduler.json"
    here = ("--host", "127.0.0.1", "--scheduler-file", str(found), "--no-dashboard")
    worker = ("dask_worker", "--nthreads", "1", "--no-nanny", "--local-directory", str(folder))
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
    started = [
        subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{program}", *options, *here],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": path},
            stderr=subprocess.DEVNULL,
        )
        for program, *options in (("dask_scheduler", "--port", "0"), worker, worker)
    ]
    try:
        from distributed import Client

        while not found.exists():
            assert started[0].poll() is None
            time.sleep(0.05)
        with Client(scheduler_file=str(found), set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)
            yield str(client.scheduler.address)
    finally:
        for process in started:
            process.kill()
            process.wait()


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[StoredRun, Qrels]:
    monkeypatch.setattr(stored, "RANGE", SMALL)
    rows_of_example().write_parquet(tmp_path / "big.parquet")
    data = loaded(tmp_path / "big.parquet", ranges=True)
    (ranked,) = data.runs
    return ranked, data.qrels[0]


def rounded(printed: object) -> object:
    """What is printed, numbers to twelve digits."""
    if isinstance(printed, dict):
        return {key: rounded(value) for key, value in printed.items()}
    if isinstance(printed, list):
        return [rounded(value) for value in printed]
    return round(printed, 12) if isinstance(printed, float) else printed


def test_a_command_gives_on_a_cluster_what_it_gives_here(
    fairviz: Command, tmp_path: Path, address: str, run: tuple[StoredRun, Qrels]
) -> None:
    judged = tmp_path / "judged.qrels"
    judged.write_bytes(example("usefulness.qrels"))
    for line in (("evaluate", "-m", "nDCG@5, EED@5"), ("tradeoff", "--policy", "plackett-luce", "--alpha", "0,2")):
        command = (*line, str(tmp_path / "big.parquet"), str(judged), "--format", "json")
        here, there = fairviz(*command), fairviz(*command, "--dask", address)
        assert there.code == 0, there.err
        assert rounded(here.json) == rounded(there.json)


def test_nobody_at_the_address_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairviz.evaluation.ranges.PATIENCE", 0.2)
    with pytest.raises(UsageError, match=r"--dask tcp://127\.0\.0\.1:1: no scheduler"), on_cluster("tcp://127.0.0.1:1"):
        pass


def test_a_worker_that_is_killed_midway_changes_nothing(
    tmp_path: Path, address: str, run: tuple[StoredRun, Qrels]
) -> None:
    """The last test of the module: it leaves one worker."""
    ranked, qrels = run
    specs = parse_measures(["nDCG@5", "EED@5"])
    scorer_of = partial(RankingScorer, labels=None, target=None, popularity=None)
    how = partial(scored, scorer_of, specs, True)
    begun = tmp_path / "begun"
    begun.mkdir()

    def slowly(rows: Run, judged: Qrels | None) -> Measured[Any]:
        (begun / f"{os.getpid()}").touch()
        time.sleep(0.3)
        return how(rows, judged)

    def kill_one() -> None:
        while len(workers := sorted(begun.iterdir())) < 2:
            time.sleep(0.01)
        os.kill(int(workers[0].name), signal.SIGKILL)

    killer = Thread(target=kill_one)
    killer.start()
    with on_cluster(address):
        there = by_range(ranked, qrels, slowly)
    killer.join()
    here = by_range(ranked, qrels, how)
    assert len(here.value) > 4
    assert there.read == here.read
    assert there.book.collected == here.book.collected
    for (ours, _), (theirs, _) in zip(here.value, there.value, strict=True):
        for score, other in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(score.values, other.values)
