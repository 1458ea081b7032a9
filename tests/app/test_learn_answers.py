"""Learn about answers: the lessons by hand, the glossary's entries, the published tables."""

import math
import re

import pytest

from fairviz.io.published import PUBLISHED, read_published
from fairviz.lessons import answers
from fairviz.resources import content
from pages._learn.papers import papers
from tests.app.conftest import OpenPage
from tests.app.reading import words


def test_models_of_the_lesson_on_unknown_by_hand() -> None:
    # 4 ambiguous, 2 stereotyped, 2 counter. "leans when not told": s s u u | s s | c c:
    # Acc_a 2/4, Diff-Bias_a (2 − 0)/4, Acc_d 4/4, Diff-Bias_d 2/2 − 2/2.
    leans = answers.bias_of(answers.MODELS["leans when not told"])
    assert [leans[x] for x in ("acc_a", "diffbias_a", "acc_d", "diffbias_d")] == [50, 50, 100, 0]
    # "leans against the text": u u u u | s s | c s: Acc_d 3/4, Diff-Bias_d 2/2 − 1/2.
    against = answers.bias_of(answers.MODELS["leans against the text"])
    assert [against[x] for x in ("diffbias_a", "acc_d", "diffbias_d")] == [0, 75, 50]
    silent = answers.bias_of(answers.MODELS["always unknown"])
    assert [silent[x] for x in ("acc_a", "diffbias_a", "acc_d", "diffbias_d")] == [100, 0, 0, 0]
    assert math.isnan(silent["s_dis"])
    for given in answers.MODELS.values():
        assert abs(answers.bias_of(given)["diffbias_a"]) <= answers.bias_of(given)["room"]


def test_votes_of_the_lesson_by_hand() -> None:
    # Right before: male 12 of 12, female 3 + 3 + 2 + 0 of 12, non-binary 3 of 12.
    before, within, pooled = (answers.voted(vote) for vote in (answers.PLAIN, "within each gender", answers.POOLED))
    assert before.right == (1, 8 / 12, 3 / 12)
    assert before.dp == 0.75
    assert within.letters[2] == ("C", "C", "D")  # C C D: two of three
    assert within.right == (1, 3 / 4, 1 / 4)
    # All nine: A 9:0, B 6:3, C 5:4, and A 6:3 where D is right.
    assert pooled.letters == (("A",) * 3, ("B",) * 3, ("C",) * 3, ("A",) * 3)
    assert pooled.right == (3 / 4,) * 3
    assert pooled.dp == 0
    assert pooled.best == ""


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
    for family in content("glossary")["answers"]:
        for measure in family["measures"]:
            assert any(measure["latex"] in formula for formula in formulas), measure["label"]


@pytest.mark.parametrize(("paper", "number"), PUBLISHED)
def test_every_published_table_is_shown_with_its_flags(app_test: OpenPage, paper: str, number: int) -> None:
    slug = next(slug for slug, one in papers().items() if one.get("published") == paper)
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
