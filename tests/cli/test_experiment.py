"""``fairviz experiment`` with ``--workers``: the same bytes, and one line where there is nothing to divide."""

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.cli.conftest import Command

DEMO = Path(__file__).parents[2] / "data" / "demo"

STUDY = """
name = "tiny"
corpus = "corpus.jsonl"
queries = "queries.jsonl"
references = "references.jsonl"
usefulness = "useful.qrels"
alphas = 2
n_samples = 4
k = 2
min_useful = 1
[retriever]
name = "bm25"
[generator]
name = "extractive"
[attributor]
name = "lexical"
"""


@pytest.fixture
def study(files: Path) -> Path:
    lines = {
        "corpus": [{"doc_id": "d1", "text": "Red fox runs far."}, {"doc_id": "d2", "text": "A hen sits. A red hen."}],
        "queries": [{"query_id": "q1", "text": "red fox?"}, {"query_id": "q2", "text": "hen?"}],
        "references": [{"query_id": "q1", "answers": ["far"]}, {"query_id": "q2", "answers": ["sits"]}],
    }
    lines["corpus"] += [{"doc_id": f"e{n}", "text": f"blue {n}"} for n in range(4)]
    for name, records in lines.items():
        (files / f"{name}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    (files / "useful.qrels").write_text("q1 0 d1 1\nq2 0 d2 1\n")
    (files / "study.toml").write_text(STUDY)
    return files / "study.toml"


@pytest.mark.slow
def test_two_processes_write_and_print_what_one_does(
    fairviz: Command, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A new process imports the main module again, in whose place a page that was under test has left app.py.
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))
    said = {}
    for action, workers in (("run", 1), ("run", 2), ("collect", 2)):
        done = fairviz("experiment", action, "study.toml", "--output", f"{action}-{workers}", "--workers", workers)
        assert done.code == 0, done.err
        folder = study.parent / f"{action}-{workers}"
        files = {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(".")}
        said[action, workers] = files, done.out.replace(folder.name, "FOLDER"), done.err
    assert said["run", 1] == said["run", 2] == said["collect", 2]
    assert "manifest.json" in said["run", 1][0]


@pytest.mark.parametrize(
    ("study", "more", "reason"),
    [
        (
            "experiment.toml",
            ("--workers", "2", "--dask", "tcp://127.0.0.1:1"),
            "--workers are processes of this machine",
        ),
        ("bias/experiment.toml", ("--workers", "2"), 'of kind "rankings", and this is of kind "bias"; run it without'),
        ("variants/experiment.toml", ("--workers", "2"), 'and this is of kind "variants"; run it without'),
    ],
)
def test_one_line_where_nothing_is_divided(
    fairviz: Command, files: Path, study: str, more: tuple[str, ...], reason: str
) -> None:
    done = fairviz("experiment", "run", DEMO / study, "--output", "made", *more)
    assert (done.code, done.out, len(done.errors)) == (2, "", 1)
    assert reason in done.err
    assert not (files / "made").exists()
