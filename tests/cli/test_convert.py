"""Files that ``convert`` wrote, under commands: what they print is what the originals give."""

import gzip
import json
from pathlib import Path

import pytest

from fairviz.io import stored
from fairviz.io.rankings import read_run
from tests.cli.conftest import Command

EXAMPLE = Path(__file__).parents[2] / "tests" / "small" / "data" / "demo"
ANSWERS = ("outputs.alpha-2.jsonl", "outputs.oracle.jsonl")
FILES = ("bm25.run", "samples.alpha-2.run", "usefulness.qrels", *ANSWERS)
FILES += ("bias/predictions.csv", "variants/answers.jsonl", "variants/open.jsonl")
N_ANSWERS = 800
"""Lines of a file of answers that are taken."""
QRELS = ("--qrels", "usefulness.qrels")
COMMANDS = (
    ("evaluate", "bm25.run", "samples.alpha-2.run", "-m", "nDCG@5, EED@5, AP", *QRELS, "--table", "means,per-query"),
    (
        *("evaluate", "-m", "EU(utility='rougeL'), EU(norm='best'), EAR@5, EAED@5", "--outputs", *ANSWERS),
        *("--references", str(EXAMPLE / "references.jsonl"), *QRELS),
    ),
    ("tradeoff", "bm25.run", "-k", "5", "--alpha", "0,2", *QRELS),
    ("tradeoff", "bm25.run", "--outputs", *ANSWERS, "-k", "5", "--alpha", "2,3", *QRELS),
    ("compare", "bm25.run", "samples.alpha-2.run", "-m", "nDCG@5", *QRELS),
    ("bias", "bias/predictions.csv", "--items", str(EXAMPLE / "bias" / "items.csv.gz")),
    ("variants", "variants/answers.jsonl"),
    ("variants", "variants/open.jsonl"),
)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The example's files, and under the same names what they are converted to."""
    from fairviz.cli.main import main

    plain, converted = tmp_path_factory.mktemp("plain"), tmp_path_factory.mktemp("converted")
    for name in FILES:
        for folder in (plain, converted):
            (folder / name).parent.mkdir(exist_ok=True)
        packed = EXAMPLE / f"{name}.gz"
        text = gzip.decompress(packed.read_bytes()) if packed.exists() else (EXAMPLE / name).read_bytes()
        if "/" in name:  # of answers the first
            text = b"".join(text.splitlines(keepends=True)[:N_ANSWERS])
        (plain / name).write_bytes(text)
        assert main(["convert", str(plain / name), "--output", str(converted / name)]) == 0
    return plain, converted


def numbers(printed: object) -> object:
    """What is printed, with floats to ten digits and rows in an order of their own: queries stand in another."""
    if isinstance(printed, dict):
        return {key: numbers(value) for key, value in printed.items() if key != "warnings"}
    if isinstance(printed, list):
        return sorted(map(numbers, printed), key=repr)
    return float(f"{printed:.10g}") if isinstance(printed, float) else printed


@pytest.mark.parametrize(
    "line",
    [COMMANDS[0], *(pytest.param(line, marks=pytest.mark.slow) for line in COMMANDS[1:])],
    ids=lambda line: " ".join(line[:2]),
)
def test_commands_print_the_same_numbers(
    fairviz: Command, folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, line: tuple[str, ...]
) -> None:
    printed = list[object]()
    for folder in folders:
        monkeypatch.chdir(folder)
        done = fairviz(*line, "--format", "json")
        assert done.code == 0, done.err
        printed.append(numbers(json.loads(done.out)))
    assert printed[0] == printed[1]


def test_what_is_written_is_said(fairviz: Command, tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text("q2 Q0 a 1 2 t\nq1 Q0 a 1 2 t\n", encoding="utf-8")
    done = fairviz("convert", str(tmp_path / "a.run"), "--output", str(tmp_path / "a.parquet"))
    assert (done.code, done.out) == (0, f"{tmp_path / 'a.parquet'}: a run; queries: 2, rows: 2\n")
    again = fairviz("convert", str(tmp_path / "a.parquet"), "--output", str(tmp_path / "b.parquet"))
    assert (again.code, "a.parquet: it is Parquet already: there is nothing to convert" in again.err) == (2, True)
    groups = fairviz("convert", str(EXAMPLE / "provider.tsv"), "--output", str(tmp_path / "b.parquet"))
    assert (groups.code, groups.out) == (2, "")
    assert "holds group table: runs, judgements, recorded outputs and answers can be converted" in groups.err


@pytest.mark.parametrize("query", ["query_id", "qid"])
@pytest.mark.parametrize("document", ["doc_id", "docno"])
def test_rankings_as_records_are_rankings(fairviz: Command, tmp_path: Path, query: str, document: str) -> None:
    """As a frame of PyTerrier or ir_datasets is written; recorded outputs have a query, too."""
    records, to = tmp_path / "run.jsonl", tmp_path / "run.parquet"
    records.write_text("".join(f'{{"{query}": "q1", "{document}": "d{i}", "score": {i}.5}}\n' for i in (1, 2)))
    said = fairviz("convert", str(records), "--output", str(to))
    assert (said.code, said.out) == (0, f"{to}: rows: 2\n")
    run = read_run(str(to)).value
    assert [run.doc_ids[doc] for doc in run.docs] == ["d2", "d1"]


def test_a_run_that_takes_too_much_memory_is_measured_range_by_range(
    fairviz: Command, folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folders[1])
    lines = (
        ("evaluate", "bm25.run", "-m", "nDCG@10, EED@5, AP", *QRELS, "--table", "means,per-query", "--format", "json"),
        ("tradeoff", "bm25.run", "--policy", "plackett-luce", "--alpha", "0,2", *QRELS, "--format", "json"),
    )
    whole = [fairviz(*line) for line in lines]
    monkeypatch.setattr(stored, "ROW_BYTES", 2**40)
    monkeypatch.setattr(stored, "RANGE", 90)
    for line, before in zip(lines, whole, strict=True):
        done = fairviz(*line)
        assert done.code == 0, done.err
        assert numbers(done.json) == numbers(before.json)
        assert sorted(done.errors) == sorted(before.errors)
    refused = fairviz("tradeoff", "bm25.run", "--policy", "optimal", *QRELS)
    assert "bm25.run is read range by range" in refused.err  # so the others were, too
    assert fairviz("compare", "bm25.run", "samples.alpha-2.run", "-m", "nDCG@5", *QRELS).code == 0  # in memory


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (("compare", "bm25.run", "--dask", "tcp://127.0.0.1:1"), "--dask: evaluate and tradeoff alone"),
        (
            ("evaluate", str(EXAMPLE / "provider.tsv"), "--dask", "tcp://127.0.0.1:1"),
            "--dask: no run is a Parquet file",
        ),
    ],
)
def test_a_cluster_is_for_stored_runs_alone(
    fairviz: Command, folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, line: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(folders[1])
    done = fairviz(*line)
    assert (done.code, said in done.err) == (2, True)


def test_answers_of_trec_rag_are_rows_and_tables_of_blanks_stay(fairviz: Command, tmp_path: Path) -> None:
    answers, to, run = tmp_path / "a.jsonl", tmp_path / "a.parquet", tmp_path / "run.txt"
    answers.write_text(
        '{"run_id": "r", "topic_id": "1", "references": ["a"], "answer": [{"text": "So.", "citations": [0]}]}\n'
    )
    assert fairviz("convert", answers, "--output", to).code == 0
    assert "1 output" in fairviz("validate", to).out
    run.write_text("query_id doc_id score\nq d 1\n")
    assert "run.txt: blanks stand between its cells" in fairviz("convert", run, "--output", to).err
