"""Whole pages, style sheets and texts that stand in files of ``fairviz/content``, and the one way to fill them.

Templates are Jinja's. What is put into one that ends in ``.html`` is escaped, but for markup that ``el`` built; a name
that nobody fills is an error. Style sheets are plain CSS.
"""

from functools import cache
from shlex import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template, select_autoescape

from fairviz.display.markup import Html
from fairviz.display.words import capital, count, listing, number, p_value, percent, plural, signed
from fairviz.resources import CONTENT

WORDS = {"capital": capital, "count": count, "listing": listing, "plural": plural}
"""Functions that every template has."""
NUMBERS = {"number": number, "p_value": p_value, "percent": percent, "signed": signed}
"""How a number can be written: as a function, or behind a bar."""


@cache
def environment() -> Environment:
    """Where templates come from, and how they are filled."""
    made = Environment(
        loader=FileSystemLoader([CONTENT / "templates", CONTENT / "styles"]),
        autoescape=select_autoescape(("html",), default_for_string=False),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters.update(NUMBERS, quote=quote)  # pyright: ignore[reportUnknownMemberType] - its values have no type
    made.globals.update(WORDS, **NUMBERS)  # pyright: ignore[reportUnknownMemberType]
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
def _of_text(text: str) -> Template:
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
