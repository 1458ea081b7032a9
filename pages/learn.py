"""Learn: a class of short lessons, guess first; then the metric chooser, the glossary, and the papers' index."""

from collections.abc import Callable

import streamlit as st

from fairviz.display.markup import style
from fairviz.lessons.lesson import Lesson
from pages._kit import kicker
from pages._kit.html import el, join
from pages._learn.class_view import guess_control, show_class
from pages._learn.classroom import Classroom, Screen, class_called, current_screen, end, who
from pages._learn.reference import show_chooser, show_glossary, show_papers
from pages._learn.slide import show_slide

CLASS = "Class"
PARTS: dict[str, Callable[[], None]] = {
    "Choose a metric": show_chooser,
    "Glossary": show_glossary,
    "Papers": show_papers,
}
LOOK_SECONDS = 3
"""Between two looks of a student's page at where the class is."""


def rules_of_bar(screen: Screen) -> str:
    """Colours of the bar of lessons: those before the one that is open are done."""
    slugs = [lesson.slug for lesson in screen.plan.lessons[: screen.number]]
    *done, now = (f".st-key-bar .st-key-go-{slug} button" for slug in slugs)
    past = f"{', '.join(done)} {{ --fv-part: var(--fv-plackett-luce-fill); }}" if done else ""
    return f"{past}{now} {{ --fv-part: var(--fv-ink); }}"


def show_student(screen: Screen) -> None:
    """What a student's link opens: the guess of the lesson that the teacher shows; no answer is sent to it."""
    room = screen.room
    if room is None:
        over = "Its guesses are forgotten. Ask your teacher for a new link, or go on alone."
        kicker("Class")
        st.html(join(el("h1", "This class is over", cls="fv-title"), el("p", over, cls="fv-lead")))
        st.button("Go through the lessons alone", on_click=end, args=(screen.code,))
        return
    lesson = screen.plan.lesson_called(room.lesson) or screen.plan.lessons[0]
    locked = lesson.slug in room.shown
    kicker(f"Lesson {screen.plan.number_of(lesson)} of {len(screen.plan.lessons)} · Your guess")
    st.html(join(el("h1", lesson.ask, cls="fv-title"), el("p", lesson.filled(lesson.text), cls="fv-lead")))
    sent = room.guess_of(lesson.slug, who())
    if not locked:
        sent = send(lesson, room, sent)
    st.html(el("p", el("strong", state(sent and lesson.kind.words(sent), locked)), role="status"))
    st.html(el("p", "No name is asked or stored. The answer appears on the wall, not here.", cls="fv-counts"))
    st.fragment(follow, run_every=LOOK_SECONDS)(room.code, (room.lesson, locked))


def send(lesson: Lesson, room: Classroom, sent: str) -> str:
    """The control and its button; returns what the class has of this browser."""
    key = f"{room.code}-{lesson.slug}"
    guess = guess_control(lesson.kind, "Your guess", key=key, start=sent)
    if st.button("Send guess", type="primary", disabled=not guess, width="stretch"):
        refused = room.send(lesson.slug, who(), guess)
        if refused:
            st.html(el("p", refused, cls="fv-tone-loss", role="alert"))
    return room.guess_of(lesson.slug, who())


def state(sent: str, locked: bool) -> str:
    """Whether a guess was sent, and whether another can be."""
    if locked:
        return f"The answer is on the wall. Your guess: {sent}." if sent else "The answer is on the wall."
    return f"Sent: {sent}. You can send another until the answer is shown." if sent else "Not sent yet."


def follow(code: str, drawn: tuple[str, bool]) -> None:
    """Draw the page again where the class has gone on."""
    room = class_called(code)
    if room is None or (room.lesson, room.lesson in room.shown) != drawn:
        st.rerun()


screen = current_screen()
if not screen.teaches:
    st.html(style("learn_class", "learn_alone", "learn_student"))
    show_student(screen)
elif screen.large and screen.room is not None:
    st.html(style("learn_class", "learn_alone", "learn_slide", rules=rules_of_bar(screen)))
    show_slide(screen, screen.room)
else:
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        part = None
        if screen.large:
            st.html(el("p", "fairviz", cls="fv-brand"), width="content")
        else:
            part = st.pills(
                "Part",
                [CLASS, *PARTS],
                default=CLASS,
                key="chapter",
                required=True,
                label_visibility="collapsed",
                bind="query-params",
                width="content",
            )
        top = st.container(width="content")
    if part in PARTS:
        PARTS[part]()
    else:
        sheets = ("learn_class", *(("learn_alone", "learn_large") if screen.large else ()))
        st.html(style(*sheets, rules=rules_of_bar(screen)))
        show_class(screen, top)
