"""Data sets of ir_datasets' catalogue where commands read runs and judgements; none is downloaded here."""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from fairviz import bridges
from fairviz.extras import installing
from tests.cli.conftest import Command


class Catalogue(ModuleType):
    """What fairviz asks of ir_datasets, with one data set."""

    def load(self, name: str) -> Any:
        return {"tiny/trec": Tiny(), "far/away": Far()}[name]


class Tiny:
    """Two documents of a query; the relevant one stands second."""

    def has_qrels(self) -> bool:
        return True

    def has_scoreddocs(self) -> bool:
        return True

    def qrels_iter(self) -> Iterator[Any]:
        yield from (SimpleNamespace(query_id="q1", doc_id=doc, relevance=int(doc == "b")) for doc in "ab")

    def scoreddocs_iter(self) -> Iterator[Any]:
        yield from (SimpleNamespace(query_id="q1", doc_id=doc, score=score) for doc, score in (("a", 2.0), ("b", 1.5)))


class Far(Tiny):
    """A data set without scored documents whose judgements cannot be downloaded."""

    def has_scoreddocs(self) -> bool:
        return False

    def qrels_iter(self) -> Iterator[Any]:
        raise RuntimeError("All download sources failed")
        yield


@pytest.fixture
def catalogue(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(sys.modules, "ir_datasets", Catalogue("ir_datasets"))
    monkeypatch.delitem(sys.modules, "fairviz.bridges.ir_datasets", raising=False)
    monkeypatch.setattr(bridges, "ir_datasets", None, raising=False)  # what another test imported,
    monkeypatch.delattr(bridges, "ir_datasets")  # and what is imported here, for the next
    monkeypatch.setattr("fairviz.extras.find_spec", lambda _: object())
    yield
    sys.modules.pop("fairviz.bridges.ir_datasets", None)


@pytest.mark.usefixtures("catalogue")
def test_runs_and_judgements_come_from_the_catalogue(fairviz: Command, tmp_path: Path) -> None:
    named = ("irds:tiny/trec", "--qrels", "irds:tiny/trec")
    command = fairviz("evaluate", *named, "-m", "RR", "--format", "json")
    assert command.code == 0, command.err
    assert [(row["system"], row["value"]) for row in command.json["tables"]["means"]] == [("tiny/trec", 0.5)]
    fused = fairviz("fuse", "irds:tiny/trec", "irds:tiny/trec")
    assert fused.out.split()[:3] == ["q1", "Q0", "a"]


@pytest.mark.usefixtures("catalogue")
def test_what_cannot_be_had_is_one_line(fairviz: Command) -> None:
    for named, said in (
        (("irds:nowhere", "--qrels", "irds:tiny/trec"), "ir_datasets has no data set 'nowhere'"),
        (("irds:far/away", "--qrels", "irds:tiny/trec"), "far/away has no scored documents"),
        (("irds:tiny/trec", "--qrels", "irds:far/away"), "irds:far/away: ir_datasets could not get its judgements"),
        (("irds:tiny/trec", "--groups", "irds:tiny/trec"), "irds:tiny/trec: a data set can stand for runs and judgem"),
    ):
        command = fairviz("evaluate", *named, "-m", "RR")
        assert (command.code, command.err.count("\n")) == (2, 1)
        assert said in command.err


def test_without_the_package_the_extra_is_named(fairviz: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairviz.extras.find_spec", lambda _: None)
    command = fairviz("evaluate", "irds:tiny/trec", "-m", "RR")
    assert command.code == 2
    assert command.err == f"error: irds:NAME needs ir_datasets: {installing(['irds'])}\n"
