"""Results of one's own answers as views: nothing is computed, everything is named."""

import numpy as np

from fairviz.studies.demographic_qa.charts import group_panel, groups_alt, overlap_views
from fairviz.studies.demographic_qa.overlap import retrieval_overlap
from tests.studies.demographic_qa.measured import variant_rows
from tests.studies.demographic_qa.variant_worlds import lists_about
from tests.studies.demographic_qa.variants_by_hand import APART, answers, rows


def test_a_panel_has_groups_and_neutral() -> None:
    (row,) = variant_rows(answers(APART))
    panel = group_panel(row, guess=0.25)
    assert panel.guess == 0.25
    assert [(dot["value"], dot["rate"], dot["n"]) for dot in panel.groups] == [
        ("white", 1.0, 12),
        ("black", 2 / 12, 12),
    ]
    assert panel.reference == 0.75
    (without,) = variant_rows(answers(rows({"high_income": 3, "low_income": 2})))
    bare = group_panel(without | {"unit": "ROUGE-L"})
    assert np.isnan(bare.reference)
    assert groups_alt(bare).startswith("Mean ROUGE-L by race: high income 25.0")
    assert bare.unit == "mean ROUGE-L"


def test_overlap_has_the_neutral_list_first_and_one_scale() -> None:
    some = [row | {"retrieved": ["a", "b" if row["value"] == "white" else "c"]} for row in APART]
    one = retrieval_overlap(lists_about(answers(some), "race"), k=2)
    (view,) = overlap_views([one])
    assert view.names == ("no attribute", "white", "black")
    assert np.allclose(view.percent[0], [100, 100 / 3, 100])
    assert np.allclose(view.percent, view.percent.T)
    assert view.floor == 30.0
    bare = retrieval_overlap(lists_about(answers(some[:24]), "race"), k=2)
    assert overlap_views([bare])[0].names == ("white", "black")
