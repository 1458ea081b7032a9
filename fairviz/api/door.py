"""What passes between the library and a notebook: notes as warnings, options as arguments, tables as frames."""

import re
import sys
import warnings
from collections.abc import Callable, Iterable
from functools import wraps
from typing import ParamSpec, TypeVar

import pandas as pd

from fairviz.display.table import Cell, Table, is_number, is_undefined
from fairviz.errors import DataWarning, InputError, UndefinedError, UsageError
from fairviz.model import Note

P = ParamSpec("P")
R = TypeVar("R")

_OPTION = re.compile(r"--(?!help\b)([a-z][a-z-]*)(?: (?:\[?[A-Z]+=?\]?)*(?:FILE|SYSTEM|COLUMN=VALUE|NAME)\b)?")
"""An option of the command line, and what stands for its value."""
_SHORT = {"k": "k=", "m": "measures="}


def public(call: Callable[P, R]) -> Callable[P, R]:
    """A function as a notebook calls it: what an error says of an option, it says of the argument of that name."""

    @wraps(call)
    def named(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return call(*args, **kwargs)
        except InputError:
            raise
        except (UndefinedError, UsageError) as error:
            said = type(error)(as_arguments(str(error)))
            raise said.with_traceback(error.__traceback__) from None  # one error, not one after another

    return named


def as_arguments(text: str) -> str:
    """Options of the command line as arguments.

    Examples:
        >>> as_arguments("measures of rankings need judgements: give --qrels FILE")
        'measures of rankings need judgements: give qrels='
        >>> as_arguments("--groups-from qrels needs judgements with subtopics")
        'groups_from=qrels needs judgements with subtopics'
    """
    text = re.sub(r"^--([a-z-]+) (?=\S+: expected)", lambda option: option[1].replace("-", "_") + "=", text)
    words = re.sub(r"(?<!\S)-(k|m)\b ?(?=[\w,]|$)", lambda short: _SHORT[short[1]], text)
    words = _OPTION.sub(lambda option: option[1].replace("-", "_") + "=", words)
    return re.sub(r"= (?=(uniform|neutral|qrels|setting=NAME)\b)", "=", words)


def tell(notes: Iterable[Note]) -> None:
    """Notes as warnings on the line that called the library."""
    level, caller = 1, sys._getframe()  # pyright: ignore[reportPrivateUsage]
    while caller.f_back is not None and caller.f_globals.get("__name__", "").partition(".")[0] == "fairviz":
        level, caller = level + 1, caller.f_back
    for text in dict.fromkeys(as_arguments(str(note)) for note in notes):
        warnings.warn(text, DataWarning, stacklevel=level)


def frame_of(table: Table) -> pd.DataFrame:
    """A table as a frame: columns by their keys, undefined cells as NaN, captions left out.

    Examples:
        >>> from fairviz.display.table import keyed
        >>> frame_of(Table(keyed("system", "value", "n"), (("bm25", 0.5, 3), ("dense", None, 2))))
          system  value  n
        0   bm25    0.5  3
        1  dense    NaN  2
    """
    columns = zip(*table.rows, strict=True) if table.rows else ((),) * len(table.columns)
    return pd.DataFrame({key: _cells(cells) for key, cells in zip(table.keys, columns, strict=True)})


def _cells(cells: Iterable[Cell]) -> list[Cell]:
    """A column of numbers with NaN where it is undefined, of words with None."""
    given = list(cells)
    missing = float("nan") if all(is_undefined(cell) or is_number(cell) for cell in given) else None
    return [missing if is_undefined(cell) else str(cell) if isinstance(cell, str) else cell for cell in given]
