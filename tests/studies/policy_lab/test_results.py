"""The query that stands for a setting: in which the raised group gains, chosen by a rule that is said."""

import numpy as np
import pytest

from fairviz.model import Target
from fairviz.studies.policy_lab.examples import compared_lists, example_query
from fairviz.studies.policy_lab.strengths import Prices
from tests.metrics.labels import hard_labels
from tests.nouns import qrels_of, run_of
from tests.studies.policy_lab.beside import prices_of

DOCS = "abcdefgh"
ORDERS = {f"q{q}": DOCS for q in range(11)} | {"q0": "abecdfgh", "q9": "aefbcdgh", "q10": "hgfebacd"}
"""Today's lists: of x, the documents a to d, in the first four ranks, but e, f, g and h in a few."""


def prices(x: float, orders: dict[str, str] = ORDERS) -> Prices:
    """Under a target that x should have, the rest is y's."""
    made = prices_of(
        run_of({query: {doc: 20.0 - i for i, doc in enumerate(docs)} for query, docs in orders.items()}),
        qrels_of({query: {"a": 1, "e": 1} for query in orders}),
        hard_labels(dict(zip(DOCS, "xxxxyyyy", strict=True))),
        Target(groups=("x", "y"), shares=np.array([x, 1 - x])),
        k=4,
    )
    made.compute(["det-greedy"])
    return made


def test_the_raised_group_gains_in_the_example_by_the_median_of_the_queries_in_which_it_gains() -> None:
    """y gains much in the eight queries that show none of it, less in q0, and in q9 and q10 nothing or loses."""
    known = prices(0.5)
    query = example_query(known, "det-greedy", 1.0)
    assert query == "q1"
    lists = compared_lists(known, "det-greedy", 1.0, query)
    before, after = ([move["group"] for move in lists.side(side)] for side in ("before", "after"))
    assert before == ["x"] * 4
    assert after.count("y") == 2


def test_a_query_whose_shown_list_gives_the_group_no_more_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    known = prices(0.5)
    shown = compared_lists

    def hidden(prices: Prices, method: str, strength: float, query: str) -> object:
        return shown(prices, method, strength, "q10" if query in taken else query)  # of q10, which loses y

    taken = {"q1"}
    monkeypatch.setattr("fairviz.studies.policy_lab.examples.compared_lists", hidden)
    assert example_query(known, "det-greedy", 1.0) == "q2"
    taken.update(ORDERS)
    assert example_query(known, "det-greedy", 1.0) == ""


def test_without_a_query_in_which_it_gains_there_is_no_example() -> None:
    assert example_query(prices(1.0, dict.fromkeys(ORDERS, DOCS)), "det-greedy", 1.0) == ""
    assert example_query(prices(0.5), "det-cons", 1.0) == ""  # not tried
