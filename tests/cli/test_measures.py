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
    assert list(body) == ["schema", "measures", "standard", "warnings"]
    assert [one["name"] for one in body["measures"]] == list(CATALOGUE)
    for one in body["measures"]:
        measure = CATALOGUE[one["name"]]
        assert (one["formula"], one["latex"]) == (measure.formula, measure.latex)
        assert [float(end) for end in one["range"]] == list(measure.range)  # "inf" is a word
        if isinstance(measure, GroupMeasure):  # Table 1 of Raj et al.
            assert (one["weighting"], one["target"]) == (measure.weighting, measure.target)
            assert one["binomial"] == ("yes" if measure.binomial else "no")
        assert [p["name"] for p in one["parameters"]] == [p.name for p in measure.parameters]
        assert one["needs"] == list(measure.needs)
        assert [when["parameter"] for when in one["needs_when"]] == [when.parameter for when in measure.needs_when]
    assert [one["name"] for one in body["standard"]] == list(standard_names())


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
    assert [one["name"] for one in body["measures"]] == ["EER"]
    (standard,) = body["standard"]
    parameters = {one["name"]: one["default"] for one in standard["parameters"]}
    assert parameters == {"p": 0.8, "rel": 1}  # without rel, RBP counts grades from 1 on
    out = fairviz("measures", "RBP").out
    assert "Parameters of RBP" in out
    assert "EED" not in out


@pytest.mark.parametrize("how", ["csv", "latex"])
def test_a_list_without_measures_of_fairviz_is_empty_but_whole(fairviz: Command, how: str) -> None:
    done = fairviz("measures", "AP", "--format", how)
    assert done.code == 0
    assert "name" in done.out
