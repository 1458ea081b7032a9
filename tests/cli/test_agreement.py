"""``fairviz agreement``: measures that the data allow, what is left out, one of several judgements."""

from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.lines import write_run


@pytest.fixture
def six(files: Path) -> tuple[str, ...]:
    """Six systems over two queries of six documents, two groups, graded judgements."""
    orders = ["abcdef", "fedcba", "badcfe", "cabfde", "dfaceb", "efbadc"]
    for i, order in enumerate(orders):
        write_run(files, f"sys{i}", {"q1": order, "q2": order[3:] + order[:3]})
    (files / "six.qrels").write_text("q1 0 a 2\nq1 0 d 1\nq2 0 f 1\nq2 0 b 0\n")
    (files / "side.tsv").write_text("doc_id\tside\na\tX\nb\tY\nc\tY\nd\tX\ne\tY\nf\tY\n")
    (files / "target.json").write_text('{"X": 0.4, "Y": 0.6}')
    runs = tuple(f"sys{i}.run" for i in range(6))
    return ("agreement", *runs, "--groups", "side.tsv", "--target", "target.json", "--qrels", "six.qrels")


def test_without_measures_all_that_the_data_allow(fairviz: Command, six: tuple[str, ...]) -> None:
    body = fairviz(*six, "--format", "json", "-k", "3").json
    measures = {one["measure"] for one in body["tables"]["measures"]}
    assert {"AWRF", "nDKL@3", "logEUR", "PAIR", "FAIR@3", "nDCG@3"} <= measures
    assert any(measure.startswith("EEL(by='group'") for measure in measures)
    fewer = fairviz(*six[:-2], "--format", "json").json  # without judgements
    assert {one["measure"] for one in fewer["tables"]["refused"]} >= {"logEUR", "PAIR", "FAIR@10"}
    assert "AWRF" in {one["measure"] for one in fewer["tables"]["measures"]}
    (lacking,) = [one["message"] for one in fewer["warnings"] if one["message"].endswith(": judgements are needed")]
    assert lacking.startswith("left out: ")
    assert "PAIR, " in lacking


def test_nothing_that_can_be_computed_is_an_error(fairviz: Command, six: tuple[str, ...]) -> None:
    refusal = fairviz(*six[:7], "-m", "AWRF", "--format", "json").refusal  # no groups
    assert refusal.startswith("error: AWRF: group labels are needed")


def test_one_and_three_systems(fairviz: Command, six: tuple[str, ...]) -> None:
    options = (*six[7:], "-m", "AWRF KL@3", "--format", "json")
    alone = fairviz("agreement", "sys0.run", *options)
    assert alone.code == 0
    assert alone.json["tables"]["pairs"] == [
        {"measure_a": "AWRF", "measure_b": "KL@3", "tau": None, "n_systems": 1, "data": "side"}
    ]
    assert "at least two" in alone.err
    three = fairviz("agreement", *six[1:4], *options)
    assert "any tau can be chance" in three.err


def test_of_several_judgements_one_is_chosen(fairviz: Command, files: Path) -> None:
    (files / "h.qrels").write_text("q1 0 c 1\nq1 0 a 0\nq2 0 b 1\n")
    arguments = ("agreement", "one.run", "two.run", "-m", "P@1, RR", "--format", "json")
    for file in ("qrels", "h.qrels"):
        chosen = fairviz(*arguments, "--qrels", "g=qrels", "--qrels", "h=h.qrels", "--judgements", file).json
        alone = fairviz(*arguments, "--qrels", file).json
        assert chosen["tables"]["values"] == alone["tables"]["values"]
        assert [row["tau"] for row in chosen["tables"]["pairs"]] == [row["tau"] for row in alone["tables"]["pairs"]]
