"""Every benchmark runs, at tiny size, and its numbers are right; times are not looked at."""

import json
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from benchmarks.__main__ import BENCHMARKS, main, table
from benchmarks.exposure import draw, extended_precision
from benchmarks.material import random_qrels, random_run
from benchmarks.measuring import Goal, Row, child, interleaved, percentile, ratio

IN_A_BROWSER = {"start", "move", "target_move", "answers_move"}


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in BENCHMARKS if name not in IN_A_BROWSER])
def test_every_benchmark_runs(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "figures.json"
    assert main([name, "--small", "--json", str(file)]) == 0
    rows = json.loads(file.read_text())["rows"]
    assert rows
    printed = capsys.readouterr().out
    for row in rows:
        assert row["benchmark"] == name
        assert row["value"] >= 0
        assert row["what"] in printed
    right = [row for row in rows if "error" in row["what"] or "difference" in row["what"]]
    compared = sum(find_spec(peer) is not None for peer in ("FairRankTune", "reranking"))
    counts = {"exposure": 12, "samples": 1, "bm25": 1, "fairness_of_exposure": 1, "groups": compared}
    assert len(right) == counts.get(name, 0)
    assert {row["verdict"] for row in right} <= {"met"}, right


def test_an_unknown_name_lists_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["exposures"])
    assert ended.value.code == 2
    assert "there are: exposure, curve" in capsys.readouterr().err


def test_extended_precision_by_hand() -> None:
    # Two of six items seen, scores all alike: every exposure is K/n.
    np.testing.assert_allclose(extended_precision(np.zeros(10), 1), 0.5, rtol=1e-13)
    # Six items, five seen, weights e^2 and 5 × e: the first is left out with the chance that it
    # is last, the sum over orders of the others of the product of their chances.
    w = np.exp([2.0, 1, 1, 1, 1, 1])
    last = np.prod([m * w[1] / (w[0] + m * w[1]) for m in range(5, 0, -1)])
    found = extended_precision(np.array([1.0, 0, 0, 0, 0, 0]), 1)
    np.testing.assert_allclose(found[0], 1 - last, rtol=1e-13)
    assert found.sum() == pytest.approx(5, abs=1e-12)


def test_drawn_exposure_is_near_the_exact_one() -> None:
    scores = np.linspace(1, 0, 20)
    drawn = draw(np.tile(scores, (200, 1)), 2, rng=np.random.default_rng(0)).mean(axis=0)
    # 20,000 draws: a standard error of at most 0.0036 each.
    np.testing.assert_allclose(drawn, extended_precision(scores, 2), atol=0.016)


def test_material_is_a_run_with_judgements_of_some_of_it() -> None:
    run = random_run(n_queries=3, n_items=50)
    assert (np.diff(run.scores.reshape(3, 50)) <= 0).all()
    assert all(len(set(docs)) == 50 for docs in run.docs.reshape(3, 50).tolist())
    assert 0 < (random_qrels(run).grades > 0).mean() < 0.3


def test_goals_ratios_and_percentiles() -> None:
    assert Row(what="", value=2, unit="×", goal=Goal(2)).verdict == "met"
    assert Row(what="", value=2, unit="×", goal=Goal(3, at_least=True)).verdict == "missed"
    assert Row(what="", value=float("nan"), unit="×", goal=Goal(2)).verdict == "missed"
    assert Row(what="", value=2, unit="×").verdict == ""
    assert ratio([2, 9, 4], [1, 3, 4]) == 2  # of 2, 3, 1
    assert percentile(range(1, 101), 0.95) == 95
    assert percentile([7.0], 0.95) == 7


def test_rounds_alternate_after_a_warm_up() -> None:
    told: list[str] = []
    seconds = interleaved(lambda: told.append("a"), lambda: told.append("b"), repeats=2)
    assert told == list("ababab")
    assert [len(own) for own in seconds] == [2, 2]


def test_a_child_tells_time_memory_and_output(tmp_path: Path) -> None:
    ours = np.ones(50_000_000)  # 400 MB of this process, which are not the child's
    found = child([sys.executable, "-c", "x = b'1' * 200_000_000; print('done')"], folder=tmp_path)
    assert found.printed == "done\n"
    assert 2e8 < found.peak < 3e8 < ours.nbytes
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        child([sys.executable, "-c", "1 / 0"], folder=tmp_path)


def test_the_table_is_markdown() -> None:
    row = Row(what="speed", value=1234.5, unit="×", goal=Goal(300, at_least=True), note="n")
    head, rule, line = table({"bm25": [row]}).splitlines()
    assert head.startswith("| what ")
    assert set(rule) == {"|", "-"}
    assert [cell.strip() for cell in line.split("|")[1:-1]] == ["speed", "1.23e+03 ×", "≥ 300 ×", "met", "n"]
