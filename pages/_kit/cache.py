"""The one cache: results of the library, remembered by the data and the arguments.

Results are shared, not copied, since they are frozen nouns, or curves that grow and say how far they are: who gets
one changes nothing in it. Results of the shipped example serve all sessions; those of uploads stay in their session
and end with it. Whether data are the example is known without reading it, so that an upload costs no more than itself.
"""

from collections.abc import Callable
from inspect import signature
from typing import Concatenate, ParamSpec, TypeAlias, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from fairviz.model import Dataset
from pages._kit.session import is_shipped

P = ParamSpec("P")
R = TypeVar("R")

Named: TypeAlias = tuple[tuple[str, object], ...]

MOST = 24
"""Results remembered per function and scope: twelve systems under two settings."""


def cached(compute: Callable[Concatenate[Dataset, P], R]) -> Callable[Concatenate[Dataset, P], R]:
    """Remember ``compute(dataset, …)`` by the files in their order and the arguments.

    Arguments after the dataset are plain values (numbers, strings, tuples, frozen settings); a call has one key,
    whether they are given by place, by name or by default.
    """
    parameters = signature(compute)

    def run(arrangement: str, values: tuple[object, ...], named: Named, _loaded: Dataset) -> R:
        del arrangement  # it is the key
        return compute(_loaded, *values, **dict(named))  # pyright: ignore[reportCallIssue]

    def own(arrangement: str, values: tuple[object, ...], named: Named, _loaded: Dataset) -> R:
        del arrangement
        return compute(_loaded, *values, **dict(named))  # pyright: ignore[reportCallIssue]

    for function, suffix in ((run, ""), (own, ".session")):  # Streamlit keys a cache by this name
        function.__module__ = compute.__module__
        function.__qualname__ = compute.__qualname__ + suffix
    shared = st.cache_resource(max_entries=MOST, show_spinner=False)(run)
    private = st.cache_resource(max_entries=MOST, show_spinner=False, scope="session")(own)

    def call(loaded: Dataset, *args: P.args, **kwargs: P.kwargs) -> R:
        bound = parameters.bind(loaded, *args, **kwargs)
        bound.apply_defaults()
        if not is_shipped(loaded) and get_script_run_ctx() is None:
            return compute(loaded, *args, **kwargs)  # a file is written outside the session, which alone remembers it
        remembered = shared if is_shipped(loaded) else private
        return remembered(loaded.arrangement, bound.args[1:], tuple(sorted(bound.kwargs.items())), loaded)

    call.__doc__ = compute.__doc__
    return call
