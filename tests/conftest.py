"""What every test may ask for."""

import gc
import os

# There is a process of tests for each core: threads of linear algebra, of frames and of ours would only wait for each
# other. Tests of what threads do side by side ask for them.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("POLARS_MAX_THREADS", "1")
os.environ.setdefault("FAIRVIZ_THREADS", "1")
import gettext
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

# Times vary on shared machines; a law either holds or does not. The same examples for everybody and every
# time: what a commit broke is then what it changed. `make fuzz` looks for new ones.
settings.register_profile("fairviz", deadline=None, max_examples=15, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=500)
# What one process has compiled the next ones read: a second worker, commands, servers.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Nobody's own studies and workspace are opened, and nothing is kept beside them.
os.environ["FAIRVIZ_STUDIES"] = str(Path(tempfile.gettempdir()) / f"fairviz-no-studies-{os.getpid()}")
os.environ["FAIRVIZ_WORKSPACE"] = "off"
# Numbers worked out by hand and records are of a small example, which is also read sooner than the shipped one.
os.environ["FAIRVIZ_EXAMPLE"] = str(Path(__file__).resolve().parent / "small" / "data" / "demo")
settings.load_profile(os.environ.get("FAIRVIZ_EXAMPLES", "fairviz"))

gettext.find = cache(gettext.find)
"""argparse looks on the disk for a translation of each of its words, again and again: a tenth of many a command."""

TESTS = Path(__file__).resolve().parent
KINDS = {"e2e": "e2e", "app": "app", "cli": "cli", "benchmarks": "cli", "docs": "cli"}
"""Which kind of test stands in a folder or file of ``tests``; all others are ``unit``."""

SHARED = TESTS.parents[1] / "shared"


@cache
def kind(path: Path) -> str:
    """The kind of the tests in a file; doctests of the library are unit tests."""
    room = path.relative_to(TESTS).parts[:1] if path.is_relative_to(TESTS) else ()
    return KINDS.get("".join(room), "unit")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With ``-m unit`` or less nobody imports Streamlit and Playwright for tests that are not chosen."""
    only_unit = config.option.markexpr.partition(" and ")[0] == "unit"
    return (only_unit and kind(collection_path) != "unit") or None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test has one kind. The slowest come first, so that processes end together."""
    for item in items:
        item.add_marker(kind(item.path))
    items.sort(key=lambda item: kind(item.path) != "e2e")


def pytest_configure() -> None:
    """Collecting makes much that stays and little that goes: no search for garbage meanwhile."""
    gc.disable()


def pytest_collection_finish() -> None:
    """What is imported by now stays to the end: garbage is searched among what tests make, and less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The conformance data beside the checkout; tests that need it skip where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("conformance data (../shared) is not beside this checkout")
    return SHARED


@pytest.fixture
def word_counting() -> Iterator[None]:
    """Descriptions may name the example's own answerers, which need no language model."""
    from data.make_demo import register
    from fairviz.experiments.config import KINDS

    own = dict(KINDS)
    register()
    yield
    KINDS.update(own)  # type: ignore[attr-defined] -- nobody else writes it
