"""Where a person is in a class: lesson, guess and whether the answer is shown stand in the address, so does the class.

The address is what counts; a session remembers it for those who come back by the navigation, which forgets it, and the
guesses of the other lessons for Back and Next.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import streamlit as st

from fairviz.lessons.lesson import Lesson
from fairviz.lessons.plan import LESSONS, lesson_called
from pages._kit.browser import signature
from pages._kit.link import ignore
from pages._learn.classroom import Classroom, class_called, class_of_student, end_class, open_class

LESSON, GUESS, SHOWN, ROOM, KEY, VIEW, AS = "lesson", "guess", "shown", "room", "key", "view", "as"
TEACHER = "teacher"
"""Value of ``as``, in place of the key, which an address on a wall would give away.

It opens the answers only in a browser that came with the key before.
"""
LARGE = "class"
"""Value of ``view`` that is for a projector."""
_LINK, _SAID, _WHO = "class_link", "class_said", "class_who"
SUBJECT = "class"
"""What a browser signs, so that its guesses are one person's: the mark names nobody."""


class Said(NamedTuple):
    """The guess of a lesson on this screen, and whether its answer is shown."""

    guess: str = ""
    shown: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a person is.

    Attributes:
        lesson: The lesson that is open.
        said: Its guess on this screen.
        room: The class; None outside of one.
        asked: The code in the address, also of a class that is over.
        teaches: Whether answers may be sent to this page: a teacher, or somebody who learns alone.
        large: Whether it is shown to a class.
    """

    lesson: Lesson
    said: Said
    room: Classroom | None
    asked: str
    teaches: bool
    large: bool

    @property
    def number(self) -> int:
        """Of the lesson, from 1."""
        return LESSONS.index(self.lesson) + 1


def here() -> Place:
    """Read the address, and fill in what the session remembers."""
    link: dict[str, str] = st.session_state.setdefault(_LINK, {})
    link.update({name: st.query_params[name] for name in (LESSON, ROOM, KEY, VIEW, AS) if name in st.query_params})
    code, mark = link.get(ROOM, "").strip().upper(), who()
    room = class_called(code)
    teaches = room is not None and (
        room.opens(link.get(KEY, "")) or (link.get(AS) == TEACHER and mark in room.teachers)
    )
    if teaches:
        link[AS] = TEACHER
    if room is None and not code:
        room = class_of_student(mark)
        code = room.code if room else ""
    if room is not None:
        room.join(mark, teaches=teaches)
    lesson = lesson_called(link.get(LESSON, "")) or LESSONS[0]
    said = _heard(lesson)
    return Place(
        lesson=lesson,
        said=said,
        room=room,
        asked=code,
        teaches=teaches or not code,
        large=link.get(VIEW) == LARGE,
    )


def keep(place: Place) -> None:
    """Write where one is into the address, and tell the class."""
    _write({LESSON: place.lesson.slug, **_parameters(place.said)}, st.session_state[_LINK])
    if place.room is not None:
        place.room.teach(place.lesson.slug, shown=place.said.shown)


def _heard(lesson: Lesson) -> Said:
    """What is said of a lesson: by the address, else as the session remembers."""
    memory: dict[str, Said] = st.session_state.setdefault(_SAID, {})
    given = st.query_params.get(GUESS, "")
    if given and lesson_called(st.query_params.get(LESSON, "")) is lesson:
        guess = lesson.kind.read(given)
        if guess is None:
            ignore(GUESS, given, f"none; expected {lesson.kind.expected}")
        memory[lesson.slug] = Said(guess or "", guess is not None and st.query_params.get(SHOWN) == "1")
    return memory.get(lesson.slug, Said())


def _parameters(said: Said) -> dict[str, str]:
    return {GUESS: said.guess, SHOWN: "1" if said.shown else ""}


def _write(parameters: Mapping[str, str], link: Mapping[str, str]) -> None:
    """Bring the address up to date; what is empty leaves it."""
    kept = {name: link.get(name, "") for name in (ROOM, VIEW, AS)} | {KEY: ""}
    for name, value in {**parameters, **kept}.items():
        if st.query_params.get(name, "") == value:
            continue
        if value:
            st.query_params[name] = value
        else:
            del st.query_params[name]


def say(lesson: Lesson, guess: str, *, shown: bool) -> None:
    """Keep a guess, and that its answer is shown; there is no answer without a guess."""
    said = Said(guess, shown and guess != "")
    st.session_state.setdefault(_SAID, {})[lesson.slug] = said
    _write(_parameters(said), st.session_state.setdefault(_LINK, {}))


def go(slug: str) -> None:
    """Open a lesson, with what was said there before."""
    link: dict[str, str] = st.session_state.setdefault(_LINK, {})
    link[LESSON] = slug
    said = st.session_state.setdefault(_SAID, {}).get(slug, Said())
    _write({LESSON: slug, **_parameters(said)}, link)


def show_large(large: bool) -> None:
    """Enter or leave the view for a projector."""
    _relink({VIEW: LARGE if large else ""})


def begin() -> None:
    """Open a class, with this page as its teacher's."""
    room = open_class()
    _relink({ROOM: room.code, KEY: room.key, AS: TEACHER})


def end(code: str) -> None:
    """End a class: its guesses are forgotten, here and on the server."""
    end_class(code)
    st.session_state.pop(_SAID, None)
    _relink({ROOM: "", KEY: "", AS: ""})


def _relink(changes: Mapping[str, str]) -> None:
    link: dict[str, str] = st.session_state.setdefault(_LINK, {})
    link.update(changes)
    for name in changes:
        if not link[name]:
            del link[name]
    _write({}, link)


def who() -> str:
    """A random mark of this browser, or of the session where it takes no cookies; of no person."""
    if _WHO not in st.session_state:
        st.session_state[_WHO] = signature(SUBJECT) or secrets.token_hex(6)
    return st.session_state[_WHO]
