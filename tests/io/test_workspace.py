"""A workspace: what was said to be kept is there, whatever ends a server, and however many share it."""

import os
import random
import signal
import subprocess
import sys
import threading
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path

import pytest

from fairviz.errors import OutputError
from fairviz.io.whole import sole_writer
from fairviz.io.workspace import FILES, INDEX, LOCK, Workspace, usual_folder
from tests.dashboard import ROOT

WRITERS = """
import os, random, sys
from pathlib import Path
from fairviz.io.workspace import Workspace

def write(folder, seed, n):
    workspace, rng = Workspace(Path(folder)), random.Random(seed)
    for i in range(n):
        name = f"{seed}-{i}"
        workspace.add(name, rng.randbytes(rng.randrange(1, 200_000)), "{}")
        os.write(1, f"+{name}\\n".encode())
        if rng.random() < 0.3:
            workspace.remove(name)
            os.write(1, f"-{name}\\n".encode())
        workspace.keep("setting", {name: str(i)})

for line in sys.stdin:
    seeds = [int(word) for word in line.split()[1:]]
    children = []
    for seed in seeds:
        child = os.fork()
        if child == 0:
            write(sys.argv[1], seed, int(line.split()[0]))
            os._exit(0)
        children.append(child)
    os.write(1, f"!{children[0]}\\n".encode())
    for child in children:
        os.waitpid(child, 0)
    os.write(1, b"!\\n")
"""
"""Servers that add and remove files and say so after each; forked, so that none imports everything again."""


class Writers:
    """The process that forks them."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-c", WRITERS, str(folder)]
        self.process = subprocess.Popen(command, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def begin(self, n: int, *seeds: int) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{n} {' '.join(map(str, seeds))}\n")
        self.process.stdin.flush()

    def said(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def __enter__(self) -> "Writers":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate()


def whole(workspace: Workspace) -> set[str]:
    """Names of the files, each of which is what it was."""
    files = workspace.files()
    assert all(sha256(workspace.path(file.digest).read_bytes()).hexdigest() == file.digest for file in files)
    return {file.name for file in files}


def test_files_and_values_are_kept_until_they_are_deleted(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "deep" / "work")
    assert (workspace.files(), workspace.values("setting"), workspace.size) == ([], {}, 0)
    workspace.delete()
    assert not workspace.folder.exists(), "looking makes nothing"
    workspace.add("a", b"one", "{}")
    workspace.add("b", b"two", '{"role": "run"}')
    workspace.add("c", b"one", "{}", instead_of="b")
    workspace.keep("setting", {"k": "3", "alpha": "2"})
    workspace.keep("setting", {"alpha": None})
    again = Workspace(workspace.folder)
    assert [(file.name, file.options) for file in again.files()] == [("a", "{}"), ("c", "{}")]
    assert again.values("setting") == {"k": "3"}
    assert again.size == 3
    again.remove("a")
    assert whole(again) == {"c"}, "another file has the same bytes"
    again.replace([("d", b"secret words", "{}")])
    assert len(list((workspace.folder / FILES).iterdir())) == 1
    again.keep("note", {"x": "secret words"})
    again.delete()
    assert (again.files(), again.values("note")) == ([], {})
    left = [path for path in workspace.folder.rglob("*") if path.is_file()]
    assert not [path for path in left if b"secret words" in path.read_bytes()]


def test_a_killed_server_loses_nothing_that_it_said_was_kept(tmp_path: Path) -> None:
    rng, workspace, kept = random.Random(3), Workspace(tmp_path), set[str]()
    with Writers(tmp_path) as writers:
        for seed in range(4):
            writers.begin(10_000, seed)
            pid, last = 0, ""
            for _ in range(rng.randrange(2, 14)):
                pid, kept, last = heard(writers.said(), pid, kept, last)
            os.kill(pid, signal.SIGKILL)
            while (line := writers.said()) != "!":  # said before the end reached it
                pid, kept, last = heard(line, pid, kept, last)
            names = whole(workspace)
            assert kept - names <= {last}, "its removal was not said yet"
            assert len(names - kept) <= 1, "it was not said yet"
            kept = names
    workspace.remove("none")
    there = {path.name for path in (tmp_path / FILES).iterdir()}
    assert there == {file.digest for file in workspace.files()}, "what they left half done is cleared away"


def heard(line: str, pid: int, kept: set[str], last: str) -> tuple[int, set[str], str]:
    """What is known after a line: the server's process, what it keeps, the file that it spoke of last."""
    sign, name = line[0], line[1:]
    if sign == "!":
        return int(name), kept, last
    return pid, kept | {name} if sign == "+" else kept - {name}, name


def test_two_servers_share_a_workspace(tmp_path: Path) -> None:
    kept = set[str]()
    with Writers(tmp_path) as writers:
        writers.begin(8, 1, 2)
        while (line := writers.said()) != "!":
            _, kept, _ = heard(line, 0, kept, "")
    assert whole(Workspace(tmp_path)) == kept
    assert len(Workspace(tmp_path).values("setting")) == 16


def test_a_server_waits_for_another_that_makes_the_workspace(tmp_path: Path) -> None:
    with ExitStack() as other:
        other.enter_context(sole_writer(tmp_path / LOCK, "workspace"))
        done = threading.Timer(0.05, other.pop_all().close)
        done.start()
        Workspace(tmp_path).keep("setting", {"k": "3"})
        done.join()
    assert Workspace(tmp_path).values("setting") == {"k": "3"}


def test_what_is_no_workspace_is_refused(tmp_path: Path) -> None:
    (tmp_path / INDEX).write_bytes(b"no index at all")
    with pytest.raises(OutputError, match="cannot be used"):
        Workspace(tmp_path).files()
    newer = Workspace(tmp_path / "newer")
    newer.keep("setting", {"k": "3"})
    (newer.folder / INDEX).write_text('{"version": 2}', encoding="utf-8")
    with pytest.raises(OutputError, match="version 2 of the workspace; this fairviz reads version 1"):
        newer.files()
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be used"):
        Workspace(tmp_path / "file").add("a", b"x", "{}")


def test_the_usual_folder_is_among_the_data_of_programs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    assert usual_folder() == tmp_path / "fairviz" / "workspace"
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    monkeypatch.setattr(sys, "platform", "win32")
    assert usual_folder() == tmp_path / "local" / "fairviz" / "workspace"
