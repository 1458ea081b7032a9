"""Numbers and names as people read them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.display.words import THIN, count, distinct_names, number, p_value, percent, signed

finite = st.floats(-1e6, 1e6)


@given(finite, st.integers(0, 6))
def test_a_written_number_reads_back(value: float, decimals: int) -> None:
    text = number(value, decimals)
    assert float(text.replace("−", "-")) == pytest.approx(value, abs=0.5 * 10**-decimals + 1e-9)
    assert "-" not in text


@given(finite)
def test_a_difference_always_has_a_sign(value: float) -> None:
    assert signed(value)[0] == ("±" if value == 0 else "+" if value > 0 else "−")


def test_zero_is_not_negative() -> None:
    assert number(-0.0001) == "0.000"
    assert signed(-0.0001) == "−0.000"  # its sign is known, its size is not shown


@pytest.mark.parametrize("write", [number, signed, percent, p_value])
def test_undefined_is_a_dash_and_never_0(write) -> None:  # type: ignore[no-untyped-def]
    assert write(math.nan) == "–"


def test_infinite_is_said() -> None:
    assert (number(math.inf), number(-math.inf)) == ("∞", "−∞")


def test_percent_and_counts_are_spaced() -> None:
    assert percent(0.525) == f"52{THIN}%"
    assert percent(0.0425, 1) == f"4.2{THIN}%"
    assert count(1234567) == f"1{THIN}234{THIN}567"


def test_small_p_values_are_bounded() -> None:
    assert p_value(0.0009) == "< 0.001"
    assert p_value(0.001) == "0.001"
    assert p_value(0.0496) == "0.050"


@given(st.lists(st.text("ab-_. ", min_size=1, max_size=12), max_size=6))
def test_distinct_names_stay_as_distinct_as_they_were(names: list[str]) -> None:
    shown = distinct_names(names)
    assert len(shown) == len(names)
    assert len(set(shown)) == len(set(names))
    assert all(each in name for each, name in zip(shown, names, strict=True))
    assert all(shown)


def test_shared_parts_are_cut_at_their_ends_only() -> None:
    assert distinct_names(["rag_gpt-4o_v1", "rag_gpt-4_v1"]) == ["gpt-4o", "gpt-4"]
    assert distinct_names(["lamp-1", "lamp-2"]) == ["lamp-1", "lamp-2"]
    assert distinct_names(["1-lamp", "2-lamp"]) == ["1-lamp", "2-lamp"]
    assert distinct_names(["lamp-1_bm25", "lamp-2_bm25"]) == ["lamp-1", "lamp-2"]
    assert distinct_names(["x_2024", "x_2025", "x_y"]) == ["x_2024", "x_2025", "x_y"]
    assert distinct_names(["one"]) == ["one"]
    assert distinct_names(["bm25", "bm25"]) == ["bm25", "bm25"]
