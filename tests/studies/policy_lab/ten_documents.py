"""Two queries over ten documents, and their price curves."""

import numpy as np
from scipy.sparse import csr_array

from fairviz.attention import Discounted
from fairviz.evaluation.joins import first_items
from fairviz.metrics.spec import parse_measure
from fairviz.model import GroupLabels, Target
from fairviz.studies.policy_lab.prices import Prices
from tests.nouns import qrels_of, run_of

DOCS = "abcdefghij"
RUN = run_of(
    {
        "q1": {doc: 20.0 - i for i, doc in enumerate(DOCS)},
        "q2": {doc: 20.0 - i for i, doc in enumerate(reversed(DOCS))},
        "q3": {doc: 20.0 - i for i, doc in enumerate("acegibdfhj")},
    }
)
QRELS = qrels_of({"q1": {"a": 1, "f": 2}, "q2": {"c": 1, "i": 1}})
LABELS = GroupLabels(
    attribute="side",
    groups=("x", "y"),
    doc_ids=tuple("abcdefgh"),
    weights=csr_array(np.array([[1.0, 0]] * 5 + [[0, 1.0]] * 3)),
)
HALF = Target(groups=("x", "y"), shares=np.array([0.5, 0.5]))


def grown(depth: int = 10, measure: str = "") -> Prices:
    return Prices(
        first_items(RUN, depth),
        QRELS,
        LABELS,
        HALF,
        attention=Discounted(4),
        k=4,
        measure=parse_measure(measure) if measure else None,
    )
