"""Down to where the candidates of each query go, and which groups no query can show."""

import numpy as np

from fairviz.model import Run, Target
from fairviz.studies.policy_lab.settings import DEEPEST, PolicyLabSettings
from fairviz.studies.policy_lab.stated import group_depths
from tests.metrics.labels import hard_labels
from tests.nouns import qrels_of, run_of
from tests.studies.policy_lab.beside import held_of

HALF = Target(groups=("x", "y"), shares=np.full(2, 0.5))
LABELS = hard_labels({"a": "x", "b": "x", "c": "y", "d": "y", "e": "z"})


def of(
    run: Run, target: list[float], usual: int, k: int = 2, judged: tuple[str, ...] = ("q1", "q2")
) -> tuple[list[int], dict[str, int], int]:
    qrels = qrels_of({query: {"a": 1, "e": 1} for query in judged})
    due = Target(groups=("x", "y", "z"), shares=np.array(target))
    found = group_depths([(held_of(run, qrels, LABELS, due).of, due.shares)], PolicyLabSettings(candidates=usual, k=k))
    return found.depths.tolist(), dict(found.nowhere), found.n_deeper


def test_by_hand() -> None:
    """q1: a b c d, so y starts at rank 3; q2: c a, y at rank 1. Nobody retrieved e, though q1 judges it."""
    run = run_of({"q1": {"a": 4, "b": 3, "c": 2, "d": 1}, "q2": {"c": 2, "a": 1}})
    assert of(run, [0.5, 0.4, 0.1], 2) == ([3, 2], {"z": 2}, 1)
    assert of(run, [0.5, 0.4, 0.1], 4) == ([4, 4], {"z": 2}, 0)
    assert of(run, [0.5, 0.5, 0.0], 2)[1] == {}  # nobody asks for z
    assert of(run, [0.5, 0.4, 0.1], 2, judged=("q2",)) == ([3, 2], {"z": 1}, 0)


def test_deep_enough_is_what_the_share_of_the_first_k_asks_for() -> None:
    """Half of the first 4 are two y: they stand at ranks 61 and 63 of 70; one of 4 needs the first alone."""
    ranked = {f"u{i:02}": 70.0 - i for i in range(70)}
    ranked = {("c" if i == 60 else "d" if i == 62 else doc): score for i, (doc, score) in enumerate(ranked.items())}
    run = run_of({"q1": ranked})
    assert of(run, [0.5, 0.5, 0.0], 10, k=4) == ([63], {"x": 1}, 1)
    assert of(run, [0.9, 0.1, 0.0], 10, k=4) == ([61], {"x": 1}, 1)
    assert of(run, [0.75, 0.25 * (1 + 1e-15), 0.0], 10, k=4) == ([61], {"x": 1}, 1)  # rounding asks for no second
    assert of(run, [0.0, 1.0, 0.0], 10, k=9) == ([63], {}, 1)  # nine are wanted, and two are all that there are
    assert of(run, [0.5, 0.5, 0.0], 61, k=4) == ([61], {"x": 1}, 0)  # one of them is among the usual ones


def test_no_query_goes_deeper_than_a_thousand() -> None:
    ranked = {f"u{i:04}": 2000.0 - i for i in range(1200)} | {"c": 500.0}
    assert of(run_of({"q1": ranked}), [0.0, 1.0, 0.0], 10)[0] == [DEEPEST]


def test_the_group_that_most_queries_lack_is_named_first() -> None:
    run = run_of({f"q{q}": {"a" if q else "c": 1.0} for q in range(3)})
    qrels = qrels_of({f"q{q}": {"a": 1} for q in range(3)})
    assert group_depths([(held_of(run, qrels, LABELS, HALF).of, HALF.shares)], PolicyLabSettings()).nowhere == [
        ("y", 2),
        ("x", 1),
    ]
