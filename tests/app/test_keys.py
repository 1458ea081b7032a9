"""Keys of controls: what one page leaves behind is no other page's value.

Streamlit keeps the state of a page's controls until the next page has run once: a control there that has the same key
and holds something else breaks, or shows what nobody chose.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.dashboard import ROOT

PAGES = ROOT / "pages"
FOLLOWING = {
    **{"following": 0, "choose": 0, "choose_number": 4},
    **dict.fromkeys(("choose_one", "choose_name", "choose_names", "choose_place", "choose_several"), 2),
}
"""Functions whose settings follow from page to page, and the place of the key among their arguments: they take nothing
that a page does not know."""
STATELESS = {"container"}


def keys_of(file: Path) -> Iterator[tuple[str, str]]:
    """Each key that a file gives to a control, and the function that it gives it to."""
    for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if not isinstance(call, ast.Call):
            continue
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        given = [word.value for word in call.keywords if word.arg == "key"]
        given += call.args[FOLLOWING[name] :][:1] if name in FOLLOWING else []
        yield from ((key.value, name) for key in given if isinstance(key, ast.Constant))


def test_what_a_control_holds_is_read_by_its_own_page_alone_or_follows() -> None:
    following, own = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for file in sorted(PAGES.rglob("*.py")):
        page = file.relative_to(PAGES).parts[0].removesuffix(".py").lstrip("_")
        for key, name in keys_of(file):
            if name not in STATELESS:
                (following if name in FOLLOWING else own)[key].add(page)
    alone = {key: pages - following[key] for key, pages in own.items()}  # not those drawn by ``following``
    assert len(following) > 10
    assert len(alone) > 50
    assert {
        key: (pages, following[key]) for key, pages in alone.items() if pages and len(pages | following[key]) > 1
    } == {}
