"""Accuracy and Diff-Bias of counts by hand, laws of the papers; answers that name no option, their worst case."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fairviz.io.answer_words import REFUSAL
from fairviz.model import FloatArray
from fairviz.resources import content
from fairviz.studies.social_bias.answers import read_as_unknown, reading_words, wordings
from fairviz.studies.social_bias.columns import rows_table
from fairviz.studies.social_bias.findings import unread_finding, unread_state, worst_case_words
from fairviz.studies.social_bias.labels import bias_type
from fairviz.studies.social_bias.measures import MEASURES, bias_measures, bound_a, bounds_d, worst_case
from tests.nouns import enum_of
from tests.studies.social_bias.bias_world import OUT, C, S, U, answers_of, frame_of, items_of, rows_of

TABLES = arrays(np.float64, (3, 4), elements=st.integers(0, 30).map(float))
"""Counts: contexts a, s, c by answers s, c, u, out of choice."""


@given(counts=TABLES)
def test_diff_bias_stays_within_its_bounds(counts: np.ndarray) -> None:
    found = bias_measures(counts)
    n = counts[:, :3].sum(axis=1)
    if n[0]:
        assert abs(found["diffbias_a"]) <= bound_a(np.array(found["acc_a"])) + 1e-9
    if n[1] and n[2]:
        low, high = bounds_d(found["acc_d"], n[1], n[2])
        assert low - 1e-9 <= found["diffbias_d"] <= high + 1e-9


@given(right=st.integers(0, 60), n_s=st.integers(1, 30), n_c=st.integers(1, 30))
def test_the_bounds_of_diff_bias_d_are_reached(right: int, n_s: int, n_c: int) -> None:
    """Largest with all right answers in stereotyped contexts first, smallest in the others."""
    right = min(right, n_s + n_c)
    n_ss = min(right, n_s)
    n_cc = min(right, n_c)
    acc = np.array(100 * right / (n_s + n_c))
    low, high = bounds_d(acc, np.array(float(n_s)), np.array(float(n_c)))
    assert high == pytest.approx(100 * (n_ss / n_s - (right - n_ss) / n_c))
    assert low == pytest.approx(100 * ((right - n_cc) / n_s - n_cc / n_c))


@given(acc=st.floats(0, 100), n=st.integers(1, 500))
def test_the_papers_bound_where_contexts_are_even(acc: float, n: int) -> None:
    """|Diff-Bias_d| ≤ 1 − |2 Acc_d − 1| (Equation 6)."""
    low, high = bounds_d(np.array(acc), np.array(float(n)), np.array(float(n)))
    assert high == pytest.approx(100 - abs(2 * acc - 100), abs=1e-9)
    assert low == pytest.approx(-high)


def test_bias_types_are_found_by_every_name() -> None:
    types = content("answers/bias")["types"]
    names = [name for slug, kind in types.items() for name in (slug.casefold(), *kind["aliases"])]
    assert (len(types), len(set(names))) == (11, len(names))
    assert all(bias_type(name.upper()) is not None for name in names)


def ends_of(counts: FloatArray, name: str) -> tuple[float, float]:
    """The rounded ends of a measure."""
    low, high = (round(float(worst_case(counts)[f"{name}_worst_{end}"]), 3) for end in ("low", "high"))
    return low, high


def test_the_worst_case_by_hand() -> None:
    """Ambiguous: 3 along, 1 against, 6 unknown, 2 unread; 9 of 10 and 7 of 10 right in the others, 1 unread each."""
    counts = np.array([[3, 1, 6, 2], [9, 0, 1, 1], [1, 7, 2, 1]], dtype=float)
    bounds = {name: ends_of(counts, name) for name in MEASURES}
    assert bounds["acc_a"] == (50, 66.667)  # 6 / 12, 8 / 12
    assert bounds["diffbias_a"] == (0, 33.333)  # (3 - 3) / 12, (5 - 1) / 12
    assert bounds["acc_d"] == (72.727, 81.818)  # 16 / 22, 18 / 22
    assert bounds["diffbias_d"] == (9.091, 27.273)  # 9 / 11 - 8 / 11, 10 / 11 - 7 / 11


def test_without_unread_answers_the_worst_case_is_the_value() -> None:
    counts = np.array([[3, 1, 6, 0], [9, 0, 1, 0], [1, 7, 2, 0]], dtype=float)
    for name, value in bias_measures(counts).items():
        assert ends_of(counts, name) == (round(float(value), 3),) * 2


tables = st.lists(st.integers(0, 4), min_size=12, max_size=12).map(lambda n: np.array(n, dtype=float).reshape(3, 4))


@given(tables, st.lists(st.integers(0, 2), min_size=12, max_size=12))
def test_no_reading_of_the_unread_leaves_the_worst_case(counts: np.ndarray, read_as: list[int]) -> None:
    """Of accuracy and Diff-Bias; each unread answer is read as any of the three."""
    read, picks = counts.copy(), iter(read_as)
    for context in range(3):
        for _ in range(int(counts[context, 3])):
            read[context, next(picks)] += 1
        read[context, 3] = 0
    ends, values = worst_case(counts), bias_measures(read)
    for name in ("acc_a", "acc_d", "diffbias_a", "diffbias_d"):
        value = float(values[name])
        if not math.isnan(value):
            assert ends[f"{name}_worst_low"] - 1e-9 <= value <= ends[f"{name}_worst_high"] + 1e-9


def test_rows_carry_their_worst_case() -> None:
    items = items_of([("A", "a")] * 4 + [("B", "s"), ("B", "c")])
    answers = answers_of(items, [({"model": "m"}, dict(enumerate((S, C, U, OUT, S, OUT))))])
    (row,) = rows_of(items, answers, by=("model",), n_resamples=10)
    assert row["unread"] == pytest.approx(100 * 2 / 6)
    assert (row["diffbias_a_worst_low"], row["diffbias_a_worst_high"]) == (-25, 25)  # (1 - 2) / 4, (2 - 1) / 4
    assert (row["acc_d_worst_low"], row["acc_d_worst_high"]) == (50, 100)
    table = rows_table(pl.DataFrame([row]))
    assert table.rows[0][table.keys.index("unread")] == row["unread"]
    assert worst_case_words([row], "diffbias_a").startswith("Worst case: Diff-Bias of ambiguous questions")


def test_what_is_said_at_the_top() -> None:
    assert unread_finding((), "diffbias_a", read_by={}, n_unread=2, n_answers=100) is None
    few = unread_finding((), "diffbias_a", read_by={}, n_unread=3, n_answers=100)
    assert few.title == "3.0\u202f% of the answers name no option (3 of 100)"
    assert "no verdict" not in few.sentence
    many = unread_finding((), "diffbias_a", read_by={}, n_unread=21, n_answers=100)
    assert "Above 20 %, no verdict is drawn." in many.sentence
    refused = unread_finding((), "diffbias_a", read_by={REFUSAL: 5}, n_unread=0, n_answers=100)
    assert refused == ("5.0\u202f% of the answers are refusals (5 of 100)", "They are read as “unknown”.")


def test_above_a_fifth_the_title_is_the_share_and_the_widest_band() -> None:
    """Two of four ambiguous answers are unread: (1 − 3) / 4 … (3 − 1) / 4; of six answers in all that is 33 %."""
    items = items_of([("A", "a")] * 4 + [("B", "s"), ("B", "c")])
    said = dict(enumerate((S, C, OUT, OUT, S, C)))
    rows = rows_of(items, answers_of(items, [({"model": "m"}, said)]), by=("model", "category"), n_resamples=10)
    found = unread_state(rows, "diffbias_a")
    assert found.title == "33\u202f% of answers could not be read"
    assert "could be anything from −50.0 to +50.0 if they were known" in found.sentence
    assert found.sentence.startswith("2 of 6 answers name none of their options; 2 of them belong to questions where")
    fewer = rows_of(items, answers_of(items, [({"model": "m"}, {**said, 2: U})]), by=("model",), n_resamples=10)
    assert unread_state(fewer, "diffbias_a") is None  # 1 of 6


def test_a_model_that_cannot_be_read_takes_no_verdict_from_the_others() -> None:
    items = items_of([("A", "a")] * 4)
    unread, read = dict.fromkeys(range(4), OUT), dict.fromkeys(range(4), S)
    rows = rows_of(
        items, answers_of(items, [({"model": "dumb"}, unread), ({"model": "plain"}, read)]), by=("model", "category")
    )
    assert unread_state(rows, "diffbias_a") is None
    assert unread_state([row for row in rows if row["model"] == "dumb"], "diffbias_a") is not None


def test_wordings_are_counted_and_read_as_a_person_says() -> None:
    items = items_of([("A", "a")] * 4)
    texts = ["Hard to say.", "hard  to say", "Both", "The old one"]
    models = enum_of("model", ["m"] * 4)
    answers = frame_of(items, [models], range(4), [-1, -1, -1, 0], texts)
    assert wordings(answers) == {"hard to say": 2, "both": 1}
    assert read_as_unknown(answers, ["hard to say"])["choice"].to_list() == [2, 2, -1, 0]
    assert read_as_unknown(answers, ["the old one"]).equals(answers)
    assert reading_words({"hard to say": 2, "both": 1}, ["hard to say"]) == "2 answers in 1 wording read as “unknown”"
    only_options = frame_of(items, [models], range(4), [-1, -1, -1, 0])
    assert wordings(only_options) == {}
    assert read_as_unknown(only_options, ["both"]).equals(only_options)
