"""What files take of memory: refused before they are read, by a factor of their kind."""

import gzip
import re
import tomllib

import pytest
import streamlit as st

from fairviz.errors import InputError
from fairviz.io.formats import FORMATS
from fairviz.io.limits import MAX_UPLOAD
from fairviz.io.source import Source
from pages._kit import uploads
from pages._kit.uploads import MB, MEMORY, is_reading, reading, text_size
from tests.app.conftest import OpenPage
from tests.app.reading import QRELS, words
from tests.dashboard import ROOT


def test_what_a_session_keeps_is_its_text_times_the_factor_of_its_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Source("my.qrels", None, QRELS.encode())
    for role in (None, "qrels"):
        with reading(source, role, 0) as kept:
            assert is_reading()
            assert kept == round(len(QRELS) * MEMORY["qrels"]["kept"])
        assert not is_reading()
    monkeypatch.setenv("FAIRVIZ_SESSION_MEMORY", "3")
    with pytest.raises(InputError) as refused, reading(source, None, 3 * MB):
        pass
    assert "it takes 1 MB, your files take 3 MB, and a session may hold 3 MB" in str(refused.value)
    assert "Remove a file" in refused.value.fix
    with pytest.raises(ZeroDivisionError), reading(source, None, 0):
        _ = 1 / 0
    assert not is_reading()


def test_a_packed_file_counts_as_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    text = QRELS.encode() * 40_000
    packed = Source("my.qrels.gz", None, gzip.compress(text))
    halves = Source("my.qrels.gz", None, gzip.compress(text[:20]) + gzip.compress(text[20:]))
    assert text_size(packed) == text_size(halves) == len(text)
    monkeypatch.setattr(st, "get_option", {"server.maxUploadSize": len(text) // MB}.get)
    with pytest.raises(InputError, match=r"its text takes 2 MB, and a file that is added here may hold 1 MB"):
        reading(packed, None, 0).__enter__()


def test_the_factors_that_people_read_are_those_that_count() -> None:
    """The table of the how-to, as the benchmark measured it."""
    text = (ROOT / "docs" / "how-to" / "hosting.md").read_text(encoding="utf-8")
    said = {
        role: (float(peak), float(kept))
        for roles, peak, kept in re.findall(r"^\| [^|]*\(([a-z, -]+)\) \| ([\d.]+) \| ([\d.]+) \|$", text, re.MULTILINE)
        for role in roles.split(", ")
    }
    assert said == {role: (factor["peak"], factor["kept"]) for role, factor in MEMORY.items()}
    assert MEMORY.keys() == {each.role for each in FORMATS}, "any of them may be added"
    assert uploads.SESSION_DEFAULT == 1024
    assert "may keep: 1,024" in text


def test_the_largest_upload_is_one_number(app_test: OpenPage) -> None:
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert settings["server"]["maxUploadSize"] * MB == MAX_UPLOAD
    said = words(app_test("data"))
    assert said.count(f"Up to {MAX_UPLOAD // MB} MB") == 1
