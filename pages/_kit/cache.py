"""The one cache: results of the library, which Streamlit remembers by the data and the arguments.

Results are handed out as they are, not copied: they are frozen, and who gets one changes nothing in it. Those of the
shipped example serve all sessions; those of uploads stay in their session and end with it. Whether data are the example
is known without reading it, so that an upload costs no more than itself.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeAlias, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from fairviz.model import Dataset
from fairviz.remembered import MANY, keep_by
from pages._kit.session import is_shipped

HashFuncs: TypeAlias = dict[str | type[Any], Callable[[Any], Any]]
P = ParamSpec("P")
R = TypeVar("R")


def cached(compute: Callable[Concatenate[Dataset, P], R], entries: int = MANY) -> Callable[Concatenate[Dataset, P], R]:
    """Remember ``compute(dataset, …)`` by the files in their order and the arguments.

    Arguments after the dataset are plain values (numbers, strings, tuples, frozen settings).
    """
    files: HashFuncs = {Dataset: _arrangement}  # a hash of their content would read all of it on every call
    shared = st.cache_resource(show_spinner=False, max_entries=entries, hash_funcs=files)(compute)
    own = st.cache_resource(show_spinner=False, max_entries=entries, hash_funcs=files, scope="session")(compute)

    @wraps(compute)
    def call(loaded: Dataset, *args: P.args, **kwargs: P.kwargs) -> R:
        if is_shipped(loaded):
            return shared(loaded, *args, **kwargs)
        if get_script_run_ctx(suppress_warning=True) is None:
            return compute(loaded, *args, **kwargs)  # a file is written outside the session, which alone remembers it
        return own(loaded, *args, **kwargs)

    return call


keep_by(cached)


def _arrangement(loaded: Dataset) -> str:
    return loaded.arrangement
