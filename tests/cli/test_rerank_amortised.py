"""``fairviz rerank --method amortised``: bounds of shares over all queries together, by one attribute or two."""

import json
from pathlib import Path

import pytest

import fairviz as fv
from fairviz.errors import UsageError
from fairviz.io.rankings import read_rankings
from tests.cli.conftest import Command, Done

ROWS = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0, "d": 0.0}, "q2": {"a": 3.0, "b": 1.2, "c": 1.0, "d": 0.0}}
BOUNDED = ("rerank", "two.run", "region.tsv", "size.tsv", "--method", "amortised", "-k", 2, "--target")


@pytest.fixture
def bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two lists a b c d: c is in the south and small, d in the north and small."""
    monkeypatch.chdir(tmp_path)
    lines = [
        f"{query} Q0 {doc} {rank} {score} two"
        for query, scores in ROWS.items()
        for rank, (doc, score) in enumerate(scores.items(), 1)
    ]
    (tmp_path / "two.run").write_text("\n".join([*lines, ""]))
    (tmp_path / "region.tsv").write_text("doc_id\tregion\na\tnorth\nb\tnorth\nc\tsouth\nd\tnorth\n")
    (tmp_path / "size.tsv").write_text("doc_id\tsize\na\tlarge\nb\tlarge\nc\tsmall\nd\tsmall\n")
    return tmp_path


def asked(folder: Path, content: object) -> Path:
    (folder / "bounds.json").write_text(json.dumps(content))
    return folder / "bounds.json"


def docs(done: Done) -> list[str]:
    return [line.split()[2] for line in done.out.splitlines()]


def test_the_cheaper_list_changes(fairviz: Command, bounds: Path) -> None:
    """c at rank 2 of one list is 0.6309 of 2 · 1.6309 of attention, 19.3 %; 19 % is that in 0.9823 of visits.

    In q2 it costs (0.4 − 1/3) · 0.6309 / (1 + 0.4 · 0.6309) = 0.0336 of the query, in q1 (2/3 − 1/3) · 0.6309 / 1.4206
    = 0.148. As a fixed list it has 0.3 points more than asked, which a least share allows.
    """
    done = fairviz(*BOUNDED, asked(bounds, {"region": {"south": {"min": 0.19}}}))
    assert done.code == 0
    assert docs(done) == ["a", "b", "c", "d", "a", "c", "b", "d"]
    assert done.out.splitlines()[0] == "q1 Q0 a 1 3.0 two+amortised"
    assert done.err == ""
    of_every_query_alike = fairviz(*BOUNDED, asked(bounds, {"north": 0.81, "south": 0.19}))
    assert docs(of_every_query_alike) == docs(done)


@pytest.mark.parametrize(
    "content",
    [
        {"region": {"south": {"max": 0}}, "size": {"small": {"min": 0.19}}},
        {"region+size": {"north × small": {"min": 0.19}}},
        # Written as a target of two queries would be: these are names of attributes.
        {"region": {"north": 1.0}, "size": {"small": 0.19, "large": 0.81}},
    ],
)
def test_two_attributes_at_once(fairviz: Command, bounds: Path, content: object) -> None:
    """Nothing of the south and 19 % for small ones is d at rank 2, though c would be cheaper."""
    done = fairviz(*BOUNDED, asked(bounds, content))
    assert docs(done) == ["a", "b", "c", "d", "a", "d", "b", "c"]


def test_shares_that_cannot_be_had(fairviz: Command, bounds: Path) -> None:
    """c first in both lists: 2 of 3.2619, 61.3 %; 90 % is missed by 28.7 points."""
    done = fairviz(*BOUNDED, asked(bounds, {"region": {"south": {"min": 0.9}}}))
    assert docs(done) == ["c", "a", "b", "d", "c", "a", "b", "d"]
    (line,) = [line for line in done.errors if "not all bounds" in line]
    assert "at best 28.69 points of attention would have to move; what holds it back: south (at least 90.0" in line


def test_samples_are_drawn_where_a_number_is_said(fairviz: Command, bounds: Path) -> None:
    done = fairviz(*BOUNDED, asked(bounds, {"region": {"south": {"min": 0.1}}}), "--samples", 400, "--seed", 3)
    (bounds / "drawn.run").write_text(done.out)
    sample = read_rankings(str(bounds / "drawn.run")).value
    assert sample.n_samples.tolist() == [400, 400]
    # c in 0.1 · 3.2619 / 0.6309 = 0.517 of visits to q2, ± 4 standard errors of 0.025.
    seconds = [line.split()[2] for line in done.out.splitlines() if line.split()[3] == "2" and line.startswith("q2")]
    assert seconds.count("c") / 400 == pytest.approx(0.517, abs=0.1)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ({"regio": {"south": {"min": 0.1}}}, "shares by 'regio' are bounded (nearest: region)"),
        ({"region": {"souht": {"min": 0.1}}}, "no label of region names 'souht' (nearest: south)"),
        (
            {"region": {"south": {"max": 0.1}, "north": {"max": 0.5}}},
            "largest shares of region sum to 0.6, less than 1",
        ),
        ({"q1": {"north": 1.0}, "q2": {"south": 1.0}}, "the target differs from query to query"),
        ({"region": {"south": {"min": 0.5, "max": 0.4}}}, "bounds.json:1: south: min 0.5 is above max 0.4"),
    ],
)
def test_mistakes_are_one_line(fairviz: Command, bounds: Path, content: object, reason: str) -> None:
    done = fairviz(*BOUNDED, asked(bounds, content))
    assert (done.out, len(done.errors)) == ("", 1)
    assert reason in done.errors[0]


@pytest.mark.parametrize("command", [("rerank", "--method", "det-greedy"), ("groups",), ("evaluate", "-m", "AWRF@2")])
def test_what_needs_exact_shares_refuses_bounds(fairviz: Command, bounds: Path, command: tuple[str, ...]) -> None:
    target = asked(bounds, {"region": {"south": {"min": 0.19}}})
    done = fairviz(command[0], "two.run", "region.tsv", *command[1:], "--target", target)
    assert (done.code, len(done.errors)) == (2, 1)
    assert "only policy-lab and rerank --method amortised keep to" in done.errors[0]


def test_python_does_the_same(fairviz: Command, bounds: Path) -> None:
    region, size = (fv.labels(bounds / f"{name}.tsv") for name in ("region", "size"))
    target = {"region": {"south": (None, 0)}, "size": {"small": (0.19, None)}}
    run = fv.run(ROWS, name="two")
    reranked = fv.rerank(run, "amortised", groups=[region, size], target=target, k=2)
    assert [reranked.doc_ids[doc] for doc in reranked.docs] == ["a", "b", "c", "d", "a", "d", "b", "c"]
    with pytest.raises(UsageError, match="only policy_lab and rerank"):
        fv.rerank(run, "det-greedy", groups=region, target=target)
    loaded = fv.load(bounds / "two.run", bounds / "region.tsv", asked(bounds, {"region": {"south": {"max": 0.5}}}))
    with pytest.raises(UsageError, match="only policy_lab and rerank"):
        fv.groups(loaded, k=2)


def test_queries_weigh_by_how_often_they_are_asked(fairviz: Command, bounds: Path) -> None:
    """c at rank 2 of q2 is 0.6309 of 10 · 1.6309 of attention, 3.9 %: 3 % is that in 0.7755 of visits, the likeliest.

    Asked alike it would be 19.3 %, so that a visit in six is enough.
    """
    target, weights = asked(bounds, {"region": {"south": {"min": 0.03}}}), bounds / "weights.csv"
    assert docs(fairviz(*BOUNDED, target)) == [*"abcd", *"abcd"]
    weights.write_text("query_id,weight\nq1,9\nq2,1\n")
    done = fairviz(*BOUNDED[:4], weights, *BOUNDED[4:], target)
    assert docs(done) == [*"abcd", *"acbd"]
    options = {"groups": bounds / "region.tsv", "target": target, "k": 2}
    for given in (weights, {"q1": 9, "q2": 1}):
        run = fv.rerank(bounds / "two.run", "amortised", weights=given, **options)
        assert [run.doc_ids[d] for d in run.docs] == docs(done)
    weights.write_text("query_id,weight\nq1,9\n")
    done = fairviz(*BOUNDED[:4], weights, *BOUNDED[4:], target)
    assert docs(done) == [*"abcd", *"abcd"]  # q2 has no weight; 3 % of q1 is a visit in thirteen
    assert "1 query has no weight: lists stay as they are, and no share counts them" in "\n".join(done.errors)
    drawn = fairviz(*BOUNDED[:4], weights, *BOUNDED[4:], target, "--samples", 3)
    assert docs(drawn)[-6:] == [*"ababab"]
    weights.write_text("query_id,weight\nq3,9\n")
    assert "weights: they name no query of two" in fairviz(*BOUNDED[:4], weights, *BOUNDED[4:], target).err
    alone = ("rerank", "two.run", "region.tsv", weights, "--method", "det-greedy", "--target", "uniform")
    assert "weights change nothing: DetGreedy re-ranks each query alone" in fairviz(*alone).err
