"""Texts of ``fairviz/content`` with their numbers in place.

Nobody has to know Python to change such a text: where it needs a number, the number's name stands in double braces,
with how it is written behind a bar: ``{{ share | percent }}``. What computes the numbers stays in Python; a name that
it does not give is an error, never an empty place.
"""

from collections.abc import Mapping
from functools import cache

from jinja2 import Environment, StrictUndefined, Template

from fairviz.display.words import number, p_value, percent, signed

WORDS = {"number": number, "p_value": p_value, "percent": percent, "signed": signed}
"""How a number can be written: what may stand behind a bar."""


def written(text: str, numbers: Mapping[str, object]) -> str:
    """A text with its numbers in their places.

    Args:
        text: Words, with the names of numbers in double braces.
        numbers: By name.

    Raises:
        jinja2.UndefinedError: The text names a number that there is not.

    Examples:
        >>> written("A gets {{ share | percent(1) }}, {{ n }} times", {"share": 0.375, "n": 3})
        'A gets 37.5\u202f%, 3 times'
    """
    return _template(text).render(numbers)


@cache
def _template(text: str) -> Template:
    return _environment().from_string(text)


@cache
def _environment() -> Environment:
    made = Environment(undefined=StrictUndefined)
    made.filters.update(WORDS)  # pyright: ignore[reportUnknownMemberType] - its values have no type
    return made
