"""``fairviz tradeoff``: points that an independent computation confirms, what is told, labels of generators."""

import shlex
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Command
from tests.evaluation.literal import exposure_measures
from tests.lines import write_run


@pytest.fixture
def five(files: Path) -> tuple[str, ...]:
    """A run and judgements with items enough to trade."""
    (files / "five.run").write_text(
        "".join(f"q{q} Q0 {d} {r} {9 - r * (q + 1) / 2} five\n" for q in (1, 2) for r, d in enumerate("abcde", start=1))
    )
    (files / "five.qrels").write_text("q1 0 b 2\nq1 0 d 1\nq2 0 e 1\nq2 0 z 3\n")
    return ("tradeoff", "five.run", "--qrels", "five.qrels", "-k", "2", "--alpha", "0:8:5", "--policy", "plackett-luce")


def test_drawn_points_are_near_exact_ones_and_seeded(fairviz: Command, five: tuple[str, ...]) -> None:
    exact = fairviz(*five, "--format", "json").json["tables"]["curves"]
    drawn = (*five, "--samples", "4000", "--format", "json")
    first, again, other = (fairviz(*drawn, "--seed", s).json["tables"]["curves"] for s in (1, 1, 2))
    assert first == again != other
    assert [row["n_samples"] for row in first] == [4000] * 5 + [None] * 2
    for sampled, known in zip(first, exact, strict=True):
        assert sampled["EED"] == pytest.approx(known["EED"], abs=0.03)
        assert sampled["EER"] == pytest.approx(known["EER"], abs=0.03)


def test_a_systems_points_do_not_depend_on_its_company(fairviz: Command, five: tuple[str, ...], files: Path) -> None:
    write_run(files, "other", {"q1": "ab", "q2": "e"})
    command, run, *rest = (*five, "--samples", "20", "--depth", "full", "--format", "json")
    alone = fairviz(command, run, *rest).json["tables"]["curves"]
    both = fairviz(command, "other.run", run, *rest).json["tables"]["curves"]
    assert [row for row in both if row["system"] == "five"] == alone


@pytest.mark.parametrize("attention", [("rbp", "--p", "0.5"), ("geometric", "--gamma", "0.3"), ("log",), ("dcg",)])
@pytest.mark.parametrize("cutoff", [(), ("-k", "3")])
def test_any_attention(
    fairviz: Command, five: tuple[str, ...], attention: tuple[str, ...], cutoff: tuple[str, ...]
) -> None:
    """Without -k attention reaches to the end; the deterministic point is the literal one."""
    without_k = [word for word in five if word not in ("-k", "2")]
    done = fairviz(*without_k, *cutoff, "--attention", *attention, "--format", "json")
    last = done.json["tables"]["curves"][-1]
    lists = {"q1": {"b": 2, "d": 1}, "q2": {"e": 1, "z": 3}}
    for name in ("EED", "EER"):
        wanted = [
            exposure_measures(["abcde"], grades, browsing=attention[0], p=0.5, gamma=0.3, cutoff=3 if cutoff else None)[
                name
            ]
            for grades in lists.values()
        ]
        assert last[name] == pytest.approx(np.mean(wanted))


def test_unused_attention_is_told_and_an_empty_range_is_null(fairviz: Command, tmp_path: Path) -> None:
    """Two of nine pool items are ranked: with attention to all ranks every policy over them leaves
    most of it unused, so that EE-D lies below 0, where the oracle has no point."""
    (tmp_path / "x.run").write_text("q Q0 a 1 2 r\nq Q0 b 2 1 r\n")
    judged = "".join(f"q 0 {doc} {int(doc == 'a')}\n" for doc in "abcdefghi")
    (tmp_path / "x.qrels").write_text(judged)
    options = shlex.split("--attention dcg --alpha 0:4:3 --policy all --format json")
    done = fairviz("tradeoff", tmp_path / "x.run", "--qrels", tmp_path / "x.qrels", *options)
    messages = [one["message"] for one in done.json["warnings"]]
    assert any("1 query ranked shorter than the pool" in message for message in messages)
    assert done.json["tables"]["curves"][0]["EED"] < 0
    ranges = [(row["auc"] is None, row["range_low"]) for row in done.json["tables"]["areas"]]
    assert ranges[0] == ranges[1]
    assert not ranges[0][0]
    alone = fairviz("tradeoff", tmp_path / "x.run", "--qrels", tmp_path / "x.qrels", *shlex.split("-k 5 --format json"))
    assert any("1 query ranked shorter than min(k, n)" in warning["message"] for warning in alone.json["warnings"])


def test_the_acceptance_command(fairviz: Command, shared: Path) -> None:
    folder = shared / "data/real/runs"
    options = shlex.split("-k 5 --alpha 0:8:9 --policy plackett-luce --format json")
    done = fairviz("tradeoff", folder / "rag24.test.run.gz", "--qrels", folder / "rag24.test.qrels.gz", *options)
    points = done.json["tables"]["curves"]
    assert [row["alpha"] for row in points] == [*map(float, range(9)), None, None]
    at_four = points[4]
    assert at_four["EED"] == pytest.approx(0.747, abs=1e-3)
    assert at_four["EER"] == pytest.approx(0.345, abs=1e-3)
    assert (at_four["n_queries"], at_four["n_undefined"]) == (86, 3)
    rising = [row["EED"] for row in points[:9]]
    assert rising == sorted(rising)


def test_runs_that_join_nothing_or_narrow_the_range_are_named(fairviz: Command, files: Path) -> None:
    for tag, depth in (("deep", 60), ("other", 50), ("short", 10)):
        write_run(files, tag, {"q1": [f"d{i}" for i in range(depth)]})
    (files / "q").write_text("".join(f"q1 0 d{i} {i % 2}\n" for i in range(60)))
    (files / "lost.run").write_text("301 Q0 d1 1 2 lost\n")
    options = shlex.split("--qrels q -k 5 --alpha 0,4 --depth full --policy plackett-luce --format json")
    done = fairviz("tradeoff", "deep.run", "other.run", "short.run", "lost.run", *options)
    assert any(line.startswith("warning: lost.run: left out: no query in common") for line in done.errors)
    *compared, narrow = done.json["tables"]["areas"]
    assert (narrow["system"], narrow["auc"], narrow["range_low"]) == ("short", None, None)
    areas = [{key: row[key] for key in ("system", "auc", "range_low")} for row in compared]
    without = fairviz("tradeoff", "deep.run", "other.run", *options)
    assert areas == [{key: row[key] for key in areas[0]} for row in without.json["tables"]["areas"]]
    told = "short has no area: with it the others would share less than 80 % of their common range of EE-D"
    assert f"warning: short.run: {told}" in done.errors
    assert [row["system"] for row in fairviz("tradeoff", "short.run", *options).json["tables"]["areas"]] == ["short"]


def test_the_same_ranking_kept_deeper_has_the_same_curve(fairviz: Command, files: Path) -> None:
    """Deeper lists hold more candidates; both are read to the common depth, by ``tradeoff`` and by ``grid``."""
    for tag, depth in (("deep", 60), ("short", 20)):
        write_run(files, tag, {"q1": [f"d{i}" for i in range(depth)]})
    (files / "q").write_text("".join(f"q1 0 d{i} {i % 2}\n" for i in range(20)))
    options = ("deep.run", "short.run", "--qrels", "q", "-k", "5", "--alpha", "0,4", "--format", "json")
    for command in ("tradeoff", "grid"):
        done = fairviz(
            command, *options, *(("--scores", "ranks", "--policy", "plackett-luce") if command == "tradeoff" else ())
        )
        values = [(row["auc"], row["slope"]) for row in done.json["tables"]["areas"]]
        assert any("lists of up to 60 documents cut to 20, the common depth" in line for line in done.errors)
        assert values[0] == values[1]
        whole = fairviz(command, *options, "--depth", "full")
        assert not any("cut" in line for line in whole.errors)
        values = [(row["auc"], row["slope"]) for row in whole.json["tables"]["areas"]]
        assert values[0] != values[1]
    caption = fairviz("grid", *options[:-2], "--table", "areas", "--format", "latex").out
    assert "lists cut to their common depth of 20" in caption


def test_labels_of_several_generators_give_a_curve_each(fairviz: Command, five: tuple[str, ...], files: Path) -> None:
    """As ``evaluate`` gives a row for each: the deterministic point is its EE-R."""
    (files / "h.qrels").write_text("q1 0 a 1\nq2 0 b 1\nq2 0 e 1\n")
    labels = ("--qrels", "g=five.qrels", "--qrels", "h=h.qrels")
    command = (five[0], five[1], *labels, *five[4:], "--format", "json")
    body = fairviz(*command).json
    points = {row["labels"]: row["EER"] for row in body["tables"]["curves"] if row["policy"] == "deterministic"}
    rows = fairviz("evaluate", "five.run", *labels, "-m", "EER@2", "--format", "json").json["tables"]["means"]
    assert list(points) == ["g", "h"]
    assert points == pytest.approx({row["labels"]: row["value"] for row in rows})
    assert {row["system"] for row in (*rows, *body["tables"]["curves"], *body["tables"]["areas"])} == {"five"}
    assert {row["labels"] for row in body["tables"]["areas"]} == {"g", "h"}
    alone = fairviz(*five, "--format", "json").json["tables"]["curves"]
    assert [row["EER"] for row in alone] == [row["EER"] for row in body["tables"]["curves"] if row["labels"] == "g"]
    assert not any("labels" in row for row in alone)
    refused = [
        fairviz(*command, "--chart", "a.svg", *options).err for options in (("--system", "x"), ("--labels-of", "x"))
    ]
    assert "--system x: expected one of five\n" in refused[0]
    assert "--labels-of x: expected one of g, h\n" in refused[1]
    printed = fairviz(*command[:-2]).out  # a terminal tells the two apart, too
    assert "labels" in printed
    assert "labels of" not in printed


def test_a_figure_is_of_one_generators_labels(fairviz: Command, five: tuple[str, ...], files: Path) -> None:
    """The one that ``--labels-of`` names, as where these are the only labels; its name is that of the system."""
    (files / "h.qrels").write_text("q1 0 a 1\nq2 0 b 1\nq2 0 e 1\n")
    several = (five[0], five[1], "--qrels", "g=five.qrels", "--qrels", "h=h.qrels", *five[4:])
    for name in "gh":
        one = ("--qrels", f"{name}={'five' if name == 'g' else 'h'}.qrels")
        alone = fairviz(five[0], five[1], *one, *five[4:], "--chart", f"{name}-alone.html")
        both = fairviz(*several, "--system", "five", "--labels-of", name, "--chart", f"{name}.html")
        assert (alone.code, both.code) == (0, 0), alone.err + both.err
        assert (files / f"{name}.html").read_bytes() == (files / f"{name}-alone.html").read_bytes()
    assert (files / "g.html").read_bytes() != (files / "h.html").read_bytes()


def test_systems_of_another_task_are_told_where_they_are_not_shown(
    fairviz: Command, five: tuple[str, ...], files: Path
) -> None:
    for name in ("five.run", "five.qrels"):
        (files / f"w{name}").write_text((files / name).read_text().replace("q", "w").replace("five", "other"))
    told = [
        fairviz(command, "five.run", "five.qrels", "wfive.run", "wfive.qrels", *options).err
        for command, *options in (("tradeoff", "-k", "2"), ("agreement", "-m", "AP, RR"))
    ]
    assert all("warning: wfive.run: left out: of another task\n" in text for text in told)
