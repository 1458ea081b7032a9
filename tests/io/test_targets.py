"""Targets: shares of all queries or of each; bounds: at least, at most, exactly, free; what is refused, and how."""

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
from fairviz.io.targets import read_target, read_target_or_bounds, write_target
from fairviz.model import Dataset, Run, ShareBounds, Target
from tests.io.written import written
from tests.refused import refused


def upload(content: object) -> tuple[str, bytes]:
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    return "t.json", text.encode()


def read(content: object) -> Target:
    return read_target(upload(content)).value


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


def read_bounds(content: object) -> ShareBounds:
    bounds = read_target_or_bounds(upload(content)).value
    assert isinstance(bounds, ShareBounds)
    return bounds


def rows(bounds: ShareBounds) -> list[tuple[str, str, float, float]]:
    return list(zip(bounds.attributes, bounds.groups, bounds.low.tolist(), bounds.high.tolist(), strict=True))


def test_every_kind_of_bound_of_two_attributes() -> None:
    content = {
        "region": {"Africa": {"min": 0.15}, "Asia": {"min": 0.2, "max": 0.4}, "Europe": 0.3, "Oceania": None},
        "size": {"small": {"max": 0.5}, "large": [0.1, None]},
    }
    assert rows(read_bounds(content)) == [
        ("region", "Africa", 0.15, 1),
        ("region", "Asia", 0.2, 0.4),
        ("region", "Europe", 0.3, 0.3),
        ("region", "Oceania", 0, 1),
        ("size", "small", 0, 0.5),
        ("size", "large", 0.1, 1),
    ]


def test_bounds_of_the_attribute_that_counts() -> None:
    assert rows(read_bounds({"Europe": 0.3, "Africa": {"min": 0.15}})) == [
        ("", "Europe", 0.3, 0.3),
        ("", "Africa", 0.15, 1),
    ]


@pytest.mark.parametrize(
    "content",
    [{"Africa": 0.25, "Europe": 0.75}, {"q1": {"Africa": 0.25, "Europe": 0.75}, "q2": {"Africa": 1, "Europe": 0}}],
)
def test_shares_alone_are_a_target(content: object) -> None:
    assert isinstance(read_target_or_bounds(upload(content)).value, Target)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"region": {\n"Africa": {"min": 0.5, "max": 0.4}}}', "t.json:2: Africa: min 0.5 is above max 0.4"),
        (
            '{"region": {\n"Africa": {"min": 15}}}',
            r"t.json:2: a share of Africa is 15 \(fix|t.json:2: a share of Africa is 15",
        ),
        ({"region": {"Africa": {"min": -0.1}}}, "a share of Africa is -0.1"),
        ({"region": {"Africa": {"min": "0.1"}}}, "a share of Africa is no number but string"),
        ({"region": {"Africa": {"min": 0.1}, "Asia": {"least": 0.1}}}, "Asia: unknown key least"),
        ({"region": {"Africa": [0.1]}}, "Africa: 1 number in a list"),
        (
            '{"size": {"s": 1},\n"region": {"A": {"min": 0.6}, "B": 0.5}}',
            "t.json:2: the least shares of region sum to 1.1",
        ),
        ({"region": {"A": {"min": 0.6}, "a ": 0.1}}, "duplicate group a : case and blanks"),
        ({"region": {"A": {"min": 0.6}, " ": 0.1}}, "the name of a group is blank"),
        ({" ": {"A": {"min": 0.6}}}, "the name of an attribute is blank"),
    ],
)
def test_bounds_that_are_refused(content: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_bounds(content)


@pytest.mark.parametrize(("low", "high"), [([0.5], [0.4]), ([-0.1], [1.0]), ([0.0], [1.1]), ([0.0, 0.1], [1.0, 1.0])])
def test_the_noun_refuses_what_cannot_be(low: list[float], high: list[float]) -> None:
    with pytest.raises(ValueError, match="bounds:"):
        ShareBounds(attributes=("region",), groups=("Africa",), low=np.array(low), high=np.array(high))
