"""Numbers of recorded answers in a study file: those that the library gives, read as the pages are set to read them."""

from dataclasses import replace

import pandas as pd
import pytest

import fairviz as fv
from fairviz.api.door import frame_of
from fairviz.display.table import records
from fairviz.errors import InputError, UsageError
from fairviz.model import Dataset
from fairviz.reporting import assemble
from fairviz.reporting.assemble import answer_tables, assembled, computed, reported
from fairviz.reporting.request import Request
from fairviz.studies.demographic_qa.settings import VariantsSettings
from fairviz.studies.social_bias import analysis
from fairviz.studies.social_bias.settings import BiasSettings
from fairviz.studies.study import Analysis
from pages._demographic_qa import counted_elsewhere
from pages._kit.link import name_mark
from pages._social_bias import read_elsewhere
from tests.app.reading import ITEMS, PREDICTIONS, VARIANTS
from tests.loaded import dataset_of


@pytest.fixture(scope="module")
def loaded() -> Dataset:
    files = {"items.csv": ITEMS, "predictions.csv": PREDICTIONS, "variants.csv": VARIANTS}
    return dataset_of((name, text.encode()) for name, text in files.items())


@pytest.mark.filterwarnings("ignore::fairviz.errors.DataWarning")
def test_they_are_those_of_the_library(loaded: Dataset) -> None:
    made = answer_tables(loaded, BiasSettings()) | answer_tables(loaded, VariantsSettings())
    bias = fv.bias(loaded.bias_predictions, loaded.bias_items)
    variants = fv.variants(loaded.variants)
    for stem, expected in (
        ("bias-rows", bias.frame("rows")),
        ("variants-rows", variants.frame("rows")),
        ("variants-groups", variants.frame("groups")),
    ):
        pd.testing.assert_frame_equal(frame_of(made[stem]), expected)


def test_the_report_of_answers_speaks_of_answers(loaded: Dataset) -> None:
    report = assemble.reported(loaded, Request(seed=3))
    for part in (
        f"{len(loaded.bias_predictions[0])} answers to bias questions",
        f"{len(loaded.variants[0])} answers to variants of questions",
        "(n_as − n_ac) / n_a",
        "sign flips of whole templates",
        "seed 3",
        "[zhang2026evaluating], Parrish et al. (2022) [parrish2022bbq], Ji et al. (2025) [ji2025evaluating]",
    ):
        assert part in report.methods, part
    assert not [word for word in ("queries", "no data", "kim2025fairrag") if word in report.methods]
    assert "Settings" not in [section.title for section in report.all_sections]  # of rankings: k, gain, policy


def test_they_are_read_as_the_pages_are_set(loaded: Dataset) -> None:
    left_out, read = (
        records(answer_tables(loaded, BiasSettings(unknown=words))["bias-rows"])[0] for words in ((), ("a dog",))
    )
    assert (left_out["model"], left_out["unread"], read["unread"]) == ("m1", 50.0, 0.0)
    assert read["reading"] == "1 answer in 1 wording read as “unknown”"


def test_pages_that_are_not_shown_are_read_by_their_addresses(loaded: Dataset) -> None:
    marks = {"read": [f"unknown-{name_mark('a dog')}", "unknown-gone", "other"]}
    assert read_elsewhere(loaded, marks) == ("a dog",)
    assert read_elsewhere(loaded, {}) == ()
    said = {"rouge": "0.3", "min_size": "7", "answerable": "neutral", "ties": "first"}
    assert counted_elsewhere(said) == VariantsSettings(
        threshold=0.3, min_size=7, answerable="neutral", vote_ties="first"
    )
    strange = {"rouge": "mean", "min_size": "0", "answerable": "x", "ties": ""}
    assert counted_elsewhere(strange) == counted_elsewhere({}) == VariantsSettings()


def test_a_request_without_a_reading_has_none_of_them(loaded: Dataset) -> None:
    request = Request(measures=(), k=3, alpha=(0.0,))
    assert computed(loaded, request) == ({}, ())
    asked, _ = computed(
        loaded, Request(measures=(), k=3, alpha=(0.0,), bias=BiasSettings(), variants=VariantsSettings())
    )
    assert {"bias-rows", "variants-rows", "variants-groups"} <= set(asked)


def test_a_part_that_cannot_be_computed_is_named_and_takes_no_other_with_it(
    loaded: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> Analysis:
        raise InputError("question 7 has no answer", file="items.csv")

    monkeypatch.setattr(analysis, "analyse", refuse)
    asked = Request(judgements=1, k=3, alpha=(0.0,), bias=BiasSettings(), variants=VariantsSettings())
    tables, refused = computed(loaded, asked)
    assert "variants-rows" in tables
    assert "bias-rows" not in tables
    assert refused[0].startswith("Measures and curves: ")
    assert refused[1] == "Social bias: items.csv: question 7 has no answer"


def test_what_answers_are_compared_with_is_that_of_their_commands(loaded: Dataset) -> None:
    asked = Request(measures=(), k=3, alpha=(0.0,), against_answers="colour=red")
    with pytest.raises(UsageError, match="no column 'colour'"):
        reported(loaded, asked)
    of_bias, asked = replace(loaded, variants=()), replace(asked, against_answers="model=m1")
    (change,) = records(assembled(of_bias, asked).tables["changes"])
    assert (change["model"], change["against"]) == ("m2", "model=m1")
