from pathlib import Path

import pytest

from fairviz.errors import InputError
from fairviz.experiments.protocols import Document
from fairviz.experiments.retrievers import RunFile, retrieved_run
from fairviz.io.rankings import read_run

RUN = "q1 Q0 b 1 0.123456789 x\nq1 Q0 a 2 0.1 x\nq2 Q0 c 1 7 x\nq2 Q0 a 2 7 x\nq2 Q0 b 3 -1.5 x\n"
CORPUS = [Document(name, "", "") for name in "abc"]
QUESTIONS = {"q1": "one", "q2": "two"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "x.run"
    path.write_text(RUN)
    return path


def test_the_run_made_of_it_is_the_file(file: Path) -> None:
    made = retrieved_run(RunFile(CORPUS, name="x", file=file), CORPUS, QUESTIONS, depth=10)
    read = read_run(str(file)).value
    assert made.system == "x"
    assert made.query_ids == read.query_ids
    assert made.offsets.tolist() == read.offsets.tolist()
    assert made.scores.tolist() == read.scores.tolist(), "not rounded: these are not ours"
    assert [made.doc_ids[d] for d in made.docs] == [read.doc_ids[d] for d in read.docs] == list("bacab")


def test_a_real_run_comes_out_as_it_is(shared: Path) -> None:
    path = shared / "data/real/runs/raggy-dev.bm25.run.gz"
    read = read_run(str(path)).value
    corpus = [Document(doc_id, "", "") for doc_id in sorted(read.doc_ids)]
    made = retrieved_run(RunFile(corpus, file=path), corpus, dict.fromkeys(read.query_ids, "?"), depth=10_000)
    assert made.scores.tolist() == read.scores.tolist()
    assert [made.doc_ids[d] for d in made.docs] == [read.doc_ids[d] for d in read.docs]
    assert made.offsets.tolist() == read.offsets.tolist()


def test_what_is_missing_is_named_and_counted(file: Path) -> None:
    retriever = RunFile(CORPUS[:2], file=file)
    assert [note.message for note in retriever.notes] == ["1 documents that the corpus lacks were left out (c)"]
    asked = dict.fromkeys(("q2", "q3", "q4", "q5", "q6"), "")
    found = retriever.retrieve(asked, depth=1)
    assert [hits.positions.tolist() for hits in found] == [[0], [], [], [], []], "c is passed over, a takes its place"
    assert retriever.notes[1].message == "4 of 5 questions are not in the run (q3, q4, q5, …)"
    assert retriever.notes[1].file == str(file)


def test_a_run_over_other_documents_is_refused(file: Path) -> None:
    with pytest.raises(InputError, match=r"none of its 3 documents \(b, a, c\) is in the corpus"):
        RunFile([Document("z", "", "")], file=file)
