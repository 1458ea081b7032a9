"""One query, one document, one group, one answer: what a page counts is counted in the singular."""

import html
import re

import pytest

from fairviz.reporting.assemble import assembled
from fairviz.reporting.request import Request
from pages import TITLES
from tests.app.conftest import OpenPage
from tests.app.reading import ITEMS, PREDICTIONS, TWELVE, VARIANTS, markup, of_files
from tests.app.test_markup import OPEN

ANSWER = (
    '{"query_id": "q1", "retriever": "sysA", "generator": "g", "policy": "plackett-luce", "alpha": 1, "sample": 0, '
    '"given": ["d1"], "attributed": ["d1"], "text": "Yes.", "utility": 1}\n'
)
ALONE = "q1 Q0 d1 1 9 sysA\n"
THREE = f"{ALONE}q1 Q0 d2 2 8 sysA\nq1 Q0 d3 3 7 sysA\n"
LABEL = "doc_id\tregion\nd1\tasia\n"
WORLDS = {
    "one document": {"run": ALONE, "qrels": "q1 0 d1 1\n", "groups": LABEL, "rag": ANSWER},
    "one query": {"run": THREE, "qrels": "q1 0 d1 1\nq1 0 d2 0\n", "groups": f"{LABEL}d2\teurope\n", "rag": ANSWER},
    "one group": {"run": TWELVE, "qrels": "q1 0 d1 1\nq1 0 d2 0\n", "groups": LABEL},
    "one judged query more": {"run": f"{THREE}q2 Q0 d1 1 1 sysA\n", "qrels": "q1 0 d1 1\nq2 0 d9 1\n"},
    "one answer": {
        "items": "".join(ITEMS.splitlines(keepends=True)[:2]),
        "predictions": "".join(PREDICTIONS.splitlines(keepends=True)[:2]),
        "variants": "".join(VARIANTS.splitlines(keepends=True)[:4]),
    },
    "one of several answers": {"items": ITEMS, "predictions": PREDICTIONS, "variants": VARIANTS},
}
PLURAL = re.compile(
    r"(?<![\w.,:=@/–−-])(?<!\d[ \u202f])1[ \u00a0\u202f](?!(?:is|has|less|as|uses|lacks|bias|minus)\b)[a-z]+s\b"
)
"""A count of one, no part of a larger number, before a word that ends as plurals do."""


def plurals_of_one(text: str) -> set[str]:
    """Where a text counts one of several."""
    said = re.sub(
        r"\s+",
        " ",
        html.unescape(re.sub(r"<(?:style|script)\b.*?</(?:style|script)>|<[^>]*>", " ", text, flags=re.DOTALL)),
    )
    return {said[max(0, match.start() - 50) : match.end() + 20] for match in PLURAL.finditer(said)}


OF_ANSWERS = ("home", "data", "social_bias", "demographic_qa", "export")
"""Pages that count answers alone."""
SELDOM = ("one document", "one judged query more")
SHOWN = [
    pytest.param(page, world, marks=pytest.mark.slow) if world in SELDOM else (page, world)
    for world, files in WORLDS.items()
    for page in TITLES
    if page != "experiment" and ("variants" not in files or page in OF_ANSWERS)
]


@pytest.mark.parametrize(("page", "world"), SHOWN)
def test_one_of_a_thing_is_singular_on_pages(app_test: OpenPage, page: str, world: str) -> None:
    at = app_test(page, dataset=of_files(**WORLDS[world]), link=OPEN)
    labels = [element.label for kind in ("expander", "button", "toggle", "selectbox") for element in at.get(kind)]
    alts = re.findall(r'(?:aria-label|alt)="([^"]*)"', markup(at))
    assert not plurals_of_one("\n".join([markup(at), *alts, *labels]))


@pytest.mark.parametrize("world", WORLDS)
def test_one_of_a_thing_is_singular_in_the_report(world: str) -> None:
    request = Request(measures=("nDCG@5",) if "run" in WORLDS[world] else (), k=1, alpha=(0.0, 1.0))
    assert not plurals_of_one(assembled(of_files(**WORLDS[world]), request).html())
