"""Lessons as single files: they hold what they say they hold, and a student's holds no answer."""

import json
import re
from html import unescape
from typing import Any

import numpy as np
import pytest

from fairviz.lessons.guesses import Choice, Number, Order, Range
from fairviz.lessons.lesson import Lesson
from fairviz.lessons.page import bars_html, guesses, lesson_html
from fairviz.lessons.plan import LESSONS, lesson_called
from tests.cli.conftest import Command, fairviz
from tests.display.test_html import read

__all__ = ["fairviz"]
MEGABYTE = 1_000_000


def held(page: str, kind: str) -> Any:
    (text,) = re.findall(rf'<script type="application/json" class="{kind}">(.*?)</script>', page)
    return json.loads(text)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)
def test_a_student_finds_no_answer_and_a_teacher_finds_it(lesson: Lesson[Any]) -> None:
    student, teacher = (lesson_html(lesson, teacher=whose) for whose in (False, True))
    for page in (student, teacher):
        read(page)
        assert len(page.encode()) < MEGABYTE
        assert not re.search(r"https?:|@import|url\(", page.replace("http-equiv", ""))
    answer = lesson.answer()
    assert lesson.finding() in unescape(teacher)
    assert lesson.finding() not in unescape(student)
    assert held(teacher, "replies") == {guess: lesson.kind.apart(guess, answer) for guess in guesses(lesson.kind)}
    assert held(student, "replies") == {}, "nothing tells one guess from another"
    told = {text.replace(lesson.kind.words(guess), "*") for guess, text in held(student, "words").items()}
    assert told == {"Your guess: *."}
    assert "Reveal" not in student
    assert bars_html(lesson.picture(lesson.start)) not in student
    assert answer in held(teacher, "words"), "the exact answer can be given"


def test_a_teacher_moves_through_every_setting_that_the_page_has() -> None:
    lesson = lesson_called("exposure")
    assert lesson is not None
    page = lesson_html(lesson, teacher=True)
    parts, stops = held(page, "parts"), held(page, "stops")
    assert stops == [f"{alpha:g}" for alpha in np.arange(33) / 4]
    for alpha in (0.0, 2.0, 7.75):
        drawn = next(of[stops.index(f"{alpha:g}")] for of in parts.values() if 'class="bars"' in of[0])
        assert drawn == bars_html(lesson.picture(alpha))


@pytest.mark.parametrize(
    ("kind", "n"), [(Number(), 101), (Range(), 231), (Choice(("x", "y")), 2), (Order(("x", "y", "z")), 6)]
)
def test_every_guess_is_one_that_the_page_would_read(kind: Any, n: int) -> None:
    every = list(guesses(kind))
    assert len(set(every)) == n
    assert [kind.read(guess) for guess in every] == every


def test_the_command_writes_both_files_of_each_lesson(fairviz: Command, tmp_path: Any) -> None:
    done = fairviz("lesson", "exposure", "3", "--output", tmp_path / "made")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert sorted(file.name for file in (tmp_path / "made").iterdir()) == [
        f"fairviz-lesson-{name}{whose}.html" for name in ("2-exposure", "3-disparity") for whose in ("-teacher", "")
    ]
    wrong = fairviz("lesson", "exposur", "--output", tmp_path)
    assert wrong.code == 2
    assert "no lesson is called 'exposur'; there are: attention, exposure" in wrong.err
