"""``fairviz rerank``: files that ``evaluate`` reads, options, and one line for every mistake."""

import json
from pathlib import Path

import pytest

from fairviz.io.rankings import read_rankings
from fairviz.model import RankingSample, Run
from fairviz.reranking.catalogue import RERANKERS, Reranker
from tests.cli.conftest import Command, Done


@pytest.fixture
def region(files: Path) -> Path:
    """one.run: q1 a b c, q2 b a, q9 a. a and b are in the north, c in the south."""
    (files / "region.tsv").write_text("doc_id\tregion\na\tnorth\nb\tnorth\nc\tsouth\n")
    (files / "target.json").write_text(json.dumps({"north": 0.5, "south": 0.5}))
    return files


def docs(done: Done, query: str = "q1") -> list[str]:
    return [line.split()[2] for line in done.out.splitlines() if line.split()[0] == query]


TO_TARGET = ("--groups", "region.tsv", "--target", "target.json")


@pytest.mark.usefixtures("region")
def test_a_run_comes_back(fairviz: Command) -> None:
    done = fairviz("rerank", "one.run", "--method", "DetGreedy", *TO_TARGET, "-k", 2)
    assert done.code == 0
    assert done.out.splitlines() == [
        "q1 Q0 a 1 2.0 one+det-greedy",
        "q1 Q0 c 2 1.0 one+det-greedy",
        "q1 Q0 b 3 0.0 one+det-greedy",
        "q2 Q0 b 1 1.0 one+det-greedy",
        "q2 Q0 a 2 0.0 one+det-greedy",
        "q9 Q0 a 1 0.0 one+det-greedy",
    ]
    assert done.errors == ["warning: one.run: group 'south' has a share but no item in 2 queries (q2, q9)"]


@pytest.mark.parametrize("method", RERANKERS, ids=lambda m: m.name)
def test_every_method_is_read_again(fairviz: Command, region: Path, method: Reranker) -> None:
    options = ("--group", "south") if method.protects_one else ()
    done = fairviz("rerank", "one.run", "--method", method.name, *TO_TARGET, "-k", 2, *options)
    assert done.code == 0
    (region / "again.run").write_text(done.out)
    ranked = read_rankings(str(region / "again.run")).value
    assert isinstance(ranked, RankingSample if method.is_policy and not method.all_queries else Run)
    assert ranked.query_ids == ("q1", "q2", "q9")


@pytest.mark.usefixtures("region")
def test_without_k_the_whole_list_is_decided(fairviz: Command) -> None:
    said = ("rerank", "one.run", "--method", "det-cons", "--groups", "region.tsv")
    whole = fairviz(*said, "--target", "uniform")
    assert docs(whole) == docs(fairviz(*said, "--target", "uniform", "-k", 3)) == ["a", "c", "b"]


@pytest.mark.usefixtures("region")
def test_repeats_and_seeds(fairviz: Command, region: Path) -> None:
    options = ("--qrels", "qrels", "--epsilon", 0.4, "--repeats", 6, "-k", 3)
    said = ("rerank", "one.run", "--method", "fair-epsilon-greedy", *TO_TARGET, *options)
    done = fairviz(*said, "--seed", 5)
    assert done.out == fairviz(*said, "--seed", 5).out
    (region / "again.run").write_text(done.out)
    sample = read_rankings(str(region / "again.run")).value
    assert (sample.policy, sample.alpha) == ("fair-epsilon-greedy", 0.4)
    assert sample.n_samples.tolist() == [6, 6, 6]


@pytest.mark.usefixtures("region")
def test_fa_ir_from_the_command_line(fairviz: Command) -> None:
    """p = 1: every prefix needs a protected item as long as there is one."""
    said = ("rerank", "one.run", "--method", "FA*IR", *TO_TARGET, "-k", 3, "--least-share", 1)
    assert docs(fairviz(*said)) == ["c", "a", "b"]
    assert docs(fairviz(*said, "--group", "north")) == ["a", "b", "c"]


@pytest.mark.usefixtures("region")
def test_options_in_vain_are_told(fairviz: Command) -> None:
    done = fairviz("rerank", "one.run", "--method", "det-greedy", *TO_TARGET, "-k", 2, "--epsilon", 0.3)
    assert done.code == 0
    assert any("--epsilon means nothing to det-greedy" in line for line in done.errors)
    order = fairviz("rerank", "one.run", "--method", "det-greedy", *TO_TARGET, "-k", 2, "--scores", "ranks")
    assert any("--scores means nothing to det-greedy" in line for line in order.errors)  # it reads the order alone


@pytest.mark.usefixtures("region")
@pytest.mark.parametrize("policy", ["plackett-luce", "optimal"])
def test_policies_of_scores_see_them_as_sample_does(fairviz: Command, policy: str) -> None:
    drawn = ("--alpha", 2, "-k", 2, "--samples", 20, "--seed", 1)
    scaled = fairviz("rerank", "one.run", "--method", policy, *drawn, "--scores", "ranks")
    assert scaled.out == fairviz("sample", "one.run", "--policy", policy, *drawn, "--scores", "ranks").out
    assert ";scores=ranks" in scaled.out
    assert fairviz("rerank", "one.run", "--method", policy, *drawn).out == (
        fairviz("sample", "one.run", "--policy", policy, *drawn).out
    )


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--method", "plackett-luce", "--scores", "log"), "scores: 'given' | 'ranks' | 'zscore'"),
        (("--method", "det-greed", *TO_TARGET), "did you mean det-greedy?"),
        (("--method", "det-greedy", "--target", "uniform"), "give --groups FILE"),
        (("--method", "det-greedy", "--groups", "region.tsv"), "needs a target"),
        (("--method", "det-greedy", "--groups", "region.tsv", "--target", "relevance"), "--qrels"),
        (("--method", "det-greedy", *TO_TARGET, "-k", "0"), "-k"),
        (("--method", "fair-epsilon-greedy", *TO_TARGET, "--epsilon", "much"), "expected a number"),
        (("--method", "fair-epsilon-greedy", *TO_TARGET, "--epsilon", "nan"), "in [0, 1]"),
        (("--method", "fair-epsilon-greedy", *TO_TARGET, "--irm", "AP"), "'alpha_nDCG' | 'nDCG'"),
        (("--method", "fa-ir", *TO_TARGET, "--group", "east"), "groups: north, south"),
        (("--method", "det-greedy", *TO_TARGET, "--repeats", "3"), "repeats would all be equal"),
    ],
)
@pytest.mark.usefixtures("region")
def test_mistakes_are_one_line(fairviz: Command, arguments: tuple[str, ...], reason: str) -> None:
    assert reason in fairviz("rerank", "one.run", *arguments).refusal


def test_help_lists_every_method(fairviz: Command) -> None:
    said = fairviz("rerank", "--help").out
    assert all(f"  {method.name} " in said for method in RERANKERS)
    assert max(map(len, said.splitlines())) <= 100
