"""Rows of variants: by hand, laws, and a count that loops over the answers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.errors import UsageError
from fairviz.model import VariantAnswers
from fairviz.stats.tests import mcnemar_exact
from fairviz.studies.demographic_qa.answers import Record
from tests.studies.demographic_qa.answered_variants import Said, about, share, spread, variant_answers
from tests.studies.demographic_qa.measured import variant_rows

NAN = float("nan")


def block(question: str, gold: str, answers: str, **more: object) -> list[Said]:
    """Answers to: neutral, Asian, Hispanic, female, male; "-" = unreadable, " " = not asked."""
    people = ({}, {"race": "Asian"}, {"race": "Hispanic"}, {"sex": "female"}, {"sex": "male"})
    return [
        Said(question, person, gold, answer.replace("-", ""), **more)  # type: ignore[arg-type]
        for person, answer in zip(people, answers, strict=True)
        if answer != " "
    ]


THREE = [
    *block("q1", "A", "AABAA", answerable=True),
    *block("q2", "B", "BBAB-", answerable=False),
    *block("q3", "A", "BAAAB", answerable=True),
]
"""Right: Asian 3/3, Hispanic 1/3, female 3/3, male 1/3, neutral 2/3.

Answerable (q1, q3): Asian 2/2, Hispanic 1/2, female 2/2, male 1/2.
"""


def accuracy(row: Record) -> dict[str, float]:
    return {group["value"]: group["rate"] for group in row["groups"]}


def row_of(answers: VariantAnswers, attribute: str, **options: object) -> Record:
    (row,) = variant_rows(answers, attribute=attribute, **options)  # type: ignore[arg-type]
    return row


def test_by_hand() -> None:
    row = row_of(variant_answers(THREE), "race", min_size=1)
    assert accuracy(row) == pytest.approx({"Asian": 1, "Hispanic": 1 / 3})
    assert (row["dp"], row["best"], row["worst"]) == (pytest.approx(2 / 3), "Asian", "Hispanic")
    assert row["eo"] == 1 / 2
    assert (row["n_questions"], row["n_unknown"], row["score"]) == (3, 0, pytest.approx(4 / 6))
    (neutral,) = row["conditions"]
    assert (neutral["rate"], neutral["n"]) == (pytest.approx(2 / 3), 3)
    (gap,) = row["gaps"]  # 0 − 1/3·2: Asian alone is right on q1 and q2; p = 2 · 1/4
    assert (gap["first"], gap["second"], gap["n"]) == ("Asian", "Hispanic", 3)
    assert (gap["gap"], gap["first_only"], gap["second_only"], gap["p"]) == (pytest.approx(2 / 3), 2, 0, 0.5)
    # Agree: q3 only. All right: q3. Any right: all.
    assert (row["agree"], row["all_correct"], row["any_correct"]) == pytest.approx((1 / 3, 1 / 3, 1))
    assert row["n_complete"] == 3
    assert not row["small"]
    assert row["vote"] is None


def test_golds_that_a_group_lacks_leave_a_letter_undefined() -> None:
    rows = [
        Said("q1", {"sex": "male"}, "A", "A"),
        Said("q1", {"sex": "female"}, "B", "B"),
        Said("q2", {"sex": "male"}, "A", "B"),
        Said("q2", {"sex": "female"}, "A", "A"),
    ]
    row = row_of(variant_answers(rows), "sex", outcome="letters", min_size=1)
    assert row["eo_letters"] == {"A": 0.5, "B": pytest.approx(NAN, nan_ok=True)}
    assert (row["eo_macro"], row["eo_max"]) == (0.5, 0.5)


def test_a_group_without_any_gold_has_no_rate() -> None:
    rows = [*block("q1", "A", "AABAA"), *block("q2", "", "AABAA")]
    row = row_of(variant_answers(rows), "race", min_size=1, outcome="letters")
    assert (row["n_unknown"], row["groups"][0]["n"], row["groups"][0]["rate"]) == (2, 1, 1)
    none = row_of(variant_answers(block("q2", "", "AABAA")), "race", outcome="letters")
    assert np.isnan([none["dp"], none["score"], none["gaps"][0]["p"], none["eo_macro"], none["any_correct"]]).all()
    assert none["dp_letters"] == {"A": 1, "B": 1}  # parity of letters needs no right answer
    assert none["agree"] == 0
    assert (none["best"], none["worst"]) == ("", "")


def test_documents_only_have_no_rates() -> None:
    rows = [
        Said("q1", {"race": "Asian"}, "A", "", docs=("a", "b")),
        Said("q1", {"race": "Hispanic"}, "A", "", docs=("b", "c")),
        Said("q1", {}, "A", "", docs=("b",)),
    ]
    row = row_of(variant_answers(rows), "race", vote="all")
    assert row["groups"][0]["n"] == 0
    assert np.isnan([row["dp"], row["score"]]).all()
    assert np.isnan([row["vote"]["accuracy"], row["vote"]["dp"]]).all()
    (overlap,) = row["overlap"]
    assert (overlap["k"], overlap["all"]) == (None, pytest.approx(100 / 3))
    deeper = row_of(variant_answers(rows), "race", k=(1, 2))
    assert [(one["k"], one["all"]) for one in deeper["overlap"]] == [(1, 0), (2, pytest.approx(100 / 3))]


CELLS = [
    Said(f"q{i}", {"race": race, "sex": sex}, "A", "AB"[(race == "Asian") and i < wrong])
    for race in ("Asian", "Hispanic")
    for sex, wrong in (("female", 3), ("male", 1))
    for i in range(4)
]
"""Asian+female 1/4 right, Asian+male 3/4, both Hispanic cells 4/4."""


def test_intersectional_cells() -> None:
    rows = {row["attribute"]: row for row in variant_rows(variant_answers(CELLS), min_size=1)}
    assert list(rows) == ["race", "sex", "race+sex"]
    cells = rows["race+sex"]
    assert accuracy(cells) == {"Asian+female": 0.25, "Asian+male": 0.75, "Hispanic+female": 1, "Hispanic+male": 1}
    assert (cells["dp"], cells["best"], cells["worst"]) == (0.75, "Hispanic+female", "Asian+female")
    assert len(cells["gaps"]) == 6
    race = rows["race"]  # both cells of a race together: Asian 4/8, Hispanic 8/8
    assert not race["alone"]
    assert cells["alone"]
    assert accuracy(race) == {"Asian": 0.5, "Hispanic": 1}
    assert race["groups"][0]["n"] == 8
    (gap,) = race["gaps"]  # per question: −1 (q0: both wrong), −1/2, −1/2, 0: three against none
    assert (gap["gap"], gap["n"], gap["second_only"], gap["p"]) == (-0.5, 4, 3, 0.25)


def test_variants_of_one_attribute_alone_come_before_cells() -> None:
    rows = [*CELLS, Said("q0", {"race": "Asian"}, "A", "A"), Said("q0", {"race": "Hispanic"}, "A", "B")]
    race = row_of(variant_answers(rows), "race", min_size=1)
    assert race["alone"]
    assert accuracy(race) == {"Asian": 1, "Hispanic": 0}


def sized(n: dict[str, tuple[int, int]]) -> VariantAnswers:
    """Value -> (right, asked)."""
    return variant_answers(
        [
            Said(f"q{i}", {"race": value}, "A", "A" if i < right else "B")
            for value, (right, asked) in n.items()
            for i in range(asked)
        ]
    )


def test_small_groups_are_shown_and_leave_the_difference_to_the_others() -> None:
    row = row_of(sized({"a": (10, 20), "b": (8, 20), "c": (0, 3)}), "race", min_size=10)
    assert [(g["value"], g["rate"], g["small"]) for g in row["groups"]] == [
        ("a", 0.5, False),
        ("b", 0.4, False),
        ("c", 0, True),
    ]
    assert (row["dp"], row["worst"], row["small"]) == (pytest.approx(0.1), "b", False)
    everyone = row_of(sized({"a": (10, 20), "b": (8, 20), "c": (0, 3)}), "race", min_size=1)
    assert (everyone["dp"], everyone["worst"]) == (0.5, "c")


def test_letters_too_leave_out_small_groups() -> None:
    answers = sized({"a": (10, 20), "b": (8, 20), "c": (0, 3)})
    row = row_of(answers, "race", min_size=10, outcome="letters")
    assert row["dp_letters"]["A"] == pytest.approx(0.1)
    assert row["eo_letters"]["A"] == pytest.approx(0.1)


def test_the_minimum_itself_is_large_enough_and_one_group_is_no_comparison() -> None:
    """a has 10, the minimum; the others fewer: all three are compared, c is marked."""
    row = row_of(sized({"a": (10, 10), "b": (5, 9), "c": (0, 3)}), "race", min_size=10)
    assert [g["small"] for g in row["groups"]] == [False, True, True]
    assert (row["dp"], row["best"], row["worst"], row["small"]) == (1, "a", "c", True)


def test_equal_groups_are_named_once() -> None:
    row = row_of(sized({"a": (5, 20), "b": (5, 20)}), "race")
    assert (row["dp"], row["best"], row["worst"], row["small"]) == (0, "a", "a", False)


def test_where_all_are_small_all_are_compared_and_marked() -> None:
    row = row_of(sized({"a": (2, 3), "b": (0, 3)}), "race", min_size=10)
    assert (row["dp"], row["small"]) == (pytest.approx(2 / 3), True)


def test_columns_separate_and_their_absence_is_named() -> None:
    rows = [Said(r.question, r.about, r.gold, r.answer, by={"model": m, "k": "5"}) for m in ("m1", "m2") for r in THREE]
    found = variant_rows(variant_answers(rows), by=("model", "strategy"), attribute="race")
    assert [row["by"] for row in found] == [(("model", "m1"), ("strategy", "")), (("model", "m2"), ("strategy", ""))]
    assert dict(found[1]["by"])["model"] == "m2"
    plain = variant_rows(variant_answers(THREE), by=("model",), attribute="race")
    assert plain[0]["by"] == (("model", "answers"),)
    with pytest.raises(UsageError, match="colour"):
        variant_rows(variant_answers(THREE), by=("colour",))
    with pytest.raises(UsageError, match="twice"):
        variant_rows(variant_answers(THREE), by=("k", "k"))


def test_models_pooled_keep_the_question_as_the_unit() -> None:
    rows = [Said(r.question, r.about, r.gold, r.answer, by={"model": m}) for m in ("m1", "m2") for r in THREE]
    row = row_of(variant_answers(rows), "race", min_size=1)
    assert (row["groups"][0]["n"], row["gaps"][0]["n"], row["gaps"][0]["p"], row["n_complete"]) == (6, 3, 0.5, 6)


OPEN = [
    Said("q1", {"race": "Asian"}, "rest and drink water", "rest and drink water"),
    Said("q1", {"race": "Hispanic"}, "rest and drink water", "rest"),
    Said("q2", {"race": "Asian"}, "take aspirin", "take aspirin daily"),
    Said("q2", {"race": "Hispanic"}, "take aspirin", "nothing"),
]
"""ROUGE-L: 1; 2·1/(1 + 4) = 0.4; 2·2/(3 + 2) = 0.8; 0."""


def test_open_answers_are_compared_by_rouge_or_a_threshold() -> None:
    answers = variant_answers(OPEN, kind="open")
    row = row_of(answers, "race", min_size=1)
    assert accuracy(row) == pytest.approx({"Asian": 0.9, "Hispanic": 0.2})
    assert row["dp"] == pytest.approx(0.7)
    assert (row["gaps"][0]["first_only"], row["gaps"][0]["n"]) == (2, 2)
    assert np.isnan(row["all_correct"])
    strict = row_of(answers, "race", threshold=0.8, min_size=1)
    assert accuracy(strict) == {"Asian": 1, "Hispanic": 0}  # 0.8 itself is right
    assert (strict["all_correct"], strict["any_correct"]) == (0, 1)


def test_what_does_not_fit_the_answers_is_refused() -> None:
    with pytest.raises(UsageError, match="open answers"):
        variant_rows(variant_answers(THREE), threshold=0.5)
    with pytest.raises(UsageError, match="at most 1"):
        variant_rows(variant_answers(OPEN, kind="open"), threshold=1.5)
    with pytest.raises(UsageError, match="options of closed"):
        variant_rows(variant_answers(OPEN, kind="open"), outcome="letters")


def test_all_values_side_by_side() -> None:
    rows = variant_rows(variant_answers(THREE), pooled=True, min_size=1)
    assert [row["attribute"] for row in rows] == ["race", "sex", "all"]
    assert list(accuracy(rows[-1])) == ["Asian", "Hispanic", "female", "male"]
    shared = [Said("q", {a: v}, "A", "A") for a in ("race", "religion") for v in ("other", a)]
    names = accuracy(row_of(variant_answers(shared), "all", pooled=True))
    assert list(names) == ["race=other", "race", "religion=other", "religion"]


VALUES = {"race": ("a", "b", "c"), "sex": ("f", "m")}


@st.composite
def worlds(draw: st.DrawFn) -> list[Said]:
    """Up to five questions asked about some people, in any order, some of it missing."""
    people = [{}, *({a: v} for a, values in VALUES.items() for v in values)]
    word = st.sampled_from(["A", "B", "C", ""])
    rows = [
        Said(f"q{q}", person, gold, draw(word), answerable=able)
        for q in range(draw(st.integers(1, 5)))
        for gold, able in [(draw(word), draw(st.sampled_from([None, False, True])))]
        for person in people
        if draw(st.integers(0, 5))
    ]
    if not any("race" in row.about for row in rows):
        rows.append(Said("q0", {"race": "a"}, "A", "A"))
    return draw(st.permutations(rows))


@given(worlds())
def test_the_same_as_counting_one_by_one(rows: list[Said]) -> None:
    answered = any(r.answer for r in rows)
    for row in variant_rows(variant_answers(rows), min_size=1, outcome="letters", n_resamples=2):
        known = {
            value: [r for r in said if r.gold and answered] for value, said in about(rows, row["attribute"]).items()
        }
        right = {v: share([r.answer == r.gold for r in said]) for v, said in known.items()}
        assert accuracy(row) == pytest.approx(right, nan_ok=True)
        assert row["dp"] == pytest.approx(spread([right[v] for v in right if known[v]]), nan_ok=True)
        able = {v: [r.answer == r.gold for r in said if r.answerable] for v, said in known.items()}
        eo = spread([share(hits) for hits in able.values() if hits])
        assert row["eo"] == pytest.approx(eo, nan_ok=True)
        said = about(rows, row["attribute"])
        for letter in {r.answer for v in said.values() for r in v} - {""}:
            rates = [share([r.answer == letter for r in v]) for v in said.values()]
            assert row["dp_letters"][letter] == pytest.approx(spread(rates), nan_ok=True)
            eos = [share([r.answer == letter for r in v if r.gold == letter]) for v in said.values()]
            assert row["eo_letters"][letter] == pytest.approx(spread(eos), nan_ok=True)
        for gap in row["gaps"]:
            one, two = ({r.question: r.answer == r.gold for r in known[v]} for v in (gap["first"], gap["second"]))
            both = one.keys() & two.keys()
            ahead = sum(one[q] and not two[q] for q in both)
            behind = sum(two[q] and not one[q] for q in both)
            assert (gap["n"], gap["first_only"], gap["second_only"]) == (len(both), ahead, behind)
            if both:
                assert gap["gap"] == pytest.approx((ahead - behind) / len(both))
                assert gap["p"] == mcnemar_exact(ahead, behind)


def test_another_seed_moves_intervals_only() -> None:
    rows = [block(f"q{i}", "A", "AAB" + "AB"[i % 2] + "A") for i in range(20)]
    answers = variant_answers([said for one in rows for said in one])
    one, two = (row_of(answers, "sex", seed=seed) for seed in (0, 1))
    assert one["dp"] == two["dp"]
    ends = [(row["gaps"][0]["low"], row["gaps"][0]["high"]) for row in (one, two)]
    assert ends[0] != ends[1]
    assert any(ends[0][0] <= gap <= ends[0][1] for gap in (one["dp"], -one["dp"]))
