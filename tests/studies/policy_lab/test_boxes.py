"""Costs, shares and queries as boxes: where each mark stands, and which of three states it has."""

import re

import pytest

from fairviz.display.markup import Html, drawn, percent_of_range
from fairviz.display.theme import DARK, LIGHT, group_colour
from fairviz.kernels.grouping import UNLABELLED
from fairviz.studies.policy_lab.brief import cost_scale
from tests.studies.policy_lab.curves import setting, summary
from tests.studies.policy_lab.test_methods_findings import BEST, bought

SURE, LIKELY, DEAR = setting(11, 0.012, -0.015), setting(9, -0.021, -0.056), setting(9, -0.05, -0.06)


def box(macro: str, *values: object) -> Html:
    return drawn("boxes.html", macro, *values)


def styles(markup: str, cls: str) -> list[str]:
    return re.findall(rf'class="[^"]*\b{cls}\b[^"]*" style="([^"]*)"', markup)


def test_the_way_is_solid_as_far_as_is_certain_then_hatched_and_dashed_where_it_costs_too_much() -> None:
    (reach,) = bought(SURE, LIKELY).reaches
    made = box("way", reach, 31)  # of 31 points 20 for certain, 22 by estimate
    assert styles(made, "fv-certain") == ["left:0.0%;width:64.5%"]
    assert styles(made, "fv-estimate") == ["left:64.5%;width:6.5%"]
    assert not styles(made, "fv-over")
    (dear,) = bought(DEAR).reaches
    over = box("way", dear, 31)
    assert (styles(over, "fv-over"), styles(over, "fv-certain")) == (["left:0.0%;width:71.0%"], [])


def test_a_cost_has_its_state_and_its_interval_on_the_scale_of_all() -> None:
    outcome = bought(SURE, LIKELY, DEAR)
    scale = cost_scale(0.03, outcome.settings.rows(named=True))
    assert (scale["low"], scale["budget"]) == pytest.approx((-9, -3))  # three budgets deep
    several = [SURE, BEST, setting(3, -0.3, method="plackett-luce"), setting(20, 0.0)]
    assert cost_scale(0.03, several)["ticks"][:3] == [-9, -6, -3]

    sure, likely, dear = outcome.settings.rows(named=True)
    spots = [re.findall(r"fv-spot fv-(\w+)", box("cost", each, scale)) for each in (sure, likely, dear)]
    assert spots == [["certain"], ["estimate"], ["over"]]
    assert "fv-dear" in box("cost", dear, scale)
    assert "fv-dear" not in box("cost", likely, scale)
    (ends,) = styles(box("cost", likely, scale), "fv-ends")
    assert ends.startswith(f"left:{percent_of_range(-5.6, scale['low'], scale['high']):.1f}%")
    away = box("cost", bought(setting(5, -0.5)).settings.row(0, named=True), scale)
    assert "◀ −50" in away
    assert "fv-spot" not in away
    ticks = box("ticks", scale)
    assert re.findall(r'class="fv-limit"[^>]*>([^<]*)<', ticks) == ["−3\u202f%"]


def test_up_to_forty_queries_have_a_cell_each() -> None:
    few, many = box("queries", summary(9, 0.0, n=40)), box("queries", summary(9, 0.0, n=41))
    assert [few.count(f"fv-{kind}") for kind in ("worse", "same", "better")] == [9, 27, 4]
    assert "fv-strip" not in few
    assert styles(many, "fv-same") == ["flex-grow:28"]


def test_documents_without_a_label_are_grey() -> None:
    assert group_colour(("a", UNLABELLED), UNLABELLED) == group_colour(("a",), "") == "var(--fv-faint)"
    assert group_colour(("a", UNLABELLED), "a") == f"light-dark({LIGHT.groups[0]},{DARK.groups[0]})"
