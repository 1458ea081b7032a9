"""What tables of a description are made of: files beside it, names, lists; and all mistakes in it, told at once.

A component is what a table names; nothing else can be named. It is one class: its fields are what may be set, its
methods what it does. To add one: write the class, and add it to the tables of its kind. Paths are relative to the
description.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Annotated, Any, ClassVar, TypeAlias, TypeVar, cast
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import ErrorDetails

from fairviz.errors import DescriptionError, InputError
from fairviz.experiments.protocols import Json

M = TypeVar("M", bound=BaseModel)


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


def _path_beside(value: object, info: ValidationInfo) -> object:
    """A path relative to the description, where there is one."""
    if not isinstance(value, str) or not value:
        return value
    return cast("Mapping[str, Path]", info.context or {}).get("file", Path()).parent / value


def _existing_file(path: Path) -> Path:
    if not path.exists():
        raise ValueError(f"names {path}, which does not exist")
    if path.is_dir():
        raise ValueError(f"names {path}, which is a folder")
    return path


FolderBeside: TypeAlias = Annotated[Path, BeforeValidator(_path_beside)]
"""A folder, by its path from the description."""


def _folder_beside(model: str, info: ValidationInfo) -> str:
    beside = _path_beside(model, info)
    return str(beside) if isinstance(beside, Path) and beside.is_dir() else model


ModelNamed: TypeAlias = Annotated[str, Field(min_length=1, max_length=255), AfterValidator(_folder_beside)]
"""A model: a folder, by its path from the description, or a name on the hub."""

FileBeside: TypeAlias = Annotated[Path, BeforeValidator(_path_beside), AfterValidator(_existing_file)]
"""A file that is there, by its path from the description."""


def _plain_name(name: str) -> str:
    if not name.isprintable() or any(mark in name for mark in "/\\|") or name.startswith("."):
        raise ValueError(f"must be a text on one line without / \\ | that does not start with a dot, got {name!r}")
    return name


Text: TypeAlias = Annotated[str, Field(min_length=1)]

Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_plain_name)]
"""A text that can be part of a file's name."""

Seed: TypeAlias = Annotated[int, Field(ge=0, le=2**32 - 1)]


def _listed(value: Any) -> Any:
    return cast("Any", value) if isinstance(value, tuple) else (value,)


OneOrMore = BeforeValidator(_listed)
"""Marks a list that may be written as its only entry: ``k = 5`` for ``k = [5]``, ``[retriever]`` for the tables."""


def distinct(what: str = "values", of: Callable[[Any], object] = lambda entry: entry) -> AfterValidator:
    """Marks a list whose entries differ.

    Args:
        what: What must differ, "values" or a key of tables.
        of: What is compared.
    """

    def checked(entries: tuple[Any, ...]) -> tuple[Any, ...]:
        compared = [of(entry) for entry in entries]
        for value in compared:
            if compared.count(value) > 1:
                shown = repr(value) if isinstance(value, str) else value
                raise ValueError(f"holds {shown} twice; its {what} must differ")
        return entries

    return AfterValidator(checked)


Files: TypeAlias = Annotated[tuple[FileBeside, ...], Field(min_length=1), distinct("paths"), OneOrMore]
"""One file or more."""


DistinctNames = distinct("names", of=lambda table: table.name)
"""Marks tables that their names tell apart."""

DistinctLabels = distinct("labels", of=lambda choice: choice.label)
"""Marks tables of components, which their labels tell apart in every file and figure."""


def prompt_label(prompt: object) -> object:
    """What an instruction is called in outputs: its name, or its file without folders and ending.

    Examples:
        >>> prompt_label("zhang-1"), prompt_label("own/calm.txt"), prompt_label(2)
        ('zhang-1', 'calm', 2)
    """
    is_file = isinstance(prompt, Path) or (isinstance(prompt, str) and prompt.endswith(".txt"))
    return PurePath(prompt).stem if is_file else prompt


DistinctPrompts = distinct("names", of=prompt_label)
"""Marks instructions, which their names tell apart."""


def name_or_file(names: tuple[str | int, ...]) -> PlainValidator:
    """Marks one of some names, or a text file by its path from the description."""

    def checked(value: object, info: ValidationInfo) -> str | int | Path:
        if isinstance(value, str | int) and not isinstance(value, bool) and value in names:
            return value
        path = _path_beside(value, info)
        if isinstance(path, Path) and path.is_file():
            return path
        listed = ", ".join(map(str, names))
        raise ValueError(f"must be one of: {listed}, or the path of a text file; got {value!r}")

    return PlainValidator(checked, json_schema_input_type=Text)


def checked(model: type[M], tables: Mapping[str, Any], file: Path) -> M:
    """The tables of a file as a description.

    Raises:
        DescriptionError: Keys or values are not accepted; its text has a line for each.
    """
    try:
        return model.model_validate(tables, context={"file": file})
    except ValidationError as error:
        errors = error.errors(include_url=False)
        # A list is short only because its entries have mistakes, which are reported themselves.
        own = (each for each in errors if each["type"] != "too_short" or not each["input"])
        reasons = [f"{_path(each['loc'], tables)}{_message(each)}" for each in own]
        raise DescriptionError([InputError(reason, file=str(file)) for reason in reasons]) from None


def _message(error: ErrorDetails) -> str:
    if error["type"] == "extra_forbidden":
        return "is no key of this table; the reference of experiments lists every key"
    if error["type"] == "missing":
        return "is missing; the reference of experiments lists every key"
    if error["type"] == "union_tag_invalid":
        context = error.get("ctx", {})
        return f"there is no {context['tag']!r}: name one of {context['expected_tags']}"
    return error["msg"].removeprefix("Value error, ").replace("tuple", "list").replace("Tuple", "List")


def _path(loc: tuple[str | int, ...], tables: Any) -> str:
    """The path of a key as the file has it: names of components and numbers of single tables are left out."""
    path = ""
    for depth, part in enumerate(loc):
        if isinstance(part, int):
            if isinstance(tables, (list, tuple)):
                path, tables = f"{path}[{part}]", cast("Sequence[Any]", tables)[part]
            continue
        inside = cast("Mapping[str, Any]", tables if isinstance(tables, Mapping) else {})
        if part in inside or depth == len(loc) - 1:
            path, tables = f"{path}.{part}" if path else part, inside.get(part)
    return f"{path}: " if path else ""


# Tables that choose components.


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
