"""The documentation is built without a warning, whole, and asks nothing of any network."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import fairviz
from fairviz.cli.main import COMMANDS
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.reranking.catalogue import RERANKERS
from tests.docs.blocks import DOCS, ROOT

FETCHED = {"script": "src", "img": "src", "link": "href", "iframe": "src"}
"""What a browser fetches by itself, and where its address stands."""


class Page(HTMLParser):
    """What a built page fetches, links to and can be linked by."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.fetched: set[str] = set()
        self.links: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.anchors |= {name for name in (given.get("id"), given.get("name")) if name}
        address = given.get(FETCHED.get(tag, ""))
        if address:
            self.fetched.add(address)
        if tag == "a" and given.get("href"):
            self.links.add(str(given["href"]))


def test_the_site(tmp_path: Path) -> None:
    pytest.importorskip("sphinx", reason='Sphinx is absent: pip install "fairviz[docs]"')
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-d", tmp_path / "doctrees", DOCS]
    done = subprocess.run([*command, tmp_path / "site"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    texts = {path: path.read_text(encoding="utf-8") for path in (tmp_path / "site").rglob("*.html")}
    for path, text in texts.items():
        assert re.findall(r'<pre>|role="heading">|<aside class="[\w-]*">|<th class="head"><p></p>', text) == [], path
    pages = {path: Page(text) for path, text in texts.items()}
    assert [address for page in pages.values() for address in page.fetched if urlsplit(address).netloc] == []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            to = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert to.exists(), f"{path.name} links to {link}"
            assert not parts.fragment or unquote(parts.fragment) in pages[to].anchors, f"{path.name} links to {link}"
    _generated(tmp_path / "site" / "reference")


def _generated(folder: Path) -> None:
    """Nothing of the catalogues, the parsers and the public names is missing."""
    measures, rerankers, commands, names = (
        (folder / f"{name}.html").read_text(encoding="utf-8") for name in ("measures", "rerankers", "commands", "api")
    )
    assert measures.count("<math") == len(CATALOGUE)
    assert [one.name for one in CATALOGUE.values() if not re.search(rf">{one.name}\b", measures)] == []
    said = re.sub(r"<[^>]*>", "", rerankers)
    assert [one.name for one in RERANKERS if f"--method {one.name}\n" not in said] == []
    assert [name for name in COMMANDS if f"usage: fairviz {name}" not in commands] == []
    assert [name for name in getattr(fairviz, "__all__", ()) if f'id="fairviz.{name}"' not in names] == []
