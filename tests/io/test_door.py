"""Whatever a reader meets is an error of the file that was given."""

import inspect
from collections.abc import Callable
from typing import Any, BinaryIO

import pytest

from fairviz.errors import InputError, UnreadableError
from fairviz.io import formats
from fairviz.io.bbq_answers import carried_predictions
from fairviz.io.dataset import add_file
from fairviz.io.join import read_predictions, validate
from fairviz.io.rankings import read_ranked_run, read_run
from fairviz.io.source import Source
from fairviz.model import Dataset
from tests.loaded import load_dataset

READERS: dict[str, Callable[..., Any]] = {
    **formats.READERS,
    **{"run by scores": read_run, "run by ranks": read_ranked_run, "sniff": formats.sniff},
    **{"carried": carried_predictions, "predictions": read_predictions},
    "validate": lambda file: validate(file, "run"),
    "add_file": lambda file: add_file(Dataset(), file),
}


class Broken(Source):
    """A file that cannot be opened, for a reason that nobody thought of."""

    fault: Exception = RuntimeError("it\nbroke\x1b")

    def stored(self) -> BinaryIO:
        raise self.fault


@pytest.mark.parametrize("name", READERS)
def test_an_exception_that_nobody_foresaw_names_the_file(name: str) -> None:
    with pytest.raises(UnreadableError) as refused:
        READERS[name](Broken("odd.file"))
    error = refused.value
    assert isinstance(error, InputError)
    assert error.__cause__ is Broken.fault
    told = r"this file could not be read, which is a bug in fairviz (RuntimeError: it broke\x1b)"
    assert str(error) == f"odd.file: {told}"
    assert "Report it" in error.fix


@pytest.mark.parametrize(
    "fault", [MemoryError(), RecursionError("deep"), KeyError("k"), UnicodeDecodeError("a", b"", 0, 1, "b")]
)
def test_of_whatever_kind(fault: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Broken, "fault", fault)
    with pytest.raises(UnreadableError, match=type(fault).__name__) as refused:
        formats.sniff(Broken("odd.file"))
    assert str(refused.value).isprintable()


def test_a_disk_that_fails_is_no_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Broken, "fault", OSError(5, "Input/output error"))
    with pytest.raises(InputError, match=r"^odd\.file: cannot be read to its end: Input/output error") as refused:
        formats.sniff(Broken("odd.file"))
    assert not isinstance(refused.value, UnreadableError)


def test_the_other_files_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault in one reader is an error of its file, as any other."""

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("fairviz.io.targets.json_object", broken)
    loaded = load_dataset([("t.json", b'{"a": 0.5, "b": 0.5}'), ("a.run", b"q Q0 d 1 2 s\n")])
    assert [run.system for run in loaded.dataset.runs] == ["s"]
    assert [type(error) for error in loaded.errors] == [UnreadableError]
    assert str(loaded.errors[0]).startswith("t.json: ")


def test_readers_keep_their_words() -> None:
    """What help() shows is the reader, not its door."""
    for read, name in ((read_run, "read_run"), (read_ranked_run, "read_ranked_run"), (formats.sniff, "sniff")):
        assert read.__name__ == name
        assert inspect.getdoc(read)
