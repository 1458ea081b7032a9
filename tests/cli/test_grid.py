"""``fairviz grid``: a grid of recorded answers and runs, its columns, and what is refused."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fairviz.resources import example_folder
from fairviz.studies.compare.analysis import analyse
from fairviz.studies.compare.settings import GridSettings
from tests.cli.conftest import Command
from tests.lines import write_run
from tests.loaded import example


@pytest.fixture
def answers(files: Path) -> tuple[str, ...]:
    """Two retrievers × two α of twelve queries: answers of ``dense`` are better by 0.2."""
    for retriever, lift in (("bm25", 0.0), ("dense", 0.2)):
        for alpha in (1, 8):
            rows = [
                {
                    "sample": str(sample),
                    "query_id": f"q{q}",
                    "run_id": f"{retriever}-{alpha}",
                    "task": "lamp-1",
                    "retriever": retriever,
                    "generator": "small",
                    "policy": "plackett-luce",
                    "alpha": alpha,
                    "utility": round(0.3 + lift + q / 100 + sample / 1000, 4),
                    "ranking": [{1: "abc", 8: "aab"}[alpha][sample], "d"],  # EE-D 0, and 1/9 over {a, b}
                    "answer": [{"text": "x", "citations": []}],
                    "references": [],
                }
                for q in range(12)
                for sample in range(3)
            ]
            (files / f"{retriever}-{alpha}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return ("grid", "--outputs", "bm25-1.jsonl", "bm25-8.jsonl", "dense-1.jsonl", "dense-8.jsonl", "-k", "1")


def test_a_baseline_by_factor_turns_the_sign(fairviz: Command, answers: tuple[str, ...]) -> None:
    (gap,) = fairviz(*answers, "--baseline", "retriever=dense", "--format", "json").json["tables"]["differences"]
    assert (gap["retriever"], gap["verdict"]) == ("bm25", "lower")
    done = fairviz(*answers, "--baseline", "dense")
    assert done.errors[-1].startswith("error: dense: expected FACTOR=VALUE")


def test_columns_are_asked_for(fairviz: Command, answers: tuple[str, ...]) -> None:
    out = fairviz(*answers, "--by", "task,retriever,generator", "--format", "csv").out
    rows = list(csv.reader(io.StringIO(out)))
    assert rows[0][:4] == ["task", "retriever", "generator", "auc"]
    assert rows[2][:3] == ["lamp-1", "dense", "small"]
    assert fairviz(*answers, "--by", "task").errors[-1] == "error: two systems have task lamp-1: add retriever"
    for flag in ("--by", "--rows", "--columns", "--colour"):
        assert f"{flag} size: expected one of task, dataset, retriever" in fairviz(*answers, flag, "size").err


@pytest.mark.parametrize(("factor", "found"), [("task", ["lamp-1", "other"]), ("dataset", ["", "other"])])
def test_what_a_table_of_systems_says_is_of_another_task_or_data_set_is_not_compared(
    fairviz: Command, answers: tuple[str, ...], files: Path, factor: str, found: list[str]
) -> None:
    (files / "systems.csv").write_text(f"system,{factor}\ndense-1,other\ndense-8,other\n")
    body = fairviz(*answers, "--systems", "systems.csv", "--format", "json").json["tables"]
    assert [row[factor] for row in body["areas"]] == found
    assert body["differences"] == []


def test_runs_have_exact_curves(fairviz: Command, files: Path) -> None:
    done = fairviz("grid", "one.run", "two.run", "--qrels", "qrels", "-k", 1, "--alpha", "0,2,8", "--format", "json")
    assert done.code == 0, done.err
    assert {row["retriever"] for row in done.json["tables"]["points"]} == {"one", "two"}
    assert {row["n_samples"] for row in done.json["tables"]["points"]} == {None}


@pytest.fixture
def drawn(files: Path) -> tuple[str, ...]:
    """Two α of samples drawn from one.run, which the tag names."""
    for alpha, lists in ((1, ("ab", "ba", "cb")), (8, ("ab", "ab", "ac"))):
        lines = [
            f"q{q} {sample} {doc} {rank} {9 - rank} one;policy=plackett-luce;alpha={alpha}\n"
            for q in (1, 2)
            for sample, shown in enumerate(lists)
            for rank, doc in enumerate(shown, start=1)
        ]
        (files / f"drawn-{alpha}.run").write_text("".join(lines))
    (files / "abc.qrels").write_text("".join(f"q{q} 0 {doc} {int(doc == 'a')}\n" for q in (1, 2) for doc in "abc"))
    return ("grid", "drawn-1.run", "drawn-8.run", "--qrels", "abc.qrels", "-k", "1", "--format", "json")


def test_why_there_is_no_curve_is_no_remark_of_a_reader(fairviz: Command) -> None:
    """The run has tied scores, which is noted, and is not why its answers are asked for in vain."""
    run, qrels = (example_folder() / name for name in ("bm25.run", "usefulness.qrels"))
    done = fairviz("grid", run, "--qrels", qrels, "-k", "5", "--quality", "EU")
    assert done.code == 2
    assert "no curve of EU: give --outputs FILE recorded along alpha" in done.err
    done = fairviz("grid", run, "-k", "5")
    assert "no curve of EER: give RUN with --qrels FILE, or --outputs FILE recorded along alpha" in done.err


def test_samples_of_two_tasks_are_no_curve(fairviz: Command, tmp_path: Path) -> None:
    """Judged by a file each, their queries differ: they are two tasks, and points of one curve are over the same."""
    for i, queries in ((1, range(3)), (2, range(3, 8))):
        rows = [
            f"q{q} {s} d{s ^ r} {r} {9 - r} one-{i};policy=p;alpha={i}\n"
            for q in queries
            for s in (0, 1)
            for r in (0, 1)
        ]
        (tmp_path / f"{i}.run").write_text("".join(rows), encoding="utf-8")
        (tmp_path / f"{i}.qrels").write_text("".join(f"q{q} 0 d0 1\n" for q in queries), encoding="utf-8")
    files = [str(tmp_path / name) for name in ("1.run", "2.run", "1.qrels", "2.qrels")]
    done = fairviz("grid", *files[:2], "--qrels", files[2], "--qrels", files[3], "-k", "1", "--format", "json")
    assert [(row["task"], row["alpha"]) for row in done.json["tables"]["points"]] == [("1", 1), ("2", 2)]
    assert [(row["task"], row["auc"], row["n_queries"]) for row in done.json["tables"]["areas"]] == [
        ("1", None, 3),
        ("2", None, 5),
    ]


def test_recorded_samples_are_a_condition_along_alpha(fairviz: Command, drawn: tuple[str, ...]) -> None:
    points = fairviz(*drawn, "--by", "retriever,policy").json["tables"]["points"]
    assert [(row["retriever"], row["policy"], row["alpha"]) for row in points] == [
        ("one", "plackett-luce", 1),
        ("one", "plackett-luce", 8),
    ]
    # three candidates, k = 1: a, b and c each once: ‖ε‖² is 1/3, its least; a always: 1, its most
    assert [row["EED"] for row in points] == pytest.approx([0, 1])
    assert {row["n_samples"] for row in points} == {3}


def test_samples_beside_the_exact_curve_of_their_run_keep_apart(
    fairviz: Command, drawn: tuple[str, ...], files: Path
) -> None:
    write_run(files, "one", {"q1": "abcd", "q2": "abcd"})
    command, *rest = drawn
    points = fairviz(command, "one.run", *rest, "--alpha", "1,8").json["tables"]["points"]
    assert {row["policy"] for row in points} == {"plackett-luce", "sampled plackett-luce"}
    # the run's four documents are the candidates of the samples: ‖ε‖² = 1/3 lies between 1/4 and 1
    sampled = [row["EED"] for row in points if row["policy"] == "sampled plackett-luce"]
    assert sampled == pytest.approx([(1 / 3 - 1 / 4) / (3 / 4), 1])


def test_a_table_of_systems_gives_alpha(fairviz: Command, answers: tuple[str, ...], files: Path) -> None:
    (files / "systems.csv").write_text("system,alpha\nbm25-1,0.5\n")
    points = fairviz(*answers, "--systems", "systems.csv", "--format", "json").json["tables"]["points"]
    assert [row["alpha"] for row in points if row["retriever"] == "bm25"] == [0.5, 8]


def test_labels_of_generators_make_the_generator_a_factor(fairviz: Command, files: Path) -> None:
    for name, useful in (("small", "a"), ("large", "b")):
        judged = (f"q{q} 0 {doc} {int(doc == useful)}\n" for q in (1, 2) for doc in "abc")
        (files / f"{name}.qrels").write_text("".join(judged))
    labels = ("--qrels", "small=small.qrels", "--qrels", "large=large.qrels")
    body = fairviz("grid", "one.run", *labels, "-k", 1, "--alpha", "1,8", "--format", "json").json["tables"]
    assert [(row["generator"]) for row in body["areas"]] == ["small", "large"]
    assert "labels of" not in json.dumps(body["areas"])


@pytest.mark.slow
def test_answers_are_estimated_between_their_alphas(fairviz: Command) -> None:
    """The example without α = 2, which was recorded too: 0.3021, with a standard error of 0.002."""
    example = example_folder()
    outputs = [example / f"outputs.alpha-{alpha}.jsonl.gz" for alpha in (1, 4, 8)]
    command = ("grid", example / "bm25.run", "--outputs", *outputs, "-k", 5, "--alpha", "1,2,3,9")
    done = fairviz(*command, "--format", "json")
    estimated, refused = done.json["tables"]["estimates"]
    assert (estimated["alpha"], estimated["estimated"]) == (2, "estimated")
    assert estimated["EU"] == pytest.approx(0.3021, abs=0.005)
    assert estimated["EU_low"] < estimated["EU"] < estimated["EU_high"]
    assert (refused["alpha"], refused["estimated"], refused["EU"]) == (3, "refused", None)
    assert [(row["alpha"], row["estimated"]) for row in done.json["tables"]["points"]] == [
        (1, False),
        (4, False),
        (8, False),
        (2, True),
    ]
    assert done.json["tables"]["points"][-1]["quality"] == estimated["EU"]
    assert any("not estimated at α = 3: effective size 18, at least 25 is needed" in line for line in done.errors)
    best = fairviz(*command, "--quality", "EU/best", "--format", "json").json["tables"]["estimates"][0]
    assert best["EU/best"] == pytest.approx(0.54, abs=0.02)
    alone = fairviz("grid", "--outputs", *outputs, "-k", 5, "--table", "estimates")
    assert alone.errors[-1].startswith("error: there is no table 'estimates' on these data; there are points, areas")


def test_answers_to_lists_that_the_run_lacks_are_not_estimated(
    fairviz: Command, answers: tuple[str, ...], files: Path
) -> None:
    write_run(files, "bm25", {f"q{q}": "ab" for q in range(12)})
    done = fairviz(answers[0], "bm25.run", *answers[1:], "--format", "json")
    assert "estimates" not in done.json["tables"]
    assert "estimated" not in done.json["tables"]["points"][0]
    assert any("nothing is estimated between the recorded α: 72 of the given lists" in line for line in done.errors)


@pytest.mark.parametrize(
    ("settings", "drawn_bounds"),
    [({}, {"oracle", "optimal"}), ({"policy": ("plackett-luce", "optimal")}, {"oracle"}), ({"frontier": False}, set())],
)
def test_bounds_of_the_baseline_are_drawn_unless_they_are_compared(
    settings: dict[str, Any], drawn_bounds: set[str]
) -> None:
    data = replace(example(), samples=(), outputs=(), qrels=example().qrels[:1])
    analysis = analyse(data, GridSettings(quality="EER", alpha=(0.0, 2.0, 8.0), **settings))
    view = analysis.charts["lines"].results[0]
    assert {curve.factors.policy for curve in view.curves if curve.is_bound} == drawn_bounds
    assert len(analysis.tables["areas"].rows) == len(settings.get("policy", ("plackett-luce",)))
