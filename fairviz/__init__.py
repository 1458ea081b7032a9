"""fairviz: what fairness costs, and to whom, in ranking and retrieval-augmented generation.

``import fairviz as fv``. These names, and the command line, are what other code may rely on: they follow semantic
versioning, and a change that would break a caller comes with a new major version (before 1.0: a minor one) and a line
in the changelog. All else may change between versions.

==================================================================  ===================================================
:func:`load`                                                        everything in some files and frames
:func:`run` :func:`qrels` :func:`groups` :func:`target`             one noun, of a path, frame, dict or another tool's
:func:`outputs`                                                     object; the functions below take these as they are
:func:`evaluate` :func:`compare`                                    systems × measures; systems against a baseline
:func:`agreement` :func:`ranks`                                     do measures agree; metrics at every rank
:func:`tradeoff`                                                    disparity against quality along α
:func:`rerank`                                                      a run re-ranked towards a target
:func:`bias` :func:`variants`                                       answers to bias questions; to demographic variants
:func:`experiment`                                                  plan, ask and collect what the others read
:func:`show`                                                        the dashboard on what is in memory
:exc:`FairvizError` :exc:`DataWarning`                              what is raised, and what is warned of
==================================================================  ===================================================

Within, ``io`` reads files into the nouns of ``model``; ``pool`` aligns them; ``policies`` and ``exposure`` say who is
seen, ``metrics`` what that means, ``stats`` how sure one can be. ``evaluation`` compares systems, each of ``studies``
answers one question, ``experiments`` makes the files that they read; ``display``, ``cli`` and ``api`` present them.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from fairviz.errors import DataWarning, FairvizError

if TYPE_CHECKING:
    from fairviz.api.dashboard import show
    from fairviz.api.experiments import experiment
    from fairviz.api.files import load
    from fairviz.api.nouns import groups, outputs, qrels, run, target
    from fairviz.api.rerank import rerank
    from fairviz.api.studies import agreement, bias, compare, evaluate, ranks, tradeoff, variants

__version__ = "0.17.0"

__all__ = [
    "DataWarning",
    "FairvizError",
    "agreement",
    "bias",
    "compare",
    "evaluate",
    "experiment",
    "groups",
    "load",
    "outputs",
    "qrels",
    "ranks",
    "rerank",
    "run",
    "show",
    "target",
    "tradeoff",
    "variants",
]

_HOMES = {
    "bias": "studies",
    "agreement": "studies",
    "compare": "studies",
    "evaluate": "studies",
    "experiment": "experiments",
    "groups": "nouns",
    "load": "files",
    "outputs": "nouns",
    "qrels": "nouns",
    "ranks": "studies",
    "rerank": "rerank",
    "run": "nouns",
    "show": "dashboard",
    "target": "nouns",
    "tradeoff": "studies",
    "variants": "studies",
}
"""Where each name is defined: loaded when it is first asked for, so that ``import fairviz`` stays light."""


def __getattr__(name: str) -> object:
    """A public name, from its module."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.api.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """What an editor offers."""
    return sorted({*globals(), *__all__})
