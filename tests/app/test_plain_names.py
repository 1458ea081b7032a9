"""Pages and briefs that boards read: where one first has a term of specialists, a plain name stands beside it."""

import html
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from fairviz.reranking.catalogue import RERANKERS
from fairviz.resources import content
from pages._kit.link import name_mark
from tests.app.conftest import OpenPage
from tests.app.reading import plain

TERMS: Mapping[str, Sequence[str]] = content("glossary")["plain"] | {
    reranker.label: [reranker.plain] for reranker in RERANKERS if reranker.label.startswith(("Det", "FAIR"))
}
BESIDE = 130
"""Characters to either side of a term: its sentence, or the line below it."""
STATED = f"{name_mark('region')}~{name_mark('Africa')}~15~"
BRIEFS = ("policy_lab", "demographic_qa")
UNREAD = ("demographic_qa",)
"""Pages of which boards read the brief alone."""
PATH: Sequence[tuple[str, dict[str, str]]] = [
    ("home", {}),
    ("data", {}),
    ("groups", {}),
    ("policy_lab", {}),
    ("policy_lab", {"statements": STATED}),
    ("demographic_qa", {}),
    *(("learn", {"lesson": lesson}) for lesson in ("parity", "missing", "price", "crossing")),
]


def pattern(term: str) -> str:
    """A term as a word of its own, no part of a file's name; words of the language with their plural."""
    word = re.escape(term)
    if term in ("query", "run"):
        word = f"(?i:{word.removesuffix('y')}{'(?:y|ies)' if term.endswith('y') else 's?'})"
    return rf"(?<![\w.-]){word}(?![\w.])"


def without_plain_name(text: str) -> str:
    """Terms that have no plain name beside them where a text first has them, with their surroundings."""
    read = plain(text)
    missing = []
    for term, names in TERMS.items():
        first = re.search(pattern(term), read)
        if first is not None:
            around = read[max(0, first.start() - BESIDE) : first.end() + BESIDE]
            if not any(name.lower() in around.lower() for name in names):
                missing.append(f"{term}: {around}")
    return "\n".join(missing)


def shown(at: AppTest) -> Iterator[str]:
    """What a page shows, from the top: its words, labels and options of controls, titles of axes; then the sidebar."""
    for node in (*at.main, *at.sidebar):
        if node.type == "html":
            yield of_markup(node.proto.body)
        elif node.type == "plotly_chart":
            yield from of_axes(json.loads(node.proto.spec)["layout"])
        else:
            yield getattr(node, "label", None) or ""
            yield ", ".join(map(str, getattr(node, "options", ())))


def of_axes(layout: Mapping[str, object]) -> Iterator[str]:
    for name, axis in layout.items():
        if name.startswith(("xaxis", "yaxis")) and isinstance(axis, dict):
            yield axis.get("title", {}).get("text", "")


def of_markup(text: str) -> str:
    """The words of a page of HTML."""
    hidden = r"<(style|script|title)\b.*?</\1>|<[^>]*>"
    return html.unescape(re.sub(hidden, " ", text, flags=re.DOTALL))


def test_a_term_alone_is_found() -> None:
    assert without_plain_name("DetGreedy moves 3 points").startswith("DetGreedy: ")
    assert without_plain_name(f"14 queries, {'=' * BESIDE} a search").startswith("query: ")
    assert not without_plain_name("keep the shares, best first (DetGreedy); 14 searches (queries) of bm25.run")


@pytest.mark.parametrize(("page", "link"), PATH)
def test_a_page_of_the_boards_path_has_a_plain_name_beside_every_term(
    app_test: OpenPage, monkeypatch: pytest.MonkeyPatch, page: str, link: dict[str, str]
) -> None:
    briefs: list[str] = []

    def button(_: str, data: str | Callable[[], str], *, file_name: str, **__: Any) -> bool:
        if "brief" in file_name:
            briefs.append(data() if callable(data) else data)
        return False

    monkeypatch.setattr(st, "download_button", button)
    text = "\n".join(shown(app_test(page, link=link)))
    assert len(briefs) == (page in BRIEFS)
    missing = [without_plain_name(read) for read in (*([] if page in UNREAD else [text]), *map(of_markup, briefs))]
    assert not any(missing), "\n".join(missing)
