"""``fairviz measures``: the catalogue, as people and as programs read it."""

import pytest

from fairviz.display.latex import _plain_maths
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.metrics.group_measures import GroupMeasure
from fairviz.metrics.standard import standard_names
from tests.cli.conftest import Command


def test_people_see_every_measure_with_its_formula_and_parameters(fairviz: Command) -> None:
    done = fairviz("measures")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    for measure in CATALOGUE.values():
        assert any(measure.title in line and measure.formula in line for line in lines)
        for remark in measure.remarks:
            assert any(line.startswith(f"{measure.name} ") and line.endswith(remark) for line in lines)
        for parameter in measure.parameters:
            assert any(line.startswith(f"{parameter.name} ") for line in lines)
    assert all(any(line.startswith(f"{name} ") for line in lines) for name in standard_names())


def test_json_holds_all_there_is_to_know(fairviz: Command) -> None:
    body = fairviz("measures", "--format", "json").json
    assert list(body) == ["schema", "command", "settings", "findings", "tables", "warnings"]
    tables = body["tables"]
    assert [row["name"] for row in tables["measures"]] == list(CATALOGUE)
    for row in tables["measures"]:
        measure = CATALOGUE[row["name"]]
        assert (row["formula"], row["needs"]) == (measure.formula, measure.needs_words)
        assert [float(row["lowest"]), float(row["highest"])] == list(measure.range)  # "inf" is a word
        own = [each["parameter"] for each in tables["parameters"] if measure.name in each["measures"].split(", ")]
        assert own == [parameter.name for parameter in measure.parameters]
    designs = {row["name"]: row for row in tables["design"]}  # Table 1 of Raj et al.
    for measure in CATALOGUE.values():
        if isinstance(measure, GroupMeasure):
            row = designs[measure.name]
            assert (row["weighting"], row["target"]) == (measure.weighting, measure.target)
            assert row["one group"] == ("yes" if measure.binomial else "no")
    assert [row["name"] for row in tables["standard"]] == list(standard_names())


def test_csv_and_latex_hold_the_formulas(fairviz: Command) -> None:
    rows = fairviz("measures", "--format", "csv").csv
    assert {row["name"]: row["formula"] for row in rows} == {
        name: measure.formula for name, measure in CATALOGUE.items()
    }
    needs = {row["name"]: row["needs"] for row in rows}
    assert needs["AWRF"] == "rankings, group labels, a target; with browsing='cascade': judgements"
    assert needs["FAIRBinomial"] == "rankings, group labels, a target; with p=…: no target"
    assert needs["IAA"].startswith("rankings, group labels, judgements; with utility='score': scores, no judgements")
    assert needs["EED"].startswith("rankings; judgements where there are any; with by='group': group labels")
    latex = fairviz("measures", "--format", "latex").out
    assert all(f"${_plain_maths(measure.latex)}$" in latex for measure in CATALOGUE.values())


def test_only_those_that_are_named(fairviz: Command) -> None:
    body = fairviz("measures", "RBP", "EER", "--format", "json").json
    assert [row["name"] for row in body["tables"]["measures"]] == ["EER"]
    parameters = {row["parameter"]: row["default"] for row in body["tables"]["parameters"] if row["measures"] == "RBP"}
    assert parameters == {"p": "0.8", "rel": "1"}  # without rel, RBP counts grades from 1 on
    out = fairviz("measures", "RBP").out
    assert "Parameters" in out
    assert "EED" not in out


@pytest.mark.parametrize("how", ["csv", "latex"])
def test_a_list_without_measures_of_fairviz_is_empty_but_whole(fairviz: Command, how: str) -> None:
    done = fairviz("measures", "AP", "--format", how)
    assert done.code == 0
    assert "name" in done.out
