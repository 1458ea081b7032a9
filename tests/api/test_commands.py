"""A function of a study and the command of its name: the same files and settings give the same JSON."""

import inspect
import json
import shlex
from pathlib import Path

import pandas as pd
import pytest

import fairviz as fv
from fairviz.studies import STUDIES
from tests.api.conftest import Command, Same

pytestmark = pytest.mark.filterwarnings("ignore::fairviz.DataWarning")

RANKED = ("bm25.run", "usefulness.qrels", "region.tsv", "target.json")
OUTPUTS = ("outputs.deterministic.jsonl.gz", "outputs.alpha-2.jsonl.gz")
CASES: dict[str, tuple[tuple[str, ...], dict[str, object]]] = {
    "evaluate": ((*RANKED, *OUTPUTS), {"measures": ["nDCG@10", "AWRF", "EU"]}),
    "compare": (
        ("bm25.run", "samples.alpha-1.run.gz", "usefulness.qrels", *OUTPUTS),
        {"measures": ["EED@5", "EU"], "baseline": "bm25", "seed": 2},
    ),
    "agreement": (("bm25.run", "samples.alpha-1.run.gz", *RANKED[1:]), {"measures": ["nDCG@10", "AWRF"], "tau": "b"}),
    "tradeoff": (RANKED[:2], {"k": 3, "alpha": [0.0, 1.0, 8.0], "policy": ["optimal"], "rel": 2}),
    "grid": (RANKED[:2], {"k": 3, "alpha": [0.0, 1.0, 8.0]}),
    "attribution": (OUTPUTS, {"k": 3}),
    "queries": (RANKED[:2], {"k": 3}),
    "groups": (RANKED, {"k": 3}),
    "policy-lab": (
        RANKED,
        {"k": 3, "quality": "EER", "methods": ["det-greedy", "plackett-luce"], "statements": {"Africa": {"min": 0.2}}},
    ),
    "bias": (
        ("bias/predictions.csv.gz", "bias/items.csv.gz", "bias/full-set.bm25.run.gz", "bias/polarity.tsv"),
        {"by": ["model", "setting"], "k": 10, "seed": 4},
    ),
    "variants": (("variants/open.jsonl.gz",), {"by": ["strategy"]}),
    "check": (RANKED, {"limits": ["nDCG@10 >= 0.5", "share.region.Africa >= 15%"], "strict": True, "breach": 0.05}),
    "ranks": (RANKED, {"depth": 3}),
}
"""Files of the example and settings, by command; a study that is not here is tried on rankings, with its defaults."""


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.command)
def test_the_function_gives_what_the_command_prints(
    study: object, example: Path, fairviz: Command, tmp_path: Path, same: Same
) -> None:
    """The file that it saves, and each table as a frame, cell by cell."""
    assert isinstance(study, type(STUDIES[0]))
    names, settings = CASES.get(study.command, (RANKED, {}))
    files = [str(example / name) for name in names]
    call = getattr(fv, study.command.replace("-", "_"))
    assert settings.keys() <= inspect.signature(call).parameters.keys()
    result = call(fv.load(files), **settings)
    assert bool(str(result.settings)) == bool(settings)
    printed = fairviz(study.command, *files, *shlex.split(str(result.settings)), "--format", "json")
    assert printed.code == result.analysis.code, printed.err
    result.save(tmp_path / "all.json")
    wanted = {key: value for key, value in printed.json.items() if key != "warnings"}
    assert json.loads((tmp_path / "all.json").read_text()) == wanted
    assert result.tables == tuple(wanted["tables"])
    for stem, rows in wanted["tables"].items():
        same(result.frame(stem), rows)


def test_what_was_loaded_stands_alone(example: Path) -> None:
    data = fv.load(example / "bm25.run", example / "usefulness.qrels")
    with pytest.raises(fv.FairvizError, match=r"^evaluate: what was loaded holds all data, so that nothing else"):
        fv.evaluate(data, example / "usefulness.qrels", "nDCG@10")


def test_of_several_attributes_one_is_chosen_by_its_name(example: Path, fairviz: Command) -> None:
    """The first counts where none is named, and a command says so."""
    files = [example / name for name in ("bm25.run", "usefulness.qrels", "region.tsv", "provider.tsv")]
    for name, n_groups in (("provider", 2), ("region", 5), (None, 5)):
        words = () if name is None else ("--groups-by", name)
        printed = fairviz("groups", *files, *words, "-k", 3, "--format", "json")
        shares = printed.json["tables"]["shares"]
        assert len(shares) == n_groups
        assert ("the groups of region count; --groups-by provider takes those" in printed.err) is (name is None)
        frame = fv.groups(fv.load(*files), groups_by=name, k=3).frame("shares")
        assert frame["group"].tolist() == [row["group"] for row in shares]
    for words in (["tradeoff", *files, "-k", 3, "--alpha", "0,8"], ["evaluate", *files, "-m", "nDCG@5"]):
        assert "groups" not in fairviz(*words).err, "where no groups count"
    assert "--groups-by" in fairviz("evaluate", *files, "-m", "nDCG@5, AWRF", "--target", "uniform").err
    with pytest.raises(
        fv.FairvizError, match=r"^there is no attribute 'size'; there are region, provider, region × provider$"
    ):
        fv.groups(fv.load(*files), groups_by="size")


def test_a_report_of_what_was_loaded_is_that_of_the_command(example: Path, fairviz: Command, tmp_path: Path) -> None:
    files = [example / name for name in RANKED[:2]]
    fv.report(fv.load(files, name="Fairness and quality"), k=3, alpha=[0, 8]).save(tmp_path / "a.html")
    printed = fairviz("report", *files, "-k", 3, "--alpha", "0,8")
    assert (tmp_path / "a.html").read_text() == printed.out.removesuffix("\n")
    with pytest.raises(fv.FairvizError, match=r"expected a name that ends in \.html or \.zip"):
        fv.report(fv.load(files), k=3, alpha=[0, 8]).save(tmp_path / "a.docx")


def test_a_report_takes_labels_that_came_from_no_file(tmp_path: Path) -> None:
    scores = {query: {"a": 2.0, "b": 1.0, "c": 0.5} for query in ("q1", "q2")}
    grades = {query: {"a": 1, "b": 0} for query in scores}
    groups = fv.labels({"a": "x", "b": "y", "c": "y"})
    report = fv.report(scores, grades, groups=groups, target={"x": 0.5, "y": 0.5}, k=1, ranks=2, alpha=[0, 8])
    report.save(tmp_path / "a.html")
    assert "of labelled attention" in (tmp_path / "a.html").read_text()


def test_samples_and_fused_runs_are_those_of_the_commands(example: Path, fairviz: Command, tmp_path: Path) -> None:
    run = example / "bm25.run"
    fv.write(fv.sample(run, alpha=1.0, samples=3, k=2, policy="optimal", seed=5), tmp_path / "drawn")
    printed = fairviz("sample", run, "--alpha", 1, "--samples", 3, "-k", 2, "--policy", "optimal", "--seed", 5)
    assert (tmp_path / "drawn").read_text() == printed.out
    reranked = fv.rerank(run, "det-cons", groups=example / "region.tsv", target="uniform", k=5)
    fv.write(reranked, tmp_path / "other.run")
    fused = fv.fuse([run, tmp_path / "other.run"], rrf_k=10, top=7, tag="both")
    fv.write(fused, tmp_path / "fused")
    printed = fairviz("fuse", run, tmp_path / "other.run", "--rrf-k", 10, "--top", 7, "--tag", "both")
    assert (tmp_path / "fused").read_text() == printed.out


def test_a_noun_comes_out_as_a_frame_that_gives_it_again(example: Path) -> None:
    sources = {
        "bm25.run": fv.run,
        "samples.alpha-1.run.gz": fv.run,
        "usefulness.qrels": fv.qrels,
        "region.tsv": fv.labels,
    }
    for name, read in sources.items():
        frame = read(example / name).frame()
        again = read(frame).frame()
        assert frame.equals(again), name
        assert len(frame) > 100


def test_the_catalogues_are_frames() -> None:
    from fairviz.metrics.catalogue import CATALOGUE
    from fairviz.reranking.catalogue import RERANKERS

    assert fv.measures()["name"].tolist() == list(CATALOGUE)
    assert fv.measures("EED", "AWRF")["better"].tolist() == ["lower", "lower"]
    assert fv.rerankers()["name"].tolist() == [method.name for method in RERANKERS]
    with pytest.raises(fv.FairvizError, match="unknown measure 'EDD'; did you mean EED"):
        fv.measures("EDD")


# Answers and runs of variants.


@pytest.fixture(scope="module")
def answers(example: Path) -> pd.DataFrame:
    """Of one model and bias type, so that resampling is short."""
    table = pd.read_csv(example / "bias" / "predictions.csv.gz", dtype=str)
    return table[(table["model"] == table["model"][0]) & (table["category"] == "Age")]


def test_questions_and_their_answers_belong_together(answers: pd.DataFrame, example: Path) -> None:
    items = example / "bias" / "items.csv.gz"
    with pytest.raises(fv.FairvizError, match=r"^items= is needed: what was given holds answers only$"):
        fv.bias(answers)
    with pytest.raises(fv.FairvizError, match=r"^runs and groups belong together"):
        fv.bias(answers, items, groups={"a": "stereo"})


def as_printed(frame: pd.DataFrame) -> str:
    """A frame as the command writes its table."""
    return frame.to_csv(index=False).replace("False", "false").replace("True", "true")


def test_runs_of_variants_are_those_of_the_command_line(fairviz: Command, tmp_path: Path) -> None:
    lists = {"neutral": "abc", "race:Asian": "acb", "tall": "bca"}
    given = {
        name: pd.DataFrame({"qid": "q1", "docno": list(docs), "score": [3.0, 2.0, 1.0]}) for name, docs in lists.items()
    }
    files: list[Path] = []
    words: list[str] = []
    for i, (name, frame) in enumerate(given.items()):
        file = tmp_path / f"{i}.run"
        file.write_text(
            "".join(f"q1 Q0 {d} {r} {s} x-{i}\n" for r, (_, d, s) in enumerate(frame.itertuples(index=False), 1))
        )
        files.append(file)
        words += ["--value", f"x-{i}={name}"]
    qrels = tmp_path / "a.qrels"
    qrels.write_text("q1 0 a 1\nq1 0 c 1\n")
    found = fv.variants(runs=given, qrels=qrels, measures="P@1", k=[1, 2])
    for stem in found.tables:
        table = tmp_path / f"{stem}.csv"
        options = ("--qrels", qrels, "-m", "P@1", "-k", "1,2", "--format", "csv", "--table", stem, "--output", table)
        command = fairviz("variants", *files, *words, *options)
        assert command.code == 0, command.err
        assert as_printed(found.frame(stem)) == table.read_text()
    assert found.tables == ("overlap", "overlap_values", "quality", "quality_gaps", "overlap_pairs")
    assert "P@1" in found._repr_html_()
    assert fv.variants(runs={"neutral": given["neutral"], "race:Asian": tmp_path / "1.run"}).frame("overlap").size


def test_of_runs_or_answers_one_is_needed() -> None:
    with pytest.raises(fv.FairvizError, match=r"^there are no answers to variants of questions, and no runs"):
        fv.variants()
    with pytest.raises(fv.FairvizError, match=r"^give the run of at least one value besides neutral$"):
        fv.variants(runs={"neutral": {"q": {"a": 1.0}}})


def test_answers_under_one_condition_have_a_chart_of_each_attribute() -> None:
    people = [("none", "neutral", "A"), ("race", "Asian", "A"), ("race", "Black", "B")]
    rows = [
        {"qid": "q1", "attribute": attribute, "value": value, "gold": "A", "prediction": letter, "strategy": strategy}
        for strategy in ("plain", "calm")
        for attribute, value, letter in people
    ]
    assert (fv.variants(rows[:3]).charts, fv.variants(rows).charts) == (("race",), ())
    assert fv.variants(rows, only="strategy=calm").figure("race").data
