"""What passes between the library and a notebook: notes as warnings, options as arguments, what a study found."""

import inspect
import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from functools import cache, wraps
from os import PathLike
from pathlib import Path
from types import NoneType, SimpleNamespace, UnionType
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np
import polars as pl

from fairviz.display.html import html_table
from fairviz.display.intervals import FEWER
from fairviz.display.latex import latex_text
from fairviz.display.paper import COLUMN, POINTS, Chart, kind_of, printed
from fairviz.display.table import Cell, Table, csv_text, is_number, is_undefined, json_text, plain_text, polars_frame
from fairviz.display.theme import LIGHT
from fairviz.display.words import Finding
from fairviz.errors import DataWarning, InputError, UndefinedError, UsageError
from fairviz.extras import DRAWS, need
from fairviz.io.whole import write_whole
from fairviz.model import Note
from fairviz.model.rows import dataframe
from fairviz.studies.study import Analysis, Settings, Study

if TYPE_CHECKING:
    import pandas as pd

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

_OPTION = re.compile(r"--(?!help\b)([a-z][a-z-]*)(?: (?:\[?[A-Z]+=?\]?)*(?:FILE|SYSTEM|COLUMN=VALUE|NAME)\b)?")
"""An option of the command line, and what stands for its value."""
_SHORT = {"k": "k=", "m": "measures="}


def public(call: Callable[P, R]) -> Callable[P, R]:
    """A function as a notebook calls it: arguments are of their types, and errors name arguments, not options."""

    @wraps(call)
    def named(*args: P.args, **kwargs: P.kwargs) -> R:
        _check(call, args, kwargs)
        try:
            return call(*args, **kwargs)
        except InputError:
            raise
        except (UndefinedError, UsageError) as error:
            public_error = type(error)(as_arguments(str(error)))
            raise public_error.with_traceback(error.__traceback__) from None  # one error, not one after another

    return named


# Numbers, words and dicts are checked by the types of the signature; what holds data is checked by its reader.

_WORDS: dict[Any, str] = {
    int: "a whole number",
    float: "a number",
    str: "a text",
    bool: "True or False",
    PathLike: "a path",
    Mapping: "a dict",
}


def _check(call: Callable[..., Any], args: Iterable[Any], kwargs: Mapping[str, Any]) -> None:
    """Refuse an argument that is not of its type.

    Raises:
        UsageError: Naming the argument and what is expected.
    """
    signature, types = _signature(call)
    try:
        arguments = signature.bind(*args, **kwargs).arguments
    except TypeError:
        return  # Python's own words on a missing or unknown argument
    for name, value in arguments.items():
        if name in types and not any(_is(value, kind, name) for kind in types[name]):
            raise UsageError(f"{_shown(name, value)}: expected {_expected(types[name], name)}")


@cache
def _signature(call: Callable[..., Any]) -> tuple[inspect.Signature, dict[str, tuple[Any, ...]]]:
    """A signature, and the types of the arguments that can be checked."""
    signature = inspect.signature(call)
    types: dict[str, tuple[Any, ...]] = {}
    for name, parameter in signature.parameters.items():
        try:
            hint = get_type_hints(SimpleNamespace(__annotations__={name: parameter.annotation}), call.__globals__)[name]
        except NameError:
            continue  # a class of a package that may be missing: not a setting
        parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
        origins: list[Any] = [get_origin(part) for part in parts]
        kinds = tuple(part if own is Literal else own or part for own, part in zip(origins, parts, strict=True))
        checkable = all(kind in (*_WORDS, NoneType) or get_origin(kind) is Literal for kind in kinds)
        if checkable and parameter.kind not in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            types[name] = kinds
    return signature, types


def _is(value: Any, kind: Any, name: str) -> bool:
    if get_origin(kind) is Literal:
        return isinstance(value, str | int) and value in get_args(kind)
    if kind is int:
        return isinstance(value, int | np.integer) and not isinstance(value, bool) and bool(value >= _least(name))
    if kind is float:
        return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    return isinstance(value, kind)


def _least(name: str) -> int:
    return 0 if name == "seed" else 1


def _expected(kinds: tuple[Any, ...], name: str) -> str:
    """What an argument takes, in words."""
    choices = [choice for kind in kinds if get_origin(kind) is Literal for choice in get_args(kind)]
    words = [f"one of {', '.join(map(str, choices))}"] if choices else []
    types = [kind for kind in kinds if kind in _WORDS and not (kind is str and PathLike in kinds)]
    words += [_WORDS[kind] + (f" of at least {_least(name)}" if kind is int else "") for kind in types]
    return " or ".join(words)


def _shown(name: str, value: Any) -> str:
    """An argument and its value, or the type of a value that is no number and no short text."""
    plain = isinstance(value, str | int | float | NoneType) and len(repr(value)) < 50
    return f"{name}={value!r}" if plain else f"{name}= is a {type(value).__name__}"


def as_arguments(text: str) -> str:
    """Options of the command line as arguments.

    Examples:
        >>> as_arguments("measures of rankings need judgements: give --qrels FILE")
        'measures of rankings need judgements: give qrels='
        >>> as_arguments("--groups-from qrels needs judgements with subtopics")
        'groups_from=qrels needs judgements with subtopics'
    """
    text = re.sub(r"^--([a-z-]+) (?=\S+: expected)", lambda option: option[1].replace("-", "_") + "=", text)
    words = re.sub(r"(?<!\S)-(k|m)\b(?! pip\b) ?(?=[\w,]|$)", lambda short: _SHORT[short[1]], text)
    words = re.sub(r"\bRUN\b", "runs=", words)
    words = _OPTION.sub(lambda option: option[1].replace("-", "_") + "=", words)
    return re.sub(r"= (?=(uniform|neutral|qrels|setting=NAME)\b)", "=", words)


def tell(notes: Iterable[Note]) -> None:
    """Notes as warnings on the line that called the library."""
    level, caller = 1, inspect.currentframe()
    while caller and caller.f_back and caller.f_globals.get("__name__", "").partition(".")[0] == "fairviz":
        level, caller = level + 1, caller.f_back
    for text in dict.fromkeys(as_arguments(str(note)) for note in notes):
        warnings.warn(text, DataWarning, stacklevel=level)


# Tables as frames, findings and charts.


def frame_of(table: Table) -> "pd.DataFrame":
    """A table as a frame: columns by their keys, undefined cells as NaN, captions left out.

    Examples:
        >>> from fairviz.display.table import keyed
        >>> frame_of(Table(keyed("system", "value", "n"), (("bm25", 0.5, 3), ("dense", None, 2))))
          system  value  n
        0   bm25    0.5  3
        1  dense    NaN  2
    """
    columns = zip(*table.rows, strict=True) if table.rows else ((),) * len(table.columns)
    return dataframe({key: _cells(cells) for key, cells in zip(table.keys, columns, strict=True)})


def _cells(cells: Iterable[Cell]) -> list[Cell]:
    """A column of numbers with NaN where it is undefined, of words with None."""
    column = list(cells)
    missing = float("nan") if all(is_undefined(cell) or is_number(cell) for cell in column) else None
    return [missing if is_undefined(cell) else str(cell) if isinstance(cell, str) else cell for cell in column]


def _named(what: str, name: str | None, nouns: Mapping[str, T]) -> T:
    """One of several by its name; None: the first.

    Raises:
        UsageError: There is none of that name.
    """
    if name is not None and name not in nouns:
        raise UsageError(f"{what} {name!r}: expected one of {', '.join(nouns)}")
    return nouns[name or next(iter(nouns))]


class Result:
    """What a study found.

    Args:
        study: Which one.
        settings: What was set.
        analysis: What was found.
    """

    def __init__(self, study: Study, settings: Settings, analysis: Analysis) -> None:
        self.study = study
        self.settings = settings
        self.analysis = analysis

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Titles with their sentences, the first one the headline."""
        return self.analysis.findings

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables that :meth:`frame` gives."""
        return tuple(self.analysis.tables)

    @property
    def charts(self) -> tuple[str, ...]:
        """Names of the charts that :meth:`figure` draws."""
        return tuple(self.analysis.drawn)

    def frame(self, table: str | None = None) -> "pd.DataFrame":
        """A table as a DataFrame: full precision, undefined cells as NaN.

        Args:
            table: One of :attr:`tables`; None = the first.

        Raises:
            UsageError: There is no such table.
        """
        return frame_of(self._table(table))

    def to_polars(self, table: str | None = None) -> pl.DataFrame:
        """A table as a Polars frame: full precision, undefined cells as null.

        Args:
            table: One of :attr:`tables`; None = the first.

        Raises:
            UsageError: There is no such table.
        """
        return polars_frame(self._table(table))

    def latex(self, table: str | None = None) -> str:
        """A table as LaTeX, for a column or a page of a paper.

        Args:
            table: One of :attr:`tables`; None = the first.

        Raises:
            UsageError: There is no such table.
        """
        return latex_text(self._table(table))

    def figure(self, chart: str | None = None) -> Chart:
        """A chart in light colours.

        Args:
            chart: One of :attr:`charts`; None = the first.

        Raises:
            UndefinedError: The study has no chart of these data, nor a table of intervals that is short enough for one.
            UsageError: There is no such chart, or Plotly is not installed.
        """
        need("a chart", DRAWS)
        charts = self.analysis.drawn
        if not charts:
            raise UndefinedError(f"there is no chart of these data; {FEWER}")
        return _named("chart", chart, charts).draw(colours=LIGHT)

    def save(
        self,
        file: str | PathLike[str],
        *,
        name: str | None = None,
        width: float | str = COLUMN,
        points: float = POINTS,
        greyscale: bool = False,
    ) -> None:
        """Write a table (.csv, .tex, .html), a chart for a paper (.svg, .pdf, .png), or everything (.json, .html).

        The file is whole afterwards, or as it was. JSON is what the command prints with ``--format json``.

        Args:
            file: Its ending says what is written; a chart needs kaleido, and Chrome or Chromium.
            name: Of the table or the chart; None = the first, in JSON all tables, in HTML a page of all that was found.
            width: Of a chart in mm: 84 (or "84mm") is a column, 174 both columns of a page.
            points: Of its smallest text.
            greyscale: Greys with dashes and markers in place of colours.

        Raises:
            OutputError: The file cannot be written.
            UsageError: There is no such table or chart, the file is of another kind, or a package is not installed.
        """
        writers = {".csv": csv_text, ".tex": latex_text, ".html": html_table}
        ending = Path(file).suffix.lower()
        if ending == ".json":
            tables = self.analysis.tables if name is None else {name: self._table(name)}
            content = f"{json_text(self.study.record(self.settings, self.analysis, tables))}\n".encode()
        elif ending == ".html" and name is None:
            need("a page", DRAWS)
            content = self.analysis.page(self.study.title).encode()
        elif ending in writers:
            content = writers[ending](self._table(name)).encode()
        else:
            size: dict[str, Any] = {"width": width, "points": points, "greyscale": greyscale}
            try:
                kind = kind_of(str(file))
            except UsageError as error:
                raise UsageError(f"{error}, or of a table in {', '.join(writers)} or .json") from None
            (content,) = printed(self.figure(name), kind, **size)
        write_whole(file, content)

    def _table(self, name: str | None) -> Table:
        return _named("table", name, self.analysis.tables)

    @property
    def _shown(self) -> list[Table]:
        """Tables as a terminal shows them."""
        return [table for table in self.analysis.read.values() if table.rows]

    def __repr__(self) -> str:
        return "\n".join(plain_text(table) for table in self._shown).rstrip("\n")

    def _repr_html_(self) -> str:
        return "\n".join(html_table(table) for table in self._shown)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """The chart where there is one and a notebook can show it, else the tables."""
        bundle: dict[str, Any] = {"text/plain": repr(self)}
        try:
            chart: Any = self.figure() if len(self.analysis.charts) == 1 else None
        except UsageError:  # Plotly is not installed
            chart = None
        drawn: dict[str, Any] = {} if chart is None else chart._repr_mimebundle_()
        return bundle | (drawn or {"text/html": self._repr_html_()})
