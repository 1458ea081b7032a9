"""A retriever by its name and parameters, as a description of one table chooses it."""

from pathlib import Path

from fairviz.experiments.config import retrievers_of
from fairviz.experiments.retrievers import RetrieverTable


def chosen(name: str, **parameters: object) -> RetrieverTable:
    (table,) = retrievers_of({"retriever": {"name": name, **parameters}}, Path("study.toml"))
    return table
