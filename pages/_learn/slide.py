"""The class as a slide: where phones guess, what the class says, the clock, and one button; it fits on one screen."""

from collections.abc import Sequence
from urllib.parse import urlsplit

import streamlit as st

from fairviz.display.markup import Html
from fairviz.display.words import Finding, plural
from fairviz.lessons.lesson import ENOUGH, Kind, wall
from pages._kit import user_text
from pages._kit.html import el, join
from pages._kit.session import on_this_machine
from pages._learn.class_view import (
    LOOK_SECONDS,
    UNREACHABLE,
    chart,
    guesses_of,
    lessons_bar,
    link_of,
    picture,
    prints,
    qr_source,
    wall_tools,
)
from pages._learn.classroom import Classroom, Screen, end, go, keep, show_large
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
            if screen.state.shown:
                left, right = st.columns([6, 4], gap="medium")
                with left:
                    _slide_wall(screen, room)
                with right:
                    st.html(el("p", lesson.filled(lesson.finding), cls="fv-found"))
                    chart(lesson, lesson.bars(lesson.start), "")
            else:
                st.fragment(_slide_wall, run_every=LOOK_SECONDS)(screen, room)
        _slide_foot(screen, room)


def _address(room: Classroom) -> Html:
    """Where phones guess: the code as a picture and in words that are read from the last row."""
    link = link_of(room=room.code)
    if on_this_machine():
        return join(
            el("p", room.code, cls="fv-code"), el("p", UNREACHABLE, cls="fv-tone-loss fv-unreachable", role="note")
        )
    code = el("img", src=qr_source(link), alt=f"QR code of {link}", cls="fv-qr")
    words = el(
        "div",
        el("p", f"{urlsplit(link).netloc}{urlsplit(link).path} · code", cls="fv-counts"),
        el("p", room.code, cls="fv-code"),
        el("p", "No name is asked. The answer comes here.", cls="fv-counts"),
    )
    return el("div", code, words, cls="fv-address-large")


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


def _slide_wall(screen: Screen, room: Classroom) -> None:
    """What the class says, in letters that are read from the last row, above its dots; nothing before five guesses."""
    kind, slug, guesses = screen.lesson.kind, screen.lesson.slug, guesses_of(screen)
    room.stay()
    exact = screen.lesson.answer if screen.state.shown else ""
    hidden = bool(st.session_state.get(f"hide_{slug}")) and not exact
    finding = slide_words(kind, guesses, exact, n_phones=max(len(room.students), len(guesses)), hidden=hidden)
    st.html(el("div", el("h2", finding.title), el("p", finding.sentence), cls="fv-says"))
    if len(guesses) >= ENOUGH and not hidden:
        picture(kind, slug, guesses, "", exact, SLIDE._replace(width=BESIDE_CHART) if exact else SLIDE)


def slide_words(kind: Kind, guesses: Sequence[str], exact: str, *, n_phones: int, hidden: bool) -> Finding:
    """What stands above the wall, and how many have answered.

    Args:
        kind: How the question is answered.
        guesses: One text per person.
        exact: The answer, once it is shown.
        n_phones: Phones that are in the class.
        hidden: Whether the teacher hides the guesses.
    """
    answered = f"{len(guesses)} of {plural(n_phones, 'phone')} {'has' if n_phones == 1 else 'have'} answered"
    if exact:
        of_class = wall(kind, guesses, exact)
        beside = f" {of_class.title}; {of_class.sentence}" if len(guesses) >= ENOUGH else ""
        return Finding(f"Exact: {kind.words(exact)}.{beside}", "")
    if len(guesses) < ENOUGH:
        return Finding(f"Waiting for guesses: {len(guesses)} of {n_phones}", "")
    return Finding(answered if hidden else wall(kind, guesses).title, "" if hidden else answered)


def _slide_foot(screen: Screen, room: Classroom) -> None:
    """Back, what the guesses need, the one button, Next, and the way out."""
    lessons, at = screen.plan.lessons, screen.number - 1
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="slide-foot"):
        if at:
            st.button("← Back", key="back", on_click=go, args=(lessons[at - 1].slug,), shortcut="Left")
        with st.popover("Guesses", icon=":material/more_horiz:", type="tertiary"):
            wall_tools(screen)
            prints(screen)
            st.button("End the class: forget its guesses", on_click=end, args=(room.code,))
        with st.container(horizontal=True, horizontal_alignment="center", width="stretch"):
            if screen.state.shown:
                with st.popover("Why", icon=":material/help:"):
                    user_text(screen.lesson.filled(screen.lesson.why))
                    st.markdown(screen.lesson.how)
            else:
                _reveal_button(screen, room)
        for after in lessons[at + 1 : at + 2]:
            st.button(
                f"Next: {after.name.lower()} →", key="next_lesson", on_click=go, args=(after.slug,), shortcut="Right"
            )
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
