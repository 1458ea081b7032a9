"""Reads the description of an experiment, a TOML file of any kind, and tells every mistake in it at once."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from fairviz.experiments.bias.config import BiasConfig
from fairviz.experiments.components.registry import RetrieverTable, RetrieverTables
from fairviz.experiments.description import Parameters, checked, read_toml
from fairviz.experiments.rankings.config import OneTask, RankingConfig, SeveralTasks
from fairviz.experiments.variants.config import VariantConfig
from fairviz.io.source import Source

ExperimentConfig: TypeAlias = RankingConfig | BiasConfig | VariantConfig

KINDS: Mapping[str, tuple[type[ExperimentConfig], ...]] = {
    "rankings": (OneTask, SeveralTasks),
    "bias": (BiasConfig,),
    "variants": (VariantConfig,),
}
"""By the key ``kind``: sampled rankings and answers to them, without and with tables [[task]]; bias questions;
demographic variants."""


class Kind(BaseModel):
    """What the other keys depend on."""

    kind: Literal["rankings", "bias", "variants"] = "rankings"


def read_config(path: Path) -> ExperimentConfig:
    """Read and check the description of an experiment; no component is loaded.

    Raises:
        InputError: If the file cannot be read or is no TOML.
        DescriptionError: If keys or values are not accepted; its text has a line for each.
    """
    tables = read_toml(path)
    kind = checked(Kind, tables, path).kind
    return checked(KINDS[kind][-1 if "task" in tables else 0], tables, path)


class OnlyRetrievers(Parameters):
    """The tables [[retriever]] of a description of any kind; the rest is not looked at."""

    model_config = ConfigDict(extra="ignore")

    retrievers: Annotated[RetrieverTables, Field(alias="retriever", min_length=1)]


def read_retrievers(path: Path, source: Source | None = None) -> tuple[RetrieverTable, ...]:
    """The retrievers of a description, whose other keys are not looked at.

    Args:
        path: The TOML file; what it names is looked for beside it.
        source: Its content, where that is not read from the path.

    Raises:
        InputError: If the file cannot be read or is no TOML.
        DescriptionError: If a table of a retriever is not accepted, or there is none.
    """
    return checked(OnlyRetrievers, read_toml(source or path), path).retrievers


def config_schema() -> dict[str, Any]:
    """The JSON schema of a description, of each kind; what ``fairviz experiment check --schema`` prints."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Description of an experiment of fairviz",
        "oneOf": [described.model_json_schema() for kind in KINDS.values() for described in kind],
    }
