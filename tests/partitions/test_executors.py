"""Who does the work: processes that may die, a cluster, and one line where it cannot be reached."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from types import ModuleType

import pytest

from fairviz.errors import FairvizError, UsageError
from fairviz.partitions import executors
from fairviz.partitions.executors import Together, Work, workers
from fairviz.partitions.outputs import PartitionedOutputs
from fairviz.partitions.plan import Plan
from fairviz.partitions.points import PartitionedPoints
from fairviz.partitions.scores import LabelFile, Partitioned
from tests.partitions import test_outputs, test_points
from tests.partitions.test_scores import by_ranges, whole
from tests.partitions.worlds import answers_world, write_groups


class Mortal(Executor):
    """Does a task when it is submitted, until it dies; then every task of it is lost."""

    def __init__(self, lives: Iterator[int]) -> None:
        self.left = next(lives)

    def submit(self, fn, /, *args, **kwargs):
        future: Future[int] = Future()
        self.left -= 1
        if self.left < 0:
            future.set_exception(BrokenProcessPool("killed"))
        else:
            future.set_result(fn(*args, **kwargs))
        return future


class Refusing(Mortal):
    """Takes no task any more once it is dead, as an executor whose processes died between two."""

    def submit(self, fn, /, *args, **kwargs):
        if not self.left:
            raise BrokenProcessPool("dead")
        return super().submit(fn, *args, **kwargs)


def double(n: int) -> int:
    return 2 * n


@pytest.mark.parametrize("executor", [Mortal, Refusing])
def test_what_a_dead_worker_had_is_done_again_in_order(executor: type[Mortal]) -> None:
    lives = iter([2, 0, 3, 100])
    work = Together(lambda: executor(lives), 2)
    assert list(work.results(double, range(9))) == [2 * n for n in range(9)]


def test_workers_that_die_again_and_again_are_given_up() -> None:
    lives = iter([0] * 9)
    with pytest.raises(FairvizError, match="died 4 times, perhaps for want of memory: give fewer --workers"):
        list(Together(lambda: Mortal(lives), 2).results(double, range(9)))


def test_without_dask_one_line_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr("fairviz.extras.import_module", missing)
    with pytest.raises(UsageError, match=r'--dask needs distributed: .* -m pip install .*\[scale\]"'):  # noqa: SIM117
        with workers(dask="tcp://127.0.0.1:1"):
            pass


def die_once(task: tuple[str, int]) -> int:
    """The third task takes its process along, once."""
    mark, n = Path(task[0]), task[1]
    if n == 2 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return 2 * n


def answers_by_ranges(plan: Plan) -> list[object]:
    return test_outputs.said(test_outputs.measured(answers_world(0), PartitionedOutputs(plan)))


def kill_one(work: Work) -> Callable[[], None]:
    """Ends a worker process when the first range is done, while others are on their way."""
    steps = count()

    def step() -> None:
        if next(steps) == 0:
            assert isinstance(work, Together)
            os.kill(next(iter(work._executor._processes)), signal.SIGKILL)  # pyright: ignore

    return step


@pytest.fixture
def groups(tmp_path: Path) -> LabelFile:
    return LabelFile(str(write_groups(tmp_path)), "one")


@pytest.fixture
def own_main(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new process imports the main module again, in whose place a page that was under test has left app.py."""
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))


@pytest.mark.slow
@pytest.mark.usefixtures("own_main")
def test_two_processes_give_the_same_bits_also_where_one_is_killed(tmp_path: Path, groups: LabelFile) -> None:
    with workers(2) as work:
        assert by_ranges(0, Partitioned(Plan(work), groups), groups) == whole(0, groups)
        assert answers_by_ranges(Plan(work)) == test_outputs.whole(0)
        assert test_points.facts(PartitionedPoints(PartitionedOutputs(Plan(work))), 0, []) == test_points.whole(
            0, False
        )
        tasks = [(str(tmp_path / "died"), n) for n in range(8)]
        assert list(work.results(die_once, tasks)) == [2 * n for n in range(8)]
        assert (tmp_path / "died").exists()
        assert answers_by_ranges(Plan(work, step=kill_one(work))) == test_outputs.whole(0)


COMMAND = """
from time import sleep
from fairviz.partitions.executors import workers
with workers(2) as work:
    for _ in work.results(sleep, [0, 0, 600, 600]):
        print("at work", flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_no_worker_outlives_a_command_that_is_killed(how: signal.Signals) -> None:
    with subprocess.Popen([sys.executable, "-c", COMMAND], stdout=subprocess.PIPE, text=True) as command:
        assert command.stdout is not None
        assert command.stdout.readline() == "at work\n"
        command.send_signal(how)
        command.communicate(timeout=60)  # workers have the same output: it ends with the last of them


@pytest.mark.slow
@pytest.mark.skipif(find_spec("distributed") is None, reason='pip install "fairviz[scale]"')
@pytest.mark.usefixtures("own_main")
def test_a_cluster_gives_the_same_bits_also_where_a_worker_is_killed(tmp_path: Path, groups: LabelFile) -> None:
    distributed = executors.optional("distributed", extra="scale", component="this test")
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": "127.0.0.1:0"}
    cluster = distributed.LocalCluster(host="127.0.0.1", **options)
    with cluster, workers(dask=cluster.scheduler_address) as work:
        assert by_ranges(0, Partitioned(Plan(work), groups), groups) == whole(0, groups)
        assert answers_by_ranges(Plan(work)) == test_outputs.whole(0)
        assert test_points.facts(PartitionedPoints(PartitionedOutputs(Plan(work))), 0, []) == test_points.whole(
            0, False
        )
        tasks = [(str(tmp_path / "died"), n) for n in range(8)]
        assert list(work.results(die_once, tasks)) == [2 * n for n in range(8)]
        assert (tmp_path / "died").exists()
        assert by_ranges(1, Partitioned(Plan(work), groups), groups) == whole(1, groups)
