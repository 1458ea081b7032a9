"""The shipped example keeps what a class needs to see."""

import json
from pathlib import Path

import numpy as np
import pytest

from fairviz.evaluation.evaluate import evaluate
from fairviz.experiments.inputs import read_documents
from fairviz.experiments.retrievers import sentences
from fairviz.io.corpus import read_queries, read_references
from fairviz.io.groups import read_groups
from fairviz.io.qrels import read_qrels
from fairviz.io.rag import read_outputs
from fairviz.io.rankings import read_run
from fairviz.io.targets import read_target
from fairviz.kernels.attention import TopK
from fairviz.kernels.pool import pool
from fairviz.metrics.catalogue import parse_measure
from fairviz.points.curves import CurveSettings, tradeoff_curve

DEMO = Path(__file__).resolve().parents[2] / "data" / "demo"
LABELS = ["usefulness.qrels", "utility.qrels"]


def test_documents_are_short() -> None:
    corpus = read_documents(DEMO / "corpus.jsonl").value
    assert len(corpus) == 151
    for document in corpus:
        assert 40 <= len(document.text.split()) <= 90, document.doc_id
        assert 3 <= len(sentences(document.text)) <= 6, document.doc_id


def test_every_question_has_answers() -> None:
    questions = read_queries(DEMO / "queries.jsonl").value
    assert len(questions) == 14
    assert set(read_references(DEMO / "references.jsonl").value) == set(questions)


def test_every_judged_and_labelled_document_is_in_the_corpus() -> None:
    ids = {document.doc_id for document in read_documents(DEMO / "corpus.jsonl").value}
    for name in LABELS:
        assert set(read_qrels(DEMO / name).value.doc_ids) <= ids
    assert set(read_groups(DEMO / "provider.tsv").value.doc_ids) == ids
    assert len(ids - set(read_groups(DEMO / "region.tsv").value.doc_ids)) == 7


def test_the_target_names_the_regions() -> None:
    target = read_target(DEMO / "target.json").value
    assert set(target.groups) == set(read_groups(DEMO / "region.tsv").value.groups)


def test_sources_do_not_change_their_size() -> None:
    lines = (DEMO / "provider.tsv").read_text().splitlines()[1:]
    size = dict(line.split("\t") for line in lines)
    sizes: dict[str, set[str]] = {}
    for line in (DEMO / "corpus.jsonl").read_text().splitlines():
        record = json.loads(line)
        sizes.setdefault(record["source"], set()).add(size[record["doc_id"]])
    assert all(len(found) == 1 for found in sizes.values())


@pytest.mark.parametrize("name", LABELS)
def test_pools_and_useful_items(name: str) -> None:
    run = read_run(DEMO / "bm25.run").value
    pools = pool(run, read_qrels(DEMO / name).value)
    n_useful = np.add.reduceat(pools.gains > 0, pools.offsets[:-1])
    assert (pools.sizes >= 30).all()
    assert (pools.sizes <= 150).all()
    assert (n_useful >= 4).all()
    assert (n_useful <= 12).all()


@pytest.mark.parametrize("name", LABELS)
def test_the_trade_off_is_there_to_see(name: str) -> None:
    run = read_run(DEMO / "bm25.run").value
    pools = pool(run, read_qrels(DEMO / name).value)

    def curve(policy, *alphas: float) -> tuple[np.ndarray, np.ndarray]:
        curve = tradeoff_curve(
            pools, CurveSettings(alphas=np.array(alphas), attention=TopK(5)), system="bm25", policy=policy
        )
        return curve.mean_disparity, curve.mean_quality

    _, (deterministic,) = curve("deterministic")
    disparity, (_, low, middle, high) = curve("plackett-luce", 1, 2, 4, 8)
    assert deterministic < 0.8, "the oracle reaches 1"
    assert low < middle < high
    assert high == pytest.approx(deterministic, abs=0.03)
    assert 0.3 < disparity[2] < 0.8
    _, (optimal,) = curve("optimal", 3)
    _, (at_three,) = curve("plackett-luce", 3)
    assert optimal > at_three + 0.05


def test_what_is_consumed_follows_alpha_in_its_own_way() -> None:
    names = ["alpha-1", "alpha-2", "alpha-4", "alpha-8", "deterministic", "oracle"]
    systems = [read_outputs(DEMO / f"outputs.{name}.jsonl.gz").value.outputs[0] for name in names]
    evaluation = evaluate(systems, [parse_measure("EU"), parse_measure("EAED@5")])
    eu = dict(zip(names, (s.value for s in evaluation.scores if s.measure == "EU"), strict=True))
    eaed = dict(zip(names, (s.value for s in evaluation.scores if s.measure == "EAED@5"), strict=True))
    # Spreading exposure costs nothing down to α = 2, and something below; the oracle is above all.
    assert eu["alpha-1"] < eu["deterministic"] - 0.01
    assert min(eu["alpha-2"], eu["alpha-4"]) > eu["deterministic"]
    assert eu["oracle"] > max(eu[name] for name in names[:-1]) + 0.02
    # Attributed exposure grows with α, neither nothing nor all of what is shown.
    grown = [eaed[name] for name in names[:-1]]
    assert grown == sorted(grown)
    assert 0.02 < grown[0] < 0.1 < 0.5 < grown[-1] < 0.9
