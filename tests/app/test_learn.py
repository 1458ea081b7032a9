"""The Learn page: guess first, then see; a key for teachers, words, and the paper's index."""

import re

import pytest

from fairviz.metrics.catalogue import CATALOGUE
from pages import _five as five
from pages._answer_key import LESSONS
from pages._papers import NAMES, TOWARDS_FAIR_RAG
from tests.app.conftest import ROOT, OpenPage
from tests.app.reading import title, words

CHAPTERS = ("Attention", "Expected exposure", "Target", "Samples", "Optimal", "Use")


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_answer_is_hidden_until_it_is_asked_for(app_test: OpenPage, chapter: str) -> None:
    at = app_test("learn", link={"chapter": chapter})
    question = next(asked for name, asked, _ in LESSONS if name == chapter)
    assert "2 · See" not in words(at)
    at.button(key=f"reveal_{question.slug}").click().run()
    assert not at.exception
    assert "2 · See" in words(at)
    assert at.subheader[0].value.startswith(f"{question.answer:.0f} of 100.")


def test_guessing_right_is_said(app_test: OpenPage) -> None:
    at = app_test("learn", link={"chapter": "Expected exposure"})
    at.slider(key="guess_exposure").set_value(85).run()
    at.button(key="reveal_exposure").click().run()
    assert at.subheader[0].value == "85 of 100. You were right."


def test_start_over_puts_everything_back(app_test: OpenPage) -> None:
    at = app_test("learn", link={"chapter": "Expected exposure"})
    at.slider(key="guess_exposure").set_value(20).run()
    at.button(key="reveal_exposure").click().run()
    at.slider(key="lesson_alpha").set_value(8.0).run()
    at.button(key="reset_exposure").click().run()
    assert at.slider(key="guess_exposure").value == 100
    assert "2 · See" not in words(at)
    at.button(key="reveal_exposure").click().run()
    assert at.slider(key="lesson_alpha").value == 2.0


def test_the_worked_example_by_hand() -> None:
    # α = 1: logits s + 1, weights e^2, e^1.8, e^1.6, e^1.3, e^1 = 7.389, 6.050, 4.953, 3.669, 2.718
    # (sum 24.779); A is first with 0.2982, second with Σ_j p_j w_A / (sum − w_j).
    weights = [7.389056, 6.049647, 4.953032, 3.669297, 2.718282]
    total = sum(weights)
    first = weights[0] / total
    second = sum(w / total * weights[0] / (total - w) for w in weights[1:])
    assert five.exposure(1.0)[0] == pytest.approx(first + second, abs=1e-6)


def test_answers_agree_with_their_sums() -> None:
    answers = {asked.slug: asked.answer for _, asked, _ in LESSONS}
    assert answers["attention"] == pytest.approx(100 * 0.8**4)
    assert answers["target"] == pytest.approx(100 * 2 / 3)
    assert answers["samples"] == pytest.approx(100 * (5 * 0.4 * 0.6 / 5) / (2 - 0.8))
    assert answers["use"] == 25.0


def test_equal_seeds_draw_equal_samples(app_test: OpenPage) -> None:
    link = {"chapter": "Samples", "seed": "7", "draws": "20"}
    shown = []
    for _ in range(2):
        at = app_test("learn", link=link)
        at.button(key="reveal_samples").click().run()
        shown.append(words(at))
    assert shown[0] == shown[1]


def test_the_answer_key_lists_every_lesson(app_test: OpenPage) -> None:
    at = app_test("learn", link={"chapter": "Answer key"})
    said = words(at)
    assert all(f"{i}. {name}" in said for i, name in enumerate(CHAPTERS, start=1))


def test_the_glossary_has_every_measure_with_its_formula(app_test: OpenPage) -> None:
    at = app_test("learn", link={"chapter": "Glossary"})
    formulas = [m.value for m in at.markdown]
    for measure in CATALOGUE.values():
        assert any(measure.latex in formula for formula in formulas), measure.name


def test_the_papers_index_covers_all_figures_and_sections(app_test: OpenPage) -> None:
    at = app_test("learn", link={"chapter": "Papers"})
    assert title(at) == "Towards Fair RAG, drawn for your data"
    places = " ".join(entry.where for entry in TOWARDS_FAIR_RAG)
    for wanted in ("Figure 1", "Figure 2", "Figure 3", "Equation 2", "RQ1", "RQ2", "RQ3"):
        assert wanted in places
    for entry in TOWARDS_FAIR_RAG:
        assert entry.how, entry.what
        assert not entry.page or (ROOT / "pages" / f"{entry.page}.py").is_file()
        assert not entry.page or entry.page in NAMES


def test_no_word_that_is_not_ours() -> None:
    text = " ".join(
        path.read_text(encoding="utf-8").lower() for path in (ROOT / "pages").glob("*.py")
    )
    assert "debias" not in text
    assert not re.search(r"\b(is|are|be) (completely |perfectly )?fair\b", text)
