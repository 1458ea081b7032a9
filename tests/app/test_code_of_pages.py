"""Keys of controls, and what the dashboard takes of Streamlit's insides, as the code of the pages has them.

Streamlit keeps the state of a page's controls until the next page has run once: a control there that has the same key
and holds something else breaks, or shows what nobody chose. Of its insides there are few names, and each is there in
the version that was tested.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from streamlit.runtime.app_session import AppSession
from streamlit.runtime.pages_manager import PagesManager

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


STREAMLIT = "1.67"
"""Who raises it looks for what a person would miss: values of controls after a download failed, first deep links."""
PRIVATE = {"_client_state"}
OF_PYTHON = {"_replace", "_asdict", "_fields", "_exit"}


def test_private_names_are_those_and_are_there() -> None:
    used: set[str] = set()
    for path in (ROOT / "app.py", ROOT / "asgi.py", *PAGES.rglob("*.py")):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        places = [node for node in nodes if isinstance(node, ast.Attribute) and not node.attr.startswith("__")]
        of_self = {place.attr for place in places if isinstance(place.value, ast.Name) and place.value.id == "self"}
        used |= {place.attr for place in places if place.attr.startswith("_")} - of_self
    assert used - OF_PYTHON == PRIVATE
    assert version("streamlit").startswith(f"{STREAMLIT}.")
    assert "_client_state" in AppSession.__init__.__code__.co_names
    assert PagesManager.uses_pages_directory in {None, True, False}  # no underscore, and in no documentation


def test_every_page_is_a_short_script() -> None:
    lengths = {page.name: len(page.read_text(encoding="utf-8").splitlines()) for page in PAGES.glob("[!_]*.py")}
    assert max(lengths.values()) <= 350, lengths
