"""The one cache: results of the library, remembered by the data and the arguments.

Results are shared, not copied, since they are frozen nouns, or curves that grow and say how far they are: who gets
one changes nothing in it. Results of the shipped example serve all sessions; those of uploads stay in their session
and end with it. Whether data are the example is known without reading it, so that an upload costs no more than itself.

What all of them may take of the memory is one number of bytes, whosever they are: the result that was asked for longest
ago is forgotten first. What is not remembered waits for its turn to be computed (:mod:`pages._kit.turns`).
"""

from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from dataclasses import fields
from inspect import signature
from itertools import count
from threading import Condition
from typing import Concatenate, Final, ParamSpec, TypeVar, cast
from weakref import WeakKeyDictionary, finalize

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from fairviz.model import Dataset
from pages._kit.faults import error_box
from pages._kit.session import is_shipped
from pages._kit.turns import TURNS, OverdrawnError, Session, tell_waiting, this_session
from pages._server.budget import memory_of_machine, weight

P = ParamSpec("P")
R = TypeVar("R")

RESULTS_SHARE = 0.25
"""Of the machine's memory; uploads have half (:mod:`pages._server.budget`), Python and what is drawn the rest."""

_NONE: Final = object()
"""Where there is no result: None is one."""


class Results:
    """Results by their keys, in as many bytes as they may take together.

    Args:
        most: Bytes. One result that is larger is handed out and not kept.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.held = 0
        self._kept: OrderedDict[Hashable, tuple[object, int]] = OrderedDict()
        self._begun: set[Hashable] = set()
        self._changed = Condition()
        self._numbers = count()
        self._of: WeakKeyDictionary[Session, int] = WeakKeyDictionary()
        self._ended: deque[int] = deque()

    def owner(self, session: Session) -> int:
        """A number for a session; what is kept under it goes with the session."""
        with self._changed:
            if session not in self._of:
                self._of[session] = next(self._numbers)
                finalize(session, self._ended.append, self._of[session])
            return self._of[session]

    def find(self, owner: int | None, key: Hashable) -> object:
        """What is kept, or ``_NONE``."""
        with self._changed:
            self._forget_ended()
            kept = self._kept.get((owner, key))
            if kept is None:
                return _NONE
            self._kept.move_to_end((owner, key))
            return kept[0]

    def compute(self, owner: int | None, key: Hashable, compute: Callable[[], R], known: Dataset) -> R:
        """What is kept, else computed now and kept; whoever wants the same at the same time waits for it.

        Args:
            owner: The session's number; None: everybody's.
            key: Of the result.
            compute: Makes it.
            known: Data that it may refer to and that count elsewhere.
        """
        with self._changed:
            self._changed.wait_for(lambda: (owner, key) not in self._begun)
            if (owner, key) in self._kept:
                return cast(R, self._kept[owner, key][0])
            self._begun.add((owner, key))
        try:
            result = compute()
            self._keep((owner, key), result, weight(result, apart_from=_parts(known)))
            return result
        finally:
            with self._changed:
                self._begun.discard((owner, key))
                self._changed.notify_all()

    def clear(self) -> None:
        """Forget all."""
        with self._changed:
            self._kept.clear()
            self.held = 0

    def _keep(self, place: tuple[int | None, Hashable], result: object, size: int) -> None:
        with self._changed:
            self._forget_ended()
            if size > self.most:
                return
            self._kept[place] = (result, size)
            self.held += size
            while self.held > self.most:
                self.held -= self._kept.popitem(last=False)[1][1]

    def _forget_ended(self) -> None:
        """A session may end while the lock is held, wherever Python tidies up: it leaves its number, no more."""
        ended: set[object] = set()
        while self._ended:
            ended.add(self._ended.popleft())
        if not ended:
            return
        for place in [place for place in self._kept if cast(tuple[object, object], place)[0] in ended]:
            self.held -= self._kept.pop(place)[1]


def _parts(loaded: Dataset) -> list[object]:
    """What data are made of: ids and arrays that results share with them."""
    nouns = [*loaded.runs, *loaded.samples, *loaded.qrels, *loaded.labels, *loaded.outputs]
    parts = [(noun, field.name) for noun in nouns for field in fields(noun)]
    # The matrix of labels weighs nothing, and the example's is made when it is first looked at.
    return [loaded, *nouns, *(getattr(*part) for part in parts if part[1] != "weights")]


RESULTS = Results(int(memory_of_machine() * RESULTS_SHARE))
"""Those of this server."""


def cached(compute: Callable[Concatenate[Dataset, P], R]) -> Callable[Concatenate[Dataset, P], R]:
    """Remember ``compute(dataset, …)`` by the files in their order and the arguments.

    Arguments after the dataset are plain values (numbers, strings, tuples, frozen settings); a call has one key,
    whether they are given by place, by name or by default.
    """
    parameters = signature(compute)
    name = (compute.__module__, compute.__qualname__)

    def call(loaded: Dataset, *args: P.args, **kwargs: P.kwargs) -> R:
        shipped, within = is_shipped(loaded), get_script_run_ctx(suppress_warning=True) is not None
        if not shipped and not within:
            return compute(loaded, *args, **kwargs)  # a file is written outside the session, which alone remembers it
        bound = parameters.bind(loaded, *args, **kwargs)
        bound.apply_defaults()
        key = (name, loaded.arrangement, bound.args[1:], tuple(sorted(bound.kwargs.items())))
        session = this_session()
        owner = None if shipped or session is None else RESULTS.owner(session)
        found = RESULTS.find(owner, key)
        if found is not _NONE:
            return cast(R, found)
        try:
            with TURNS.turn(session, tell_waiting if within else lambda before: None):
                return RESULTS.compute(owner, key, lambda: compute(loaded, *args, **kwargs), loaded)
        except OverdrawnError as error:
            if not within:
                raise
            error_box(error)
            st.stop()

    call.__doc__ = compute.__doc__
    return call
