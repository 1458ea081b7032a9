"""Statements about shares of attention: the same from a file, an option, and Python."""

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
    for how in ([file], ["--target", file], ["--statements", file]):
        assert fairviz("policy-lab", *FILES, *how, *FEW).out == by_option.out
    alone = fairviz("policy-lab", *FILES, "--statements", '{"region": {"Africa": 0.15}}', *FEW).csv
    assert {row["group"]: row["statement"] for row in alone if row["holds"]} == {"Africa": "exactly 15.0 %"}
    rows = by_option.csv
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


@pytest.mark.filterwarnings("ignore::fairviz.errors.DataWarning")
def test_proposals_of_options_of_a_file_and_of_python_are_the_same(fairviz: Command, tmp_path: Path) -> None:
    file = tmp_path / "size.json"
    file.write_text(json.dumps({"provider": BOUNDS["provider"]}))
    named = ("--proposal", f"Both={json.dumps(BOUNDS)}", "--proposal", f"Size alone={file}")
    done = fairviz(
        "policy-lab", *FILES, *named, "--method", "det-greedy", "--table", "proposals,agreed", "--format", "json"
    )
    printed = json.loads(done.out)["tables"]
    assert [row["proposal"] for row in printed["proposals"]] == ["today", "Both", "Size alone"]
    proposals = {"Both": BOUNDS, "Size alone": {"provider": {"large": (0.4, None)}}}
    result = fv.policy_lab(fv.load(FILES), proposals=proposals, methods="det-greedy")
    assert result.frame("proposals")["provider.large"].tolist() == [
        row["provider.large"] for row in printed["proposals"]
    ]
    assert result.frame("agreed")["most"].tolist() == [row["most"] for row in printed["agreed"]]
    refusal = fairviz("policy-lab", *FILES, "--proposal", "no statements").refusal
    assert "--proposal: expected NAME=JSON or NAME=FILE" in refusal


def test_a_mistake_is_one_line(fairviz: Command) -> None:
    wrong = json.dumps({"region": {"Africa": {"least": 0.1}}})
    assert "--statements" in fairviz("policy-lab", *FILES, "--statements", wrong, *FEW).refusal
