"""Fused retrievers against runs that were fused elsewhere, and against ``fairviz fuse``."""

from pathlib import Path

import pytest

from fairviz.errors import DescriptionError
from fairviz.evaluation.fuse import reciprocal_rank_fusion
from fairviz.experiments.config import retrievers_of
from fairviz.experiments.protocols import Document
from fairviz.experiments.retrievers import Bm25, Bm25Retriever, FusedRetriever, retrieved_run
from fairviz.io.text import read_toml
from tests.experiments.choosing import chosen

CORPUS = [
    Document(f"d{row}", "", text)
    for row, text in enumerate(["heat pump", "pump water", "water tap", "cold tap heat", "heat", "solar panel roof"])
]
QUESTIONS = {"q1": "heat pump water", "q2": "cold roof", "q3": "nothing known"}


def test_it_is_what_fuse_makes_of_the_runs() -> None:
    retrievers = Bm25Retriever(CORPUS), Bm25Retriever(CORPUS, b=0)
    runs = [retrieved_run(retriever, CORPUS, QUESTIONS, depth=3) for retriever in retrievers]
    theirs = reciprocal_rank_fusion(runs, k=7, depth=3)
    ours = retrieved_run(
        FusedRetriever(CORPUS, retrievers, chosen("rrf", of=[{"name": "bm25"}], k0=7, depth=3)),
        CORPUS,
        QUESTIONS,
        depth=9,
    )
    for row, query_id in enumerate(ours.query_ids):
        mine = {ours.doc_ids[d]: s for d, s in _rows(ours, row)}
        assert mine == {theirs.doc_ids[d]: s for d, s in _rows(theirs, theirs.query_ids.index(query_id))}
        assert list(mine) == sorted(mine, key=lambda doc, s=mine: (s[doc], doc), reverse=True)


def _rows(run, row: int):
    rows = slice(*run.offsets[row : row + 2].tolist())
    return zip(run.docs[rows].tolist(), run.scores[rows].tolist(), strict=True)


def test_a_description_names_the_others_with_their_parameters(tmp_path: Path) -> None:
    choice = chosen("rrf", of=[{"name": "bm25", "k1": 2}, {"name": "bm25", "b": 0}], k0=7, label="both")
    assert [(other.k1, other.b) for other in choice.of] == [(2, 0.75), (1.5, 0)]
    built = choice.build(CORPUS)
    by_hand = FusedRetriever(CORPUS, [Bm25Retriever(CORPUS, k1=2), Bm25Retriever(CORPUS, b=0)], choice)
    assert built.name == "both"
    for ours, theirs in zip(built.retrieve(QUESTIONS, depth=4), by_hand.retrieve(QUESTIONS, depth=4), strict=True):
        assert (ours.positions.tolist(), ours.scores.tolist()) == (theirs.positions.tolist(), theirs.scores.tolist())


@pytest.mark.parametrize(
    ("of", "said"),
    [
        ([], "of: List should have at least 1 item"),
        ([{"name": "bm52"}], "there is no 'bm52'"),
        ([{"name": "rrf", "of": []}], "there is no 'rrf'"),
        ([{"name": "bm25", "k1": -1}], "k1: Input should be greater than or equal to 0"),
    ],
)
def test_mistakes_are_told(of: list[dict[str, object]], said: str) -> None:
    with pytest.raises(DescriptionError, match=said):
        chosen("rrf", of=of)


def test_a_fusion_names_retrievers_of_the_description(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(
        '[[retriever]]\nname = "bm25"\n[[retriever]]\nname = "bm25"\nlabel = "words"\nb = 0\n'
        '[[retriever]]\nname = "rrf"\nof = ["words", { name = "bm25", k1 = 2 }]\n'
    )
    _, words, fused = retrievers_of(read_toml(tmp_path / "study.toml"), tmp_path / "study.toml")
    assert fused.of == (words, Bm25(k1=2))
    (tmp_path / "study.toml").write_text('[[retriever]]\nname = "rrf"\nof = ["wrods"]\n')
    with pytest.raises(DescriptionError, match="of names 'wrods', which is no other retriever"):
        retrievers_of(read_toml(tmp_path / "study.toml"), tmp_path / "study.toml")
    with pytest.raises(DescriptionError, match="of names 'bm25'"):
        chosen("rrf", of=["bm25"])


def test_notes_of_the_others_are_told(tmp_path: Path) -> None:
    (tmp_path / "x.run").write_text("q1 Q0 d1 1 3 x\n")
    of = [{"name": "runs", "file": str(tmp_path / "x.run")}, {"name": "bm25"}]
    fused = chosen("rrf", of=of).build(CORPUS)
    (hits, *_) = fused.retrieve(QUESTIONS, depth=1)
    assert hits.positions.tolist() == [1]
    assert [note.message for note in fused.notes] == ["2 of 3 questions are not in the run (q2, q3)"]
