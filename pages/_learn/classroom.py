"""A class at work, in the server's memory alone, and where a person is in it, which stands in the address.

A student's link names the class; a teacher's link carries a random key besides, which this server keeps with the
class. The key leaves the address once it was read, and the browser that came with it teaches on. Any other page of a
class is never sent an answer: there is nothing to find in its source. A session remembers the address for those who
come back by the navigation, which forgets it, and the guesses of the other lessons for Back and Next.
"""

import secrets
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import TypeAlias

import streamlit as st

from fairviz.display.words import count
from fairviz.lessons import LESSONS, PLAN, WITHOUT_FORMULAS, Plan
from fairviz.lessons.lesson import Lesson
from pages._kit.controls import put_in_address
from pages._kit.link import ignore
from pages._kit.session import signature

LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""What codes are made of: none is taken for another when it is read aloud or typed."""
CODE_LENGTH = 5
KEY_BYTES = 12
IDLE_SECONDS = 3600
"""After this time without a teacher a class is over."""
MOST_CLASSES = 100
"""At once; the one that was idle longest makes room for the next."""
MOST_GUESSES = 1000
"""Of one lesson in one class."""

_CLASSES: OrderedDict[str, "Classroom"] = OrderedDict()
_LOCK = Lock()


@dataclass(slots=True, kw_only=True, eq=False)
class Classroom:
    """One class.

    Attributes:
        code: Its name in links.
        key: In the link of its teacher alone, who is known by it.
        began: When it was opened, in seconds of the server's clock.
        seen: The last sign of its teacher.
        lesson: The slug of the lesson that the teacher shows.
        plan: Its lessons.
        shown: Slugs of lessons whose answer was shown: their guesses are locked.
        guesses: Lesson -> who -> guess; who is a random mark of a browser, and no name.
        students: Marks of browsers that opened the student's link.
        teachers: Marks of browsers that had a key.
    """

    code: str
    key: str
    began: float
    seen: float
    lesson: str = ""
    plan: Plan = PLAN
    shown: set[str] = field(default_factory=set[str])
    guesses: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    students: set[str] = field(default_factory=set[str])
    teachers: set[str] = field(default_factory=set[str])

    def send(self, lesson: str, who: str, guess: str) -> str:
        """Take a guess, or a better one of the same browser; why not, where it cannot be taken."""
        with _LOCK:
            if lesson in self.shown:
                return "The answer is on the wall: guesses are locked."
            of_lesson = self.guesses.setdefault(lesson, {})
            if who not in of_lesson and len(of_lesson) >= MOST_GUESSES:
                return f"This class has {count(MOST_GUESSES)} guesses; it takes no more."
            of_lesson[who] = guess
            return ""

    def guess_of(self, lesson: str, who: str) -> str:
        """What a browser sent; empty for nothing."""
        return self.guesses.get(lesson, {}).get(who, "")

    def guesses_of(self, lesson: str) -> list[str]:
        """The guesses of a lesson, in order of their text: not of their arrival, which could tell who sat where."""
        with _LOCK:
            return sorted(self.guesses.get(lesson, {}).values())

    def teach(self, lesson: str, *, shown: bool) -> None:
        """Say where the teacher is; an answer that was shown stays shown."""
        self.lesson = lesson
        self.stay()
        if shown:
            self.shown.add(lesson)

    def stay(self) -> None:
        """A sign of the teacher: a wall that looks for guesses says no more, since a second screen may be elsewhere."""
        self.seen = time.monotonic()

    def join(self, mark: str, *, teaches: bool) -> None:
        """Remember a browser, as many as a class has room for."""
        marks = self.teachers if teaches else self.students
        if len(marks) < MOST_GUESSES:
            marks.add(mark)

    @property
    def seconds(self) -> int:
        """Since it began."""
        return int(time.monotonic() - self.began)

    @property
    def minutes(self) -> int:
        """Since it began."""
        return self.seconds // 60

    def opens(self, key: str) -> bool:
        """Whether a key is the teacher's."""
        return secrets.compare_digest(self.key.encode(), key.encode())


def open_class() -> Classroom:
    """A class of nobody so far."""
    now = time.monotonic()
    with _LOCK:
        _forget_idle(now)
        while len(_CLASSES) >= MOST_CLASSES:
            del _CLASSES[min(_CLASSES, key=lambda code: _CLASSES[code].seen)]
        code = _fresh_code()
        _CLASSES[code] = Classroom(code=code, key=secrets.token_urlsafe(KEY_BYTES), began=now, seen=now)
        return _CLASSES[code]


def class_called(code: str) -> Classroom | None:
    """The class of a code, typed in either case; None where there is none, or where it is over."""
    with _LOCK:
        _forget_idle(time.monotonic())
        return _CLASSES.get(code.strip().upper())


def class_of_student(mark: str) -> Classroom | None:
    """The class whose student's link a browser opened; None for its teacher."""
    with _LOCK:
        _forget_idle(time.monotonic())
        classes = (room for room in _CLASSES.values() if mark in room.students and mark not in room.teachers)
        return next(classes, None)


def end_class(code: str) -> None:
    """Forget a class and its guesses."""
    with _LOCK:
        _CLASSES.pop(code, None)


def _fresh_code() -> str:
    while True:
        code = "".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH))
        if code not in _CLASSES:
            return code


def _forget_idle(now: float) -> None:
    for code in [code for code, room in _CLASSES.items() if now - room.seen > IDLE_SECONDS]:
        del _CLASSES[code]


LESSON, GUESS, SHOWN, ROOM, KEY, VIEW, AS = "lesson", "guess", "shown", "room", "key", "view", "as"
WITHOUT = "without"
FORMULAS = "formulas"
"""Value of ``without``: the plan leaves lessons out. A class has its own plan, alone it stands in the address."""
TEACHER = "teacher"
"""Value of ``as``, in place of the key, which an address on a wall would give away.

It opens the answers only in a browser that came with the key before.
"""
LARGE = "class"
"""Value of ``view`` that is for a projector."""
_LINK, _SAID, _WHO = "class_link", "class_said", "class_who"
SUBJECT = "class"
"""What a browser signs, so that its guesses are one person's: the mark names nobody."""


Guess: TypeAlias = tuple[str, bool]
"""The guess of a lesson on this screen, empty for none, and whether its answer is shown."""
NO_GUESS: Guess = "", False


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """Where a person is.

    Attributes:
        plan: The lessons of the class.
        lesson: The lesson that is open.
        guess: That of the lesson on this screen, empty for none.
        shown: Whether its answer is shown.
        room: The class; None outside of one.
        code: The code in the address, also of a class that is over.
        teaches: Whether answers may be sent to this page: a teacher, or somebody who learns alone.
        large: Whether it is shown to a class.
    """

    plan: Plan
    lesson: Lesson
    guess: str
    shown: bool
    room: Classroom | None
    code: str
    teaches: bool
    large: bool

    @property
    def number(self) -> int:
        """Number of the lesson, from 1."""
        return self.plan.number_of(self.lesson)


def current_screen() -> Screen:
    """Read the address, and fill in what the session remembers."""
    link: dict[str, str] = st.session_state.setdefault(_LINK, {})
    link.update(
        {name: st.query_params[name] for name in (LESSON, ROOM, KEY, VIEW, AS, WITHOUT) if name in st.query_params}
    )
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
    alone = WITHOUT_FORMULAS if link.get(WITHOUT) == FORMULAS else PLAN
    plan = alone if room is None else room.plan
    lesson = plan.lesson_called(link.get(LESSON, "")) or plan.lessons[0]
    guess, shown = _heard(lesson)
    return Screen(
        plan=plan,
        lesson=lesson,
        guess=guess,
        shown=shown or (teaches and room is not None and lesson.slug in room.shown),
        room=room,
        code=code,
        teaches=teaches or not code,
        large=link.get(VIEW) == LARGE,
    )


def keep(screen: Screen) -> None:
    """Write where one is into the address, and tell the class."""
    _write({LESSON: screen.lesson.slug, **_parameters(screen.guess, screen.shown)}, st.session_state[_LINK])
    if screen.room is not None:
        screen.room.teach(screen.lesson.slug, shown=screen.shown)


def _heard(lesson: Lesson) -> Guess:
    """What is said of a lesson: by the address, else as the session remembers."""
    memory: dict[str, Guess] = st.session_state.setdefault(_SAID, {})
    guess_text = st.query_params.get(GUESS, "")
    if guess_text and PLAN.lesson_called(st.query_params.get(LESSON, "")) is lesson:
        guess = lesson.kind.read(guess_text)
        if guess is None:
            ignore(GUESS, guess_text, f"none; expected {lesson.kind.expected}")
        memory[lesson.slug] = guess or "", guess is not None and st.query_params.get(SHOWN) == "1"
    return memory.get(lesson.slug, NO_GUESS)


def _parameters(guess: str, shown: bool) -> dict[str, str]:
    return {GUESS: guess, SHOWN: "1" if shown else ""}


def _write(parameters: Mapping[str, str], link: Mapping[str, str]) -> None:
    """Bring the address up to date; what is empty leaves it."""
    kept = {name: link.get(name, "") for name in (ROOM, VIEW, AS, WITHOUT)} | {KEY: ""}
    for name, value in {**parameters, **kept}.items():
        put_in_address(name, value)


def say(lesson: Lesson, guess: str, *, shown: bool) -> None:
    """Keep a guess, and that its answer is shown; there is no answer without a guess."""
    shown = shown and guess != ""
    st.session_state.setdefault(_SAID, {})[lesson.slug] = guess, shown
    _write(_parameters(guess, shown), st.session_state.setdefault(_LINK, {}))


def go(slug: str) -> None:
    """Open a lesson, with what was said there before."""
    link: dict[str, str] = st.session_state.setdefault(_LINK, {})
    link[LESSON] = slug
    guess, shown = st.session_state.setdefault(_SAID, {}).get(slug, NO_GUESS)
    _write({LESSON: slug, **_parameters(guess, shown)}, link)


def show_large(large: bool) -> None:
    """Enter or leave the view for a projector."""
    _relink({VIEW: LARGE if large else ""})


def follow_plan(screen: Screen, plan: Plan) -> None:
    """Go on by another plan, from the lesson that is open, else from the next one that the plan has."""
    if screen.room is not None:
        screen.room.plan = plan
    begins = LESSONS.index(screen.lesson)
    lesson = next(lesson for lesson in (*LESSONS[begins:], *plan.lessons) if lesson in plan.lessons)
    _relink({WITHOUT: FORMULAS if plan is WITHOUT_FORMULAS else ""})
    go(lesson.slug)


def begin(plan: Plan) -> None:
    """Open a class with some lessons, with this page as its teacher's."""
    room = open_class()
    room.plan = plan
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
