"""What people read: papers, glossary and lessons, as YAML beside this module.

Nobody has to know Python to change it: `YAML <https://yaml.org>`_ holds the words, and where a text needs a number, the
number's name stands in double braces, with how it is written behind a bar: ``{{ share | percent }}``. What computes
the numbers stays in Python; a name that it does not give is an error, never an empty place.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jinja2 import Environment, StrictUndefined, Template

from fairviz.display.words import number, p_value, percent, signed

FOLDER = Path(__file__).parent
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The compiled one, ten times as fast, wherever PyYAML was built with it."""
WORDS = {"number": number, "p_value": p_value, "percent": percent, "signed": signed}
"""How a number can be written: what may stand behind a bar."""


def read(name: str) -> Any:
    """What a YAML file holds: mappings, lists and text.

    Args:
        name: Its path below this folder without its ending, such as "papers/comparing".

    Raises:
        OSError: There is no such file.
        yaml.YAMLError: It is not YAML; the message names line and column.
    """
    return yaml.load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"), LOADER)


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
