"""What a student's link opens: the question that the class is at, and one guess; no answer is sent to it."""

from typing import Any

import streamlit as st

from fairviz.lessons.lesson import Lesson, written
from fairviz.lessons.plan import LESSONS, lesson_called
from pages._kit import el, join, kicker
from pages._learn.classroom import Classroom, class_called
from pages._learn.guess_controls import guess_control
from pages._learn.place import Place, end, who
from pages._learn.style import student_style

LOOK_SECONDS = 3
"""Between two looks at where the class is."""


def show_student(place: Place) -> None:
    """The guess of the lesson that the teacher shows."""
    st.html(student_style())
    room = place.room
    if room is None:
        kicker("Class")
        st.html(join(el("h1", "This class is over", cls="fv-title"), el("p", _OVER, cls="fv-lead")))
        st.button("Go through the lessons alone", on_click=end, args=(place.asked,))
        return
    lesson = lesson_called(room.lesson) or LESSONS[0]
    locked = lesson.slug in room.shown
    kicker(f"Lesson {LESSONS.index(lesson) + 1} of {len(LESSONS)} · Your guess")
    st.html(join(el("h1", lesson.ask, cls="fv-title"), el("p", written(lesson.text), cls="fv-lead")))
    sent = room.guess_of(lesson.slug, who())
    if not locked:
        sent = _send(lesson, room, sent)
    st.html(el("p", el("strong", _state(sent and lesson.kind.words(sent), locked)), role="status"))
    st.html(el("p", "No name is asked or stored. The answer appears on the wall, not here.", cls="fv-counts"))
    st.fragment(_follow, run_every=LOOK_SECONDS)(room.code, (room.lesson, locked))


def _send(lesson: Lesson[Any], room: Classroom, sent: str) -> str:
    """The control and its button; returns what the class has of this browser."""
    key = f"{room.code}-{lesson.slug}"
    guess = guess_control(lesson.kind, "Your guess", key=key, start=sent)
    if st.button("Send guess", type="primary", disabled=not guess, width="stretch"):
        refused = room.send(lesson.slug, who(), guess)
        if refused:
            st.html(el("p", refused, cls="fv-tone-loss", role="alert"))
    return room.guess_of(lesson.slug, who())


_OVER = "Its guesses are forgotten. Ask your teacher for a new link, or go on alone."


def _state(sent: str, locked: bool) -> str:
    if locked:
        return f"The answer is on the wall. Your guess: {sent}." if sent else "The answer is on the wall."
    return f"Sent: {sent}. You can send another until the answer is shown." if sent else "Not sent yet."


def _follow(code: str, drawn: tuple[str, bool]) -> None:
    """Draw the page again where the class has gone on."""
    room: Classroom | None = class_called(code)
    if room is None or (room.lesson, room.lesson in room.shown) != drawn:
        st.rerun()
