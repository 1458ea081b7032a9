"""``fairviz fuse``: a run that is read again, and one line for every mistake."""

from pathlib import Path

import pytest

from tests.cli.conftest import Command


@pytest.mark.usefixtures("files")
def test_two_runs_become_one(fairviz: Command) -> None:
    """one: q1 a b c, q2 b a, q9 a. two: q1 c a, q2 a. Sums by hand are in ``tests/evaluation/test_fuse.py``."""
    done = fairviz("fuse", "one.run", "two.run", "--rrf-k", 1)
    assert done.code == 0
    rows = [line.split() for line in done.out.splitlines()]
    assert [(row[2], row[5]) for row in rows] == [(doc, "rrf") for doc in "acbaba"]
    assert done.errors == ["warning: two.run: lacks 1 of 3 queries (q9): the other runs decide there"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("one.run",), "two or more runs"),
        (("one.run", "qrels"), "qrels"),
        (("one.run", "two.run", "--rrf-k", "-1"), "--rrf-k"),
        (("one.run", "two.run", "--depth", "0"), "--depth"),
        (("one.run", "two.run", "--top", "x"), "--top"),
        (("one.run", "two.run", "--tag", " "), "--tag"),
        (("one.run", "zero.run", "--rrf-k", "0"), "start at 0"),
        (("one.run", "blank.json"), "cannot stand in a TREC file"),
    ],
)
def test_mistakes_are_one_line(fairviz: Command, files: Path, arguments: tuple[str, ...], reason: str) -> None:
    (files / "zero.run").write_text("q1 Q0 a 0 2 z\nq1 Q0 b 1 1 z\n")
    (files / "blank.json").write_text('{"q1": {"a b": 1}}')
    assert reason in fairviz("fuse", *arguments).refusal
