"""The base of everything that a description may set, checked before anything is loaded."""

from typing import Any, cast

from pydantic import BaseModel, ConfigDict, model_validator


class Parameters(BaseModel):
    """A table of a description: what is not listed is refused, and nothing changes afterwards."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        allow_inf_nan=False,
        validate_default=True,
        use_attribute_docstrings=True,
    )

    @model_validator(mode="before")
    @classmethod
    def _lists_as_tuples(cls, table: Any) -> Any:
        """Lists are tuples, since nothing changes afterwards."""
        return _unchanging(table)


def _unchanging(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_unchanging, cast("list[Any]", value)))
    if isinstance(value, dict):
        return {key: _unchanging(entry) for key, entry in cast("dict[Any, Any]", value).items()}
    return value
