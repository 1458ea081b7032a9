"""What uploads may take of the memory: of a session, of a server, and what is said when there is no more."""

import gc
import os
import tomllib
from pathlib import Path

import numpy as np
import pytest

from fairviz.errors import InputError, UsageError
from fairviz.io.limits import MAX_UPLOAD
from fairviz.io.source import Source
from pages._server import budget
from pages._server.budget import MB, TAKEN, Budget, from_environment, memory_of_machine, peak, weight
from tests.app.conftest import OpenPage
from tests.app.reading import QRELS, words
from tests.dashboard import ROOT


def test_a_session_may_hold_so_much() -> None:
    one = Budget(session=3 * MB, server=100 * MB)
    account = one.open("a")
    one.hold(account, 2 * MB)
    with pytest.raises(InputError) as refused:
        one.hold(account, 2 * MB)
    assert "it takes 2 MB, your files take 2 MB, and a session may hold 3 MB" in str(refused.value)
    assert "Remove a file" in refused.value.fix
    assert account.held == 2 * MB
    with pytest.raises(InputError, match="in this session"), one.arriving("a", 2 * MB):
        pass
    with one.arriving("b", 2 * MB):  # others have theirs
        assert one.held == 4 * MB


def test_all_sessions_together_may_hold_so_much() -> None:
    one = Budget(session=10 * MB, server=10 * MB)
    accounts = [one.open(name) for name in "ab"]
    for account in accounts:
        one.hold(account, 4 * MB)
    with pytest.raises(InputError) as refused, one.arriving("c", 3 * MB):
        pass
    assert "it takes 3 MB, the files of all sessions take 8 MB, and together they may hold 10 MB" in str(refused.value)
    assert "try again in a few minutes" in refused.value.fix
    accounts.clear()  # they were the session's states; `account` is the last one of them
    del account
    gc.collect()
    assert one.held == 0
    with one.arriving("c", 3 * MB):
        assert one.held == 3 * MB
    assert one.held == 0


def test_there_is_room_to_read_before_it_is_read() -> None:
    text = QRELS.encode() * 100
    one = Budget(session=MB, server=len(text) * TAKEN["qrels"])
    assert not one.is_reading
    with one.reading(Source("my.qrels", None, text), None):
        assert one.is_reading
        assert one.held == one.server
    assert one.held == 0, "what a reading took is returned"
    with pytest.raises(ZeroDivisionError), one.reading(Source("my.qrels", None, text), None):
        _ = 1 / 0
    assert one.held == 0
    with pytest.raises(InputError, match="no room for it on the server") as refused:
        one.reading(Source("my.qrels", None, text + b"q3 0 d1 1\n"), None).__enter__()
    assert "try again" not in refused.value.fix, "it is too large for an empty server"


def test_a_packed_file_is_counted_by_its_text() -> None:
    import gzip

    text = QRELS.encode() * 1000
    assert peak(gzip.compress(text), "qrels") == peak(text, "qrels") == len(text) * TAKEN["qrels"]


def test_weight_counts_what_nouns_share_once() -> None:
    numbers = np.zeros(1000)
    assert 8000 <= weight(numbers, (numbers, numbers)) < 8200
    assert weight({"a" * 1000: ("b" * 1000,)}) > 2000


def test_the_environment_sets_the_budgets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FAIRVIZ_SESSION_MEMORY", raising=False)
    monkeypatch.delenv("FAIRVIZ_SERVER_MEMORY", raising=False)
    assert from_environment().server == memory_of_machine() // 2
    assert 0 < memory_of_machine() <= os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    monkeypatch.setenv("FAIRVIZ_SERVER_MEMORY", "100")
    assert (from_environment().server, from_environment().session) == (100 * MB, 100 * MB)
    monkeypatch.setenv("FAIRVIZ_SESSION_MEMORY", "50")
    assert from_environment().session == 50 * MB
    for wrong in ("2GB", "0", "-1"):
        monkeypatch.setenv("FAIRVIZ_SESSION_MEMORY", wrong)
        with pytest.raises(UsageError, match=f"FAIRVIZ_SESSION_MEMORY={wrong}"):
            from_environment()


def test_the_limit_of_a_control_group_is_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limit, none = tmp_path / "memory.max", tmp_path / "memory.limit_in_bytes"
    limit.write_text(f"{300 * MB}\n")
    none.write_text("max\n")
    monkeypatch.setattr(budget, "_limit_files", lambda: [none, limit, tmp_path / "missing"])
    assert memory_of_machine() == 300 * MB


def test_the_largest_upload_is_one_number(app_test: OpenPage) -> None:
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert settings["server"]["maxUploadSize"] * MB == MAX_UPLOAD
    said = words(app_test("data"))
    assert said.count(f"Up to {MAX_UPLOAD // MB} MB") == 1
