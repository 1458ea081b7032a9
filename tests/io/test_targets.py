"""Targets: one object of shares, or one per query; what is refused, and how it is said."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.errors import InputError
from fairviz.io.dataset import add_file
from fairviz.io.formats import sniff
from fairviz.io.names import folded, is_blank
from fairviz.io.source import Options
from fairviz.io.targets import read_target, write_target
from fairviz.model import Dataset, Run, Target
from tests.io.written import written
from tests.refused import refused


def read(content: object) -> Target:
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    return read_target(("t.json", text.encode())).value


def test_shares_for_every_query() -> None:
    target = read({"north": 0.25, "süd, ost": 0.75, "x": 0})
    assert target.groups == ("north", "süd, ost", "x")
    assert target.shares.tolist() == [0.25, 0.75, 0]
    assert target.query_ids is None


def test_shares_for_each_query() -> None:
    """Groups are those of all queries; what a query does not name has no share there."""
    target = read({"q2": {"A": 1}, "q1": {"B": 0.5, "C": 0.5}})
    assert target.groups == ("A", "B", "C")
    assert target.query_ids == ("q2", "q1")
    assert target.shares.tolist() == [[1, 0, 0], [0, 0.5, 0.5]]


def test_rounded_shares_are_kept() -> None:
    assert read({"A": 0.3333, "B": 0.6666}).shares.tolist() == [0.3333, 0.6666]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ({}, "t.json:1: expected group -> share, found an empty object"),
        ([0.5, 0.5], "t.json:1: expected group -> share, found array"),
        ("0.5", "expected group -> share"),
        ("{", "t.json"),
        ('{"A": 1,\n "B" 0}', "t.json:2: invalid JSON"),
        ('{"A": 0.5, "A": 0.5}', 'duplicate key "A"'),
        ({"A": "0.5", "B": 0.5}, "t.json:1: target share of A is no number but string"),
        ({"A": True}, "t.json:1: target share of A is no number but true"),
        ({"A": None, "B": 1}, "target share of A is no number"),
        ({"A": -0.5, "B": 1.5}, "target share of A is negative: -0.5"),
        ({"A": 0.5, "B": 0.6}, "target shares sum to 1.1"),
        ({"A": 0}, "target shares sum to 0"),
        ({"A": 40, "B": 60}, r"target shares sum to 100 \(percentages\?\)"),
        ('{"A": NaN, "B": 1}', "t.json"),
        ('{"A": 1e999}', "t.json"),
        ({"q1": {}}, "no shares for query q1"),
        ({"q1": {"A": 0.5}}, "target shares for query q1 sum to 0.5"),
        ({"q1": {"A": {"B": 1}}}, "target share of A for query q1 is no number"),
        ({"q1": {"A": 1}, "B": 1}, "target share of q1 is no number"),
    ],
)
def test_refused(content: object, told: str) -> None:
    with refused(match=told):
        read(content)


seen = st.text(max_size=4).filter(lambda text: not is_blank(text))
names = st.lists(seen, min_size=1, max_size=4, unique_by=folded)


@given(groups=names, queries=st.none() | names, data=st.data())
def test_what_is_written_is_read(groups: list[str], queries: list[str] | None, data: st.DataObject) -> None:
    parts = st.lists(st.integers(0, 8), min_size=len(groups), max_size=len(groups)).filter(any)
    rows = np.array([data.draw(parts) for _ in queries or [""]], dtype=float)
    rows /= rows.sum(axis=1, keepdims=True)
    made = Target(
        groups=tuple(groups), shares=rows if queries else rows[0], query_ids=tuple(queries) if queries else None
    )
    again = read_target(written(write_target, made)).value
    assert (again.groups, again.query_ids) == (made.groups, made.query_ids)
    assert again.shares.tolist() == made.shares.tolist()


@pytest.mark.parametrize(
    ("content", "role"),
    [
        ('{"a": 0.5, "b": 0.5}', "target"),
        ('{"q1": {"a": 0.5, "b": 0.5}, "q2": {"b": 0.1, "a": 0.9}}', "target"),
        ('{"q1": {"d1": 0.5, "d2": 0.5}, "q2": {"d7": 3.1, "d2": 0.9}}', "run"),
        ('{"q1": {"d1": 1.0}}', "run"),
        ('{"q1": {"min": 0.5, "d1": 0.25}, "q2": {"d1": 2.0}}', "run"),
        ('{"region": {"Africa": {"min": 0.15}}}', "target"),
        ('{"Africa": {"max": 0.15}}', "target"),
        ('{"Africa": 0.5, "Asia": {"min": 0.2}}', "target"),
        ('{"region": {"Africa": 0.5, "Asia": {"min": 0.1, "max": 0.2}}}', "target"),
    ],
)
def test_what_a_json_file_is(content: str, role: str) -> None:
    """Objects of two and more numbers that sum to 1 are shares; scores rarely do."""
    assert sniff(("t.json", content.encode())).role == role


@pytest.mark.parametrize(
    "content",
    [
        '{"q1": {"d1": 0.6, "d2": 0.4},\n"q2": {"d1": 0.7, "d3": 0.3}}',  # other names
        '{"q1": {"d1": 0.6, "d2": 0.4}, "q2": {"d2": 0.7, "d1": 0.3}}',  # best first
        '{"q1": {"d1": 0.6, "d2": 0.4}}',
    ],
)
def test_scores_that_could_be_shares_are_not_guessed_at(content: str) -> None:
    file = ("t.json", content.encode())
    with pytest.raises(
        InputError, match=r"t\.json:1: scores of documents .* or shares of groups: the file can be either"
    ):
        sniff(file)
    assert isinstance(add_file(Dataset(), file, Options(role="run")).runs[0], Run)
    assert add_file(Dataset(), file, Options(role="target")).target is not None
