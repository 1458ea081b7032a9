"""One table of a page: settings are read as they are declared, refused in one line; text and JSON hold the same."""

from pathlib import Path

import pytest

from tests.cli.conftest import Command

AREAS = ("table", "tradeoff", "areas", "one.run", "two.run", "--qrels", "qrels")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((), "table tradeoff: give --set k=VALUE (see"),
        (("--set", "k=0"), "--set k=0: expected a whole number up to 1000"),
        (("--set", "k=1", "--set", "gain=much"), "--set gain=much: expected one of graded, binary"),
        (("--set", "k=1", "--set", "k=2"), "--set k=2: k is said twice"),
        (("--set", "K=1"), "--set K=1: expected NAME=VALUE, of k, quality, system"),
        (("--set", "k=1", "--set", "system=three"), "--set system=three: expected one of one, two"),
        (("--set", "k=1", "--set", "quality=EU"), "there are no recorded answers: give --outputs FILE"),
    ],
)
def test_settings_are_refused_in_words(files: Path, fairviz: Command, arguments: tuple[str, ...], reason: str) -> None:
    done = fairviz(*AREAS, *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.errors[-1].startswith(f"error: {reason}".removesuffix(" (see"))


def test_the_system_that_is_named_comes_first(files: Path, fairviz: Command) -> None:
    rows = fairviz(*AREAS, "--set", "k=1", "--set", "system=two", "--format", "json").json["areas"]
    assert {row["system"] for row in rows} == {"two"}  # "one" would narrow the range that is compared
    assert fairviz(*AREAS, "--set", "k=1").out.split()[:3] == ["system", "policy", "auc"]


def test_a_table_that_there_is_not_names_those_that_there_are(files: Path, fairviz: Command) -> None:
    done = fairviz("table", "tradeoff", "area", *AREAS[3:], "--set", "k=1")
    assert done.errors[-1].startswith("error: there is no table 'area' on these data; there are curves, areas")
