"""The one way to markup: every string is text and is escaped; only what ``el`` built is not.

Whole pages, style sheets and texts stand in files of ``fairviz/content``; :func:`rendered` and its like fill them.
Templates are Jinja's. What is put into one that ends in ``.html`` is escaped, but for markup that ``el`` built; a name
that nobody fills is an error. Style sheets are plain CSS.
"""

from collections.abc import Callable
from functools import cache
from html import escape
from shlex import quote
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from fairviz.display.words import capital, count, in_words, listing, number, p_value, percent, plural, signed
from fairviz.resources import CONTENT

if TYPE_CHECKING:
    from jinja2 import Environment, Template


class Html(str):
    """Markup that :func:`el` or a template built, safe to show as it is."""

    __slots__ = ()

    def __html__(self) -> str:
        """Itself: a template puts it in as it is."""
        return self


Child: TypeAlias = "Html | str | None"
VOID = frozenset({"br", "hr", "img", "input", "meta"})
"""Elements without content."""


def el(tag: str, *children: Child, cls: str = "", **attributes: str | int | None) -> Html:
    """One element; text children and attribute values are escaped.

    Underscores in attribute names become hyphens, but for one at the end, which tells a name from a word of Python; an
    attribute that is None is left out.

    Examples:
        >>> el("b", "<img src=x>", cls="run", aria_label='a "run"')
        '<b class="run" aria-label="a &quot;run&quot;">&lt;img src=x&gt;</b>'
    """
    named = {"class": cls or None, **attributes}
    inside = "".join(
        f' {name.removesuffix("_").replace("_", "-")}="{escape(str(value))}"'
        for name, value in named.items()
        if value is not None
    )
    if tag in VOID:
        return Html(f"<{tag}{inside}>")
    return Html(f"<{tag}{inside}>{join(*children)}</{tag}>")


def join(*children: Child) -> Html:
    """Markup of several children, one after the other."""
    parts = (c if isinstance(c, Html) else escape(c, quote=False) for c in children if c)
    return Html("".join(parts))


def percent_of_range(value: float, low: float, high: float) -> float:
    """Where a value stands between the ends of a range, in percent of it; what lies beyond stands at the end."""
    return 100 * min(max((value - low) / (high - low), 0.0), 1.0)


WORDS = {
    "capital": capital,
    "count": count,
    "in_words": in_words,
    "listing": listing,
    "percent_of_range": percent_of_range,
    "plural": plural,
}
"""Functions that every template has."""
NUMBERS = {"number": number, "p_value": p_value, "percent": percent, "signed": signed}
"""How a number can be written: as a function, or behind a bar."""


@cache
def environment() -> "Environment":
    """Where templates come from, and how they are filled."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape  # not for a command's table

    made = Environment(
        loader=FileSystemLoader([CONTENT / "templates", CONTENT / "styles"]),
        autoescape=select_autoescape(("html",), default_for_string=False),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters.update(NUMBERS, quote=quote)
    cast("dict[str, Any]", made.globals).update(WORDS, **NUMBERS)  # its own values have narrower types
    return made


def rendered(name: str, /, **values: object) -> Html:
    """A template with values in it.

    Args:
        name: Its file below ``fairviz/content/templates``.
        values: What its names stand for.

    Raises:
        jinja2.UndefinedError: The template has a name that no value stands for.
    """
    return Html(environment().get_template(name).render(values))


def drawn(name: str, macro: str, /, *values: object) -> Html:
    """A part of a template that is a macro, with values in it: what stands in a cell of a table.

    Args:
        name: The template's file.
        macro: Of its macros.
        values: What the macro takes.
    """
    part: Callable[..., str] = getattr(environment().get_template(name).module, macro)
    return Html(part(*values))


def written(text: str, **values: object) -> str:
    """A sentence with values in it: plain text, in which nothing is escaped.

    Args:
        text: A template.
        values: What its names stand for.

    Raises:
        jinja2.UndefinedError: The text has a name that no value stands for.
    """
    return _of_text(text).render(values)


@cache
def _of_text(text: str) -> "Template":
    return environment().from_string(text)


@cache
def style(*names: str, rules: str = "") -> Html:
    """The ``<style>`` element of style sheets.

    Args:
        names: Files of ``fairviz/content/styles``, without their ending.
        rules: What is computed and stands before them, such as the colours of a palette.
    """
    sheets = ((CONTENT / "styles" / f"{name}.css").read_text(encoding="utf-8") for name in names)
    return Html(f"<style>\n{rules}\n{''.join(sheets)}\n</style>")
