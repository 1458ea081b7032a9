"""A class at work: its guesses, in the server's memory alone, and the key that tells its teacher from everybody else.

A student's link names the class; a teacher's link carries a random key besides, which this server keeps with the
class. The key leaves the address once it was read, and the browser that came with it teaches on. Any other page of a
class is never sent an answer: there is nothing to find in its source.
No names are asked for. A class ends when its teacher ends it, an hour after the last sign of one, or with the server.
"""

import secrets
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock

from fairviz.display.words import count

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

    def said(self, lesson: str) -> list[str]:
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
    def minutes(self) -> int:
        """Since it began."""
        return int((time.monotonic() - self.began) / 60)

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
        classes = (one for one in _CLASSES.values() if mark in one.students and mark not in one.teachers)
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
    for code in [code for code, one in _CLASSES.items() if now - one.seen > IDLE_SECONDS]:
        del _CLASSES[code]
