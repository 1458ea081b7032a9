"""Results of one's own answers as views: nothing is computed, everything is named."""

from fairviz.display.theme import LIGHT
from fairviz.studies.demographic_qa.charts import groups_alt, overlap_figure, overlap_floor
from fairviz.studies.demographic_qa.retrieval import retrieval_overlap
from tests.display.views import named
from tests.studies.demographic_qa.measured import variant_rows
from tests.studies.demographic_qa.variant_worlds import lists_about
from tests.studies.demographic_qa.variants_by_hand import APART, answers, rows


def test_a_panel_has_groups_and_neutral() -> None:
    (row,) = variant_rows(answers(APART))
    assert groups_alt(row).startswith("Right answers by race: white 100.0")
    assert "nobody mentioned: 75.0\u202f%. guessing: 25.0\u202f%." in groups_alt(row | {"guess": 0.25})
    (without,) = variant_rows(answers(rows({"high_income": 3, "low_income": 2})))
    bare = groups_alt(without | {"unit": "ROUGE-L"})
    assert bare.startswith("Mean ROUGE-L by race: high income 25.0")
    assert "nobody" not in bare


def test_overlap_has_the_neutral_list_first_and_one_scale() -> None:
    some = [row | {"retrieved": ["a", "b" if row["value"] == "white" else "c"]} for row in APART]
    one = retrieval_overlap(lists_about(answers(some), "race"), k=2)
    assert overlap_floor([one]) == 30.0
    figure = overlap_figure(one, floor=30.0, colours=LIGHT)
    assert [note.text for note in figure.layout.annotations] == ["no attribute", "white"]  # names of columns
    assert list(named(figure, "numbers").text) == ["33", "100", "33"]
    bare = retrieval_overlap(lists_about(answers(some[:24]), "race"), k=2)
    assert list(overlap_figure(bare, floor=0.0, colours=LIGHT).layout.yaxis.ticktext) == ["black"]
