"""Retrieval by parts of the questions finds what all of them together find."""

import os
from pathlib import Path

import pytest

from fairviz.experiments import retrieval_parts
from fairviz.experiments.components.registry import chosen, retriever_of
from fairviz.experiments.inputs import read_documents
from fairviz.experiments.retrieval_parts import PartitionedRetriever, divides
from fairviz.experiments.retrieved import retrieved_run
from fairviz.io.corpus import read_queries
from fairviz.partitions.executors import Alone

EXAMPLE = Path(__file__).parents[2] / "data" / "demo"


@pytest.mark.parametrize("name", ["bm25", "lsa"])
def test_parts_find_what_all_find(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    corpus = str(EXAMPLE / "corpus.jsonl")
    documents, questions = read_documents(corpus).value, read_queries(str(EXAMPLE / "queries.jsonl")).value
    choice, told = chosen("retriever", name), list[int]()
    monkeypatch.setattr(retrieval_parts, "QUESTIONS", 4)
    whole = retrieved_run(retriever_of(choice, documents, corpus), documents, questions, depth=20)
    parts = retrieved_run(PartitionedRetriever(choice, corpus, Alone(), told.append), documents, questions, depth=20)
    assert told == [4, 4, 4, 2]
    assert (parts.system, parts.query_ids, parts.docs.tolist()) == (whole.system, whole.query_ids, whole.docs.tolist())
    assert parts.scores.tobytes() == whole.scores.tobytes()


def test_a_corpus_that_changed_is_read_again(tmp_path: Path) -> None:
    corpus, choice = tmp_path / "corpus.jsonl", chosen("retriever", "bm25")

    def found() -> list[list[int]]:
        retriever = PartitionedRetriever(choice, str(corpus), Alone())
        return [hits.positions.tolist() for hits in retriever.retrieve({"q": "red fox"}, depth=2)]

    corpus.write_text("".join(f'{{"doc_id": "d{n}", "text": "{text}"}}\n' for n, text in enumerate(("fox", "a", "b"))))
    assert found() == [[0]]
    corpus.write_text("".join(f'{{"doc_id": "d{n}", "text": "{text}"}}\n' for n, text in enumerate(("a", "b", "fox"))))
    os.utime(corpus, ns=(0, 0))  # of the same size; a clock may be too slow for the time of change to differ
    assert found() == [[2]]


def test_what_workers_would_look_up_or_ask_a_server_for_is_not_divided(tmp_path: Path) -> None:
    corpus = EXAMPLE / "corpus.jsonl"
    assert divides(chosen("retriever", "bm25"), str(corpus))
    assert not divides(chosen("retriever", "runs", file=EXAMPLE / "bm25.run"), str(corpus))
    assert not divides(chosen("retriever", "endpoint", base_url="http://127.0.0.1:9/v1", model="m"), str(corpus))
    assert not divides(chosen("retriever", "dense"), str(corpus)), "every worker would encode the whole corpus"
    os.mkfifo(tmp_path / "pipe")
    assert not divides(chosen("retriever", "bm25"), str(tmp_path / "pipe")), "it is read once"
