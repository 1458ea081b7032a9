"""The contract of a study: settings that are declared once, and one function from data and settings to what was found.

``Settings`` says what can be set: options of the command, keywords of the function, the controls of the page that have
no better one, the command line that repeats it. ``analyse(data, settings)`` gives an ``Analysis``; command, page,
report, bundle and library show it and compute nothing.
"""

import math
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from importlib import import_module
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from fairviz.display.intervals import tables_to_draw
from fairviz.display.table import Json, Table, records
from fairviz.display.words import Finding
from fairviz.errors import UsageError
from fairviz.model import Dataset, Note

if TYPE_CHECKING:
    from fairviz.display.html import Figure as Drawn
    from fairviz.display.html import Play, Section
    from fairviz.display.paper import Chart as Figure
    from fairviz.display.theme import Palette

LARGEST = 10**12 - 1
"""Largest whole number that a setting takes."""
S = TypeVar("S", bound="Settings")


class Option(NamedTuple):
    """A setting as it is declared.

    Attributes:
        name: Of the field.
        kind: ``bool``, ``int``, ``float``, ``str`` or the tuple of the words that it can be.
        several: Whether it is a tuple of such values.
        default: Where nothing is said.
        help: One line.
        low, high: Ends of the numbers that it takes, both included.
        flags: What it is called on a command line, the first one in commands that are written.
        metavar: What stands for its value there.
        read: Makes values of a text where one text may be several, such as a grid; else None.
        write: Makes one text of all values; else None, and each has a text of its own.
        file: Makes such a text of one that names a file, leaves any other; else None.
        own: Whether a text that is none of the words names something of people's own; else None.
    """

    name: str
    kind: type | tuple[str, ...]
    several: bool
    default: Any
    help: str
    low: float
    high: float
    flags: tuple[str, ...]
    metavar: str
    read: Callable[[str], tuple[Any, ...]] | None
    write: Callable[[tuple[Any, ...]], str] | None
    file: Callable[[str], str] | None
    own: Callable[[str], bool] | None

    @property
    def flag(self) -> str:
        """The option's first name on a command line."""
        return self.flags[0]

    def value(self, text: str) -> Any:
        """The value that a text is.

        Raises:
            ValueError: It is none; the text says what is expected.
        """
        if isinstance(self.kind, tuple):
            if text not in self.kind and not (self.own is not None and self.own(text)):
                raise ValueError(f"expected one of {', '.join(self.kind)}, got {text[:40]!r}")
            return text
        if self.kind is str:
            return text
        try:
            number: float = self.kind(text)
        except ValueError:
            number = math.nan
        if self.kind is int and not (text.isascii() and text.isdigit()):
            number = math.nan
        if not self.low <= number <= self.high:
            raise ValueError(f"expected a {'whole ' if self.kind is int else ''}number{self.range}, got {text[:40]!r}")
        return number

    def opened(self, text: str) -> str:
        """A text of a person at this machine: what a file that it names holds; pages open none.

        Raises:
            InputError: The file cannot be read.
        """
        return text if self.file is None else self.file(text)

    @property
    def range(self) -> str:
        """The option's smallest and largest number in words."""
        ends = [f"at least {self.low:g}"] if math.isfinite(self.low) else []
        ends += [f"at most {self.high:g}"] if math.isfinite(self.high) and self.high < LARGEST else []
        return f" of {' and '.join(ends)}" if ends else ""

    def words(self, value: Any) -> list[str]:
        """The setting on a command line, a value of its own each."""
        if self.kind is bool:
            return [self.flag if value else f"--no-{self.flag.removeprefix('--')}"]
        values = cast("tuple[Any, ...]", value) if self.several else (value,)
        if self.write is not None:
            return [f"{self.flag} {shlex.quote(self.write(values))}"]
        return [f"{self.flag} {shlex.quote(f'{part!r}' if isinstance(part, float) else str(part))}" for part in values]


def option(
    default: Any,
    help: str,
    *,
    low: float = -math.inf,
    high: float = math.inf,
    flags: tuple[str, ...] = (),
    metavar: str = "",
    read: Callable[[str], tuple[Any, ...]] | None = None,
    write: Callable[[tuple[Any, ...]], str] | None = None,
    file: Callable[[str], str] | None = None,
    own: Callable[[str], bool] | None = None,
) -> Any:
    """A setting: its default, one line of help, and what else a command line has to know.

    Args:
        default: Where nothing is said.
        help: One line.
        low: Smallest number that it takes; of whole numbers 0 unless said.
        high: Largest number.
        flags: Names on a command line; none: ``--NAME``, of one letter ``-N``.
        metavar: What stands for its value there.
        read: Makes the values of a text, raises ValueError.
        write: Makes one text of the values.
        file: Makes a text that ``read`` takes of one that names a file, leaves any other.
        own: Whether a text that is none of the words names something of people's own.
    """
    declared = Option(
        "", str, False, default, help, low, high, flags, metavar, read, write, file, own
    )  # kind: as its field has it
    return field(default=default, metadata={"option": declared})


def listed(text: str) -> tuple[str, ...]:
    """Names with commas between them.

    Examples:
        >>> listed("model, category")
        ('model', 'category')
    """
    return tuple(name for part in text.split(",") if (name := part.strip()))


def of_files(default: Any = None) -> Any:
    """A setting that the files say: which judgements, which groups beside which target."""
    return field(default=default, metadata={})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a study can be set to: plain values, so that it is the key of what is kept.

    Raises:
        UsageError: A value cannot be.
    """

    formats: ClassVar[tuple[str, ...]] = ()
    """What its command prints besides tables: names of :attr:`Analysis.texts`."""

    @classmethod
    @cache
    def options(cls) -> Mapping[str, Option]:
        """Every setting that can be said, by its name."""
        hints = get_type_hints(cls)
        return {
            setting.name: _option(setting.name, hints[setting.name], setting.metadata["option"])
            for setting in fields(cls)
            if "option" in setting.metadata
        }

    @classmethod
    def of(cls: type[S], values: Mapping[str, Any]) -> S:
        """Settings of parsed options or keywords; what is not named keeps its default."""
        return cls(**{setting.name: values[setting.name] for setting in fields(cls) if setting.name in values})

    def restricted_to(self: S, *names: str) -> S:
        """Settings with the named values, all others at their defaults: the key of what depends on no other."""
        return type(self)(**{name: getattr(self, name) for name in names})

    def __post_init__(self) -> None:
        for name, setting in self.options().items():
            value = getattr(self, name)
            if value is None or setting.kind is bool:
                continue
            for each in value if setting.several else (value,):
                if isinstance(each, float) and math.isnan(each) and setting.default != setting.default:
                    continue
                try:
                    setting.value(f"{each!r}" if isinstance(each, float) else str(each))
                except ValueError as error:
                    raise UsageError(f"{setting.flag}: {error}") from None
            if setting.kind is float:  # 2 and 2.0 are one setting, and are computed with alike
                object.__setattr__(self, name, tuple(map(float, value)) if setting.several else float(value))

    def words(self) -> list[str]:
        """What differs from the defaults, as a shell reads it."""
        return [
            word
            for name, setting in self.options().items()
            if (value := getattr(self, name)) != setting.default and value == value
            for word in setting.words(value)
        ]

    def __str__(self) -> str:
        return " ".join(self.words())


def _option(name: str, hint: Any, declared: Option) -> Option:
    """A declared setting with the name and the type of its field."""
    if get_origin(hint) in (Union, UnionType):  # of a value and None
        hint = next(alternative for alternative in get_args(hint) if alternative is not NoneType)
    several = get_origin(hint) is tuple
    hint = get_args(hint)[0] if several else hint
    kind = get_args(hint) if get_origin(hint) is Literal else hint
    low = 0 if kind is int and math.isinf(declared.low) else declared.low
    high = LARGEST if kind is int and math.isinf(declared.high) else declared.high
    flags = declared.flags or (f"-{name}" if len(name) == 1 else f"--{name.replace('_', '-')}",)
    return declared._replace(name=name, kind=kind, several=several, low=low, high=high, flags=flags)


class Chart(NamedTuple):
    """A chart that is drawn where it is shown: Plotly is loaded there, and the core has none.

    Attributes:
        study: Whose ``charts`` module draws it; empty for one of ``display.intervals``.
        name: Of its functions there: ``NAME_figure(*results, **options, colours=palette)`` draws it, and
            ``NAME_alt(*results)`` says in words what it shows.
        results: What is drawn.
        options: What else the figure is told.
    """

    study: str
    name: str
    results: tuple[Any, ...]
    options: Mapping[str, Any] = {}

    def draw(self, *, colours: "Palette") -> "Figure":
        """The chart in the colours of a palette."""
        return self._of("figure")(*self.results, **self.options, colours=colours)

    @property
    def alt(self) -> str:
        """What it shows, in words; the caption of a printed figure."""
        return self._of("alt")(*self.results)

    def in_report(self, stem: str, caption: str = "") -> "Drawn":
        """The chart in both themes, called after its stem where it is saved."""
        from fairviz.display.html import Figure
        from fairviz.display.theme import in_both_themes

        light, dark = in_both_themes(lambda colours: self.draw(colours=colours))
        return Figure(light, dark, self.alt, caption=caption, name=f"fairviz-{stem}")

    def _of(self, what: str) -> Any:
        module = f"studies.{self.study}.charts" if self.study else "display.intervals"
        return getattr(import_module(f"fairviz.{module}"), f"{self.name}_{what}")


@dataclass(frozen=True, kw_only=True)
class Analysis:
    """What a study found, in the order in which it is read.

    Attributes:
        findings: Titles with their sentences, the first one the headline.
        tables: By stem, the first one that of a CSV file.
        charts: By stem, drawn when they are shown.
        printed: Tables of a terminal by stem, with the keys of the columns that it has room for; none: all that are
            read, with all columns.
        notes: What is to be known of files and systems.
        texts: By the names of further formats of the command, made when they are asked for.
        sections: Makes what a report says, where that is more than the headline with charts and tables below it: a
            slider, a part for each task.
        code: What the command ends with: 0, unless what was found is to stop whoever called it.
    """

    tables: Mapping[str, Table]
    findings: tuple[Finding, ...] = ()
    charts: Mapping[str, Chart] = field(default_factory=dict[str, Chart])
    printed: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    notes: tuple[Note, ...] = ()
    texts: Mapping[str, Callable[[], str]] = field(default_factory=dict[str, Callable[[], str]])
    sections: "Callable[[], Sequence[Section | Play]] | None" = None
    code: int = 0

    @property
    def read(self) -> dict[str, Table]:
        """Tables with the columns that a terminal has room for, by stem."""
        stems = self.printed or [stem for stem, table in self.tables.items() if table.audience == "all"] or self.tables
        return {stem: self.tables[stem].select(self.printed.get(stem, self.tables[stem].keys)) for stem in stems}

    @property
    def drawn(self) -> Mapping[str, Chart]:
        """The charts; where there are none, the intervals of the first table that has some."""
        if self.charts:
            return self.charts
        return {stem: Chart("", "intervals", (table,)) for stem, table in tables_to_draw(self.tables).items()}

    def page(self, title: str) -> str:
        """What was found as one HTML file."""
        from fairviz.display.html import html_text

        return html_text(title, self.in_report())

    def in_report(self) -> "list[Section | Play]":
        """What a report says: sections of its own, else one for the headline with all that it rests on.

        Tables are those that are read and have rows, with the columns that a terminal has room for; without a finding
        the caption of the first is the heading. Intervals of more rows than a page shows unfolded are not drawn.
        """
        from fairviz.display.html import LONG, Section, findings_list

        if self.sections is not None:
            return list(self.sections())
        tables = {
            stem: table.select(self.printed.get(stem, table.keys))
            for stem, table in self.tables.items()
            if table.audience != "programs" and table.rows
        }
        charts = {
            stem: chart.in_report(stem)
            for stem, chart in self.drawn.items()
            if self.charts or len(chart.results[0].rows) <= LONG
        }
        captions = (table.caption for table in self.tables.values() if table.caption)
        headline, *others = self.findings or (Finding(next(captions, "Results"), ""),)
        return [
            Section(
                headline.title,
                (headline.sentence,) if headline.sentence else (),
                (*([findings_list(others)] if others else []), *charts.values(), *tables.values()),
            )
        ]


RANKED = (
    *("runs", "qrels", "groups", "groups_by", "target", "allow_missing_groups"),
    *("outputs", "references", "popularity", "pairs", "systems"),
)
"""Data of studies of rankings and of what answers make of them."""


class Study(NamedTuple):
    """A question that is answered from files.

    Attributes:
        name: Its folder in ``fairviz/studies``.
        command: What it is called on the command line and in the library.
        purpose: What it answers, in a line.
        data: What its function takes, see ``api.functions``; the first two by their place.
        called: What the dashboard calls it, where that is not its command.
    """

    name: str
    command: str
    purpose: str
    data: tuple[str, ...] = RANKED
    called: str = ""

    @property
    def title(self) -> str:
        """What the dashboard calls it."""
        return self.called or self.command.replace("-", " ").capitalize()

    @property
    def settings(self) -> type[Settings]:
        """What can be set."""
        return cast("type[Settings]", import_module(f"fairviz.studies.{self.name}.settings").SETTINGS)

    @property
    def analyse(self) -> Callable[[Dataset, Settings], Analysis]:
        """The function from data and settings to what these say.

        It raises a :class:`~fairviz.errors.FairvizError` where nothing can be said, or a setting names what is not in
        the data.
        """
        return cast("Any", import_module(f"fairviz.studies.{self.name}.analysis")).analyse

    def record(self, settings: Settings, analysis: Analysis, tables: Mapping[str, Table]) -> dict[str, Json]:
        """What was set and what was found, as JSON holds it.

        Args:
            settings: What was set.
            analysis: What was found.
            tables: Those of it that are wanted, by stem.
        """
        return {
            "command": self.command,
            "settings": {name: value for name, value in asdict(settings).items() if name in settings.options()},
            "findings": [finding._asdict() for finding in analysis.findings],
            "tables": {stem: records(table) for stem, table in tables.items()},
        }
