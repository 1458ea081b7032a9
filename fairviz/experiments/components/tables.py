"""What tables of a description that choose components share.

A component is what a table names; nothing else can be named. It is one class: its fields are what may be set, its
methods what it does. To add one: write the class, and add it to its kind in
:mod:`fairviz.experiments.components.registry`. Paths are relative to the description.
"""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, TypeAlias
from urllib.parse import urlsplit

from pydantic import ConfigDict, Field, field_validator

from fairviz.experiments.description import Name, Parameters, Text
from fairviz.experiments.protocols import Json

Share: TypeAlias = Annotated[float, Field(ge=0, le=1)]
PositiveShare: TypeAlias = Annotated[float, Field(ge=0.01, le=1)]


class Component(Parameters):
    """A component as a description chooses it."""

    packages: ClassVar[tuple[str, ...]] = ()
    """What computes for it and is no part of fairviz; the manifest names their versions."""

    name: Any
    """Which one."""
    own_label: Annotated[Name | None, Field(alias="label")] = None
    """What it is called in outputs; not set: the end of its model's name, or its own."""

    @property
    def label(self) -> str:
        """What it is called in outputs."""
        return self.own_label or model_name(getattr(self, "model", "")) or self.name

    @property
    def parameters(self) -> dict[str, Any]:
        """All that is set of it, or left at its default."""
        return {name: getattr(self, name) for name in type(self).model_fields if name not in ("name", "own_label")}

    @property
    def identity(self) -> Mapping[str, Json]:
        """By which its weights are known; empty: it has none."""
        return {}

    def prepare(self) -> None:
        """Tell what it lacks, a package or a file, before anything is asked."""


def model_name(model: str) -> str:
    """The end of a path, or of a name on a hub.

    Examples:
        >>> model_name("org/flan-t5-small"), model_name("models/flan/")
        ('flan-t5-small', 'flan')
    """
    return model.rstrip("/").rpartition("/")[2]


UNRECORDED = frozenset({"base_url", "key_env"})
"""Where a server is and who pays are no part of what it answers, and stand in no output."""


class ServerParameters(Component):
    """Where a server is and how it is asked, whatever for."""

    model_config = ConfigDict(hide_input_in_errors=True)  # it could be a key in the wrong place

    base_url: str
    """Where it is, up to and with the version: "http://127.0.0.1:8000/v1"."""
    model: Text
    """Its name there."""
    revision: str = ""
    """Of its weights, where one is known; another one is another model."""
    key_env: str = ""
    """Variable of the environment that holds the key; not set: no key is sent."""
    concurrency: Annotated[int, Field(ge=1, le=256)] = 4
    """Requests under way at once, at most."""
    timeout: Annotated[float, Field(gt=0, le=3600)] = 60.0
    """Seconds without a sign of the server."""
    retries: Annotated[int, Field(ge=0, le=20)] = 4
    """Further tries after 408, 409, 429, 5xx, a timeout or a broken connection; when, the server may say."""
    requests_per_minute: Annotated[float, Field(gt=0, le=1_000_000)] | None = None
    """Requests that begin, at most and evenly; tries count."""

    @field_validator("base_url")
    @classmethod
    def _is_an_address(cls, url: str) -> str:
        try:
            parts = urlsplit(url)
            _ = parts.port  # refuses what is no port
        except ValueError as error:
            raise ValueError(f"is no address ({error})") from None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError('must be an address such as "http://127.0.0.1:8000/v1"')
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError("must be an address alone; a key is read from the variable that key_env names")
        return url

    @field_validator("key_env")
    @classmethod
    def _is_a_variable(cls, name: str) -> str:
        if name and not (name.isidentifier() and name.isascii()):
            raise ValueError("must name a variable of the environment; the key itself stands in no file")
        return name
