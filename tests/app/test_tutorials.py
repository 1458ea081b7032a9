"""What the tutorials quote is what the pages say on the example."""

import html
import re
from collections.abc import Mapping
from urllib.parse import parse_qsl

import pytest

from tests.app.conftest import OpenPage
from tests.app.reading import words
from tests.docs.blocks import DOCS, blocks_of


def quoted() -> Mapping[str, list[str]]:
    """Lines of ``says`` blocks by the page and its settings, as in an address."""
    found: dict[str, list[str]] = {}
    for tutorial in sorted(DOCS.rglob("*.md")):
        for block in blocks_of(tutorial, "says"):
            found.setdefault(block.given, []).extend(block.text.splitlines())
    return found


QUOTED = quoted()


def plain(text: str) -> str:
    """Words with ordinary blanks only."""
    return re.sub(r"\s+", " ", html.unescape(text)).replace("\N{WORD JOINER}", "")


@pytest.mark.parametrize("address", QUOTED)
def test_the_page_says_what_is_quoted(app_test: OpenPage, address: str) -> None:
    page, _, settings = address.partition("?")
    said = plain(words(app_test(page, link=dict(parse_qsl(settings)))))
    assert [line for line in QUOTED[address] if plain(line).strip() not in said] == []
