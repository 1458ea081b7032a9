"""What a server does before and after the first page: what that page needs first, the rest once it stands."""

import gc
import os
import subprocess
import sys
from pathlib import Path
from threading import Event, Thread

import pytest

from fairviz import warmth
from pages._server import ready
from pages._tradeoff import results
from tests.dashboard import ROOT


@pytest.mark.parametrize(
    ("asked", "before"), [((), True), (("/",), True), (("/tradeoff",), False), (("/", "/tradeoff"), True)]
)
def test_what_the_first_page_needs_comes_before_it_and_the_rest_after(
    monkeypatch: pytest.MonkeyPatch, asked: tuple[str, ...], before: bool
) -> None:
    done: list[object] = []
    computed = Event()

    def compute(loaded: object) -> None:
        done.append("first chart")
        computed.set()

    monkeypatch.setattr(ready, "_ASKED", [])
    monkeypatch.setattr(ready, "_STANDS", Event())
    monkeypatch.setattr(ready, "PAUSE", 0)
    monkeypatch.setattr(ready, "PATIENCE", 600)
    monkeypatch.setattr(ready, "_load", done.append)
    monkeypatch.setattr(ready, "_is_warm", lambda: True)
    monkeypatch.setattr(warmth, "is_known", lambda: True)
    monkeypatch.setattr(results, "compute_first", compute)
    monkeypatch.setattr(results, "load_kernels", lambda loaded: done.append("kernels"))
    for path in asked:
        ready.page_asked(path)
    usual = sys.getswitchinterval()
    thread = Thread(target=ready.get_ready, daemon=True)
    thread.start()
    assert computed.wait(60)
    first = [ready.SHELL, *([ready.HOME] if before else []), ready.FIRST_CHART, "first chart"]
    assert done == first
    assert not gc.isenabled()
    assert sys.getswitchinterval() == pytest.approx(ready.TURN)  # whoever serves files is soon asked
    ready.page_stands()
    thread.join(60)
    assert gc.isenabled()
    assert sys.getswitchinterval() == usual
    assert done == [*first, ready.LATER, "kernels"]


PROGRAM = """
import sys
from pathlib import Path
from fairviz.io import snapshot
from pages._server import ready
{before}
from pages._kit.session import example
example()
snapshot._ROOM = Path(sys.argv[1])
ready.keep_first()
heavy = ("numba", "scipy", "pydantic.main", "pyarrow", "fairviz.report.assemble")
print(*(name for name in heavy if name in sys.modules))
"""


def test_what_one_process_kept_another_finds_and_needs_no_numba(tmp_path: Path) -> None:
    """The second one also has every page's code that comes before a page, and none that reads files or groups."""
    said: list[str] = []
    for before in ("", "for name in (*ready.SHELL, *ready.FIRST_CHART): __import__(name)"):
        program = PROGRAM.format(before=before)
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
        command = [sys.executable, "-c", program, str(tmp_path)]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
        said.append(done.stdout)
    assert "numba" in said[0].split()
    assert not said[1].split()
