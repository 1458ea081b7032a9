"""Which components a description can choose, by kind."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypeAlias, TypeGuard, cast

from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError

from fairviz.errors import InputError, UsageError
from fairviz.experiments.components.attributors import Citations, Lexical, Scores
from fairviz.experiments.components.dense import Dense, Endpoint
from fairviz.experiments.components.fusion import Fusion
from fairviz.experiments.components.nli import Nli
from fairviz.experiments.components.openai_server import OpenAI
from fairviz.experiments.components.retrievers import Bm25, Runs
from fairviz.experiments.components.tables import Component, model_name
from fairviz.experiments.description import DistinctLabels, OneOrMore, mistakes_of
from fairviz.experiments.protocols import Document, Retriever
from fairviz.experiments.store import Store

RetrieverTable: TypeAlias = Annotated[Bm25 | Dense | Endpoint | Fusion | Runs, Field(discriminator="name")]
GeneratorTable: TypeAlias = OpenAI
AttributorTable: TypeAlias = Annotated[Citations | Lexical | Nli | Scores, Field(discriminator="name")]


def with_named_retrievers(tables: Any) -> Any:
    """Tables of retrievers, with the table in the place of each label that a fusion is ``of``.

    Raises:
        ValueError: A label is that of no retriever that stands alone.
    """
    if not isinstance(tables, tuple):
        return tables
    listed = cast("tuple[Any, ...]", tables)
    alone = {_label(table): table for table in listed if _is_table(table) and "of" not in table}

    def named(one: object) -> object:
        if isinstance(one, str) and one not in alone:
            raise ValueError(f"of names {one!r}, which is no other retriever; there are: {', '.join(alone) or 'none'}")
        return alone[one] if isinstance(one, str) else one

    def resolved(table: Any) -> Any:
        fuses = _is_table(table) and isinstance(table.get("of"), tuple)
        return {**table, "of": tuple(map(named, table["of"]))} if fuses else table

    return tuple(map(resolved, listed))


def _is_table(value: Any) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(value, Mapping)


def _label(table: Mapping[str, Any]) -> str:
    return str(table.get("label") or model_name(str(table.get("model", ""))) or table.get("name"))


RetrieverTables: TypeAlias = Annotated[
    tuple[RetrieverTable, ...], BeforeValidator(with_named_retrievers), DistinctLabels, OneOrMore
]
"""Tables [[retriever]], or a single one."""


def chosen(name: str, **parameters: Any) -> RetrieverTable:
    """A retriever by its name and parameters, checked as in a description.

    Args:
        name: Its name.
        **parameters: What is not at its default, "label" among it.

    Raises:
        UsageError: With every parameter that is not accepted, and what it may be.
    """
    if isinstance(of := parameters.get("of"), list):
        parameters["of"] = tuple(cast("list[Any]", of))
    given = {"name": name, **parameters}
    try:
        (table,) = with_named_retrievers((given,))
        return TypeAdapter[RetrieverTable](RetrieverTable).validate_python(table)
    except ValidationError as error:
        reasons = "; ".join(mistakes_of(error, given))
        raise UsageError(f"retriever {name}: {reasons}") from None
    except ValueError as error:
        raise UsageError(f"retriever {name}: {error}") from None


def packages_of(table: Component) -> set[str]:
    """Packages beside fairviz's own that compute for a component, and for those that it is made of."""
    return {*table.packages, *(name for one in getattr(table, "of", ()) for name in packages_of(one))}


def retriever_of(
    table: RetrieverTable, corpus: Sequence[Document], file: str, *, numbers: Store | None = None
) -> Retriever:
    """The chosen retriever over the documents of a file.

    Args:
        table: Which one.
        corpus: The documents.
        file: Where they are from, for messages.
        numbers: Where arrays that are dear to compute are kept.

    Raises:
        InputError: If there is nothing to retrieve.
    """
    try:
        return table.build(corpus, numbers=numbers)
    except ValueError as error:
        raise InputError(str(error), file=file, fix="Give the documents texts.") from error
