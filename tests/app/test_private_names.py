"""What the dashboard takes of Streamlit's insides: few names, and each is there in the version that was tested."""

import ast
from importlib.metadata import version

from streamlit.runtime.app_session import AppSession
from streamlit.runtime.pages_manager import PagesManager

from tests.dashboard import ROOT

STREAMLIT = "1.67"
"""Who raises it looks for what a person would miss: values of controls after a download failed, first deep links."""
PRIVATE = {"_client_state"}
OF_PYTHON = {"_replace", "_asdict", "_fields", "_exit"}


def test_private_names_are_those_and_are_there() -> None:
    used: set[str] = set()
    for path in (ROOT / "app.py", ROOT / "asgi.py", *(ROOT / "pages").rglob("*.py")):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        places = [node for node in nodes if isinstance(node, ast.Attribute) and not node.attr.startswith("__")]
        of_self = {place.attr for place in places if isinstance(place.value, ast.Name) and place.value.id == "self"}
        used |= {place.attr for place in places if place.attr.startswith("_")} - of_self
    assert used - OF_PYTHON == PRIVATE
    assert version("streamlit").startswith(f"{STREAMLIT}.")
    assert "_client_state" in AppSession.__init__.__code__.co_names
    assert PagesManager.uses_pages_directory in {None, True, False}  # no underscore, and in no documentation
