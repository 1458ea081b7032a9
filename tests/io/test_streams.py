"""What can be read once is read once: pipes give every reader what a file gives it, to the last byte."""

import gc
import gzip
import hashlib
import io
import json
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
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fairviz.errors import InputError
from fairviz.experiments.questions import read_closed_questions, read_documents
from fairviz.io import source
from fairviz.io.bbq import read_bias_items
from fairviz.io.bbq_answers import read_bias_predictions
from fairviz.io.corpus import read_corpus, read_queries, read_references
from fairviz.io.formats import sniff
from fairviz.io.groups import read_groups
from fairviz.io.join import read_predictions, validate
from fairviz.io.qrels import read_qrels
from fairviz.io.rag import read_outputs
from fairviz.io.rankings import read_ranked_run, read_rankings, read_run
from fairviz.io.source import Source, as_source, standard_input
from fairviz.io.targets import read_target
from fairviz.io.text import head_of, lines_around
from fairviz.io.variants import read_variants
from fairviz.numerals import count
from tests.io.bias_files import bbq
from tests.io.written import read_samples
from tests.lines import json_lines
from tests.loaded import load_dataset
from tests.streams import piped, sent, written

MORE_THAN_A_PIPE_HOLDS = 2 * 64 * 1024
"""Also more than is looked at to find out what a file is."""


LONG = "x" * 60
"""What makes rows long, so that few of them are many bytes."""


def lines(row: str) -> bytes:
    """Rows numbered by ``{i}``, ten of each ``{q}``, until there are enough bytes."""
    filled = row.replace("{LONG}", LONG) + "\n"
    n = 1 + 2 * MORE_THAN_A_PIPE_HOLDS // (2 * len(filled) - 6)
    return "".join(filled.replace("{i}", str(i)).replace("{q}", str(i // 10)) for i in range(n)).encode()


def parquet(records: list[dict[str, Any]]) -> bytes:
    to = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(records), to, compression="none", use_dictionary=False)
    return to.getvalue()


def helm() -> bytes:
    states = [
        {
            "instance": {
                "input": {"text": f"Passage: They met {i} times.\nQuestion: Who?"},
                "references": [{"output": {"text": word}} for word in ("a", "b", "u")],
                "id": f"id{i}",
            },
            "output_mapping": {"A": "a", "B": "b"},
            "result": {"completions": [{"text": " A"}]},
        }
        for i in range(600)
    ]
    return json.dumps({"adapter_spec": {"method": "generation", "model": "m/n"}, "request_states": states}).encode()


def inspected() -> bytes:
    samples = [
        {
            "id": i,
            "choices": ["a", "b", "c"],
            "target": "A",
            "input": f"Context: c{i}\n\nQuestion: q",
            "output": {"completion": "B"},
            "metadata": {"example_id": i, "category": "Age"},
        }
        for i in range(800)
    ]
    log = {"version": 2, "status": "success", "eval": {"model": "m", "run_id": "r"}, "samples": samples}
    return json.dumps(log).encode()


RUN = lines("q{q} Q0 doc-{LONG}-{i} 1 -{i}.5 bm25")
ITEMS = [bbq(i) for i in range(620)]
ANSWERED = lines("m,Age,{i},1,the old man of {LONG} {i}").replace(b"m,", b"model,category,example_id,pred,words\nm,", 1)
QUESTION = {"text": "Who was it, and why? " * 4, "options": ["x", "y"], "gold": "A", "evidence": ["d"]}
READERS: dict[str, tuple[Callable[[Any], object], bytes]] = {
    "run": (read_run, RUN),
    "run by rank": (read_ranked_run, RUN),
    "run or samples": (read_rankings, RUN),
    "samples": (read_samples, lines("q{q} {i} doc-{LONG} 1 0 s;policy=p;alpha=1")),
    "FairTREC run": (read_rankings, b"id page_id\n" + lines("{q} page-{LONG}-{i}")),
    "JSON run": (read_rankings, json.dumps({f"q{q}": {f"d{i}": i for i in range(20)} for q in range(700)}).encode()),
    "qrels": (read_qrels, lines("q{q} 0 doc-{LONG}-{i} 1")),
    "qrels by exact tokens": (read_qrels, lines("q{q}  0  doc-{LONG}-{i} \t1")),
    "groups": (read_groups, b"doc_id\tregion\n" + lines("doc-{LONG}-{i}\tnorth")),
    "target": (read_target, json.dumps({f"q{q}": {"north": 0.5, "south": 0.5} for q in range(4000)}).encode()),
    "outputs": (
        read_outputs,
        lines('{"query_id": "q{i}", "ranking": ["a", "b"], "attributed": ["a"], "text": "{LONG}"}'),
    ),
    "outputs of Ragas": (
        read_outputs,
        lines('{"user_input": "q{i}", "retrieved_contexts": ["a", "b"], "response": "So {LONG} [2]."}'),
    ),
    "references": (read_references, lines('{"query_id": "q{i}", "answers": ["the answer {LONG} {i}"]}')),
    "corpus": (read_corpus, lines('{"doc_id": "d{i}", "title": "T", "text": "passage {LONG} {i}"}')),
    "queries": (read_queries, lines('{"query_id": "q{i}", "text": "why is {LONG} {i}?"}')),
    "bias items": (read_bias_items, json_lines(ITEMS[:300]).encode()),
    "bias items in one array": (read_bias_items, json.dumps(ITEMS[:300]).encode()),
    "bias items in Parquet": (read_bias_items, parquet(ITEMS)),
    "bias predictions": (read_bias_predictions, ANSWERED),
    "bias predictions, cell by cell": (read_bias_predictions, ANSWERED.replace(b"model", b'"model"', 1)),
    "log of lm-eval": (
        read_bias_predictions,
        json_lines(
            {"doc_id": i, "doc": bbq(i), "resps": [["B"]], "filtered_resps": ["B"]} for i in range(300)
        ).encode(),
    ),
    "log of HELM": (read_bias_predictions, helm()),
    "log of Inspect": (read_bias_predictions, inspected()),
    "log of OpenAI": (
        read_bias_predictions,
        lines(
            '{"custom_id": "Age|{i}", "response": {"status_code": 200, "body": {"choices": [{"message": {"content": '
            '"B"}}]}}, "error": null}',
        ),
    ),
    "variants": (
        read_variants,
        b"qid,attribute,value,gold,prediction\n" + lines("{i}-{LONG},sex,f,A,A\n{i}-{LONG},sex,m,A,B"),
    ),
    "answers of any kind": (read_predictions, ANSWERED),
    "which kind": (sniff, RUN),
    "validation": (lambda file: validate(file, "run").value, RUN),
    "documents": (read_documents, lines('{"doc_id": "d{i}", "title": "T", "text": "passage {LONG} {i}"}')),
    "closed questions": (
        read_closed_questions,
        json_lines({"query_id": f"q{i}", **QUESTION} for i in range(1000)).encode(),
    ),
}


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


@pytest.mark.parametrize("kind", READERS)
def test_a_pipe_gives_every_reader_what_a_file_gives_it(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, content = READERS[kind]
    assert len(content) > MORE_THAN_A_PIPE_HOLDS
    file = tmp_path / "fd0"
    file.write_bytes(content)
    wanted = repr(told(read(file))).replace(str(file), "FILE")
    monkeypatch.setattr(source, "Source", Followed)
    for stored in (content, gzip.compress(content, 1))[: 1 if content.startswith(b"PAR1") else 2]:
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
    before = os.dup(0)
    with (tmp_path / "file").open("rb", buffering=0) as file:
        assert file.read(6) == b"taken\n"
        os.dup2(file.fileno(), 0)
    try:
        assert standard_input().content == b"left\n"
    finally:
        os.dup2(before, 0)
        os.close(before)


def test_a_file_on_standard_input_that_is_too_large_is_refused_unread(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "large").write_bytes(b"x" * 100)
    monkeypatch.setattr(source, "MAX_TEXT", 99)
    monkeypatch.setattr(source, "_all_of", None)
    before = os.dup(0)
    with (tmp_path / "large").open("rb", buffering=0) as file:
        os.dup2(file.fileno(), 0)
    try:
        with pytest.raises(InputError, match=r"^standard input: .* larger than the limit of 0 GiB: 100 bytes$"):
            standard_input()
    finally:
        os.dup2(before, 0)
        os.close(before)


def test_a_closed_standard_input_is_called_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(InputError, match=r"^standard input: is closed$"):
        standard_input()


def test_what_never_ends_is_refused_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_TEXT", 3 * 1024**2)
    with pytest.raises(InputError, match=r"^/dev/zero: .* larger than the limit of 0 GiB$") as refused:
        read_rankings("/dev/zero")
    assert refused.value.fix
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
    with pytest.raises(InputError, match=r"growing\.run: changed while it was read") as refused:
        appended_while_read(source, path)
    assert refused.value.fix
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
    with pytest.raises(InputError, match=f"larger than the limit of 2 GiB: {count(2 * 1024**3 + 1)} bytes$") as refused:
        read_run(path)
    assert refused.value.fix
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
