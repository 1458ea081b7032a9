"""``fairviz table PAGE TABLE FILES… --set NAME=VALUE``: written from a page's settings, and read again.

The names are the fields of :mod:`fairviz.report.page_tables`, so that a setting is declared once; a command holds those
that are not as usual.
"""

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints

from fairviz.display.methods import AgainstTarget, files_command
from fairviz.errors import UsageError
from fairviz.io.options import Role
from fairviz.model import Dataset
from fairviz.report.page_tables import PAGES, PageSettings
from fairviz.studies.demographic_qa.runs import loaded_variant_runs

OF_FILES = ("against", "judgements")
"""Settings that options for files say."""
OF_ANSWERS: Mapping[str, tuple[tuple[Role, str], ...]] = {
    "social_bias": (("bias-items", "--items"), ("bias-predictions", "--answers")),
    "demographic_qa": (("variants", "--answers"), ("qrels", "--qrels")),
}
"""Roles of the files that pages of recorded answers read, and their options."""
OF_VARIANT_RUNS: tuple[tuple[Role, str], ...] = (("run", ""), *OF_ANSWERS["demographic_qa"])
"""The same where runs are variants of questions, too."""
LARGEST = 1000
"""Of numbers; so is the largest α of commands."""


def table_command(
    loaded: Dataset,
    page: str,
    settings: PageSettings,
    stems: Sequence[str],
    *,
    how: Literal["csv", "latex"],
    pairs: Mapping[str, str],
) -> str:
    """``fairviz table`` on the loaded files: prints tables of a page as it is set.

    Args:
        loaded: The data; its files are named as they were given.
        page: Name of the page's script.
        settings: Of the page.
        stems: Tables, one for CSV.
        how: Format.
        pairs: Outputs -> the run they were made from, as a person said it.
    """
    changed = {
        field.name: value
        for field in _fields(type(settings))
        if (value := getattr(settings, field.name)) is not field.default
        and value != field.default
        and field.name not in OF_FILES
    }
    variant_runs = page == "demographic_qa" and loaded_variant_runs(loaded)
    words = [f"--set {shlex.quote(f'{name}={text}')}" for name, value in changed.items() for text in _texts(value)]
    return files_command(
        f"fairviz table {page} {','.join(stems)}",
        loaded,
        against=getattr(settings, "against", None),
        judgements=getattr(settings, "judgements", None),
        pairs=pairs,
        answers=OF_VARIANT_RUNS if variant_runs else OF_ANSWERS.get(page, ()),
        more=[*words, f"--format {how}"],
    )


def settings_from(page: str, texts: Sequence[str], *, against: AgainstTarget | None, judgements: int) -> PageSettings:
    """Settings of a page as typed, NAME=VALUE each.

    Args:
        page: Its name.
        texts: As typed; a name of several values once for each.
        against: Groups and target.
        judgements: Place of the judgements that are read.

    Raises:
        UsageError: A name is unknown, a value is not of its kind, or one that is needed is missing.
    """
    kinds = get_type_hints(PAGES[page])
    of_files = {"against": against, "judgements": judgements}
    chosen: dict[str, Any] = {name: value for name, value in of_files.items() if name in kinds}
    known = [name for name in kinds if name not in OF_FILES]
    for text in texts:
        name, mark, value = text.partition("=")
        if not mark or name not in known:
            raise UsageError(f"--set {text}: expected NAME=VALUE, of {', '.join(known)}")
        several = get_origin(kinds[name]) is tuple
        if name in chosen and not several:
            raise UsageError(f"--set {text}: {name} is given twice")
        read = _read(text, value, kinds[name])
        chosen[name] = (*chosen.get(name, ()), read) if several else read
    needed = [each.name for each in _fields(PAGES[page]) if each.default is MISSING and each.name not in chosen]
    if needed:
        raise UsageError(f"table {page}: give --set {needed[0]}=VALUE")
    return PAGES[page](**chosen)


def said(page: str) -> str:
    """The settings of a page with what each can be, for help.

    Examples:
        >>> said("attribution").split("; ")[:2]
        ['k=', 'gain=graded|binary']
    """
    kinds = get_type_hints(PAGES[page])
    return "; ".join(
        f"{name}={'|'.join(get_args(kind)) if get_origin(kind) is Literal else ''}"
        for name, kind in kinds.items()
        if name not in OF_FILES
    )


def _fields(kind: type[PageSettings]) -> tuple[Field[Any], ...]:
    return fields(kind) if is_dataclass(kind) else ()


def _texts(value: object) -> list[str]:
    """A setting as it is typed; of several values one each."""
    if isinstance(value, tuple):
        return [str(one) for one in cast("tuple[object, ...]", value)]
    return [f"{value:.17g}" if isinstance(value, float) else str(value)]


def _read(text: str, value: str, kind: Any) -> str | int | float:
    """A value of its kind.

    Raises:
        UsageError: It is none.
    """
    kind = get_args(kind)[0] if get_origin(kind) is tuple else kind
    if get_origin(kind) is Literal and value not in get_args(kind):
        raise UsageError(f"--set {text}: expected one of {', '.join(get_args(kind))}")
    if kind not in (int, float):
        return value
    try:
        number = kind(value)
    except ValueError:
        number = math.nan
    if not (kind is int) <= number <= LARGEST:
        raise UsageError(f"--set {text}: expected a {'whole ' if kind is int else ''}number up to {LARGEST}")
    return number
