"""Vectors of a server on this machine: what is asked, what is kept, and what is told where it fails."""

from pathlib import Path
from typing import Any

import pytest

from fairviz.errors import DescriptionError, UndefinedError
from fairviz.experiments.protocols import Document, Hits
from fairviz.experiments.store import Store
from tests.experiments.choosing import chosen
from tests.experiments.endpoint import CUT_OFF, MALFORMED, RATE_LIMITED, Endpoint, Said, said, serving

CORPUS = [Document(f"d{row}", "", "x" * row + "y") for row in range(10)]


def vectors(body: dict[str, Any], n: int = 1) -> Said:
    """(length, 3) of each text, in any order."""
    data = [{"object": "embedding", "index": i, "embedding": [len(t), 3]} for i, t in enumerate(body["input"])]
    return said({"object": "list", "data": data[::-1], "model": "tiny", "usage": {"prompt_tokens": 1}})


def retrieved(server: Endpoint, *, numbers: Store | None = None, **given: Any) -> Hits:
    choice = chosen("endpoint", base_url=server.url, model="tiny", batch=4, **given)
    (hits,) = choice.build(CORPUS, numbers=numbers).retrieve({"q": "z" * 20}, depth=3)
    return hits


def test_documents_are_ranked_by_the_vectors_that_come_back() -> None:
    with serving(vectors) as server:
        hits = retrieved(server)
        assert retrieved(server, similarity="dot").scores.tolist() == [10 * 20 + 9, 9 * 20 + 9, 8 * 20 + 9]
    assert hits.positions.tolist() == [9, 8, 7]
    assert hits.scores[0] == pytest.approx((10 * 20 + 9) / (109 * 409) ** 0.5, abs=1e-6)
    assert sorted(len(body["input"]) for body in server.bodies) == [1, 1, 2, 2, 4, 4, 4, 4]
    assert all(body["model"] == "tiny" and body["encoding_format"] == "float" for body in server.bodies)


def test_nothing_is_asked_twice_whatever_failed_before(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.sqlite")

    def breaking(body: dict[str, Any], n: int) -> Said | None:
        return said({"error": {"message": "too long"}}, 400) if CORPUS[9].text in body["input"] else vectors(body)

    with serving(breaking) as server, pytest.raises(UndefinedError, match="status 400: too long; run it again"):
        retrieved(server, numbers=store, concurrency=1)
    assert len(server.bodies) == 4
    with serving(vectors) as server:
        first = retrieved(server, numbers=store)
        assert [body["input"] for body in server.bodies] == [[CORPUS[8].text, CORPUS[9].text]]
        assert retrieved(server, numbers=store).scores.tolist() == first.scores.tolist()
        assert len(server.bodies) == 1
        retrieved(server, numbers=store, revision="2")
        assert len(server.bodies) == 5, "another revision is another model"
    store.close()


def test_a_server_that_is_busy_or_broken_for_a_while_is_tried_again() -> None:
    def later(body: dict[str, Any], n: int) -> Said | None:
        return vectors(body) if n > 1 else RATE_LIMITED

    with serving(later) as server:
        assert retrieved(server).positions.tolist() == [9, 8, 7]
    assert set(server.calls.values()) == {2}


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (MALFORMED, "no JSON came back"),
        (said({"data": []}), "vectors came back"),
        (said([1]), "vectors came back"),
        (said({"data": [{"index": 0, "embedding": ["a"]}]}), "vectors came back"),
        (CUT_OFF, "cannot be reached|no JSON"),
    ],
)
def test_what_is_no_answer_is_told(answer: Said, why: str) -> None:
    with serving(lambda body, n: answer) as server, pytest.raises(UndefinedError, match=why):
        retrieved(server, retries=0)


def test_the_key_is_sent_and_never_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TINY_KEY", "secret-123")
    with serving(vectors) as server:
        retrieved(server, key_env="TINY_KEY")
    assert {headers["Authorization"] for headers in server.headers} == {"Bearer secret-123"}
    refused = said({"error": {"message": "wrong key secret-123"}}, 401)
    with serving(lambda body, n: refused) as server, pytest.raises(UndefinedError, match="wrong key") as caught:
        retrieved(server, key_env="TINY_KEY")
    assert "secret" not in str(caught.value)
    with pytest.raises(DescriptionError, match="key_env"):
        retrieved(server, key_env="not set!")
