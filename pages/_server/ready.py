"""What first pages wait for, done while the browser still loads its own scripts.

Everything here is needed by the first page that most people open. What only moves and further pages need comes once the
first page stands: readers, reports, and the kernels of curves, which take as long to load as the first chart.
"""

import gc
import sys
import threading
import time
from importlib import import_module

from streamlit import delta_generator

from pages._server.browser import base_path

SHELL = ("pages._data.files", "pages._kit.shell", "pages._kit.opening", "pages._kit.settings")
"""What ``app.py`` imports, in its order: whoever asks for a module that is on its way waits for it."""

KEPT = ("fairviz.report.study_settings",)
"""What settings that were kept are read with."""

HOME = ("pages._home.parts",)
"""What Home imports: later where another page is asked for first."""

FIRST_CHART = (
    "streamlit.emojis",  # which it looks for in choices such as "grade ≥ 1"
    "pages._tradeoff.answers",
    "pages._tradeoff.downloads",
    "pages._tradeoff.sections",
)
"""What the page that most people open next needs."""

LATER = ("scipy.sparse", "fairviz.io.dataset", "pages._kit.study", "fairviz.report.page_command", *HOME)
"""What groups, a file that is dropped, a table that is taken away and other pages need."""

PATIENCE, PAUSE = 20.0, 3.0
"""Seconds to wait for a first page, and then for the browser to draw it."""

TURN = 0.0005
"""Seconds that one thread computes while another waits, until a first page stands. Python's own 0.005, waited for with
each of the sixty files that a browser asks for first, would add up to a third of a second."""

_ASKED: list[str] = []
_STANDS = threading.Event()


def page_asked(path: str) -> None:
    """A browser asks for a page."""
    if not _ASKED:
        _ASKED.append(path)


def page_stands() -> None:
    """A page has run to its end."""
    _STANDS.set()


def get_ready() -> None:
    """Load the pages' code, the example and its first chart, then the rest: in a thread of a server that answers.

    Modules make half a million objects that all stay: nobody looks through them for garbage before a page stands.
    """
    turn = sys.getswitchinterval()
    sys.setswitchinterval(TURN)
    gc.disable()
    try:
        _load_first()
        _STANDS.wait(PATIENCE)
    finally:
        gc.enable()
        sys.setswitchinterval(turn)
    time.sleep(PAUSE)
    _load(LATER)


def _load_first() -> None:
    _knows_how_it_runs()
    _load(SHELL)
    from pages._kit import keeping
    from pages._kit.session import example

    if keeping.workspace() is not None:
        _load(KEPT)
    _ = example().described
    if _asks_for_home():
        _load(HOME)
    _load(FIRST_CHART)


def _load(names: tuple[str, ...]) -> None:
    for name in names:
        import_module(name)


def _asks_for_home() -> bool:
    return not _ASKED or _ASKED[0] == f"{base_path()}/"


def _knows_how_it_runs() -> None:
    """Streamlit would look, with the first thing that a page draws, for whether it was called by hand.

    It asks for the source of all that calls it, which visits the file of every module that is loaded: a third of what
    the first page takes.
    """
    delta_generator._use_warning_has_been_displayed = True  # pyright: ignore[reportPrivateUsage]
