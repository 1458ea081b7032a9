"""Whatever is typed and given: exit 0 with strict JSON, or exit 2 with one line; never a fault."""

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairviz.cli.main import main
from fairviz.kernels.grouping import PRESETS
from fairviz.reranking.catalogue import RERANKERS, Reranker

queries = st.sampled_from(["q1", "q2", "q3"])
items = st.sampled_from("abcdef")
score = st.sampled_from(["0", "1", "-2.5", "1e300", "-1e-300", "7"])
run_lines = st.dictionaries(st.tuples(queries, items), score, max_size=12)
grades = st.dictionaries(st.tuples(queries, items), st.integers(-2, 1000), max_size=12)

attention = st.sampled_from(
    [
        ["-k", "1"],
        ["-k", "3"],
        ["-k", "50"],
        ["--attention", "rbp"],
        ["--attention", "log"],
        ["--attention", "dcg", "-k", "2"],
        ["--attention", "geometric", "--gamma", "0.9"],
    ]
)
gain = st.sampled_from([[], ["--rel", "1"], ["--rel", "2"]])
offset = st.sampled_from([[], ["--offset", "0"]])
policy = st.sampled_from(["plackett-luce", "optimal", "oracle"])
measures = st.sampled_from(
    [
        "EED@1",
        "EER@3",
        "EEL@50",
        "EED(browsing='rbp')",
        "EEL(browsing='cascade', norm='none')@2",
        "EER(norm='fair-rag')@2",
        "EED(norm='expeval', browsing='rbp')",
        "EEL(pool='run')@2",
        "EED(estimate='unbiased')@2",
        "nDCG@2",
        "AP",
        "RBP",
        "alpha_nDCG@3",
        "Compat",
        "infAP",
    ]
)


def ended(arguments: list[str]) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(arguments)
    return code, out.getvalue(), err.getvalue()


def check(arguments: list[str], *, prints_json: bool = True) -> str:
    """What is printed; nothing where one line says why not."""
    code, out, err = ended(arguments)
    assert code in (0, 2), err
    if code == 2:
        assert out == ""
        assert err.splitlines()[-1].startswith("error: ")
    elif prints_json:
        assert json.loads(out, parse_constant=pytest.fail)["schema"] == 2
    return out


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("any")


def written(folder: Path, scores: dict[tuple[str, str], str], judged: dict[tuple[str, str], int]) -> tuple[str, str]:
    run, qrels = folder / "x.run", folder / "x.qrels"
    rows = sorted(scores.items(), key=lambda row: row[0][0])
    run.write_text("".join(f"{q} Q0 {d} 1 {s} x\n" for (q, d), s in rows))
    qrels.write_text("".join(f"{q} 0 {d} {g}\n" for (q, d), g in judged.items()))
    return str(run), str(qrels)


@settings(max_examples=20)
@given(
    scores=run_lines,
    judged=grades,
    how=st.tuples(attention, gain, offset),
    alphas=st.sampled_from(["0:8:3", "0,1000", "3"]),
    policies=policy | st.just("all"),
    samples=st.sampled_from([[], ["--samples", "2"]]),
)
def test_curve(folder: Path, scores, judged, how, alphas, policies, samples) -> None:
    run, qrels = written(folder, scores, judged)
    options = [word for part in how for word in part]
    grid = ["--alpha", alphas, "--policy", policies, "--format", "json"]
    check(["tradeoff", run, "--qrels", qrels, *options, *grid, *samples])


@settings(max_examples=20)
@given(scores=run_lines, judged=grades, texts=st.lists(measures, min_size=1, max_size=5))
def test_evaluate(folder: Path, scores, judged, texts: list[str]) -> None:
    run, qrels = written(folder, scores, judged)
    asked = [word for text in texts for word in ("-m", text)]
    check(["evaluate", run, "--qrels", qrels, *asked, "--format", "json"])


@settings(max_examples=20)
@given(
    scores=run_lines,
    judged=grades,
    how=st.tuples(attention, gain, offset),
    alpha=st.sampled_from(["0", "2", "8", "1000"]),
    chosen=policy,
    with_qrels=st.booleans(),
)
def test_sample(folder: Path, scores, judged, how, alpha, chosen, with_qrels) -> None:
    run, qrels = written(folder, scores, judged)
    options = [word for part in how for word in part]
    options += ["--qrels", qrels] if with_qrels else []
    drawn = ["--alpha", alpha, "--policy", chosen, "--samples", "3"]
    check(["sample", run, *options, *drawn], prints_json=False)


@given(
    method=st.sampled_from(RERANKERS),
    scores=run_lines.filter(bool),
    judged=grades,
    groups=st.dictionaries(
        st.tuples(items, st.sampled_from(["n", "s", "w"])), st.sampled_from([0.1, 0.25, 0.3]), min_size=1, max_size=9
    ),
    target=st.sampled_from(
        [*PRESETS, {"n": 1}, {"n": 0.3, "s": 0.7}, {"n": 0.2, "s": 0.3, "w": 0.5}, {"x": 0.5, "n": 0.5}]
    ),
    k=st.sampled_from([1, 3, 50]),
    constraint=st.sampled_from(["target", "DP", "DT", "DI"]),
)
def test_rerank(folder: Path, method: Reranker, scores, judged, groups, target, k: int, constraint: str) -> None:
    """A run that holds every item of every list once, or one line that says why not."""
    run, qrels = written(folder, scores, judged)
    rows = [f"{doc}\t{group}\t{weight}\n" for (doc, group), weight in groups.items()]
    (folder / "g.tsv").write_text("doc_id\tregion\tweight\n" + "".join(rows))
    (folder / "t.json").write_text(json.dumps(target))
    options = ["--target", target if isinstance(target, str) else str(folder / "t.json"), "-k", str(k)]
    options += ["--qrels", qrels] if judged else []
    options += ["--group", "n"] if method.protects_one else []
    options += ["--constraint", constraint] if any(option.name == "constraint" for option in method.options) else []
    labels = ["--groups", str(folder / "g.tsv"), "--samples", "2"]
    out = check(["rerank", run, "--method", method.name, *labels, *options], prints_json=False)
    shown = [line.split()[:3] for line in out.splitlines()]
    assert len({tuple(row) for row in shown}) == len(shown)
    for query, sample in {(query, sample) for query, sample, _ in shown}:
        own = {doc for q, s, doc in shown if (q, s) == (query, sample)}
        known = {doc for q, doc in scores if q == query}
        assert own <= known
        assert len(own) == (min(k, len(known)) if method.is_policy else len(known))
    assert not out or {query for query, *_ in shown} == {query for query, _ in scores}
