"""Files that ``convert`` wrote, under commands: what they print is what the originals give."""

import gzip
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fairviz.io.convert import convert
from tests.cli.conftest import Command

EXAMPLE = Path(__file__).parents[2] / "data" / "demo"
ANSWERS = tuple(f"outputs.{name}.jsonl.gz" for name in ("alpha-2", "alpha-4", "deterministic", "oracle"))
FILES = ("bm25.run", "samples.alpha-2.run.gz", "usefulness.qrels", *ANSWERS)
COMMANDS = (
    ("evaluate", "bm25.run", "samples.alpha-2.run.gz", "-m", "nDCG@5, EED@5, AP", "--per-query"),
    ("evaluate", "bm25.run", "-m", "AWRF, logDP(group='small')", "--groups", str(EXAMPLE / "provider.tsv")),
    (
        *("evaluate", "bm25.run", "-m", "nDCG@5, EU(utility='rougeL'), EU(norm='best'), EAR@5, EAED@5", "--per-query"),
        *("--outputs", *ANSWERS, "--references", str(EXAMPLE / "references.jsonl")),
    ),
    ("curve", "bm25.run", "-k", "5", "--alpha", "0,2"),
    ("tradeoff", "bm25.run", "samples.alpha-2.run.gz", "-k", "5", "--alpha", "0,2"),
    ("tradeoff", "bm25.run", "--outputs", *ANSWERS, "-k", "5", "--alpha", "2,3"),
    ("compare", "bm25.run", "samples.alpha-2.run.gz", "-m", "nDCG@5"),
)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The example's files, and under the same names what they are converted to."""
    from fairviz.cli.main import main

    plain, converted = tmp_path_factory.mktemp("plain"), tmp_path_factory.mktemp("converted")
    for name in FILES:
        (plain / name).write_bytes((EXAMPLE / name).read_bytes())
        assert main(["convert", str(plain / name), "--output", str(converted / name)]) == 0
    return plain, converted


@pytest.mark.parametrize("line", COMMANDS, ids=lambda line: " ".join(line[:1]))
def test_commands_print_the_same(
    fairviz: Command, folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, line: tuple[str, ...]
) -> None:
    printed: list[tuple[int, str, list[str]]] = []
    target = ("--target", "uniform") if "--groups" in line else ()
    for folder in folders:
        monkeypatch.chdir(folder)
        done = fairviz(*line, "--qrels", "usefulness.qrels", *target, "--format", "json")
        out, err = (re.sub(r", \d+ to \d+ per query", "", text) for text in (done.out, done.err))  # not counted
        printed.append((done.code, out, sorted(err.splitlines())))
    assert printed[0][0] == 0
    assert printed[0] == printed[1]


@pytest.fixture(scope="module")
def odd_folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two tasks in one file of judgements, each with a run; and two runs of one tag, one of them a sample's source."""
    plain, converted = tmp_path_factory.mktemp("plain"), tmp_path_factory.mktemp("converted")
    lines = (EXAMPLE / "bm25.run").read_text(encoding="utf-8").splitlines(keepends=True)
    with gzip.open(EXAMPLE / "samples.alpha-2.run.gz", "rt", encoding="utf-8") as file:
        drawn = file.read()
    texts = {
        "early.run": "".join(line for line in lines if line < "q06").replace(" bm25", " early"),
        "late.run": "".join(line for line in lines if line >= "q06").replace(" bm25", " late"),
        "whole.run": "".join(lines),
        "holes.run": "".join(line for i, line in enumerate(lines) if i % 3),
        "drawn.run": drawn,
        "all.qrels": (EXAMPLE / "usefulness.qrels").read_text(encoding="utf-8"),
    }
    for name, text in texts.items():
        (plain / name).write_text(text, encoding="utf-8")
        convert(str(plain / name), str(converted / name), judgements=name.endswith("qrels"), group=200)
    for folder in (plain, converted):
        (folder / "systems.csv").write_text("system,task\nearly,one\nlate,two\n", encoding="utf-8")
    return plain, converted


@pytest.mark.parametrize(
    "line",
    [
        ("evaluate", "early.run", "late.run", "-m", "nDCG@5, EED@5", "--systems", "systems.csv", "--per-query"),
        ("tradeoff", "early.run", "late.run", "-k", "5", "--alpha", "0,2", "--systems", "systems.csv"),
        ("evaluate", "holes.run", "whole.run", "drawn.run", "-m", "EED@5, EEL@5"),
        ("tradeoff", "holes.run", "whole.run", "drawn.run", "-k", "5", "--alpha", "0,2"),
    ],
    ids=["tasks, evaluate", "tasks, tradeoff", "one tag, evaluate", "one tag, tradeoff"],
)
def test_tasks_and_sources_are_told_apart_as_in_memory(
    fairviz: Command, odd_folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, line: tuple[str, ...]
) -> None:
    printed: list[tuple[int, str, list[str]]] = []
    for folder in odd_folders:
        monkeypatch.chdir(folder)
        done = fairviz(*line, "--qrels", "all.qrels", "--format", "json")
        printed.append((done.code, done.out, sorted(done.err.splitlines())))
    assert printed[0][0] == 0
    assert printed[0] == printed[1]


def test_what_is_written_is_said(fairviz: Command, tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text("q2 Q0 a 1 2 t\nq1 Q0 a 1 2 t\n", encoding="utf-8")
    done = fairviz("convert", str(tmp_path / "a.run"), "--output", str(tmp_path / "a.parquet"))
    assert (done.code, done.out) == (0, f"{tmp_path / 'a.parquet'}: a run, 2 queries, 2 documents\n")
    again = fairviz("convert", str(EXAMPLE / "provider.tsv"), "--output", str(tmp_path / "b.parquet"))
    assert (again.code, again.out) == (2, "")
    assert "holds groups: runs, samples, judgements, recorded outputs and answers can be converted" in again.err


def lines_without(file: Path, word: bytes) -> bytes:
    """A packed file of the example without the answers of one of its two models: they are read and counted alike."""
    return gzip.compress(
        b"".join(line for line in gzip.decompress(file.read_bytes()).splitlines(True) if word not in line)
    )


def test_what_is_converted_already_is_not_converted_again(
    fairviz: Command, folders: tuple[Path, Path], tmp_path: Path
) -> None:
    for name, what in {"bm25.run": "run", "usefulness.qrels": "judgements", ANSWERS[0]: "RAG outputs"}.items():
        said = fairviz("convert", str(folders[1] / name), "--output", str(tmp_path / "again.parquet"))
        assert said.code == 2
        assert said.err.endswith(f"{name}: converted {what}: there is nothing to convert. Give it as it is.\n")
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("query", ["query_id", "qid"])
@pytest.mark.parametrize("document", ["doc_id", "docno"])
def test_rankings_as_records_are_called_by_their_name(
    fairviz: Command, tmp_path: Path, query: str, document: str
) -> None:
    """As a frame of PyTerrier or ir_datasets is written; recorded outputs have a query, too."""
    records = tmp_path / "run.jsonl"
    records.write_text(f'{{"{query}": "q1", "{document}": "d1", "score": 2.5, "rank": 1}}\n' * 2)
    said = fairviz("convert", str(records), "--output", str(tmp_path / "run.parquet"))
    assert said.code == 2
    assert "run.jsonl:1: a record of a query and a document" in said.err
    assert "query Q0 document rank score tag" in said.err


@pytest.mark.parametrize("form", ["json", "csv"])
def test_bias_prints_the_same_of_converted_answers(
    fairviz: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    items = str(EXAMPLE / "bias" / "items.csv.gz")
    plain, converted = tmp_path / "plain", tmp_path / "converted"
    plain.mkdir()
    converted.mkdir()
    (plain / "answers").write_bytes(lines_without(EXAMPLE / "bias" / "predictions.csv.gz", b"chooser-cautious,"))
    done = fairviz("convert", str(plain / "answers"), "--output", str(converted / "answers"))
    assert done.out == f"{converted / 'answers'}: answers to bias questions, 208 items, 17\u202f200 answers\n"
    printed: list[tuple[int, str, str]] = []
    documents = ("--run", str(EXAMPLE / "bias" / "full-set.bm25.run.gz"), "--groups")
    given = (*documents, str(EXAMPLE / "bias" / "polarity.tsv"), *(("--table", "slopes") if form == "csv" else ()))
    for folder in (plain, converted):
        monkeypatch.chdir(folder)
        told = fairviz("bias", "answers", "--items", items, "--by-group", "--format", form, *given)
        printed.append((told.code, told.out, told.err))
    assert printed[0][0] == 0
    assert printed[0] == printed[1]


@pytest.mark.parametrize("name", ["answers.jsonl.gz", "open.jsonl.gz"])
def test_variants_prints_the_same_of_converted_answers(
    fairviz: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    plain, converted = tmp_path / "plain", tmp_path / "converted"
    plain.mkdir()
    converted.mkdir()
    (plain / "answers").write_bytes(lines_without(EXAMPLE / "variants" / name, b'"chooser-thorough"'))
    done = fairviz("convert", str(plain / "answers"), "--output", str(converted / "answers"))
    assert done.out.startswith(f"{converted / 'answers'}: answers to ")
    printed: list[tuple[int, str, str]] = []
    for folder in (plain, converted):
        monkeypatch.chdir(folder)
        told = fairviz("variants", "answers", "--format", "json")
        printed.append((told.code, told.out, told.err))
    assert printed[0][0] == 0
    assert printed[0] == printed[1]


def test_bias_by_ranges_refuses_what_every_worker_must_read_by_itself() -> None:
    answers, items = str(EXAMPLE / "bias" / "predictions.csv.gz"), (EXAMPLE / "bias" / "items.csv.gz").read_bytes()
    line = [sys.executable, "-m", "fairviz", "bias", answers, "--items", "-", "--workers", "2"]
    piped = subprocess.run(line, input=items, capture_output=True, check=False)
    assert (piped.returncode, b"--items -: every worker reads the questions by itself" in piped.stderr) == (2, True)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (("--workers", "2", "--dask", "tcp://127.0.0.1:1"), "give one"),
        (("--workers", "2", "--groups-from", "qrels"), "write them to a file for --groups"),
    ],
)
def test_what_ranges_cannot_do_is_one_line(
    fairviz: Command, folders: tuple[Path, Path], line: tuple[str, ...], reason: str
) -> None:
    qrels = folders[0] / "web.qrels"
    qrels.write_text("".join(f"{q} {t} d{t} 1\n{q} {t} d 1\n" for q in ("q1", "q2") for t in (1, 2)), encoding="utf-8")
    done = fairviz("evaluate", str(EXAMPLE / "bm25.run"), "--qrels", str(qrels), "-m", "nDCG@5", *line)
    assert (done.code, len(done.err.splitlines()), reason in done.err) == (2, 1, True), done.err
