"""``fv.evaluate``, ``compare``, ``rerank``, ``tradeoff``, ``experiment``: the numbers of the commands of that name."""

import json
from importlib.util import find_spec
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import fairviz as fv
from fairviz.api.door import Result
from fairviz.io.rankings import write_run, write_samples
from fairviz.io.variants import read_variants
from fairviz.model import RankingSample, Run
from tests.api.conftest import Command
from tests.display.views import content_for_file

__all__ = ["content_for_file"]
pytestmark = pytest.mark.filterwarnings("ignore::fairviz.DataWarning")


def test_arguments_are_the_files_that_are_loaded(example: Path) -> None:
    """Whose rows are those of the command line (``test_commands.py``)."""
    names = ("bm25.run", "samples.alpha-4.run.gz", "usefulness.qrels", "region.tsv", "target.json")
    *runs, qrels, groups, target = files = [example / name for name in names]
    answers = [example / f"outputs.{name}.jsonl.gz" for name in ("alpha-4", "deterministic")]
    measures = ["nDCG@10, EER(rel=1)@5", "AWRF", "EU", "EAR@5"]
    found = fv.evaluate(runs, qrels, measures, groups=groups, target=target, outputs=answers, seed=7)
    loaded = fv.evaluate(fv.load(*files, *answers), measures=measures, seed=7)
    pd.testing.assert_frame_equal(found.frame(), loaded.frame())
    first, n = found.frame().iloc[0], len(found.frame())
    ends = f"{first['value']:.3f} ({first['low']:.3f} to {first['high']:.3f})"
    assert found.findings[0].title == f"bm25: {first['measure']} {ends} over 14 queries"
    assert found.findings[0].sentence.startswith(f"Below: {n} means of 4 systems by 5 measures")


def test_values_of_queries_and_what_is_given_in_memory() -> None:
    """q1 ranks a (grade 2) first, q2 b (grade 0); q3 is judged and not ranked."""
    run, qrels = (
        {"q1": {"a": 3, "b": 2}, "q2": {"b": 2, "a": 1}},
        {"q1": {"a": 2}, "q2": {"a": 1, "b": 0}, "q3": {"a": 1}},
    )
    with pytest.warns(fv.DataWarning, match="q3"):
        frame = fv.evaluate(fv.run(run, name="one"), qrels, "EER(norm='none')@1").frame("per-query")
    assert frame.to_dict("list") | {"value": None} == {
        "system": ["one"] * 3,
        "query_id": ["q1", "q2", "q3"],
        "measure": ["EER(norm='none')@1"] * 3,
        "value": None,
    }
    assert frame["value"][:2].tolist() == [1.0, 0.0]
    assert pd.isna(frame["value"][2])


def test_a_table_says_what_systems_are_made_of(tmp_path: Path) -> None:
    runs = [fv.run({"q": {"a": 2.0, "b": 1.0}}, name=name) for name in ("one", "two", "three")]
    said = {"one": {"task": "qa", "k": 5}, "two": {"task": "qa", "alpha": 0.5}, "three": {"task": "news"}}
    file = tmp_path / "systems.csv"
    file.write_text("system,task,alpha,k\none,qa,,5\ntwo,qa,0.5,\nthree,news,,\n")
    frame = pd.DataFrame([{"system": name, **row} for name, row in said.items()])  # k is 5.0 beside NaN
    first, *others = (fv.evaluate(runs, {"q": {"a": 1}}, "P@1", systems=given).frame() for given in (said, file, frame))
    for other in others:
        pd.testing.assert_frame_equal(first, other)
    assert first[["system", "task"]].to_numpy().tolist() == [["one", "qa"], ["two", "qa"], ["three", "news"]]
    assert (first["alpha"][1], first["k"][0]) == (0.5, 5)
    with pytest.warns(fv.DataWarning, match="three"):
        compared = fv.compare(runs, {"q": {"a": 1}}, "P@1", systems=said).frame()
    assert compared["system"].tolist() == ["two"]
    with pytest.warns(fv.DataWarning, match=r"^systems: rows that name no system .*: 1 of 1 \(four\); "):
        fv.evaluate(runs, {"q": {"a": 1}}, "P@1", systems={"four": {"task": "qa"}})
    with pytest.raises(fv.FairvizError, match=r"^list: row 1: alpha much is no number from 0 on"):
        fv.evaluate(runs, {"q": {"a": 1}}, "P@1", systems={"one": {}, "two": {"alpha": "much"}})


def test_a_depth_is_a_number_or_a_word() -> None:
    run, qrels = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 1}}
    values = [fv.evaluate(run, qrels, "RR", depth=depth).frame()["value"][0] for depth in (1, "1", 2, "full")]
    assert values == [0, 0, 0.5, 0.5]
    with pytest.raises(fv.FairvizError, match="depth"):
        fv.evaluate(run, qrels, "RR", depth=0)


def test_differences_are_shown_and_printed() -> None:
    found = fv.compare([{"q": {"a": 2, "b": 1}}, {"q": {"a": 1, "b": 2}}], {"q": {"a": 1}}, "P@1")
    assert "minus" in found._repr_html_()
    assert "\\begin{table" in found.latex()
    with pytest.raises(fv.FairvizError, match="table 'x': expected one of compared, compared-queries"):
        found.frame("x")


def test_the_area_of_the_main_table_is_that_of_the_grid_in_one_family_with_the_measures() -> None:
    """Beside a baseline and between every two."""
    rng = np.random.default_rng(2)
    queries = [f"q{i}" for i in range(12)]
    qrels = {query: {f"d{i}": int(i < 3) for i in range(8)} for query in queries}
    runs = {
        name: {query: {f"d{i}": lift * (i < 3) + rng.normal() for i in range(8)} for query in queries}
        for name, lift in (("base", 0.0), ("some", 1.0), ("most", 4.0))
    }
    found = fv.compare(runs, qrels, "nDCG@5", auc=3)
    areas = fv.grid(runs=runs, qrels=qrels, k=3).frame("areas").set_index("retriever")["auc"]
    wide = found.frame("wide").set_index("system")["AUC of EER@3"]
    assert wide.tolist() == areas[wide.index].tolist()
    of_grid = fv.grid(runs=runs, qrels=qrels, k=3).frame("differences").set_index("retriever")
    rows = found.frame("compared").set_index(["measure", "system"])
    names = ["difference", "low", "high", "p"]
    for name in ("some", "most"):
        assert rows.loc[("AUC of EER@3", name), names].tolist() == of_grid.loc[name, names].tolist()
    p = rows["p"].to_numpy()
    assert rows["p_holm"].max() <= 1
    assert rows["p_holm"].min() == pytest.approx(p.min() * np.isfinite(p).sum())
    two = fv.compare(runs, qrels, "nDCG@5", auc=3, letters=True).latex("wide")
    assert "Holm over 6 tests" in two


@pytest.mark.parametrize(
    ("method", "options"),
    [("det-greedy", {}), ("fair-epsilon-greedy", {"epsilon": 0.3, "repeats": 2, "seed": 4})],
    ids=["list", "lottery"],
)
def test_lists_are_those_of_the_command_line(
    fairviz: Command, example: Path, method: str, options: dict[str, float]
) -> None:
    region, target = example / "region.tsv", example / "target.json"
    made = fv.rerank(example / "bm25.run", method, groups=region, target=target, k=10, **options)
    typed = [part for name, value in options.items() for part in (f"--{name}", value)]
    command = fairviz(
        *("rerank", example / "bm25.run", "--method", method, "--groups", region, "--target", target, "-k", 10, *typed)
    )
    text = StringIO()
    write_run(made, text) if isinstance(made, Run) else write_samples(made, text)
    assert text.getvalue() == command.out
    assert isinstance(made, RankingSample) == bool(options)


@pytest.fixture(scope="module")
def curve(example: Path) -> Result:
    qrels = example / "usefulness.qrels"
    return fv.tradeoff(example / "bm25.run", qrels, k=5, policy="all", alpha=[0, 1, 8], rel=2, seed=3)


def test_the_chart_draws_these_points(curve: Result) -> None:
    points = curve.frame().query("policy == 'plackett-luce'")
    drawn = [trace for trace in curve.figure().data if trace.x is not None]
    assert any(set(points["EED"].round(9)) <= {round(x, 9) for x in trace.x if x is not None} for trace in drawn)


@pytest.mark.usefixtures("content_for_file")
def test_the_chart_is_saved_for_a_paper(curve: Result, tmp_path: Path) -> None:
    curve.save(tmp_path / "figure.png", width="90mm")
    content, factor = json.loads((tmp_path / "figure.png").read_text())
    assert content["layout"]["width"] * factor == pytest.approx(90 / 25.4 * 96)  # px
    with pytest.raises(fv.FairvizError, match=r"in .svg, .pdf or .png, or of a table in .csv, .tex, .html or .json$"):
        curve.save(tmp_path / "figure.eps")


def test_a_notebook_shows_the_chart_else_the_areas(curve: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    import plotly.io as pio

    monkeypatch.setattr(pio.renderers, "_default_renderers", list(pio.renderers._default_renderers))
    monkeypatch.setattr(pio.renderers, "_default_name", pio.renderers._default_name)
    pio.renderers.default = "plotly_mimetype"
    assert "application/vnd.plotly.v1+json" in curve._repr_mimebundle_()
    pio.renderers.default = "browser"
    shown = curve._repr_mimebundle_()
    assert "Plackett–Luce" in shown["text/html"]
    assert "plackett-luce" in shown["text/plain"]


def test_what_is_missing_is_said_in_one_line_with_the_way_to_install_it(
    curve: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    absent = {"kaleido"}
    monkeypatch.setattr("fairviz.extras.find_spec", lambda name: None if name in absent else find_spec(name))
    with pytest.raises(fv.FairvizError, match=r'needs kaleido: .* -m pip install .*\[print\]"$'):
        curve.save(tmp_path / "figure.svg")
    absent.add("plotly")
    with pytest.raises(fv.FairvizError, match=r'^a chart needs plotly: .* -m pip install .*\[app\]"$'):
        curve.figure()
    assert "Plackett–Luce" in curve._repr_mimebundle_()["text/html"]


def test_samples_have_no_curve_and_no_scores_to_rerank_by(example: Path) -> None:
    with pytest.raises(fv.FairvizError, match="a sample of rankings has no scores"):
        fv.rerank(example / "samples.alpha-4.run.gz", "det-greedy", groups={"a": "x", "b": "y"}, target="uniform")
    with pytest.raises(fv.FairvizError, match=r"^curves are made from the scores of runs"):
        fv.tradeoff(example / "samples.alpha-4.run.gz", example / "usefulness.qrels", k=5)
    assert isinstance(fv.tradeoff({"q": {"a": 2, "b": 1}}, {"q": {"a": 1, "b": 0}}, k=1).frame(), pd.DataFrame)


DESCRIPTION = """
kind = "variants"
name = "medicine"
questions = ["questions.jsonl"]
corpus = "corpus.jsonl"
settings = ["w/o RAG"]
people = { race = ["Asian", "Black"] }

[[retriever]]
name = "bm25"

[[generator]]
name = "chooser"
label = "word-counter"
"""


@pytest.fixture
def description(tmp_path: Path) -> Path:
    question = {
        "question": "Which drug cools a fever?",
        "options": {"A": "Aspirin", "B": "Caffeine"},
        "answer_idx": "A",
    }
    (tmp_path / "questions.jsonl").write_text(json.dumps(question))
    (tmp_path / "corpus.jsonl").write_text(json.dumps({"doc_id": "d", "text": "Aspirin cools a fever."}))
    (tmp_path / "study.toml").write_text(DESCRIPTION)
    return tmp_path / "study.toml"


@pytest.mark.usefixtures("word_counting")
def test_an_experiment_ends_as_data(description: Path, tmp_path: Path) -> None:
    study = fv.experiment(description, output=tmp_path / "made")
    assert (study.n_missing, study.bill().empty) == (0, True)  # stand-ins answer at once
    data = study.run()
    written = read_variants(study.folder / "answers.jsonl.gz").value
    assert [len(one) for one in data.variants] == [len(written)] != [0]
    assert (data.name, study.folder) == ("medicine", tmp_path / "made")


def test_a_description_with_mistakes_names_them(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text('kind = "bias"\n')
    with pytest.raises(fv.FairvizError, match=r"x\.toml"):
        fv.experiment(tmp_path / "x.toml")
