"""One gap in several models: differences by hand, what may be said of the smallest, questions that fail, the brief."""

import re
from collections.abc import Mapping

import polars as pl
import pytest

from fairviz.model import Dataset
from fairviz.studies.demographic_qa.across import (
    Across,
    across,
    brief_title,
    failing_title,
    models_words,
    other_words,
    prompts_title,
    sure_words,
)
from fairviz.studies.demographic_qa.brief import answers_brief
from fairviz.studies.demographic_qa.columns import failing_table, model_gaps_table, model_pairs_table
from fairviz.studies.demographic_qa.combinations import measured_combinations
from fairviz.studies.demographic_qa.settings import VariantsSettings
from tests.app.reading import EVIL
from tests.studies.demographic_qa.answered_variants import Rows, answers, rows

N = 30
USUAL = VariantsSettings()


def gaps(
    models: Mapping[str, Mapping[str, int]], *more: Rows, of: str = "", texts: Mapping[str, str] | None = None
) -> Across:
    """The gap by race in models that are right about each group in so many of thirty questions, seen from one."""
    rows_of_models = [rows(right, n=N, model=model) for model, right in models.items()]
    data = Dataset(variants=(answers(*rows_of_models, *more),))
    combinations = measured_combinations(data, USUAL)
    selected = next(each for each in combinations if each.parts["model"] == (of or next(iter(models))))
    return across(data, USUAL, selected.key)


SMALL, MIDDLE, LARGE = ({"white": 29, "black": black, "neutral": 25} for black in (28, 18, 2))
"""Gaps of 1, 11 and 27 of 30 questions."""


def test_gaps_and_their_differences_are_counted_by_hand() -> None:
    made = gaps({"large": LARGE, "small": SMALL, "middle": MIDDLE})
    assert [(each.model, ends.gap["gap"]) for each, ends in made.models] == [
        ("small", pytest.approx(1 / 30)),
        ("middle", pytest.approx(11 / 30)),
        ("large", pytest.approx(27 / 30)),
    ]
    assert made.together["gap"] == pytest.approx(39 / 90)  # of each question the mean of the three models
    pairs = {(row["first"], row["second"]): row for row in made.pairs}
    assert pairs[0, 1]["difference"] == pytest.approx(10 / 30)
    # ten questions differ, all in one direction: two of 2^10 patterns of signs; Holm: the largest of three
    assert pairs[0, 1]["p"] == pytest.approx(2**-9)
    assert pairs[0, 1]["p_holm"] == pytest.approx(2**-9)
    assert pairs[0, 2]["p_holm"] == pytest.approx(3 * 2 / 2**26)
    assert models_words(made) == (
        "smaller gap by race: small, 3 points (0 to 10), 95\u202f% right; larger: large, 90 points (77 to 100), "
        "52\u202f% right"
    )
    assert model_gaps_table(made).rows[0][:2] == ("small", pytest.approx(1 / 30))
    assert model_pairs_table(made).rows[0][:3] == ("small", "middle", pytest.approx(10 / 30))


def test_models_that_are_alike_are_not_ordered() -> None:
    alike = gaps({"a": MIDDLE, "b": MIDDLE | {"black": 17}})
    assert models_words(alike) == "gaps by race of 2 models cannot be told apart (37 to 40 points)"
    assert models_words(gaps({"a": LARGE})) == ""
    assert models_words(gaps({"a": SMALL, "b": SMALL})) == ""  # no model has a gap for sure


def test_a_gap_the_other_way_round_is_said() -> None:
    turned = {"white": 5, "black": 29, "neutral": 25}
    made = gaps({"large": LARGE, "turned": turned})
    assert models_words(made) == (
        "smaller gap by race: turned, 80 points the other way round (−93 to −63), 57\u202f% right; larger: large, 90 "
        "points (77 to 100), 52\u202f% right"
    )
    assert sure_words(made).endswith("Significant in 1 of 2 models.")
    assert "Right only about white people: 27 answers, only about black people: 24." in sure_words(made)
    # 27 and −24 of 30 are 1.5 on average, of which nothing can be told
    assert brief_title(made) == "A significant gap in 1 of 2 models; over all together none can be told"
    mostly = gaps({"large": {"white": 20, "black": 8}, "turned": turned, "also": turned}, of="large")
    assert brief_title(mostly).startswith("Questions about white people get 40 points fewer right answers")


def test_questions_that_fail_are_those_of_most_models() -> None:
    cot = rows({"white": 30, "black": 29}, n=N, model="large", strategy="cot")
    sex = rows({"male": 30, "female": 10}, n=N, attribute="sex", model="large")
    made = gaps({"large": LARGE, "small": SMALL}, sex, cot)
    # right about white are q0 to q28; wrong about black from q2 on in one model, from q28 in the other
    assert made.questions.height == 27
    first = made.questions.row(0, named=True)
    assert (first["question"], first["n_models"], first["n_runs"], first["right"], first["answered"]) == (
        "q28", 2, 2, "A", ["B"],
    )  # fmt: skip
    assert made.questions.filter(pl.col("question") == "q5")["n_models"].item() == 1
    assert first["neutral"] == 2  # 25 of 30 are right where nobody is mentioned
    assert first["sex"] == 1
    about = "right about white people and wrong about black people"
    assert failing_title(made) == f"1 question that both models get {about}"
    assert failing_table(made).rows[0][0] == "q28"
    none = gaps({"a": {"white": 20, "black": 20}, "b": {"white": 20, "black": 20}})
    assert failing_title(none) == f"No question is answered {about}"


def test_prompts_are_told_from_the_tests_of_their_table() -> None:
    cot = [rows({"white": 29, "black": 27, "neutral": 25}, n=N, model=m, strategy="cot") for m in ("a", "b")]
    plain = {"white": 29, "black": 2, "neutral": 25}
    made = gaps({}, *(rows(plain, n=N, model=m, strategy="plain") for m in ("a", "b")), *cot, of="a")
    (prompt,) = made.prompts
    assert [prompt[key] for key in ("strategy", "n_models", "n_smaller", "n_larger")] == ["cot", 2, 2, 0]
    assert prompt["change"] == pytest.approx((-25 / 30, -25 / 30))
    assert prompt["right"] == pytest.approx((25 / 60, 25 / 60))
    assert prompts_title(made.prompts) == "Chain-of-Thought narrows the gap in 2 of 2 models"
    assert prompts_title(()) == "Only one prompt was tried"


def test_the_brief_says_what_is_loaded_and_leaves_what_people_decide() -> None:
    sex = [rows({"male": 20, "female": 19}, n=N, attribute="sex", model=model) for model in ("large", "small")]
    made = gaps({"large": LARGE, "small": SMALL}, *sex)
    data = Dataset(texts={"q28": EVIL})
    page = answers_brief(data, made, {"why": EVIL}, retrieval="add a column retriever", provoked=True)
    assert "<script" not in page
    assert "Questions about black people get 47 points fewer right answers" in page
    assert "significant in 1 of 2 models" in page
    assert "These questions were written to provoke a difference." in page
    assert "Add a column retriever" in page
    assert other_words(made) == "Not significant: sex."
    assert re.findall(r"<dt>(.*?)</dt><dd></dd>", page) == ["Decides", "Decision", "Look again"]
    assert "upper bound" not in answers_brief(data, made, {}, retrieval="", provoked=False)
