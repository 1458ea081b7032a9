"""Large results remembered as they are, without a copy: frozen nouns and growing curves."""

from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

import streamlit as st

from fairviz.model import Dataset
from pages._shared import example

P = ParamSpec("P")
R = TypeVar("R")

MOST = 24
"""Results remembered per function: twelve systems under two settings."""


def kept(compute: Callable[Concatenate[Dataset, P], R]) -> Callable[Concatenate[Dataset, P], R]:
    """Remember ``compute(dataset, …)`` by the files in their order and the arguments.

    Unlike ``cached``, callers share one object and must not change it. Results of uploads stay in
    their session.
    """

    def run(arrangement: str, values: tuple[object, ...], _loaded: Dataset) -> R:
        del arrangement  # it is the key
        return compute(_loaded, *values)  # pyright: ignore[reportCallIssue]

    def own(arrangement: str, values: tuple[object, ...], _loaded: Dataset) -> R:
        del arrangement
        return compute(_loaded, *values)  # pyright: ignore[reportCallIssue]

    for function, suffix in ((run, ""), (own, ".session")):  # Streamlit keys a cache by this name
        function.__module__ = compute.__module__
        function.__qualname__ = compute.__qualname__ + suffix
    shared = st.cache_resource(max_entries=MOST, show_spinner=False)(run)
    private = st.cache_resource(max_entries=MOST, show_spinner=False, scope="session")(own)

    def call(loaded: Dataset, *args: P.args, **kwargs: P.kwargs) -> R:
        if kwargs:
            raise TypeError("arguments of a remembered function are positional: they are the key")
        chosen = shared if loaded.fingerprint == example().fingerprint else private
        return chosen(loaded.arrangement, args, loaded)

    call.__doc__ = compute.__doc__
    return call
