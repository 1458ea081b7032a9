"""Retrieval by parts of the questions finds what all of them together find."""

from pathlib import Path

import pytest

from fairviz.experiments import retrieval_parts
from fairviz.experiments.components.registry import chosen, retriever_of
from fairviz.experiments.inputs import read_documents
from fairviz.experiments.retrieval_parts import PartitionedRetriever
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
