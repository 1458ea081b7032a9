"""Two queries over ten documents, and their prices."""

import numpy as np

from fairviz.evaluation.systems import first_items
from fairviz.model import Target
from fairviz.studies.policy_lab.strengths import Prices
from tests.metrics.labels import hard_labels
from tests.nouns import qrels_of, run_of
from tests.studies.policy_lab.beside import prices_of

DOCS = "abcdefghij"
RANKED = {
    "q1": {doc: 20.0 - i for i, doc in enumerate(DOCS)},
    "q2": {doc: 20.0 - i for i, doc in enumerate(reversed(DOCS))},
    "q3": {doc: 20.0 - i for i, doc in enumerate("acegibdfhj")},
}
RUN = run_of(RANKED)
QRELS = qrels_of({"q1": {"a": 1, "f": 2}, "q2": {"c": 1, "i": 1}})
LABELS = hard_labels(dict.fromkeys("abcde", "x") | dict.fromkeys("fgh", "y"))
HALF = Target(groups=("x", "y"), shares=np.array([0.5, 0.5]))


def grown(depth: int = 10) -> Prices:
    return prices_of(first_items(RUN, depth), QRELS, LABELS, HALF, k=4)
