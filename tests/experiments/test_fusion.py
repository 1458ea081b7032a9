"""Fused retrievers against runs that were fused elsewhere, and against ``fairviz fuse``."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from fairviz.errors import DescriptionError
from fairviz.evaluation.fuse import reciprocal_rank_fusion
from fairviz.experiments.config import retrievers_of
from fairviz.experiments.description import read_toml
from fairviz.experiments.protocols import Document, Hits, Retriever
from fairviz.experiments.retrievers import Bm25, Bm25Retriever, FusedRetriever, retrieved_run
from fairviz.io.rankings import read_ranked_run
from fairviz.model import Run
from tests.experiments.choosing import chosen

CORPUS = [
    Document(f"d{row}", "", text)
    for row, text in enumerate(["heat pump", "pump water", "water tap", "cold tap heat", "heat", "solar panel roof"])
]
QUESTIONS = {"q1": "heat pump water", "q2": "cold roof", "q3": "nothing known"}


class AsRanked(Retriever):
    """What a run says, by its column of ranks: the fused runs were made so."""

    name, notes = "ranked", ()

    def __init__(self, ranked: Run, doc_ids: Sequence[str]) -> None:
        self._run = ranked
        place = {doc_id: row for row, doc_id in enumerate(doc_ids)}
        self._places = np.array([place[doc_id] for doc_id in self._run.doc_ids], dtype=np.int32)

    def retrieve(self, questions: Mapping[str, str], *, depth: int) -> list[Hits]:
        return [self._hits(self._run.query_ids.index(query_id), depth) for query_id in questions]

    def _hits(self, row: int, depth: int) -> Hits:
        rows = np.arange(*self._run.offsets[row : row + 2])[:depth]
        return Hits(self._places[self._run.docs[rows]], self._run.scores[rows])


@pytest.mark.parametrize("k0", [60, 100])
def test_real_systems(shared: Path, k0: int) -> None:
    folder = shared / "data/real/runs"
    names = ("bm25", "bm25_rankzephyr_rho", "fused_rankzephyr")
    runs = [read_ranked_run(folder / f"raggy-dev.{name}.run.gz").value for name in names]
    doc_ids = sorted({doc_id for run in runs for doc_id in run.doc_ids})
    corpus = [Document(doc_id, "", "") for doc_id in doc_ids]
    fused = FusedRetriever(corpus, [AsRanked(run, doc_ids) for run in runs], k0=k0, depth=100)
    expected: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for line in (folder / f"expected_rrf_k{k0}.top20.run").read_text().splitlines():
        query, _, doc, _, score, _ = line.split()
        expected[query].append((doc, float(score)))
    assert len(expected) == 120
    found = fused.retrieve(dict.fromkeys(expected, ""), depth=20)
    for documents, hits in zip(expected.values(), found, strict=True):
        assert hits.scores == pytest.approx([score for _, score in documents], abs=1e-9)
        # That file has ties by id ascending, every run that fairviz makes has them descending: at the cut they differ.
        ours = dict(zip((doc_ids[place] for place in hits.positions), hits.scores.tolist(), strict=True))
        for doc, score in documents:
            assert ours.get(doc, documents[-1][1]) == pytest.approx(score, abs=1e-9)


def test_it_is_what_fuse_makes_of_the_runs() -> None:
    retrievers = Bm25Retriever(CORPUS), Bm25Retriever(CORPUS, b=0)
    runs = [retrieved_run(retriever, CORPUS, QUESTIONS, depth=3) for retriever in retrievers]
    theirs = reciprocal_rank_fusion(runs, k=7, depth=3)
    ours = retrieved_run(FusedRetriever(CORPUS, retrievers, k0=7, depth=3), CORPUS, QUESTIONS, depth=9)
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
    by_hand = FusedRetriever(CORPUS, [Bm25Retriever(CORPUS, k1=2), Bm25Retriever(CORPUS, b=0)], k0=7)
    assert built.name == "both"
    for ours, theirs in zip(built.retrieve(QUESTIONS, depth=4), by_hand.retrieve(QUESTIONS, depth=4), strict=True):
        assert (ours.positions.tolist(), ours.scores.tolist()) == (theirs.positions.tolist(), theirs.scores.tolist())


@pytest.mark.parametrize(
    ("of", "said"),
    [
        ([], "of: List should have at least 1 item"),
        ([{"name": "bm52"}], "Input tag 'bm52'"),
        ([{"name": "rrf", "of": []}], "Input tag 'rrf'"),
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
