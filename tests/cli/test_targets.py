"""What the shell says of attention by group and of the price of a target."""

import csv
import io
from pathlib import Path

import pytest

from tests.cli.conftest import Command


def test_a_target_that_sums_to_1_but_for_rounding_is_read_as_on_the_page(fairviz: Command, files: Path) -> None:
    (files / "kind.tsv").write_text("doc_id\tkind\na\tx\nb\ty\nc\tz\n")
    (files / "thirds.json").write_text('{"x": 0.333, "y": 0.333, "z": 0.333}')
    words = (
        "one.run",
        "--groups",
        "kind.tsv",
        "--target",
        "thirds.json",
        "-k",
        "2",
        "--table",
        "shares",
        "--format",
        "csv",
    )
    rows = list(csv.DictReader(io.StringIO(fairviz("groups", *words).out)))
    assert [float(row["target"]) for row in rows] == pytest.approx([1 / 3] * 3)


def test_the_shares_of_a_brief_come_from_the_shell(fairviz: Command) -> None:
    demo = Path("data/demo")
    given = (demo / "bm25.run", "--qrels", demo / "usefulness.qrels", "--groups", demo / "region.tsv")
    chosen = ("--target", demo / "target.json", "--method", "det-cons", "--format", "json")
    done = fairviz("policy-lab", *map(str, (*given, *chosen))).json["tables"]
    shares, best = done["shares"], done["methods"][0]
    assert {row["group"]: row["target"] for row in shares}["Africa"] == 20
    for side in ("today", "after"):
        assert sum(row[side] for row in shares) == pytest.approx(100)
        assert all(row[f"{side}_low"] < row[side] < row[f"{side}_high"] for row in shares)
    off = sum(abs(row["after"] - row["target"]) for row in shares) / 2
    assert off == pytest.approx(best["off_target"])
    assert off < sum(abs(row["today"] - row["target"]) for row in shares) / 2
