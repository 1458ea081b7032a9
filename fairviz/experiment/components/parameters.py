"""What a description may set of a component: one class of fields each, checked before anything is loaded."""

from pathlib import Path
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, ValidationInfo


class Parameters(BaseModel):
    """Base of the parameters of every component: what is not listed is refused, and nothing changes afterwards."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def _beside(value: object, info: ValidationInfo) -> object:
    """A path as written in a description, relative to the description; the context of a check says which it is."""
    if not isinstance(value, str) or not value:
        return value
    context: dict[str, Path] = info.context or {}
    return context.get("file", Path()).parent / value


def _is_file(path: Path) -> Path:
    if not path.is_file():
        raise ValueError(f"names {path}, which is no file that is there")
    return path


def _is_folder(path: Path) -> Path:
    if not path.is_dir():
        raise ValueError(f"names {path}, which is no folder that is there")
    return path


FileBeside: TypeAlias = Annotated[Path, BeforeValidator(_beside), AfterValidator(_is_file)]
"""A file that is there, by its path from the description."""

FolderBeside: TypeAlias = Annotated[Path, BeforeValidator(_beside), AfterValidator(_is_folder)]
"""A folder that is there, by its path from the description."""
