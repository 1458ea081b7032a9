"""Reads the description of an experiment, a TOML file of any kind, and tells every mistake in it at once."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, TypeAdapter, ValidationError

from fairviz.experiment.bias.config import BiasConfig
from fairviz.experiment.description import OneOf
from fairviz.experiment.mistakes import description_error, mistakes_of
from fairviz.experiment.rankings.config import RankingConfig
from fairviz.experiment.toml_lines import read_toml
from fairviz.experiment.variants.config import VariantConfig

ExperimentConfig: TypeAlias = RankingConfig | BiasConfig | VariantConfig

KINDS: Mapping[str, type[RankingConfig] | type[BiasConfig] | type[VariantConfig]] = {
    "rankings": RankingConfig,
    "bias": BiasConfig,
    "variants": VariantConfig,
}
"""By the key ``kind``: sampled rankings and answers to them; bias questions; demographic variants."""


class Kind(BaseModel):
    """What the other keys depend on."""

    kind: Annotated[str, OneOf(tuple(KINDS))] = "rankings"


def read_config(path: Path) -> ExperimentConfig:
    """Read and check the description of an experiment; no component is loaded.

    Raises:
        InputError: If the file cannot be read or is no TOML.
        DescriptionError: If keys or values are not accepted; its text has a line for each, with what is.
    """
    toml = read_toml(path)
    checked: TypeAdapter[Any] = TypeAdapter(Kind)
    try:
        kind = checked.validate_python(toml.tables).kind
        checked = TypeAdapter(KINDS[kind])
        return checked.validate_python(toml.tables, context={"file": path})
    except ValidationError as error:
        raise description_error(mistakes_of(error, checked), toml, path) from None


def config_schema() -> dict[str, Any]:
    """The JSON schema of a description, of each kind; what ``fairviz experiment check --schema`` prints."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Description of an experiment of fairviz",
        "oneOf": [checked.model_json_schema() for checked in KINDS.values()],
    }
