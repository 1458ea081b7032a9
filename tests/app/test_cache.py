"""The one cache of the pages: what is shared, what is private, and what an upload must not touch."""

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from fairviz.model import Dataset
from pages._kit import session
from pages._kit.session import cached
from tests.app.reading import QRELS, RUN, of_files

CALLS: list[tuple[str, tuple[object, ...]]] = []


@cached  # each test asks with a k of its own: what pages have computed of the example stays for other tests
def lengths(loaded: Dataset, k: int, *, scale: float = 1.0) -> list[float]:
    CALLS.append((loaded.name, (k, scale)))
    return [k * scale * len(run.query_ids) for run in loaded.runs]


@pytest.fixture(autouse=True)
def _fresh() -> None:
    CALLS.clear()


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> Dataset:
    """Data that stand for the example, whose results all sessions share."""
    monkeypatch.setattr("pages._kit.session.is_shipped", lambda _: True)
    return of_files(run=RUN)


def test_a_result_is_computed_once_and_not_copied(loaded: Dataset) -> None:
    assert lengths(loaded, 2) is lengths(loaded, 2) is lengths(loaded, k=2)
    assert CALLS == [("Small", (2, 1.0))]
    assert lengths(loaded, 2, scale=2.0) == [12.0]
    assert len(CALLS) == 2


def test_other_files_have_other_results(loaded: Dataset) -> None:
    assert lengths(loaded, 5) is not lengths(of_files(run=RUN, qrels=QRELS), 5)
    assert len(CALLS) == 2


def test_results_of_an_upload_stay_in_their_session(monkeypatch: pytest.MonkeyPatch) -> None:
    def script() -> None:
        from tests.app.reading import RUN, of_files
        from tests.app.test_cache import lengths

        lengths(of_files(run=RUN), 7)

    AppTest.from_function(script).run().run()
    assert len(CALLS) == 1
    monkeypatch.setattr("pages._kit.session.is_shipped", lambda _: True)
    lengths(of_files(run=RUN), 7)
    assert len(CALLS) == 2, "what all sessions share has it not"


def test_only_what_was_read_as_the_example_is_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "_SHIPPED", set[str]())
    upload = of_files(run=RUN)
    monkeypatch.setattr(session, "_read_example", lambda: replace(upload, name="Example"))
    assert not session.is_shipped(upload)
    assert session.is_shipped(session.example())
