"""What a session holds: the browser it belongs to, the data it works on, and what was computed of them.

The server gives each browser a random token, in a cookie that ends with the browser. Beside the data's mark an address
carries what this token makes of it: in another browser it is something else, and the address a link of somebody else's.

Uploads live in the session, and on a personal machine in the workspace, too (:mod:`pages._kit.keeping`). The shipped
example is read once and shared: nouns are frozen. So are results, which are handed out as they are, not copied. Those
of the example serve all sessions, those of uploads stay in their session and end with it. Whether data are the example
is known without reading it, so that an upload costs no more than itself.
"""

import hmac
import os
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from functools import cache, wraps
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Concatenate, Literal, ParamSpec, TypeAlias, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from fairviz.cli.app import ALLOW_HOST, BROWSER, serves_others
from fairviz.hosts import LOCAL
from fairviz.io.dataset import read_shipped
from fairviz.model import Dataset
from fairviz.remembered import MANY, keep_by

if TYPE_CHECKING:
    from fairviz.evaluation.systems import LeftOut

# The browser: whether an address was written in the one that opens it, on a reload, in a second tab, by a server anew.


SIGNED = "by"
"""Parameter of the address: the data's mark, signed by this browser."""
SIGNATURE_LENGTH = 12

REMEMBERED = 1000
"""Browsers of which a server knows something until it ends; older ones are forgotten."""
V = TypeVar("V")


class Recent(OrderedDict[str, V]):
    """What is known of the last :data:`REMEMBERED` browsers, by a text of theirs."""

    def put(self, key: str, value: V) -> None:
        """Know a value, as the newest."""
        self[key] = value
        self.move_to_end(key)
        while len(self) > REMEMBERED:
            self.popitem(last=False)


_NAMES = Recent[tuple[str, ...]]()
"""Names of the files that browsers had loaded, by their signatures."""


def token() -> str:
    """What the server knows this browser by; empty where it has no cookie."""
    return st.context.cookies.get(BROWSER, "")


def signature(mark: str) -> str:
    """What this browser's token makes of the mark of some data; empty where the browser has none."""
    key = token().encode()
    return hmac.new(key, mark.encode(), "sha256").hexdigest()[:SIGNATURE_LENGTH] if key else ""


def wrote(signed: str, mark: str) -> bool:
    """Whether this browser signed the mark of some data."""
    own_signature = signature(mark)
    return own_signature != "" and hmac.compare_digest(own_signature.encode(), signed.encode())


def remember(signed: str, names: tuple[str, ...]) -> None:
    """Which files a browser had loaded: no address and no cookie says it."""
    if signed:
        _NAMES.put(signed, names)


def remembered(signed: str) -> tuple[str, ...]:
    """Names of files that a browser had loaded, as far as this server knows."""
    return _NAMES.get(signed, ())


def on_this_machine() -> bool:
    """Whether the server listens on this machine alone, and answers to no other name: nobody else can open a page."""
    environment = os.environ
    return (
        st.get_option("server.address") in LOCAL and not environment.get(ALLOW_HOST) and not serves_others(environment)
    )


# The data.


_SHIPPED: set[str] = set()
"""Fingerprint of the example, once it was read."""


def example() -> Dataset:
    """The shipped example, read once for all sessions."""
    loaded = _read_example()
    _SHIPPED.add(loaded.fingerprint)
    return loaded


@st.cache_resource(show_spinner=False)
def _read_example() -> Dataset:
    return read_shipped()


def recorded_example() -> Dataset:
    """What a language model answered to the example's questions, read once for all sessions."""
    loaded = _read_recorded()
    _SHIPPED.add(loaded.fingerprint)
    return loaded


@st.cache_resource(show_spinner="Reading the answers of a language model …")
def _read_recorded() -> Dataset:
    return read_shipped("recorded")


RECORDED = "SmolLM2 example"
"""Name of what :func:`recorded_example` gives."""


def open_recorded() -> None:
    """Work on what a language model answered to the example's questions."""
    set_dataset(recorded_example())


def example_is_read() -> bool:
    """Whether :func:`example` answers at once: somebody, or the server's start, has read it."""
    return bool(_SHIPPED)


def is_shipped(loaded: Dataset) -> bool:
    """Whether data came from :func:`example`; where nobody has read it, nothing did."""
    return loaded.fingerprint in _SHIPPED


def whole_dataset() -> Dataset:
    """What the browser session works on: the uploads, or the example until there are any."""
    loaded = st.session_state.get("dataset")
    return loaded if isinstance(loaded, Dataset) else example()


def dataset() -> Dataset:
    """The data as pages compare them: with what a person said of systems and pairs, without rankings that join nothing.

    Where no ranking joins, all stay: there is nothing to compare them with, and it is said on the page.
    """
    loaded = described_dataset()
    return loaded.without({ranking.system for ranking in left_out_of(loaded)})


def described_dataset() -> Dataset:
    """All that the session works on, with what a person said of systems and pairs."""
    loaded = replace(whole_dataset(), pairs=stated_pairs()).described if stated_pairs() else whole_dataset().described
    pairs = tuple((output, run) for output, run in loaded.pairs if _is_pair(loaded, output, run))
    return replace(loaded, pairs=pairs) if pairs != loaded.pairs else loaded


def left_out_of(loaded: Dataset) -> "tuple[LeftOut, ...]":
    """Rankings of the data that have no query in common with any of its judgements."""
    if not loaded.qrels or not (loaded.runs or loaded.samples):
        return ()
    from fairviz.evaluation.systems import unjoined  # heavy: only when first needed

    ranked = [*loaded.runs, *loaded.samples, *loaded.unjoined]
    return tuple({ranking.system: ranking for ranking in unjoined(ranked, loaded.qrels)}.values())


PAIRS = "stated_pairs"


def stated_pairs() -> tuple[tuple[str, str], ...]:
    """(system of outputs, run that fed it), as a person or a link said."""
    return st.session_state.get(PAIRS, ())


def say_pair(output: str, run: str) -> None:
    """Take a run as the one that fed a system's outputs, on every page."""
    st.session_state[PAIRS] = (*(pair for pair in stated_pairs() if pair[0] != output), (output, run))


def _is_pair(loaded: Dataset, output: str, run: str) -> bool:
    from fairviz.evaluation.systems import RECORDED

    runs = {ranking.system for ranking in (*loaded.runs, *loaded.unjoined)} | {RECORDED}
    return run in runs and any(outputs.system == output for outputs in loaded.outputs)


def set_dataset(loaded: Dataset | None) -> None:
    """Work on other data from now on; None returns to the example."""
    if loaded is None:
        st.session_state.pop("dataset", None)
    else:
        st.session_state["dataset"] = loaded


def is_example() -> bool:
    """Whether the browser session works on the shipped example."""
    return not isinstance(st.session_state.get("dataset"), Dataset)


# The one cache of results, by the data and the arguments.


HashFuncs: TypeAlias = dict[str | type[Any], Callable[[Any], Any]]
P = ParamSpec("P")
R = TypeVar("R")


def cached(compute: Callable[Concatenate[Dataset, P], R], entries: int = MANY) -> Callable[Concatenate[Dataset, P], R]:
    """Remember ``compute(dataset, …)`` by the files in their order and the arguments.

    Arguments after the dataset are plain values (numbers, strings, tuples, frozen settings).
    """
    # A hash of the content of files would read all of it on every call.
    files: HashFuncs = {Dataset: attrgetter("arrangement")}

    @cache
    def keeping(scope: Literal["global", "session"]) -> Callable[Concatenate[Dataset, P], R]:  # reads its source: slow
        return st.cache_resource(show_spinner=False, max_entries=entries, hash_funcs=files, scope=scope)(compute)

    @wraps(compute)
    def call(loaded: Dataset, *args: P.args, **kwargs: P.kwargs) -> R:
        if is_shipped(loaded):
            return keeping("global")(loaded, *args, **kwargs)
        if get_script_run_ctx(suppress_warning=True) is None:
            return compute(loaded, *args, **kwargs)  # a file is written outside the session, which alone remembers it
        return keeping("session")(loaded, *args, **kwargs)

    return call


keep_by(cached)
