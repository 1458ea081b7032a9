"""Statements about shares of attention: the same from a file, an option, and Python."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

import fairviz as fv
from fairviz.resources import example_folder
from tests.cli.conftest import Command

BOUNDS = {"region": {"Africa": {"min": 0.15}}, "provider": {"large": {"min": 0.4}}}
FILES = [str(example_folder() / name) for name in ("bm25.run", "usefulness.qrels", "region.tsv", "provider.tsv")]
FEW = ("--method", "det-greedy", "--table", "statements", "--format", "csv")


@pytest.mark.filterwarnings("ignore::fairviz.errors.DataWarning")  # the example has ties, and says so
def test_file_option_and_python_say_the_same(fairviz: Command, tmp_path: Path) -> None:
    file = tmp_path / "bounds.json"
    file.write_text(json.dumps(BOUNDS))
    by_option = fairviz("policy-lab", *FILES, "--statements", json.dumps(BOUNDS), *FEW)
    for how in ([file], ["--target", file]):
        assert fairviz("policy-lab", *FILES, *how, *FEW).out == by_option.out
    rows = list(csv.DictReader(io.StringIO(by_option.out)))
    assert [row["statement"] for row in rows if row["holds"]] == ["at least 15.0 %", "at least 40.0 %"]
    run, qrels, *of_groups = FILES
    groups: Any = of_groups  # several are for this function and rerank alone
    asked = {"region": {"Africa": (0.15, None)}, "provider": {"large": (0.4, None)}}
    found = fv.policy_lab(run, qrels, groups=groups, target=asked, methods="det-greedy")
    after = found.frame("statements")["after"].tolist()
    assert after == pytest.approx([float(row["after"]) for row in rows], abs=1e-12)
    loaded = fv.policy_lab(fv.load([*FILES, file]), methods="det-greedy")
    assert loaded.frame("statements")["after"].tolist() == after
    assert loaded.findings[0].title.startswith("Both statements can hold at once: Africa gets 15")


def test_without_statements_methods_are_compared_with_equal_shares(fairviz: Command) -> None:
    done = fairviz("policy-lab", *FILES, "--method", "det-greedy", "--format", "json")
    found = json.loads(done.out)
    assert found["findings"][0]["title"].startswith("Nothing is asked yet: ")
    assert "equal share" in found["findings"][1]["title"] + found["findings"][1]["sentence"]
    assert "least-loss" not in found["tables"]


def test_a_mistake_is_one_line(fairviz: Command) -> None:
    wrong = json.dumps({"region": {"Africa": {"least": 0.1}}})
    done = fairviz("policy-lab", *FILES, "--statements", wrong, *FEW)
    assert (done.code, done.out, len(done.errors)) == (2, "", 1)
    assert "--statements" in done.errors[0]
