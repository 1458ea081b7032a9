"""Temporary."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fairviz.experiment.bias.material import DocumentColumns
from fairviz.experiment.components.registry import Choice, Model

WITHOUT = "w/o RAG"
FULL = "full-set"
SETTINGS = (WITHOUT, FULL, "stereo-set", "anti-set")


@dataclass(frozen=True, slots=True, kw_only=True)
class BiasConfig:
    """Temporary."""

    file: Path
    name: str
    output: Path
    templates: Path | None = None
    items: tuple[Path, ...] = ()
    documents: DocumentColumns | None = None
    settings: tuple[str, ...] = SETTINGS
    k: tuple[int, ...] = (5, 10)
    named_instructions: Mapping[str, str]
    shots: tuple[int, ...] = (0,)
    seed: int = 0
    retrievers: tuple[Choice, ...]
    models: tuple[Model, ...]
