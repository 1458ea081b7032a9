"""fairviz: what fairness costs, and to whom, in ranking and retrieval-augmented generation.

``import fairviz as fv``. These names, and the command line, are what other code may rely on: they follow semantic
versioning, and a change that would break a caller comes with a new major version (before 1.0: a minor one) and a line
in the changelog. All else may change between versions.

==================================================================  ===================================================
:func:`load` :func:`write`                                          everything in some files and frames; a noun back
:func:`run` :func:`qrels` :func:`labels` :func:`target`             one noun, of a path, frame, dict or another tool's
:func:`outputs`                                                     object; the functions below take these as they are
:func:`evaluate` :func:`compare`                                    systems × measures; systems against a baseline
:func:`tradeoff` :func:`grid`                                       disparity against quality along α; many systems
:func:`groups` :func:`policy_lab` :func:`rerank`                    attention by group; what a target costs; a new order
:func:`attribution` :func:`queries`                                 what generators used; one query, item by item
:func:`check` :func:`assert_within`                                 which limits hold, are broken, or cannot be told
:func:`agreement` :func:`ranks`                                     do measures agree; metrics at every rank
:func:`bias` :func:`variants`                                       answers to bias questions; to demographic variants
:func:`sample` :func:`fuse`                                         rankings drawn from a policy; runs merged
:func:`report` :func:`experiment`                                   one file of all that was found; asking systems
:func:`measures` :func:`rerankers`                                  what there is to measure, and to re-rank with
:func:`measure` :func:`reranker` :func:`attention` :func:`format`   add your own, held to laws by ``fairviz.testing``
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
    from fairviz.api.files import load, write
    from fairviz.api.functions import (
        agreement,
        attribution,
        bias,
        check,
        compare,
        evaluate,
        grid,
        groups,
        policy_lab,
        queries,
        ranks,
        report,
        sample,
        tradeoff,
        variants,
    )
    from fairviz.api.made import assert_within, attention, format, fuse, measure, measures, rerank, reranker, rerankers
    from fairviz.api.nouns import labels, outputs, qrels, run, target

__version__ = "0.17.0"

_NAMES = {
    "dashboard": "show",
    "experiments": "experiment",
    "files": "load write",
    "functions": "report sample",
    "made": "assert_within attention format fuse measure measures rerank reranker rerankers",
    "nouns": "labels outputs qrels run target",
}
"""Public names by the module of ``fairviz.api`` that defines them, besides those of studies: loaded when one is first
asked for, so that ``import fairviz`` stays light."""
_HOMES = {name: home for home, names in _NAMES.items() for name in names.split()}

__all__ = [
    "DataWarning",
    "FairvizError",
    "agreement",
    "assert_within",
    "attention",
    "attribution",
    "bias",
    "check",
    "compare",
    "evaluate",
    "experiment",
    "format",
    "fuse",
    "grid",
    "groups",
    "labels",
    "load",
    "measure",
    "measures",
    "outputs",
    "policy_lab",
    "qrels",
    "queries",
    "ranks",
    "report",
    "rerank",
    "reranker",
    "rerankers",
    "run",
    "sample",
    "show",
    "target",
    "tradeoff",
    "variants",
    "write",
]


def __getattr__(name: str) -> object:
    """A public name, from its module; every study is a function, also one that somebody added."""
    command = name.replace("_", "-")
    if name not in _HOMES and (name.startswith("_") or import_module("fairviz.studies").study_of(command) is None):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.api.{_HOMES.get(name, 'functions')}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """What an editor offers."""
    return sorted({*globals(), *__all__})
