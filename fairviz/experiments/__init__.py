"""Retrieve → sample → generate → attribute → label: makes what the dashboard shows.

The components stand behind three protocols (:mod:`fairviz.experiments.protocols`) and are named in
a TOML file, which :func:`run_experiment` follows. The ones here are simple and need no network:
BM25, an extractive answerer, a lexical attributor.
"""

from fairviz.experiments.config import ExperimentConfig, read_config
from fairviz.experiments.protocols import Attributor, Document, Generator, Hits, Prompt, Retriever
from fairviz.experiments.runner import ExperimentReport, run_experiment

__all__ = [
    "Attributor",
    "Document",
    "ExperimentConfig",
    "ExperimentReport",
    "Generator",
    "Hits",
    "Prompt",
    "Retriever",
    "read_config",
    "run_experiment",
]
