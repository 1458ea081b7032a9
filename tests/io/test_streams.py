"""What can be read once is read once: pipes give every reader what a file gives it, to the last byte."""

import gc
import gzip
import hashlib
import os
import socket
import tracemalloc
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar
from weakref import ReferenceType, ref

import numpy as np
import pytest

from fairviz.errors import InputError
from fairviz.experiments.questions import read_documents
from fairviz.io import source
from fairviz.io.formats import sniff
from fairviz.io.join import read_predictions
from fairviz.io.rankings import read_ranked_run, read_rankings, read_run
from fairviz.io.source import Source, as_source, standard_input
from fairviz.io.text import head_of, lines_around
from fairviz.numerals import count
from tests.fuzz.law import READINGS
from tests.fuzz.seeds import SEEDS
from tests.loaded import load_dataset
from tests.refused import refused
from tests.streams import piped, sent, standard_input_of, written


def lines(row: str) -> bytes:
    """Rows numbered by ``{i}``, ten of each ``{q}``: more than a pipe holds, and than recognises a file."""
    n = 1 + 128 * 1024 // (len(row) - 5)
    return "".join(f"{row}\n".replace("{i}", str(i)).replace("{q}", str(i // 10)) for i in range(n)).encode()


RUN = lines("q{q} Q0 document-of-a-long-name-{i} 1 -{i}.5 bm25")
PACKED = (b"PAR1", b"PK", b"\x1f\x8b")
"""What begins so is not packed again."""
READERS: list[tuple[str, Callable[[Any], object], bytes]] = [
    *(
        (f"{seed.format}, {name}", READINGS[name].read, seed.content)
        for seed in SEEDS
        for name in seed.readings
        if name != "attributes"
    ),
    *(("long run", read, RUN) for read in (read_run, read_ranked_run, read_rankings, sniff)),
    *(("answers", read_predictions, seed.content) for seed in SEEDS if seed.format in ("BBQ", "variants")),
    *(("documents", read_documents, seed.content) for seed in SEEDS if seed.readings == ("corpus",)),
]
"""Each with a file that it reads."""


def told(value: object) -> object:
    """A noun as plain lists and dictionaries."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if is_dataclass(value):
        return {field.name: told(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {key: told(inner) for key, inner in value.items()}
    return [told(inner) for inner in value] if isinstance(value, list | tuple) else value


class Followed(Source):
    """A source that is known for as long as anybody holds it."""

    __slots__ = ("__weakref__",)
    made: ClassVar[list[ReferenceType[Source]]] = []

    def __post_init__(self) -> None:
        super().__post_init__()
        self.made.append(ref(self))


@pytest.mark.parametrize(("read", "content"), [case[1:] for case in READERS], ids=[case[0] for case in READERS])
def test_a_pipe_gives_every_reader_what_a_file_gives_it(
    read: Callable[[Any], object], content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "fd0"
    file.write_bytes(content)
    wanted = repr(told(read(file))).replace(str(file), "FILE")
    monkeypatch.setattr(source, "Source", Followed)
    for stored in (content, gzip.compress(content, 1))[: 1 if content.startswith(PACKED) else 2]:
        with piped(stored) as path:
            Followed.made.clear()
            noun = read(Path(path))
        assert len(Followed.made) > 0
        assert [one() for one in Followed.made if one() is not None] == []
        assert repr(told(noun)).replace(path, "FILE").replace(f"fd{Path(path).name}", "fd0") == wanted


def test_a_fifo_gives_the_same_bytes_each_time_and_to_the_digest(tmp_path: Path) -> None:
    fifo = tmp_path / "bm25.run"
    os.mkfifo(fifo)
    writer = Thread(target=lambda: fifo.write_bytes(RUN))
    writer.start()
    source = Source("a run", fifo)
    writer.join()
    for _ in range(2):
        with source.open() as reader:
            assert b"".join(iter(lambda: reader.read(50_000), b"")) == RUN
        assert source.digest() == hashlib.sha256(RUN).hexdigest()
    assert str(RUN) not in repr(source)


def test_a_socket_is_read_by_its_descriptor() -> None:
    reading, writing = socket.socketpair()
    writer = Thread(target=written, args=(writing.detach(), RUN))
    writer.start()
    with reading:
        source = as_source(f"/proc/self/fd/{reading.fileno()}")
    writer.join()
    assert source.content == RUN
    assert source.stem == f"fd{source.name.rsplit('/', 1)[1]}"


def test_standard_input_is_waited_for_also_where_it_is_set_not_to_wait() -> None:
    with sent(RUN):
        os.set_blocking(0, False)
        source = standard_input()
    assert (source.name, source.stem, source.content) == ("standard input", "stdin", RUN)


def test_standard_input_goes_on_where_another_program_stopped(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"taken\nleft\n")
    with (tmp_path / "file").open("rb", buffering=0) as file:
        assert file.read(6) == b"taken\n"
        with standard_input_of(file.fileno()):
            assert standard_input().content == b"left\n"


def test_a_file_on_standard_input_that_is_too_large_is_refused_unread(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "large").write_bytes(b"x" * 100)
    monkeypatch.setattr(source, "MAX_TEXT", 99)
    monkeypatch.setattr(source, "_all_of", None)
    told = r"^standard input: .* larger than the limit of 0 GiB: 100 bytes$"
    with (tmp_path / "large").open("rb", buffering=0) as file, standard_input_of(file.fileno()), refused(match=told):
        standard_input()


def test_a_closed_standard_input_is_called_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(InputError, match=r"^standard input: is closed$"):
        standard_input()


def test_what_never_ends_is_refused_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_TEXT", 3 * 1024**2)
    with refused(match=r"^/dev/zero: .* larger than the limit of 0 GiB$"):
        read_rankings("/dev/zero")
    with piped(gzip.compress(bytes(4 * 1024**2), 1)) as path, pytest.raises(InputError, match="decompressed size"):
        head_of(as_source(path), 4 * 1024**2)


def test_a_pipe_that_was_read_before_gives_nothing() -> None:
    with piped(RUN) as path:
        assert read_run(path).value.system == "bm25"
        with pytest.raises(InputError, match=r"^/dev/fd/[0-9]+: nothing came through$") as refused:
            read_run(path)
    assert "read before" in refused.value.fix


def appended_while_read(source: Source, path: Path) -> None:
    with source.open() as reader, path.open("ab") as end:
        reader.read(1000)
        end.write(b"last Q0 d 1 1.0 bm25\n")
        end.flush()


def test_a_file_that_grows_while_it_is_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "growing.run"
    path.write_bytes(RUN)
    source = as_source(path)
    with refused(match=r"growing\.run: changed while it was read"):
        appended_while_read(source, path)
    for use in (source.digest, lambda: sniff(source), lambda: read_run(source)):
        with pytest.raises(InputError, match="changed while it was read"):
            use()
    assert read_run(path).value.query_ids[-1] == "last"


def test_a_fault_of_a_file_that_changed_is_that_it_changed(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_bytes(b"q Q0 d 1 1.0 s\n")
    source = as_source(path)
    other = tmp_path / "other"
    other.write_bytes(b"q Q0 d 1 nan s\n")  # as long, so that only the file itself is another
    other.replace(path)
    with pytest.raises(InputError, match="changed while it was read"):
        read_run(source)


def test_a_plain_file_above_the_limit_is_refused_by_its_size(tmp_path: Path) -> None:
    path = tmp_path / "large.run"
    with path.open("wb") as file:
        file.write(RUN)
        file.truncate(2 * 1024**3 + 1)  # a hole: nothing is stored
    with refused(match=f"larger than the limit of 2 GiB: {count(2 * 1024**3 + 1)} bytes$"):
        read_run(path)
    path.write_bytes(gzip.compress(RUN) + bytes(100))
    with path.open("ab") as file:
        file.truncate(2 * 1024**3 + 1)
    with as_source(path).open() as reader:
        assert reader.read(100) == RUN[:100]


def test_a_device_that_fails_is_named() -> None:
    with pytest.raises(InputError, match=r"^/proc/self/mem: cannot be read: "):
        read_rankings("/proc/self/mem")
    with pytest.raises(InputError, match=r"cannot be read: .*embedded null"):
        read_rankings("a\0b")


def test_the_bytes_go_when_the_dataset_is_made() -> None:
    run = lines("q{i} Q0 d 1 1.5 bm25").replace(b"bm25\n", b"bm25" + b" " * 400 + b"\n")
    wrong = run + b"q Q0 d 1 1.0\n"
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    with piped(run) as good, piped(wrong) as bad:
        loaded = load_dataset([good, bad])
    gc.collect()
    kept = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert [len(run.query_ids) for run in loaded.dataset.runs] == [run.count(b"\n")]
    assert len(loaded.errors) == 1
    assert kept < len(run) / 2


def test_lines_around_the_fault_of_a_pipe_are_left_out() -> None:
    with piped(RUN) as path:
        read_run(path)
        assert lines_around(path, 3) == {}
