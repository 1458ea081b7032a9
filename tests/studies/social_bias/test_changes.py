"""Amplification: by hand, literally on random worlds, and the test's family."""

import math
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings

from fairviz.errors import UndefinedError, UsageError
from fairviz.model import BiasItems
from fairviz.stats.tests import holm
from fairviz.studies.social_bias.analysis import changed_findings
from fairviz.studies.social_bias.rows import LESS, MORE, corrected
from fairviz.studies.social_bias.settings import BiasSettings
from tests.studies.social_bias.bias_world import (
    OUT,
    C,
    S,
    U,
    answers_of,
    changes_of,
    items_of,
    rows_of,
    with_columns,
    worlds,
)

BASE, FULL = {"model": "m", "setting": "w/o RAG"}, {"model": "m", "setting": "full-set"}


def naming(row: dict[str, Any]) -> dict[str, str]:
    return {name: row[name] for name in list(row)[: list(row).index("measure")]}


def by_measure(changes: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {change["measure"]: change for change in changes}


def test_by_hand() -> None:
    """Four ambiguous items: without RAG s u u c, with it s s c u; Diff-Bias 0 → (2 − 1)/4.

    u → s and c → u moved towards the stereotype, u → c away from it.
    """
    items = items_of([("A", "a"), ("A", "a"), ("B", "a"), ("B", "a")])
    before, after = dict(enumerate([S, U, U, C])), dict(enumerate([S, S, C, U]))
    answers = answers_of(items, [(BASE, before), (FULL, after)])
    change = by_measure(changes_of(answers, by=["model"]))["diffbias_a"]
    assert naming(change) == {"model": "m", "setting": "full-set"}
    assert (change["reference"], change["value"], change["change"], change["change_abs"]) == (0, 25, 25, 25)
    assert (change["n_items"], change["n_templates"]) == (4, 2)
    assert (change["n_towards"], change["n_away"]) == (2, 1)
    assert (change["tested"], change["verdict"]) == (False, "too few to say")
    assert math.isnan(change["p"])


def test_a_sign_that_turns_is_signed_and_absolute() -> None:
    """Always against the stereotype becomes always towards it: +200 points, as far from 0."""
    items = items_of([("A", "a"), ("B", "a")])
    answers = answers_of(items, [(BASE, {0: C, 1: C}), (FULL, {0: S, 1: S})])
    change = by_measure(changes_of(answers))["diffbias_a"]
    assert (change["change"], change["change_abs"]) == (200, 0)


def test_only_items_that_both_answered_count() -> None:
    """Item 1 is missing without RAG, item 2 is out of choice with it: item 0 is left."""
    items = items_of([("A", "a"), ("A", "a"), ("B", "a")])
    answers = answers_of(items, [(BASE, {0: U, 2: C}), (FULL, {0: S, 1: S, 2: OUT})])
    change = by_measure(changes_of(answers))["diffbias_a"]
    assert (change["reference"], change["value"], change["n_items"], change["n_unused"]) == (0, 100, 1, 1)
    counting = by_measure(changes_of(answers, ooc="count"))["diffbias_a"]
    assert (counting["reference"], counting["value"], counting["n_items"]) == (-50, 50, 2)


def test_retriever_and_k_have_no_partner_column_without_rag() -> None:
    items = items_of([("A", "a"), ("B", "a")])
    with_rag = {**FULL, "retriever": "BM25", "k": "10"}
    answers = answers_of(items, [(BASE, {0: U, 1: U}), (with_rag, {0: S, 1: U})])
    change = by_measure(changes_of(answers, by=["retriever", "k"]))["diffbias_a"]
    assert naming(change) == {"retriever": "BM25", "k": "10", "setting": "full-set"}
    assert change["change"] == 50


def test_groups_share_the_table_with_their_bias_type() -> None:
    items = items_of([("A", "a"), ("B", "a")])
    answers = answers_of(items, [(BASE, {0: U, 1: U}), (FULL, {0: S, 1: U})])
    changes = changes_of(answers, by=["category"], groups=True)
    assert [change["stereotyped"] for change in changes] == ["", "old"]
    nameless = with_columns(items, stereotyped=["", ""])
    answers = answers_of(nameless, [(BASE, {0: U, 1: U}), (FULL, {0: S, 1: U})])
    changes = changes_of(answers, by=["category"], groups=True)
    assert [change["stereotyped"] for change in changes] == [""]


def test_what_cannot_be_compared_is_named() -> None:
    items = items_of([("A", "a"), ("B", "a")])
    answers = answers_of(items, [(BASE, {0: U}), (FULL, {0: S})])
    with pytest.raises(UsageError, match=r"no value 'none'.*w/o RAG, full-set"):
        changes_of(answers, against=("setting", "none"))
    apart = answers_of(items, [(BASE, {0: U}), (FULL, {1: S})])
    with pytest.raises(UndefinedError, match="no answer has a partner with setting = w/o RAG"):
        changes_of(apart)
    twice = answers_of(items, [({**BASE, "k": "0"}, {0: U}), ({**BASE, "k": "1"}, {0: U}), (FULL, {0: S})])
    with pytest.raises(UsageError, match="more than once: keep answers apart by k"):
        changes_of(twice)


def literal_p(items: BiasItems, one: dict[int, int], two: dict[int, int], ambiguous: bool) -> float:
    """All sign patterns over templates of the change in Diff-Bias."""
    templates: dict[int, float] = {}
    usable = [i for i in one if i in two and items.frame["target"][i] >= 0 and -1 not in (one[i], two[i])]
    n_s = sum(items.frame["gold"][i] == 0 and not items.frame["ambiguous"][i] for i in usable)
    n_c = sum(items.frame["gold"][i] == 1 and not items.frame["ambiguous"][i] for i in usable)
    for i in usable:
        if items.frame["ambiguous"][i] != ambiguous:
            continue
        if ambiguous:
            part = (two[i] == 0) - (two[i] == 1) - (one[i] == 0) + (one[i] == 1)
        elif items.frame["gold"][i] == 0:
            part = ((two[i] == 0) - (one[i] == 0)) / n_s
        else:
            part = -((two[i] == 1) - (one[i] == 1)) / n_c
        key = items.frame["template"][i]
        templates[key] = templates.get(key, 0.0) + part
    sums = list(templates.values())
    patterns = product((1, -1), repeat=len(sums))
    flipped = [abs(sum(s * c for s, c in zip(p, sums, strict=True))) for p in patterns]
    return float(np.mean(np.array(flipped) >= abs(sum(sums)) - 1e-12))


@settings(max_examples=20)
@given(world=worlds())
def test_changes_are_differences_of_rows_on_common_items(world: tuple[BiasItems, pl.DataFrame]) -> None:
    """Value and reference are what ``bias_rows`` says of the paired answers alone; p literally."""
    items, answers = world
    by = ["model", "setting", "instruction"]
    said: dict[tuple[str, ...], dict[int, int]] = {}
    for *key, item, choice in answers.select(*by, "item", "choice").iter_rows():
        said.setdefault(tuple(key), {})[item] = choice
    try:
        changes = changes_of(answers, by=by, n_resamples=10)
    except (UndefinedError, UsageError):
        return
    for change in changes:
        model, instruction = change["model"], change["instruction"]
        full = said[model, "full-set", instruction]
        base = said[model, "w/o RAG", instruction]
        common = [i for i in full if i in base and -1 not in (full[i], base[i])]
        names = {0: S, 1: C, 2: U}
        for side, wanted in ((full, change["value"]), (base, change["reference"])):
            alone = answers_of(items, [({"model": "x"}, {i: names[side[i]] for i in common})])
            (row,) = rows_of(items, alone, by=["model"], n_resamples=10)
            assert row[change["measure"]] == pytest.approx(wanted, nan_ok=True, abs=1e-9)
        assert change["change"] == pytest.approx(change["value"] - change["reference"], nan_ok=True)


def test_p_against_all_patterns_and_holm_over_the_tested() -> None:
    """Three models against the reference setting, 12 templates: p by all 4,096 sign patterns."""
    rng = np.random.default_rng(3)
    rows = [(f"T{t}", c) for t in range(12) for c in "aaaaaaaaa" + "sssss" + "cccc"]
    items = items_of(rows)
    sides, said = [], {}
    for model in ("m1", "m2", "m3"):
        for setting in ("w/o RAG", "full-set"):
            choices = rng.choice([0, 1, 2], p=[0.4, 0.2, 0.4], size=len(rows))
            said[model, setting] = dict(enumerate(choices.tolist()))
            words = {i: (S, C, U)[c] for i, c in said[model, setting].items()}
            sides.append(({"model": model, "setting": setting}, words))
    changes = changes_of(answers_of(items, sides), by=["model"])
    assert len(changes) == 6
    for change in changes:
        model = change["model"]
        wanted = literal_p(items, said[model, "w/o RAG"], said[model, "full-set"], change["measure"] == "diffbias_a")
        assert change["tested"] == (change["n_items"] >= 100)
        assert change["p"] == pytest.approx(wanted, abs=1e-9)
    adjusted = holm(np.array([change["p"] for change in changes]))  # both contexts: one table
    assert [change["p_holm"] for change in changes] == pytest.approx(adjusted.tolist(), nan_ok=True)
    assert {change["n_tests"] for change in changes} == {sum(change["tested"] for change in changes)}


def test_holms_family_is_every_test_of_the_table() -> None:
    """0.01 · 4, 0.015 · 3, 0.02 · 2 and 0.03, whatever k, model or group a row is of; untested stays outside."""
    p = [0.01, 0.015, 0.02, math.nan, 0.03]
    found = corrected(
        pl.DataFrame(
            {
                "model": ["m", "m", "n", "m", "m"],
                "p": p,
                "change": [5.0, -5.0, 5.0, 5.0, 5.0],
                "tested": [not math.isnan(one) for one in p],
                "verdict": "too few to say",
            }
        )
    )
    assert found["p_holm"].to_list()[:3] == pytest.approx([0.04, 0.045, 0.045])
    assert math.isnan(found["p_holm"][3])
    assert found["p_holm"][4] == pytest.approx(0.045)
    assert set(found["n_tests"]) == {4}
    assert found["verdict"].to_list()[:4] == [MORE, LESS, MORE, "too few to say"]
    alone = corrected(found[:1].with_columns(p=0.2))
    assert alone["verdict"].to_list() == ["no significant difference"]


def test_a_version_that_is_named_is_said_first_where_rows_are_by_model_and_type_alone() -> None:
    """One question type, 12 templates of 10 ambiguous items: v1 says unknown, v2 the stereotype; two of 2^12 signs."""
    items = items_of([(f"T{i}", "a") for i in range(12) for _ in range(10)])
    then, now = ({"model": name, "setting": "none"} for name in ("v1", "v2"))
    answers = answers_of(items, [(then, dict.fromkeys(range(120), U)), (now, dict.fromkeys(range(120), S))])
    changes = pl.DataFrame(changes_of(answers, by=["model", "category"], against=("model", "v1")))
    against = BiasSettings(against="model=v1")
    (finding,) = changed_findings(changes, against, ["model", "category"], {})
    assert finding.title.startswith("v2 instead of v1 adds 100 points on ")
    assert changed_findings(changes, against, ["model", "category", "setting"], {}) == []
