"""The blocks of code of a Markdown page."""

import re
from functools import cache
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
FENCE = re.compile(
    r"^(?P<indent> *)(?P<fence>```+|:::+)\{?(?P<language>[\w-]*)\}? ?(?P<given>.*)\n"
    r"(?P<text>(?:.*\n)*?)(?P=indent)(?P=fence)$",
    re.MULTILINE,
)


class Block(NamedTuple):
    """What stands between two fences.

    Attributes:
        language: What follows the fence.
        given: What follows that.
        text: The lines.
        line: Where it begins.
    """

    language: str
    given: str
    text: str
    line: int


@cache
def blocks_of(page: Path, *languages: str) -> list[Block]:
    """The blocks of a page in their order, or those of some languages."""
    text = page.read_text(encoding="utf-8")
    found = (
        Block(match["language"], match["given"], dedent(match["text"]), text.count("\n", 0, match.start()) + 1)
        for match in FENCE.finditer(text)
    )
    return [block for block in found if not languages or block.language in languages]


def prose(page: Path) -> str:
    """A page without its blocks."""
    return FENCE.sub("", page.read_text(encoding="utf-8"))
