"""First guesses at the library's arguments: taken where they have a meaning, else one line that speaks of arguments."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import fairviz as fv

RUN = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.0, "b": 2.0}}
WORSE = {"q1": {"a": 1.0, "b": 2.0}, "q2": {"a": 1.0, "b": 2.0}}
JUDGED = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 0}}
REGION = {"a": "north", "b": "south"}
SHARES = {"north": 0.25, "south": 0.75}


def frame(run: dict[str, dict[str, float]]) -> pd.DataFrame:
    cells = [(query, doc, score) for query, docs in run.items() for doc, score in docs.items()]
    return pd.DataFrame(cells, columns=["query_id", "doc_id", "score"])


def curve(**options: Any) -> object:
    return fv.tradeoff(RUN, JUDGED, **{"k": 1, **options})


def fair(method: Any = "det-greedy", **options: Any) -> object:
    return fv.rerank(RUN, method, **{"groups": REGION, "target": "uniform", **options})


GUESSES: list[tuple[Callable[[], object], str]] = [
    (lambda: curve(alpha="0:8"), "alpha"),
    (lambda: curve(attention=lambda rank: 1 / rank), "attention= is a function: give it a name by @fv.attention"),
    (lambda: curve(attention="rbp", p="x"), "p='x': expected a number"),
    (lambda: curve(policy="pl"), "policy=: expected one of plackett-luce, optimal, oracle, all, got 'pl'"),
    (lambda: curve(attention="rbp", p=2.0), "patience"),
    (lambda: curve(system="magic"), "system=magic: expected one of"),
    (lambda: curve(k=2.5), "k=2.5: expected a whole number of at least 1"),
    (lambda: curve(offset=3), "offset=: expected a whole number of at least 0 and at most 1"),
    (lambda: curve(scores="raw"), "scores='raw': expected one of given, ranks"),
    (lambda: curve(seed=-1), "seed=-1: expected a whole number of at least 0"),
    (lambda: fv.tradeoff(RUN, JUDGED, k=1).save("a.svg", width=8), "a figure of 8 mm: expected 50 to 500 mm"),
    (lambda: fv.tradeoff(RUN, JUDGED, k=1).save("a.svg", width="8 in"), "a width of '8 in': expected millimetres"),
    (lambda: fv.evaluate(RUN, JUDGED, "P@1", seed="x"), "seed='x': expected a whole number"),  # type: ignore[arg-type]
    (lambda: fv.evaluate(RUN, JUDGED, lambda run: 1), "measures= takes names such as 'nDCG@10', found a function"),  # type: ignore[arg-type]
    (lambda: fv.evaluate(RUN, JUDGED, "P@1", pairs=["a=b"]), "pairs= is a list: expected a dict"),  # type: ignore[arg-type]
    (lambda: fv.evaluate(RUN, JUDGED, "P@1", systems={"run": "bm25"}), "systems= says of run no dict of factors"),
    (lambda: fv.evaluate(RUN, JUDGED, "P@1", systems=["run"]), "systems= takes a path, a frame or a dict of dicts"),
    (lambda: fv.evaluate(RUN, JUDGED, "P@1", references=["x"]), "references= is a list: expected a path or a dict"),
    (lambda: fv.evaluate(pd.Series({"a": 1.0}), JUDGED, "P@1"), "Series"),  # one column: by its name in old pandas, too
    (lambda: fv.evaluate(RUN, JUDGED, "AWRF@1", groups=[REGION, REGION], target="uniform"), "groups=: two attributes"),
    (lambda: fv.compare([RUN, WORSE], JUDGED, "P@1", baseline=fv.run(RUN)), "baseline= is a Run: expected a text"),
    (lambda: fv.evaluate([], None, "P@1"), "nothing to measure: give runs= or outputs="),
    (lambda: fv.evaluate(RUN, None, "P@1"), "P@1: judgements are needed: give qrels="),
    (lambda: fv.evaluate(RUN, JUDGED, ""), "no measure given; write for example measures=nDCG@10"),
    (lambda: fv.evaluate(RUN, [JUDGED, JUDGED], "P@1"), "qrels=: two judgements of people"),
    (lambda: fv.compare(RUN, JUDGED, "P@1"), "nothing to compare: give two or more runs=, or two or more outputs="),
    (lambda: fv.compare([RUN, RUN], JUDGED, "P@1", baseline="x"), "baseline=x: expected one of run, run (2)"),
    (lambda: fair(groups=None), "looks at groups: give groups="),
    (lambda: fair(target=None), "needs a target: target="),
    (lambda: fair(epsilon=0.5), "has no parameter 'epsilon'"),
    (lambda: fair(lambda candidates: candidates), "method= is a function: expected a text"),
    (lambda: fv.run(RUN, name=3), "name=3: expected a text"),
    (lambda: fv.labels([REGION, REGION]), "list: no column of documents (doc_id"),
    (lambda: fv.labels([1, 2]), "expected a path, a frame, rows or a dict, found list"),
    (lambda: fv.labels(REGION, labels="two"), "labels='two': expected one of one, split"),
    (lambda: fv.labels({"north": ["a", "b"]}), "document north: expected a group or {group: weight}, found list"),
    (lambda: fv.bias({"a": 1}, {"b": 2}), "expected a frame or a list of dicts, found one dict"),
    (lambda: fv.experiment({}), "description= is a dict: expected a path"),
]


@pytest.mark.parametrize(("guess", "said"), GUESSES, ids=[said[:40] for _, said in GUESSES])
def test_a_wrong_first_guess_is_one_line_on_an_argument(guess: Callable[[], object], said: str) -> None:
    with pytest.raises(fv.FairvizError) as caught:
        guess()
    assert said in str(caught.value)
    assert "--" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_dict_of_rankings_names_them() -> None:
    expected = fv.evaluate([fv.run(RUN, name="bm25"), fv.run(WORSE, name="dense")], JUDGED, "P@1").frame()
    for held in (
        {"bm25": RUN, "dense": WORSE},
        {"bm25": frame(RUN), "dense": frame(WORSE)},
        {"bm25": fv.run(RUN), "dense": pa.table(frame(WORSE).to_dict("list"))},
    ):
        pd.testing.assert_frame_equal(fv.evaluate(held, JUDGED, "P@1").frame(), expected)
    found = fv.compare({"bm25": RUN, "dense": WORSE}, JUDGED, "P@1", baseline="bm25").frame()
    assert found[["system", "reference", "difference"]].to_numpy().tolist() == [["dense", "bm25", -0.5]]
    curves = fv.tradeoff({"bm25": frame(RUN), "dense": frame(WORSE)}, JUDGED, k=1)
    assert set(curves.frame().system) == {"bm25", "dense"}


def test_a_series_holds_groups_or_shares_by_its_index() -> None:
    labels = fv.labels(pd.Series(REGION, name="region"))
    assert (labels.attribute, labels.groups) == ("region", ("north", "south"))
    assert fv.labels(pd.Series(REGION)).attribute == "group"
    assert fv.labels(pd.Series(REGION), name="place").attribute == "place"
    target = fv.target(pd.Series(SHARES))
    assert dict(zip(target.groups, target.shares.tolist(), strict=True)) == SHARES
    with pytest.raises(fv.FairvizError, match="a has two group labels"):
        fv.labels(pd.Series(["north", "south"], index=["a", "a"]))


def test_a_path_is_a_path(tmp_path: Path) -> None:
    with pytest.raises(fv.FairvizError, match="file not found"):
        fv.experiment(tmp_path / "none.toml")
