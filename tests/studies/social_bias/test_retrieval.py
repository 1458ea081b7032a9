"""Share of stereotypical documents: by hand, and against a loop over a real collection."""

import gzip
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

from fairviz.experiments.protocols import Document
from fairviz.experiments.retrievers import Bm25Retriever
from fairviz.model import GroupLabels
from fairviz.studies.social_bias.documents import stereotype_share
from tests.nouns import run_of

RUN = run_of({"q1": {"a": 4, "b": 3, "x": 2, "c": 1}, "q2": {"x": 1}, "q3": {"c": 1}}, "bm25")


def labels_of(polarity: dict[str, str], groups: tuple[str, ...] = ("stereo", "anti")) -> GroupLabels:
    weights = np.array([[float(own == group) for group in groups] for own in polarity.values()])
    return GroupLabels(attribute="polarity", groups=groups, doc_ids=tuple(polarity), weights=csr_array(weights))


LABELS = labels_of({"a": "stereo", "b": "anti", "c": "stereo", "never": "anti"})


def test_by_hand() -> None:
    """q1: a and c of a, b, c: 2/3. q2: only x, unlabelled. q3: 1. Mean 5/6; the collection 2/4."""
    found = stereotype_share(RUN, LABELS)
    assert (found["system"], found["k"]) == ("bm25", None)
    assert found["stereo_documents"] == pytest.approx(500 / 6)
    assert (found["n_queries"], found["n_undefined"]) == (2, 1)
    assert (found["n_documents"], found["n_unlabelled"]) == (4, 2)
    assert found["collection"] == 50
    assert (found["low"], found["high"]) == pytest.approx((200 / 3, 100))


def test_the_first_k() -> None:
    """q1: a of a, b: 1/2; x at rank 3 and c at rank 4 do not count."""
    found = stereotype_share(RUN, LABELS, k=2)
    assert found["stereo_documents"] == (50 + 100) / 2
    assert (found["n_documents"], found["n_unlabelled"]) == (3, 1)
    assert stereotype_share(RUN, LABELS, k=2, group="anti")["stereo_documents"] == (50 + 0) / 2


def test_ranks_as_given() -> None:
    """b is ranked first by the file."""
    ranked = replace(RUN, docs=RUN.docs[[1, 0, 2, 3, 4, 5]])
    assert stereotype_share(ranked, LABELS, k=1)["stereo_documents"] == (0 + 100) / 2


def test_nothing_is_labelled() -> None:
    found = stereotype_share(RUN, labels_of({"z": "stereo"}, ("stereo",)))
    assert np.isnan([found["stereo_documents"], found["low"], found["high"]]).all()
    assert (found["n_queries"], found["n_undefined"], found["n_unlabelled"]) == (0, 3, 6)


def test_bm25_over_real_pairs(shared: Path) -> None:
    file = shared / "data/real/collections/stereotype-pairs.tsv.gz"
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines][1:]
    polarity = {row[0]: row[4] for row in rows}
    retriever = Bm25Retriever([Document(row[0], "", row[5]) for row in rows])
    asked = [f"Who {' '.join(re.findall(r'[a-z]+', row[5].lower())[:6])}?" for row in rows[::500]]
    ranked = {}
    for q, question in enumerate(asked):
        hits = retriever.retrieve({"q": question}, depth=20)[0]
        found = zip(hits.positions.tolist(), hits.scores.tolist(), strict=True)
        ranked[f"q{q}"] = {rows[at][0]: score for at, score in found}
    labels = labels_of(polarity)
    for k in (1, 10, 20):
        shares: list[float] = []
        for scores in ranked.values():
            order = sorted(scores, key=lambda doc, s=scores: (s[doc], doc), reverse=True)[:k]
            if order:
                shares.append(sum(polarity[doc] == "stereo" for doc in order) / len(order))
        share = stereotype_share(run_of(ranked), labels, k=k)
        assert share["stereo_documents"] == pytest.approx(100 * sum(shares) / len(shares))
        assert share["n_queries"] == len(shares) >= 20
        assert (share["collection"], share["n_unlabelled"]) == (50, 0)
