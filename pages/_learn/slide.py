"""The class as a slide: where phones guess, what the class says, the clock, and one button; it fits on one screen."""

from urllib.parse import urlsplit

import streamlit as st

from fairviz.display.markup import Html
from fairviz.display.words import plural
from fairviz.lessons.lesson import ENOUGH
from pages._kit import user_text
from pages._kit.html import el, join
from pages._learn.class_view import (
    chart,
    class_link,
    guesses_of,
    lessons_bar,
    link_of,
    prints,
    show_wall,
    turn,
    wall_tools,
)
from pages._learn.classroom import Classroom, Screen, end, keep, show_large
from pages._learn.figures import SLIDE

CLOCK_SECONDS = 10
"""Between two looks at the clock of a slide."""
BESIDE_CHART = 740
"""Width of the wall, in px, beside the answer's chart."""
LATE = 1
"""Minutes off the plan up to which a class is on time."""


def show_slide(screen: Screen, room: Classroom) -> None:
    """The lesson of a class on one screen that does not scroll."""
    keep(screen)
    lesson = screen.lesson
    with st.container(key="slide"):
        with st.container(horizontal=True, vertical_alignment="center", gap="large", key="slide-head"):
            st.html(_address(room), width="content")
            kick = f"Lesson {screen.number} of {len(screen.plan.lessons)} · {lesson.name}"
            st.html(join(el("p", kick, cls="fv-kicker"), el("h1", lesson.ask, cls="fv-title")), width="stretch")
            with st.container(width="content"):
                st.fragment(_clock, run_every=CLOCK_SECONDS)(screen, room)
        lessons_bar(screen)
        with st.container(key="slide-wall"):
            if screen.shown:
                left, right = st.columns([6, 4], gap="medium")
                with left:
                    show_wall(screen, SLIDE._replace(width=BESIDE_CHART))
                with right:
                    st.html(el("p", lesson.filled(lesson.finding), cls="fv-found"))
                    chart(lesson, lesson.bars(lesson.start), "")
            else:
                show_wall(screen, SLIDE)
        _slide_foot(screen, room)


def _address(room: Classroom) -> Html:
    """Where phones guess: the code as a picture and in words that are read from the last row."""
    parts = urlsplit(link_of(room=room.code))
    words = join(
        el("p", f"{parts.netloc}{parts.path} · code", cls="fv-counts"),
        el("p", room.code, cls="fv-code"),
        el("p", "No name is asked. The answer comes here.", cls="fv-counts"),
    )
    return class_link(room, words)


def _clock(screen: Screen, room: Classroom) -> None:
    """Minutes since the class began, and whether the plan has the lesson elsewhere."""
    minutes, seconds = divmod(room.seconds, 60)
    begins = screen.plan.begins(screen.lesson)
    off, early = minutes - (begins + screen.lesson.minutes), begins - minutes
    words, tone = "on time", "mute"
    if off > LATE:
        words, tone = f"{plural(off, 'minute')} behind the plan", "loss"
    elif early > LATE:
        words = f"{plural(early, 'minute')} left over"
    st.html(
        join(
            el("p", f"{minutes}:{seconds:02d}", cls="fv-clock"),
            el("p", f"of {screen.plan.minutes} minutes", cls="fv-counts"),
            el("p", words, cls=f"fv-counts fv-tone-{tone}"),
        )
    )


def _slide_foot(screen: Screen, room: Classroom) -> None:
    """Back, what the guesses need, the one button, Next, and the way out."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="slide-foot"):
        turn(screen, -1, shortcut="Left")
        with st.popover("Guesses", icon=":material/more_horiz:", type="tertiary"):
            wall_tools(screen)
            prints(screen)
            st.button("End the class: forget its guesses", on_click=end, args=(room.code,))
        with st.container(horizontal=True, horizontal_alignment="center", width="stretch"):
            if screen.shown:
                with st.popover("Why", icon=":material/help:"):
                    user_text(screen.lesson.filled(screen.lesson.why))
                    st.markdown(screen.lesson.how)
            else:
                _reveal_button(screen, room)
        turn(screen, 1, shortcut="Right")
        st.button("Leave", icon=":material/close_fullscreen:", type="tertiary", on_click=show_large, args=(False,))


def _reveal_button(screen: Screen, room: Classroom) -> None:
    """Show the answer to the class; with few guesses it asks once more."""
    label = "Reveal for the class"
    if st.session_state.get(_few_key(screen)) and (n := len(guesses_of(screen))) < ENOUGH:
        label = f"Reveal with {plural(n, 'guess', 'guesses')}?"
    st.button(
        label,
        key="reveal",
        icon=":material/visibility:",
        type="primary",
        shortcut="Space",
        on_click=_reveal,
        args=(screen, room),
    )


def _reveal(screen: Screen, room: Classroom) -> None:
    """What the button does, by the guesses that are in when it is pressed: more may be in than when it was drawn."""
    key = _few_key(screen)
    if len(guesses_of(screen)) >= ENOUGH or st.session_state.get(key):
        room.teach(screen.lesson.slug, shown=True)
    else:
        st.session_state[key] = True


def _few_key(screen: Screen) -> str:
    """Where this session keeps that few guesses were asked about."""
    return f"few_{screen.lesson.slug}"
