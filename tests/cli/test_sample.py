"""``fairviz sample``: rankings that ``evaluate`` reads, with the exposure they were drawn from."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from fairviz.io.rankings import read_rankings
from fairviz.model import RankingSample
from fairviz.points.curves import drawn_by_query
from tests.cli.conftest import Command

RUN = "data/demo/bm25.run"
QRELS = "data/demo/usefulness.qrels"
SMALL = Path(__file__).parents[1] / "small"


@pytest.fixture
def demo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SMALL)


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize("policy", ["plackett-luce", "optimal", "oracle"])
def test_what_is_drawn_has_the_exact_values_up_to_chance(fairviz: Command, tmp_path: Path, policy: str) -> None:
    """1,000 rankings of 14 queries: standard errors are below 0.003."""
    file = tmp_path / "drawn.run"
    drawn = fairviz(
        "sample", RUN, "-k", 5, "--alpha", 2, "--samples", 1000, "--seed", 7, "--policy", policy, "--qrels", QRELS
    )
    file.write_text(drawn.out)
    curve = fairviz("tradeoff", RUN, "--qrels", QRELS, "-k", 5, "--alpha", 2, "--policy", policy, "--format", "json")
    exact = curve.json["tables"]["curves"][0]
    measures = "EED(estimate='unbiased')@5, EED@5, EER@5"
    found = fairviz("evaluate", file, "--qrels", QRELS, "-m", measures, "--format", "json")
    unbiased, plugin, relevance = (row["value"] for row in found.json["tables"]["means"])
    assert unbiased == pytest.approx(exact["EED"], abs=0.01)
    assert relevance == pytest.approx(exact["EER"], abs=0.01)
    assert plugin >= unbiased


@pytest.mark.usefixtures("demo")
def test_the_file_says_where_it_comes_from(fairviz: Command, tmp_path: Path) -> None:
    file = tmp_path / "drawn.run"
    arguments = ("sample", RUN, "-k", 3, "--alpha", 0.5, "--samples", 4)
    done = fairviz(*arguments, "--seed", 1)
    assert done.code == 0
    assert done.out == fairviz(*arguments, "--seed", 1).out
    assert done.out != fairviz(*arguments, "--seed", 2).out
    assert fairviz(*arguments).out == fairviz(*arguments, "--seed", 0).out
    file.write_text(done.out)
    sample = read_rankings(str(file)).value
    assert (sample.system, sample.policy, sample.alpha) == ("bm25", "plackett-luce", 0.5)
    assert set(sample.n_samples.tolist()) == {4}
    assert {len(line.split()) for line in done.out.splitlines()} == {6}
    assert len(done.out.splitlines()) == 14 * 4 * 3


@pytest.mark.parametrize("policy", ["plackett-luce", "optimal", "oracle"])
@pytest.mark.parametrize("attention", ["rbp", "dcg", "geometric", "log"])
def test_attention_to_all_ranks(fairviz: Command, files: Path, policy: str, attention: str) -> None:
    """Judged items that the run lacks are shown by the oracle alone."""
    options = ("--attention", attention, "--alpha", 1, "--samples", 9, "--policy", policy)
    done = fairviz("sample", "one.run", *options, "--qrels", "qrels")
    assert done.code == 0
    shown: dict[tuple[str, str], set[str]] = {}
    for line in done.out.splitlines():
        query, sample, doc, *_ = line.split()
        shown.setdefault((query, sample), set()).add(doc)
    wanted = {"a", "b", "c", "d"} if policy == "oracle" else {"a", "b", "c"}
    assert all(shown["q1", str(n)] == wanted for n in range(1, 10))


def test_the_tag_names_scale_and_offset_where_they_are_not_the_defaults(fairviz: Command, files: Path) -> None:
    (files / "tiny.run").write_text("q Q0 d 1 2 t\nq Q0 e 2 1 t\n")
    for policy in ("plackett-luce", "optimal"):
        arguments = ("-k", 1, "--alpha", 2, "--samples", 3, "--scores", "zscore", "--offset", 0, "--policy", policy)
        (files / "drawn.run").write_text(fairviz("sample", "tiny.run", *arguments).out)
        assert (
            (files / "drawn.run")
            .read_text()
            .splitlines()[0]
            .endswith(f"t;policy={policy};alpha=2;scores=zscore;offset=0")
        )
        sample = read_rankings("drawn.run").value
        assert (sample.system, sample.policy, sample.alpha) == ("t", policy, 2)
        assert (sample.scores, sample.offset) == ("zscore", 0)


def test_rankings_are_written_as_they_are_drawn(fairviz: Command, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault in drawing the last query finds the others printed; a file of results then has none of them."""

    def faulty(*arguments: object, **options: object) -> Iterator[RankingSample]:
        *others, _ = drawn_by_query(*arguments, **options)  # type: ignore[arg-type]
        yield from others
        raise MemoryError

    monkeypatch.setattr("fairviz.cli.rankings.drawn_by_query", faulty)
    arguments = ("sample", "one.run", "-k", 1, "--alpha", 1, "--samples", 2)
    done = fairviz(*arguments)
    assert done.code == 2
    assert [line.split()[0] for line in done.out.splitlines()] == ["q1", "q1", "q2", "q2"]
    assert fairviz(*arguments, "--output", "drawn.run").code == 2
    assert not (files / "drawn.run").exists()
