"""``fairviz retrieve``: the run of a retriever, chosen by name and parameters or by a description."""

from pathlib import Path

import pytest

from fairviz.io.rankings import read_run
from tests.cli.conftest import Command
from tests.lines import write_lines

DOCUMENTS = {"d1": "red fox sleeps", "d2": "red red hen", "d3": "blue dog", "d4": "bees fly", "d5": "snow"}


@pytest.fixture
def collection(files: Path) -> Path:
    documents = [{"doc_id": doc_id, "text": text} for doc_id, text in DOCUMENTS.items()]
    questions = [{"query_id": "q1", "text": "red?"}, {"query_id": "q2", "text": "hen or fox?"}]
    write_lines(files, corpus=documents, queries=questions)
    (files / "study.toml").write_text(
        '[[retriever]]\nname = "bm25"\n[[retriever]]\nname = "bm25"\nlabel = "flat"\nb = 0\n[anything]\nelse = 1\n'
    )
    return files


def test_a_run_that_is_read_again(fairviz: Command, collection: Path) -> None:
    done = fairviz("retrieve", "corpus.jsonl", "queries.jsonl", "--retriever", "bm25", "--depth", 2)
    assert (done.code, done.err) == (0, "")
    (collection / "made.run").write_text(done.out)
    run = read_run(str(collection / "made.run")).value
    assert (run.system, run.query_ids, run.offsets.tolist()) == ("bm25", ("q1", "q2"), [0, 2, 4])
    assert done.out.startswith("q1 Q0 d2 1 ")


def test_a_collection_of_beir_has_other_names_for_ids(fairviz: Command, collection: Path) -> None:
    arguments = ("retrieve", "corpus.jsonl", "queries.jsonl", "--retriever", "bm25")
    wanted = fairviz(*arguments).out
    for name in ("corpus", "queries"):
        file = collection / f"{name}.jsonl"
        file.write_text(file.read_text().replace("doc_id", "_id").replace("query_id", "_id"))
    assert fairviz(*arguments).out == wanted != ""
    (collection / "corpus.jsonl").write_text('{"_id": "d1", "text": "a"}\n{"_id": "d1", "text": "b"}\n')
    done = fairviz(*arguments)
    assert (done.code, "corpus.jsonl:2: doc_id d1 stands twice (first on line 1)" in done.err) == (2, True)


def test_questions_without_a_document_are_counted(fairviz: Command, collection: Path) -> None:
    """No document speaks of owls; the other question keeps its list."""
    (collection / "queries.jsonl").write_text(
        '{"query_id": "q0", "text": "owl?"}\n{"query_id": "q1", "text": "red?"}\n'
    )
    done = fairviz("retrieve", "corpus.jsonl", "queries.jsonl", "--retriever", "bm25")
    assert (done.code, {line.split()[0] for line in done.out.splitlines()}) == (0, {"q1"})
    assert done.err == "warning: queries.jsonl: nothing was retrieved for 1 question, q0 first\n"


def test_parameters_decide(fairviz: Command, collection: Path) -> None:
    arguments = ("retrieve", "corpus.jsonl", "queries.jsonl", "--retriever", "bm25")
    usual, given, flat = (fairviz(*arguments, *more).out for more in ((), ("--set", "b=0.75"), ("--set", "b=0")))
    assert usual == given != flat
    by_label = fairviz(
        "retrieve", "corpus.jsonl", "queries.jsonl", "--description", "study.toml", "--retriever", "flat"
    )
    assert by_label.out == flat.replace(" bm25\n", " flat\n")


@pytest.mark.usefixtures("collection")
@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ((), "retrieve needs --retriever NAME"),
        (("--retriever", "bm52"), "there is no 'bm52': name one of 'bm25'"),
        (("--retriever", "bm25", "--set", "k1=-1"), "k1: Input should be greater than or equal to 0"),
        (("--retriever", "bm25", "--set", "k1"), "--set k1: expected KEY=VALUE"),
        (("--description", "study.toml"), "study.toml: give --retriever, one of: bm25, flat"),
        (("--description", "study.toml", "--set", "b=1"), "parameters of a --description stand in the file"),
        (("--description", "no.toml"), "no.toml: file not found"),
        (("--description", "corpus.jsonl"), "corpus.jsonl:1: is no TOML"),
    ],
)
def test_one_line_for_a_mistake(fairviz: Command, more: tuple[str, ...], reason: str) -> None:
    assert reason in fairviz("retrieve", "corpus.jsonl", "queries.jsonl", *more).refusal
