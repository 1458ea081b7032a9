"""Learn about answers: the four lessons by hand, the glossary's entries, the published tables."""

import math
import re

import pytest

from fairviz.io.published import PUBLISHED, read_published
from pages._learn import example_answers
from pages._learn.glossary_answers import FAMILIES as OF_ANSWERS
from pages._learn.papers import PAPERS
from tests.app.conftest import OpenPage
from tests.app.reading import words


def test_models_of_the_lesson_on_unknown_by_hand() -> None:
    # 4 ambiguous, 2 stereotyped, 2 counter. "leans when not told": s s u u | s s | c c:
    # Acc_a 2/4, Diff-Bias_a (2 − 0)/4, Acc_d 4/4, Diff-Bias_d 2/2 − 2/2.
    leans = example_answers.bias_of(example_answers.MODELS["leans when not told"])
    assert [leans[x] for x in ("acc_a", "diffbias_a", "acc_d", "diffbias_d")] == [50, 50, 100, 0]
    # "leans against the text": u u u u | s s | c s: Acc_d 3/4, Diff-Bias_d 2/2 − 1/2.
    against = example_answers.bias_of(example_answers.MODELS["leans against the text"])
    assert [against[x] for x in ("diffbias_a", "acc_d", "diffbias_d")] == [0, 75, 50]
    silent = example_answers.bias_of(example_answers.MODELS["always unknown"])
    assert [silent[x] for x in ("acc_a", "diffbias_a", "acc_d", "diffbias_d")] == [100, 0, 0, 0]
    assert math.isnan(silent["s_dis"])
    for answers in example_answers.MODELS.values():
        assert abs(example_answers.bias_of(answers)["diffbias_a"]) <= example_answers.bias_of(answers)["room"]


@pytest.mark.parametrize("n", range(example_answers.SWAPS + 1))
def test_exchanged_answers_keep_letters_and_lose_right_ones(n: int) -> None:
    found = example_answers.letters_of(n)
    assert found.right == (1, (8 - 2 * n) / 8)  # an exchange makes two of eight wrong
    assert found.dp == found.macro_eo == 2 * n / 8
    assert found.macro_dp == 0
    assert found.by_letter == (0, 0, 0, 0)


def test_votes_of_the_lesson_by_hand() -> None:
    # Right before: male 12 of 12, female 3 + 3 + 2 + 0 of 12, non-binary 3 of 12.
    before, within, pooled = (
        example_answers.voted(vote) for vote in (example_answers.PLAIN, example_answers.WITHIN, example_answers.POOLED)
    )
    assert before.right == (1, 8 / 12, 3 / 12)
    assert before.dp == 0.75
    assert within.letters[2] == ("C", "C", "D")  # C C D: two of three
    assert within.right == (1, 3 / 4, 1 / 4)
    # All nine: A 9:0, B 6:3, C 5:4, and A 6:3 where D is right.
    assert pooled.letters == (("A",) * 3, ("B",) * 3, ("C",) * 3, ("A",) * 3)
    assert pooled.right == (3 / 4,) * 3
    assert pooled.dp == 0
    assert pooled.best == ""


def test_changed_words_by_hand() -> None:
    gender, day = (example_answers.changed(change) for change in example_answers.CHANGES)
    assert [i + 1 for i, moved in enumerate(gender.moved) if moved] == [5, 6, 7, 8]
    assert [i + 1 for i, moved in enumerate(day.moved) if moved] == [6, 7, 9]
    assert gender.right == (0.6, 0.6)
    assert (gender.first_only, gender.second_only, gender.p) == (2, 2, 1)
    assert (day.first_only, day.second_only) == (1, 2)  # 6 only before; 7 and 9 only after
    # By gender alone 5 and 8, by the day alone 9: 2 of 3 coins, p = min(1, 2 · 4/8) = 1.
    assert example_answers.more_often(*example_answers.CHANGES) == 1


def test_lessons_on_answers_move(app_test: OpenPage) -> None:
    at = app_test("learn", link={"chapter": "Always unknown"})
    assert "The model says" not in words(at)
    at.button(key="reveal_unknown").click().run()
    assert "No lean either way, and 0 % right where the text says who" in words(at)
    assert "s_DIS is undefined here" in words(at)
    at = app_test("learn", link={"chapter": "Always unknown", "bias_model": "reads the text"})
    at.button(key="reveal_unknown").click().run()
    assert "No lean either way, and 100 % right where the text says who" in words(at)

    at = app_test("learn", link={"chapter": "Parity of letters"})
    at.button(key="reveal_letters").click().run()
    assert "Letters: no difference. Right answers: 100 points apart" in words(at)
    at.slider(key="letter_swaps").set_value(1).run()
    assert "Right answers: 25 points apart" in words(at)

    at = app_test("learn", link={"chapter": "Pooled vote"})
    at.button(key="reveal_vote").click().run()
    assert "DP is 0 by construction" in words(at)
    at = app_test("learn", link={"chapter": "Pooled vote", "lesson_vote": "within each gender"})
    at.button(key="reveal_vote").click().run()
    assert "Male and non-binary are 75 points apart" in words(at)

    at = app_test("learn", link={"chapter": "Swapped words"})
    at.button(key="reveal_swaps").click().run()
    said = words(at)
    assert "4 of 10 answers change with man → woman; right answers differ by 0 points" in said
    assert "Gender moves 4 answers of 10, the day of the week 3." in said
    assert "What they cannot show" in said


def test_the_glossary_has_the_measures_of_answers(app_test: OpenPage) -> None:
    at = app_test("learn", link={"chapter": "Glossary"})
    formulas = [m.value for m in at.markdown]
    named = [expander.label for expander in at.expander]
    for name in (
        "Acc_a",
        "Acc_d",
        "Diff-Bias_a",
        "Diff-Bias_d",
        "s_DIS",
        "s_AMB",
        "Amplification",
        "DP",
        "EO",
        "Retrieval overlap",
        "Majority vote",
        "RRF",
    ):
        assert any(label.startswith(f"**{name}** · ") for label in named), name
    for _, _, measures in OF_ANSWERS:
        for one in measures:
            assert any(one.latex in formula for formula in formulas), one.label


@pytest.mark.parametrize(("paper", "number"), PUBLISHED)
def test_every_published_table_is_shown_with_its_flags(app_test: OpenPage, paper: str, number: int) -> None:
    slug = next(slug for slug, one in PAPERS.items() if one.published == paper)
    at = app_test("learn", link={"chapter": "Papers", "paper": slug})
    at.selectbox(key=f"published_{paper}").set_value(number).run()
    assert not at.exception
    said = re.sub(r"\s+", " ", words(at))
    table = read_published(paper, number)
    assert f"Table {number}: {table.title}" in said
    assert all(flag in said for flag in table.flags if flag)
    assert all(remark in said for remark in table.remarks)
    if (paper, number) == ("rag-social-biases", 2):
        assert "14.53 ↑ / 7.14 ↑" in said  # GPT-3.5, gender, stereo-set: the largest of four
