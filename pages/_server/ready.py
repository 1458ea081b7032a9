"""What first pages wait for, done while the browser still loads its own scripts.

Everything here is needed by the first page that most people open. Kernels that others need are loaded by the first of
these: all of them together take as long as the first chart.
"""

from importlib import import_module

from streamlit import delta_generator

SHELL = ("pages._data.files", "pages._kit.shell", "pages._kit.opening", "pages._kit.settings", "pages._home.parts")
"""What ``app.py`` and Home import, in their order: whoever asks for a module that is on its way waits for it."""

FIRST_CHART = (
    "streamlit.emojis",  # which it looks for in choices such as "grade ≥ 1"
    "pages._tradeoff.answers",
    "pages._tradeoff.chart",
    "pages._tradeoff.downloads",
    "pages._tradeoff.sections",
)
"""What the page that most people open next needs."""


def get_ready() -> None:
    """Load the pages' code and the example, then its first chart: in a thread of the server, which already answers."""
    _knows_how_it_runs()
    for name in SHELL:
        import_module(name)
    from fairviz.warm_up import is_warm
    from pages._kit.opening import begins_with_example
    from pages._kit.session import example
    from pages._tradeoff.results import compute_first

    loaded = example()
    for name in FIRST_CHART:
        import_module(name)
    if begins_with_example() and is_warm():  # else the launcher compiles, and nobody is let in before
        compute_first(loaded.described)


def _knows_how_it_runs() -> None:
    """Streamlit would look, with the first thing that a page draws, for whether it was called by hand.

    It asks for the source of all that calls it, which visits the file of every module that is loaded: a third of what
    the first page takes.
    """
    delta_generator._use_warning_has_been_displayed = True  # pyright: ignore[reportPrivateUsage]
