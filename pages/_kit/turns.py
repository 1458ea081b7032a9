"""Who computes now: on a server that others use, as many at once as it has processors; the rest waits in line.

Forty people who press at the same moment would else share two processors and all their intermediate arrays: each of
them waits as long, and the memory ends. Who waits reads how many are before them; who presses something else meanwhile
leaves the line. A session stands in it once, since it runs one page at a time. On a personal machine nobody waits.
"""

import os
import time
from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import Condition, local

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

from fairviz.cli.hosting import TIME_LIMIT, asked
from fairviz.display.words import plural
from fairviz.errors import InputError
from pages._kit.html import el
from pages._server.browser import on_this_machine

LOOK = 0.4
"""Seconds between two looks at one's place; who waits less is told nothing."""

WINDOW = 600
"""Seconds over which a session's computing is added up."""


class OverdrawnError(InputError):
    """A session has used the computing time that it may use."""


class Session:
    """What a session has computed lately; it ends with the session's state, which alone refers to it."""

    def __init__(self) -> None:
        self._turns: deque[tuple[float, float]] = deque()

    def add(self, now: float, seconds: float) -> None:
        """Count a turn that has just ended."""
        self._turns.append((now, seconds))

    def used(self, now: float) -> float:
        """Seconds of computing that ended within the window."""
        while self._turns and self._turns[0][0] <= now - WINDOW:
            self._turns.popleft()
        return sum(seconds for _, seconds in self._turns)

    def free_in(self, now: float, limit: float) -> float:
        """Seconds until it has used less than a limit again."""
        left = self.used(now)
        for end, seconds in self._turns:
            left -= seconds
            if left < limit:
                return end + WINDOW - now
        return 0.0


class Turns:
    """A line before a number of places.

    Args:
        places: How many compute at once; None: all who want to.
        limit: Seconds of computing that one session may use within the window; None: as much as it wants.
        clock: Seconds that only grow.
    """

    def __init__(
        self, places: int | None, *, limit: float | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.places = places
        self.limit = limit
        self._clock = clock
        self._busy = 0
        self._line: deque[object] = deque()
        self._moved = Condition()
        self._mine = local()

    @contextmanager
    def turn(self, session: Session | None, tell: Callable[[int], None]) -> Generator[None]:
        """Wait for one's turn; a part of a computation that has its turn has it, too.

        Args:
            session: Whose computing it is; None: nobody's that counts.
            tell: Is told how many are before, whenever that changes, and 0 at the end where it was told anything; what
                it raises leaves the line.

        Raises:
            OverdrawnError: The session has used its computing time.
        """
        if self.places is None or getattr(self._mine, "has", False):
            yield
            return
        if session is not None:
            self._refuse_overdrawn(session)
        self._wait(self.places, tell)
        self._mine.has = True
        start = self._clock()
        try:
            yield
        finally:
            self._mine.has = False
            with self._moved:
                self._busy -= 1
                self._moved.notify_all()
            if session is not None:
                session.add(self._clock(), self._clock() - start)

    def _wait(self, places: int, tell: Callable[[int], None]) -> None:
        me, told = object(), 0
        with self._moved:
            self._line.append(me)
        try:
            while True:
                with self._moved:
                    if self._moved.wait_for(lambda: self._busy < places and self._line[0] is me, timeout=LOOK):
                        self._busy += 1
                        break
                    before = self._line.index(me) + self._busy
                if before != told:
                    told = before
                    tell(told)
        finally:
            with self._moved:
                self._line.remove(me)
                self._moved.notify_all()
        if told:
            tell(0)

    def _refuse_overdrawn(self, session: Session) -> None:
        now = self._clock()
        if self.limit is None or session.used(now) < self.limit:
            return
        reason = (
            f"this session has used the {self.limit:.0f} s of computing that it may use in {WINDOW // 60} minutes here"
        )
        later = plural(max(1, round(session.free_in(now, self.limit) / 60)), "minute")
        raise OverdrawnError(reason, fix=f"Go on in about {later}, or with fairviz on your own machine.")


def from_environment() -> Turns:
    """The line of this server: none where it listens on this machine alone.

    Raises:
        UsageError: A variable is no number.
    """
    if on_this_machine():
        return Turns(None)
    limit = asked(TIME_LIMIT)
    return Turns(os.cpu_count() or 1, limit=float(limit) if limit else None)


TURNS = from_environment()
"""That of this server: one process, one line."""

_SLOT = "waiting"


def make_room_to_wait() -> None:
    """A place on the page where it is said how many are before a person; call it once in every run of the shell."""
    st.session_state[_SLOT] = st.empty()


def this_session() -> Session | None:
    """Whose page runs; None outside of any, as where a file is written."""
    if get_script_run_ctx(suppress_warning=True) is None:
        return None
    return st.session_state.setdefault("computing", Session())


def tell_waiting(before: int) -> None:
    """Say how many computations are before this person's, in the place that the shell has made; 0 takes it away."""
    slot = st.session_state.get(_SLOT)
    if not isinstance(slot, DeltaGenerator):
        return
    if not before:
        slot.empty()
        return
    text = f"Many work here at once. Your turn comes by itself: {before} before you."
    slot.html(el("p", text, cls="fv-waiting", role="status"))
