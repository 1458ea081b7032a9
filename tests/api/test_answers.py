"""``fv.bias`` and ``fv.variants``: the numbers of the commands of these names."""

from pathlib import Path

import pandas as pd
import pytest

import fairviz as fv
from tests.api.conftest import Command

pytestmark = pytest.mark.filterwarnings("ignore::fairviz.DataWarning")


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
