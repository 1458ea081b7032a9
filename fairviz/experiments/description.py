"""What descriptions of all kinds share: name, folder, files beside them, lists, tables of components.

Each kind has its class beside its source (``rankings/config.py``, ``bias/config.py``, ``variants/config.py``). A class
is the one place that says what a key means, what it may be and what it is where it is not set.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Annotated, Any, TypeAlias, cast

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    GetJsonSchemaHandler,
    PrivateAttr,
    ValidationError,
    ValidationInfo,
)
from pydantic import GetCoreSchemaHandler as CoreHandler
from pydantic_core import CoreSchema, InitErrorDetails, core_schema

from fairviz.experiments.components.parameters import Parameters


def _beside(value: object, info: ValidationInfo) -> object:
    """A path relative to the description, where there is one."""
    if not isinstance(value, str) or not value:
        return value
    return cast("Mapping[str, Path]", info.context or {}).get("file", Path()).parent / value


def _found(path: Path) -> Path:
    if not path.exists():
        raise ValueError(f"names {path}, which does not exist")
    if path.is_dir():
        raise ValueError(f"names {path}, which is a folder")
    return path


def _found_folder(path: Path) -> Path:
    if not path.is_dir():
        raise ValueError(f"names {path}, which is no folder that is there")
    return path


FolderThere: TypeAlias = Annotated[Path, BeforeValidator(_beside), AfterValidator(_found_folder)]
"""A folder that is there, by its path from the description."""

FolderBeside: TypeAlias = Annotated[Path, BeforeValidator(_beside)]
"""A folder, by its path from the description."""


def _folder_beside(model: str, info: ValidationInfo) -> str:
    beside = _beside(model, info)
    return str(beside) if isinstance(beside, Path) and beside.is_dir() else model


ModelNamed: TypeAlias = Annotated[str, Field(min_length=1, max_length=255), AfterValidator(_folder_beside)]
"""A model that is here: a folder, by its path from the description, or a name."""

FileBeside: TypeAlias = Annotated[Path, BeforeValidator(_beside), AfterValidator(_found)]
"""A file that is there, by its path from the description."""


def _plain_name(name: str) -> str:
    if not name.isprintable() or any(mark in name for mark in "/\\|") or name.startswith("."):
        raise ValueError(f"must be a text on one line without / \\ | that does not start with a dot, got {name!r}")
    return name


Text: TypeAlias = Annotated[str, Field(min_length=1)]

Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_plain_name)]
"""A text that can be part of a file's name."""

K: TypeAlias = Annotated[int, Field(ge=1, le=1_000)]
"""Documents that are given."""

Shots: TypeAlias = Annotated[int, Field(ge=0, le=32)]
"""Examples that stand before a question."""

Seed: TypeAlias = Annotated[int, Field(ge=0, le=2**32 - 1)]


class Description(Parameters):
    """A description of any kind; paths are relative to its file."""

    _file: Path = PrivateAttr()

    name: Name
    """Of the experiment; recorded in what it makes."""

    output: FolderBeside | None = None
    """Folder to write to; not set: one of the experiment's name."""

    def model_post_init(self, context: Any, /) -> None:
        """Keep which file it is."""
        self._file = Path(context["file"])

    @property
    def file(self) -> Path:
        """The TOML file."""
        return self._file

    @property
    def folder(self) -> Path:
        """Where it writes."""
        return self.output or self.file.parent / self.name


class OneOrMore:
    """Marks a list that may be written as its only entry: ``k = 5`` for ``k = [5]``, ``[retriever]`` for the tables."""

    def __get_pydantic_core_schema__(self, source: Any, handler: CoreHandler) -> CoreSchema:
        def listed(value: Any) -> Any:
            return cast("Any", value) if isinstance(value, tuple) else (value,)

        return core_schema.no_info_before_validator_function(listed, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """One, or a list of them."""
        listed = handler(schema)
        return {"anyOf": [listed["items"], listed]}


@dataclass(frozen=True, slots=True)
class Distinct:
    """Marks a list whose entries differ in what ``of`` makes of them as they stand in the file.

    Attributes:
        what: What must differ, "values" or a key of tables.
        of: What is compared; None is like nothing else.
    """

    what: str = "values"
    of: Callable[[object], object] = lambda entry: entry

    def __get_pydantic_core_schema__(self, source: Any, handler: CoreHandler) -> CoreSchema:
        return core_schema.no_info_wrap_validator_function(self._checked, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """The list's own, with what differs."""
        return {**handler(schema), "uniqueItems": True}

    def _checked(self, value: Any, handler: core_schema.ValidatorFunctionWrapHandler) -> object:
        """What the entries are; their own mistakes and the repetitions are told together."""
        repeated = list(self._repeated(cast("tuple[Any, ...]", value) if isinstance(value, tuple) else ()))
        try:
            checked = handler(value)
        except ValidationError as error:
            found = [cast("InitErrorDetails", dict(detail)) for detail in error.errors(include_url=False)]
            raise ValidationError.from_exception_data(error.title, [*found, *repeated]) from None
        if repeated:
            raise ValidationError.from_exception_data("list", repeated)
        return checked

    def _repeated(self, entries: tuple[Any, ...]) -> Any:
        seen: list[object] = []
        for number, entry in enumerate(entries):
            compared = self.of(entry)
            if compared is not None and compared in seen:
                reason = ValueError(f"holds {compared!r} twice; its {self.what} must differ")
                yield InitErrorDetails(type="value_error", loc=(number,), input=entry, ctx={"error": reason})
            seen.append(compared)


Files: TypeAlias = Annotated[tuple[FileBeside, ...], Field(min_length=1), Distinct("paths"), OneOrMore()]
"""One file or more."""


def _first_of(*keys: str) -> Callable[[object], object]:
    """What a table of the file has under the first of some keys that it has."""

    def value(table: object) -> object:
        entries = cast("Mapping[str, object]", table if isinstance(table, Mapping) else {})
        return next((entries[key] for key in keys if key in entries), None)

    return value


DistinctNames = Distinct("names", of=_first_of("name"))
"""Marks tables that their names tell apart."""

DistinctLabels = Distinct("labels", of=_first_of("label", "model", "name"))
"""Marks tables of components, which their labels tell apart in every file and figure."""


def prompt_label(said: object) -> object:
    """What an instruction is called in outputs: its name, or its file without folders and ending.

    Examples:
        >>> prompt_label("zhang-1"), prompt_label("own/calm.txt"), prompt_label(2)
        ('zhang-1', 'calm', 2)
    """
    is_file = isinstance(said, Path) or (isinstance(said, str) and said.endswith(".txt"))
    return PurePath(cast("str | Path", said)).stem if is_file else said


DistinctPrompts = Distinct("names", of=prompt_label)
"""Marks instructions, which their names tell apart."""


@dataclass(frozen=True, slots=True)
class NameOrFile:
    """Marks one of some names, or a text file by its path from the description.

    Attributes:
        names: Those that are accepted.
        former: What some of them are called now.
    """

    names: tuple[str | int, ...]
    former: Mapping[str, str] = field(default_factory=dict[str, str])

    def __get_pydantic_core_schema__(self, source: Any, handler: CoreHandler) -> CoreSchema:
        return core_schema.with_info_plain_validator_function(self._checked)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """One of the names, or any text."""
        return {"anyOf": [{"enum": list(self.names)}, {"type": "string", "format": "path", "minLength": 1}]}

    def _checked(self, value: object, info: ValidationInfo) -> str | int | Path:
        if isinstance(value, str | int) and not isinstance(value, bool):
            name = self.former.get(str(value), value)
            if name in self.names:
                return name
        path = _beside(value, info)
        if isinstance(path, Path) and path.is_file():
            return path
        listed = ", ".join(map(str, self.names))
        raise ValueError(f"must be one of: {listed}, or the path of a text file; got {value!r}")


@dataclass(frozen=True, slots=True)
class OneOf:
    """Marks a text that is one of some names.

    Attributes:
        names: Those that are accepted.
    """

    names: tuple[str, ...]

    def __get_pydantic_core_schema__(self, source: Any, handler: CoreHandler) -> CoreSchema:
        return core_schema.literal_schema(list(self.names))
