"""Rows of groups on one scale, and five questions: by hand."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from fairviz.model import FloatArray
from fairviz.points.shares import GroupExposure, OffTarget, corrected_intervals, share_of_all_queries
from fairviz.points.targets import share_scale
from fairviz.stats.bootstrap import Interval
from fairviz.studies.groups.columns import answers_table, shares_table, target_rows
from fairviz.studies.groups.findings import rows_title, spoken
from fairviz.studies.groups.measures import Answer, MeasureValue, answers_title, five_answers
from tests.studies.groups.test_findings import exposure

P = "\u202f%"


def world(each: list[float], n: int = 40) -> GroupExposure:
    names = tuple("abcdefghijklmnopqrstuvwxyz"[: len(each)])
    return replace(exposure([each] * n, [0.0] * n), groups=names)


def rows_of(seen: GroupExposure, target: FloatArray, reached: FloatArray | None = None) -> pl.DataFrame:
    nearest = target if reached is None else reached
    return target_rows(seen, share_of_all_queries(seen.attention).ends, target, nearest)


def test_rows_stand_by_size_with_their_gaps() -> None:
    made = rows_of(world([2.0, 5.0, 3.0]), np.array([0.4, 0.3, 0.3]), np.array([0.25, 0.4, 0.35]))
    assert made.select("group", "words").rows() == [
        ("b", "20 points over"),
        ("c", "on target"),
        ("a", "20 points under"),
    ]
    assert made["at"].to_list() == [1, 2, 0]
    assert spoken(made.row(2, named=True)) == f"20{P} today; target 40{P}; re-ranking gets to 25{P}"
    assert rows_title(made) == "Who gets attention, and who should"


def test_before_a_target_is_set_rows_speak_of_equal_shares_on_the_screen_and_aloud() -> None:
    seen, equal = world([1.0, 2.0, 3.0]), np.full(3, 1 / 3)
    nearest = equal
    made = target_rows(seen, share_of_all_queries(seen.attention).ends, equal, nearest, is_set=False)
    assert made["words"].to_list() == ["17 points over", "an equal share", "17 points under"]
    assert spoken(made.row(1, named=True), is_set=False) == f"33{P} today; an equal share would be 33{P}"
    many = world([130.0, *[5.0] * 14])
    fifteen = np.full(15, 1 / 15)
    nearest = fifteen
    rows = target_rows(many, share_of_all_queries(many.attention).ends, fifteen, nearest, is_set=False)
    assert rows_title(rows, is_set=False) == "14 groups are under an equal share, 1 over"


def test_the_scale_holds_targets_and_every_share() -> None:
    assert ticks(rows_of(world([2.0, 5.0, 3.0]), np.array([0.4, 0.3, 0.3])))[-1] == pytest.approx(0.8)  # twice 40 %
    many = rows_of(world([130.0, *[5.0] * 14]), np.full(15, 1 / 15))
    assert ticks(many)[-1] == pytest.approx(0.8)  # 130 / 200 and its interval on steps of 20 points
    assert many["share"].max() <= ticks(many)[-1]
    assert rows_title(many) == "14 groups are under target, 1 over"
    assert rows_title(many.with_columns(gap=pl.lit("even"))) == "No group is significantly off target"
    assert ticks(rows_of(world([1.0, 1.0]), np.array([1.0, 0.0])))[-1] == 1.0


def ticks(rows: pl.DataFrame) -> tuple[float, ...]:
    return share_scale(*(rows[key].to_numpy() for key in ("share", "high", "target")))


def test_too_few_queries_claim_nothing() -> None:
    made = rows_of(world([1.0, 3.0], n=9), np.array([0.5, 0.5]))
    assert {*made.select("gap", "words").rows()} == {("silent", "no verdict")}
    assert made["low"].is_nan().all()
    uneven = replace(exposure([[1.0, 3.0], [3.0, 1.0], [2.0, 1.0]] * 3, [0.0] * 9), groups=("a", "b"))
    assert np.isfinite(share_of_all_queries(uneven.attention).ends.low).all()
    assert rows_of(uneven, np.array([0.9, 0.1]))["low"].is_nan().all()


def test_too_many_unlabelled_documents_allow_no_verdict_that_labels_could_undo() -> None:
    half = replace(exposure([[1.0, 3.0], [2.0, 2.0]] * 20, [4.0] * 40), groups=("a", "b"))
    assert {*rows_of(half, np.array([0.5, 0.5]))["words"]} == {"no verdict"}
    far = replace(exposure([[0.0, 9.0]] * 40, [3.0] * 40), groups=("a", "b"))  # a gets a quarter at most
    assert rows_of(far, np.array([0.5, 0.5]))["words"].to_list() == ["50 points over", "50 points under"]


def value(number: float, *, n: int = 40, refused: str = "") -> MeasureValue:
    return MeasureValue("m", number, Interval(number - 0.1, number + 0.1), n, 0, refused)


def answers(
    seen: GroupExposure, target: FloatArray, measured: Sequence[MeasureValue], group: int = 0, *, is_set: bool = True
) -> tuple[Answer, ...]:
    corrected, off = corrected_intervals(seen)[0], OffTarget(0.3, Interval(0.25, 0.35))
    return five_answers(seen, off, corrected, target, measured, group=group, is_set=is_set)


def test_five_questions_by_hand() -> None:
    seen, target = world([2.0, 5.0, 3.0]), np.array([0.5, 0.25, 0.25])
    measured = [value(0.8), value(0.51), value(0.81), value(0.47)]
    off, ndkl, worst, pair, fair = answers(seen, target, measured)
    assert (off["shown"], off["between"]) == ("30 points", "25 to 35 points")
    assert off["words"] == "30 of 100 points would have to move to another group."
    assert (
        "A single result can never match three shares, so 0 is impossible; use it to compare systems." in ndkl["words"]
    )
    assert (worst["value"], worst["words"]) == (pytest.approx(0.4), f"“a”: 40{P} of its target share.")
    assert pair["better"] == f"↑ 100{P}: always ranked above"
    assert pair["words"] == (
        f"A useful one from “a” stands above a less useful one from elsewhere in 51{P} of pairs; for “b” it is 81{P}."
    )
    assert (pair["shown"], fair["shown"]) == (f"51{P}", "0.47")
    assert pair["between"] == f"41 to 61{P}"
    (_, fewer, *_) = answers(seen, target, [value(0.8, n=30), *measured[1:]])
    assert fewer["between"] == "0.70 to 0.90"
    assert (worst["low"], worst["high"]) == pytest.approx((0.4, 0.4), abs=1e-3)  # every query alike: of share ÷ target
    (alone,) = [each for each in answers(seen, target, measured, group=1) if each["measure"] == "PAIR, group b"]
    assert alone["words"].endswith(f"in 51{P} of pairs.")  # the largest group is not held against itself
    assert fair["words"] == f"47{P} of what an ideal list on target would score."
    assert answers_title((off, ndkl, worst, pair, fair), 2).startswith("30 points off target; two groups get nothing; ")
    assert answers_title((off, ndkl, worst, pair, fair), 0) == (
        f"30 points off target; “a”: 40{P} of its target share; {fair['words'][:-1]}"
    )
    table = answers_table((off, ndkl, worst, pair, fair))
    assert [row[2] for row in table.rows] == pytest.approx([30, 0.8, 0.4, 0.51, 0.47])


def test_the_worst_group_is_one_whose_row_is_under_its_target() -> None:
    """Half of all queries show a at one of ten places: 5 % may be 5.8; 40 % of c in each query is surely under 44."""
    seen = replace(exposure([[1.0, 5.0, 4.0], [0.0, 6.0, 4.0]] * 40, [0.0] * 80), groups=("a", "b", "c"))
    measured, target = [value(0.5)] * 4, np.array([0.058, 0.502, 0.44])
    assert dict(rows_of(seen, target).select("group", "gap").iter_rows()) == {"a": "even", "b": "over", "c": "under"}
    assert answers(seen, target, measured)[2]["words"] == f"“c”: 91{P} of its target share."
    none = answers(seen, np.array([0.052, 0.546, 0.402]), measured)[2]
    assert none["words"] == "No group is significantly under its target share."


def test_before_a_target_is_set_the_questions_are_about_equal_shares() -> None:
    seen, equal = world([2.0, 5.0, 3.0]), np.full(3, 1 / 3)
    measured = [value(0.8), value(0.51), value(0.81), value(0.47)]
    five = answers(seen, equal, measured, is_set=False)
    assert five[2]["words"] == f"“a”: 60{P} of an equal share."
    title = answers_title(five, 0, is_set=False)
    assert title.startswith(f"30 points from equal shares; “a”: 60{P} of an equal share; ")
    for text in (
        title,
        *(text for answer in five for text in (answer["question"], answer["measure"], answer["words"])),
    ):
        assert "target" not in text
    assert [answer["better"] for answer in five[:3]] == ["↓ 0 is equal shares"] * 2 + ["→ 1 is an equal share"]


def test_what_cannot_be_answered_says_why() -> None:
    seen, half = world([0.0, 5.0]), np.array([0.0, 1.0])
    refused = [value(np.inf), *[value(np.nan, refused="needs qrels")] * 3]
    _, ndkl, worst, pair, fair = answers(seen, half, refused)
    assert ndkl["words"] == "A list shows a group whose target is 0: no finite distance."
    assert worst["words"] == "No group is significantly under its target share."  # the other has no target
    assert pair["words"] == fair["words"] == "Not on these data: needs qrels"
    few = answers(world([1.0, 3.0], n=9), np.array([0.5, 0.5]), [value(0.5)] * 4)
    assert {answer["words"] for answer in few} == {"No verdict: 9 queries."}
    assert answers_title(few, 0) == "too few queries to say"


def test_rows_are_a_table() -> None:
    made = rows_of(world([2.0, 5.0, 3.0]), np.array([0.4, 0.3, 0.3]))
    table = shares_table(made)
    assert table.keys == ("group", "share", "low", "high", "target", "reached", "gap")
    assert table.rows[0][0] == "b"
    assert table.rows[0][6] == "20 points over"
