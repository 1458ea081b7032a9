"""Files are whole or absent: whatever happens, a name has its old bytes, its new ones or none."""

import errno
import fcntl
import os
import signal
import stat
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from fairviz.errors import OutputError
from fairviz.io import whole
from fairviz.io.whole import whole_file, write_whole
from tests.full_disk import files_of_at_most


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_takes_its_name_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")
    with whole_file(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
        assert names(tmp_path) == [".x.lock", ".x.part", "x"]
    assert path.read_bytes() == b"new"
    assert names(tmp_path) == ["x"]


def test_an_error_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "x"
    for before, half in (([], b"half"), (["x"], b"half"), (["x"], bytes(200_000))):
        with suppress(KeyboardInterrupt), whole_file(path) as file:
            file.write(half)
            raise KeyboardInterrupt
        assert names(tmp_path) == before
        path.write_bytes(b"old")


def test_permissions_are_those_of_a_new_file_or_of_the_old_one(tmp_path: Path) -> None:
    umask = os.umask(0o027)
    try:
        write_whole(tmp_path / "new", b"")
    finally:
        os.umask(umask)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640
    (tmp_path / "new").chmod(0o600)
    write_whole(tmp_path / "new", b"again")
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o600


def test_a_link_stays_and_its_target_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    for target in ("old", "dangling"):
        link = tmp_path / f"to-{target}"
        link.symlink_to(Path("there") / target)
    (tmp_path / "there/old").write_bytes(b"old")
    for target in ("old", "dangling"):
        write_whole(tmp_path / f"to-{target}", b"new")
        assert (tmp_path / f"to-{target}").is_symlink()
        assert (tmp_path / "there" / target).read_bytes() == b"new"
    assert names(tmp_path / "there") == ["dangling", "old"]


def test_what_a_dead_writer_left_is_cleared_away(tmp_path: Path) -> None:
    (tmp_path / ".x.lock").write_text("1\n")
    (tmp_path / ".x.part").write_text("half")
    write_whole(tmp_path / "x", b"whole")
    assert names(tmp_path) == ["x"]
    assert (tmp_path / "x").read_bytes() == b"whole"


def test_streams_are_written_as_they_come(tmp_path: Path) -> None:
    write_whole("/dev/null", b"gone")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_whole(pipe, b"through")
    assert os.read(reader, 99) == b"through"
    os.close(reader)
    with (tmp_path / "log").open("wb") as log:  # as the shell opens it for >
        os.write(log.fileno(), b"first ")
        write_whole(f"/dev/fd/{log.fileno()}", b"second")
    assert (tmp_path / "log").read_bytes() == b"first second"
    assert names(tmp_path) == ["log", "pipe"]


REFUSED = {
    "no/x": "its folder does not exist",
    "folder": "is a folder",
    "new/": "is a folder",
    "file/x": "is a file, no folder",
    "x" * 256: "the name is too long",
    "x" * 250: "the name is too long",
    "circle": "lead in a circle",
}


@pytest.mark.parametrize("name", REFUSED, ids=lambda name: name[:10])
def test_what_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("file").write_text("")
    Path("circle").symlink_to("circle")
    with pytest.raises(OutputError) as raised, whole_file(name):
        pytest.fail("nothing can be written")
    assert raised.value.file == name
    assert REFUSED[name] in raised.value.reason
    assert raised.value.fix
    assert names(tmp_path) == ["circle", "file", "folder"]


@pytest.mark.parametrize("call", ["fsync", "replace"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EIO])
def test_whatever_the_system_refuses_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, code: int
) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")

    def refuse(*_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patched:
        patched.setattr(whole.os, call, refuse)
        with pytest.raises(OutputError) as raised:
            write_whole(path, bytes(200_000))
    assert str(raised.value).startswith(f"{path}: ")
    assert raised.value.fix
    assert names(tmp_path) == ["x"]
    assert path.read_bytes() == b"old"


@pytest.mark.parametrize("most", [20_000, 0])
def test_a_write_that_the_system_cuts_short_leaves_the_old_file(tmp_path: Path, most: int) -> None:
    """As a full disk does; where nothing at all can be written, the lock has no number."""
    path = tmp_path / "x"
    path.write_bytes(b"old")
    with files_of_at_most(most), pytest.raises(OutputError, match="larger than a file may be"):
        write_whole(path, bytes(60_000))
    assert names(tmp_path) == ["x"]
    assert path.read_bytes() == b"old"


WRITER = """
import sys
from fairviz.io.whole import whole_file
with whole_file(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    print("writing", flush=True)
    sys.stdin.read()
"""


def test_a_second_writer_waits_for_the_first_to_end_or_die(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")
    first = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with first:
        assert first.stdout is not None
        assert first.stdout.readline() == "writing\n"
        for _ in range(2):
            with pytest.raises(OutputError, match=rf"x: process {first.pid} is writing it"):
                write_whole(path, b"second")
        assert path.read_bytes() == b"old"
        first.send_signal(signal.SIGKILL)
    assert names(tmp_path) == [".x.lock", ".x.part", "x"]
    assert path.read_bytes() == b"old"
    write_whole(path, b"second")
    assert path.read_bytes() == b"second"
    assert names(tmp_path) == ["x"]


def test_a_lock_that_was_removed_meanwhile_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first writer ends between a second one's opening of the lock file and its holding it."""
    path = tmp_path / "x"
    flock = fcntl.flock
    removed: list[Path] = []

    def lock(number: int, how: int) -> None:
        flock(number, how)
        if not removed:
            removed.append(tmp_path / ".x.lock")
            removed[0].unlink()

    monkeypatch.setattr(fcntl, "flock", lock)
    with whole_file(path) as file:
        assert (tmp_path / ".x.lock").read_text() == f"{os.getpid()}\n"
        file.write(b"new")
    assert names(tmp_path) == ["x"]
