"""Rows of variants: by hand, laws, a count that loops over the answers; with votes; against their bases."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.errors import UsageError
from fairviz.model import VariantAnswers
from fairviz.stats.bootstrap import Resampling
from fairviz.stats.tests import mcnemar_exact
from fairviz.studies.demographic_qa.answers import By, Record
from fairviz.studies.demographic_qa.rows import baseline_of
from tests.studies.demographic_qa.answered_variants import (
    Rows,
    Said,
    about,
    answering,
    answers,
    rows,
    share,
    spread,
    strategy_rows,
    variant_answers,
    variant_rows,
)

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


THREE_SIZES = {"a": (10, 20), "b": (8, 20), "c": (0, 3)}


@pytest.mark.parametrize(
    ("groups", "min_size", "few", "difference", "small"),
    [
        (THREE_SIZES, 10, "c", (0.1, "a", "b"), False),  # small groups are shown, and leave it to the others
        (THREE_SIZES, 1, "", (0.5, "a", "c"), False),
        # 10 is the minimum, and one group no comparison: all three are compared
        ({"a": (10, 10), "b": (5, 9), "c": (0, 3)}, 10, "bc", (1, "a", "c"), True),
        ({"a": (2, 3), "b": (0, 3)}, 10, "ab", (2 / 3, "a", "b"), True),
        ({"a": (5, 20), "b": (5, 20)}, 10, "", (0, "a", "a"), False),  # equal groups: one is named twice
    ],
)
def test_small_groups_leave_the_difference_to_the_others(
    groups: dict[str, tuple[int, int]], min_size: int, few: str, difference: tuple[float, str, str], small: bool
) -> None:
    row = row_of(sized(groups), "race", min_size=min_size, outcome="letters")
    assert accuracy(row) == {value: right / n for value, (right, n) in groups.items()}
    assert [group["value"] for group in row["groups"] if group["small"]] == [*few]
    gap, *ends = difference
    assert [row["dp"], row["best"], row["worst"], row["small"]] == [pytest.approx(gap), *ends, small]
    assert (row["dp_letters"]["A"], row["eo_letters"]["A"]) == pytest.approx((gap, gap))


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


PLAIN = {"q1": "ABA", "q2": "BAB", "q3": "BBA", "q4": "AAA"}
FILTERED = {"q1": "AAA", "q2": "AAB", "q3": "BBA", "q4": "AAA"}
"""Answers to neutral, a, b; A is right.

Plain: a 2/4 (q2, q4), b 3/4: score 5/8, DP 1/4. The vote: q1 A, q2 B, q3 B, q4 A: 2/4.
By question: vote 1 0 0 1 against means 1/2 1/2 1/2 1: change (1/2 − 1/2 − 1/2 + 0)/4 = −1/8.
Filtered: a 3/4, b 3/4: 6/8; the vote: A A B A: 3/4; change (0 + 1/2 − 1/2 + 0)/4 = 0.
"""


def answers_by(strategies: dict[str, dict[str, str]]) -> list[Said]:
    return [
        Said(question, {"race": value} if value else {}, "A", word, by={"strategy": name})
        for name, questions in strategies.items()
        for question, words in questions.items()
        for value, word in zip(("", "a", "b"), words, strict=True)
    ]


def test_the_ablation_by_hand() -> None:
    answers = variant_answers(answers_by({"Plain": PLAIN, "Filtered": FILTERED}))
    plain, filtered = strategy_rows(answers, "race", by=("strategy",), min_size=1)
    assert (dict(plain["by"])["strategy"], dict(filtered["by"])["strategy"]) == ("Plain", "Filtered")
    assert (plain["score"], plain["vote_score"], plain["change"], plain["n"]) == (5 / 8, 0.5, -1 / 8, 4)
    assert plain["low"] <= plain["change"] <= plain["high"]
    assert (plain["dp"], plain["vote_within_dp"]) == (0.25, 0.25)
    assert (filtered["score"], filtered["vote_score"], filtered["change"]) == (0.75, 0.75, 0)
    assert filtered["dp"] == 0
    assert plain["by"] == (("strategy", "Plain"),)


def test_a_change_by_the_vote_is_tested_by_coins() -> None:
    """Neutral, a and b are A on 8 questions; on 4 b alone is B: the vote adds 1/2 there, and 2 of 2^4 coins agree."""
    words = {f"q{q}": "AAB" if q < 4 else "AAA" for q in range(12)}
    (row,) = strategy_rows(variant_answers(answers_by({"Plain": words})), "race", by=(), min_size=1)
    assert (row["change"], row["p"]) == (pytest.approx(4 * 0.5 / 12), 2 / 2**4)


def asked_thrice(wrong: int) -> list[Said]:
    """Twelve questions about a and b at three ages; answers about b are right, of those about a ``wrong`` are not."""
    return [
        Said(f"q{q}", {"race": race, "age": age}, "A", "B" if race == "a" and place < wrong else "A")
        for race in "ab"
        for place, age in enumerate(("young", "middle-aged", "old"))
        for q in range(12)
    ]


def test_what_a_vote_within_groups_changes_is_tested_in_the_table_of_votes() -> None:
    """One of three answers about a is wrong, every time: DP 1/3, and 0 with the vote; coins say so in 2 of 2^12.

    Where two are wrong the vote makes DP larger. EO is undefined: the tests are of score, DP and change of DP.
    """
    for wrong, value in ((1, -1 / 3), (2, 1 / 3)):
        (row,) = strategy_rows(variant_answers(asked_thrice(wrong)), "race", by=(), min_size=1)
        assert row["vote_within_ddp"] == pytest.approx(value)
        assert row["vote_within_ddp_p"] < 0.002
        assert (row["vote_within_ddp_n"], row["vote_within_ddp_n_tests"], row["vote_within_dp_n_tests"]) == (12, 3, 3)
        assert row["vote_within_ddp_p"] <= row["vote_within_ddp_p_holm"] < 0.05
    (alike,) = strategy_rows(variant_answers(asked_thrice(0)), "race", by=(), min_size=1)
    assert alike["vote_within_ddp_p"] == 1


def test_a_change_by_a_vote_is_none_where_neither_difference_is_more_than_chance() -> None:
    """Answers at random, of which votes differ more: by swaps alone 12 % of 150 such worlds had a change."""
    sheet, rng = variant_answers(asked_thrice(0)), np.random.default_rng(0)
    n_changed = 0
    for _ in range(20):
        choices = rng.choice(["A", "B"], size=len(sheet)).tolist()
        (row,) = strategy_rows(answering(sheet, choices), "race", by=(), min_size=1, resampling=Resampling(0, 2))
        larger = "vote_within_dp_p" if row["vote_within_ddp"] > 0 else "dp_p"
        assert row["vote_within_ddp_p"] >= row[larger]
        n_changed += row["vote_within_ddp_p"] < 0.05
    assert n_changed <= 3


def by(**values: str) -> By:
    return tuple(values.items())


def test_plain_before_no_retrieval_before_the_first_strategy() -> None:
    plain, cot = by(strategy="plain", retriever="bm25", k="5"), by(strategy="COT", retriever="bm25", k="5")
    bare, bare_cot = by(strategy="plain", retriever="none", k="0"), by(strategy="COT", retriever="none", k="0")
    both = [cot, plain, bare, bare_cot]
    assert baseline_of(cot, both) == (plain, True)
    assert baseline_of(plain, both) == (bare, True)
    assert baseline_of(cot, [cot, bare_cot]) == (bare_cot, True)
    assert baseline_of(bare, both) == (None, False)
    other = by(strategy="mine", retriever="bm25", k="5")
    assert baseline_of(other, [cot, other]) == (cot, False)
    assert baseline_of(cot, [cot, other]) == (None, False)
    assert baseline_of(by(model="a"), [by(model="a"), by(model="b")]) == (None, False)


def of(some: list[Record], strategy: str) -> Record:
    return next(row for row in some if dict(row["by"])["strategy"] == strategy)


def strategies(**right: dict[str, int]) -> Rows:
    return [row for name, each in right.items() for row in rows(each, strategy=name)]


def test_changes_are_against_the_baseline() -> None:
    found = variant_rows(
        answers(strategies(plain={"white": 12, "black": 2}, COT={"white": 12, "black": 12})), by=("strategy",)
    )
    cot = of(found, "COT")
    assert of(found, "plain")["base"] is None
    assert (cot["base"], cot["natural"]) == (by(strategy="plain"), True)
    # 10 questions differ; swapped in i of them the change is 2i/12 − 10/12: ± 10/12 in 2 of 2^10
    assert cot["ddp"] == pytest.approx(-10 / 12)
    assert cot["ddp_p"] == pytest.approx(2 / 2**10, abs=0.001)
    # levels of both (1 and 0.002) and one change
    assert cot["ddp_n_tests"] == 3
    assert cot["ddp_p_holm"] == pytest.approx(min(1, 2 * cot["ddp_p"]), rel=0.6)
    assert math.isnan(cot["deo"])


def test_zero_because_nobody_is_mentioned_is_not_tested() -> None:
    named = variant_rows(
        answers(strategies(plain={"white": 12, "black": 2}) + strategies(**{"no-mention": {"white": 9, "black": 9}})),
        by=("strategy",),
    )
    row = of(named, "no-mention")
    assert row["by_construction"]
    assert math.isnan(row["dp_p"])
    assert (row["ddp"], math.isnan(row["ddp_p"])) == (pytest.approx(-10 / 12), True)
    assert row["dp_n_tests"] == 1  # the plain condition's

    def listed(one_list: str) -> Rows:
        some = strategies(plain={"white": 12, "black": 2}, x={"white": 9, "black": 9})
        return [
            row | {"retrieved": ["a", "b" if row["strategy"] == one_list or row["value"] == "white" else "c"]}
            for row in some
        ]

    same_list = variant_rows(answers(listed("x")), by=("strategy",))
    assert of(same_list, "x")["by_construction"]
    # with lists of their own, equal answers are what was measured
    own_lists = variant_rows(answers(listed("")), by=("strategy",))
    assert not of(own_lists, "x")["by_construction"]
    assert of(own_lists, "x")["dp_p"] == 1
