"""Bounds of shares: at least, at most, exactly, free; what is refused, and how it is said."""

import json

import numpy as np
import pytest

from fairviz.errors import InputError
from fairviz.io.targets import read_target_or_bounds
from fairviz.model import ShareBounds, Target


def read(content: object) -> ShareBounds:
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    bounds = read_target_or_bounds(("t.json", text.encode())).value
    assert isinstance(bounds, ShareBounds)
    return bounds


def rows(bounds: ShareBounds) -> list[tuple[str, str, float, float]]:
    return list(zip(bounds.attributes, bounds.groups, bounds.low.tolist(), bounds.high.tolist(), strict=True))


def test_every_kind_of_bound_of_two_attributes() -> None:
    content = {
        "region": {"Africa": {"min": 0.15}, "Asia": {"min": 0.2, "max": 0.4}, "Europe": 0.3, "Oceania": None},
        "size": {"small": {"max": 0.5}, "large": [0.1, None]},
    }
    assert rows(read(content)) == [
        ("region", "Africa", 0.15, 1),
        ("region", "Asia", 0.2, 0.4),
        ("region", "Europe", 0.3, 0.3),
        ("region", "Oceania", 0, 1),
        ("size", "small", 0, 0.5),
        ("size", "large", 0.1, 1),
    ]


def test_bounds_of_the_attribute_that_counts() -> None:
    assert rows(read({"Europe": 0.3, "Africa": {"min": 0.15}})) == [("", "Europe", 0.3, 0.3), ("", "Africa", 0.15, 1)]


@pytest.mark.parametrize(
    "content",
    [{"Africa": 0.25, "Europe": 0.75}, {"q1": {"Africa": 0.25, "Europe": 0.75}, "q2": {"Africa": 1, "Europe": 0}}],
)
def test_shares_alone_are_a_target(content: object) -> None:
    assert isinstance(read_target_or_bounds(("t.json", json.dumps(content).encode())).value, Target)


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
def test_what_is_refused(content: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(content)


@pytest.mark.parametrize(("low", "high"), [([0.5], [0.4]), ([-0.1], [1.0]), ([0.0], [1.1]), ([0.0, 0.1], [1.0, 1.0])])
def test_the_noun_refuses_what_cannot_be(low: list[float], high: list[float]) -> None:
    with pytest.raises(ValueError, match="bounds:"):
        ShareBounds(attributes=("region",), groups=("Africa",), low=np.array(low), high=np.array(high))
