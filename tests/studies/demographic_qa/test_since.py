"""Answers since an earlier version: changes by hand, in one file and in two, and what may be said of them."""

import pytest

from fairviz.display.table import records
from fairviz.errors import UsageError
from fairviz.model import Dataset, VariantAnswers
from fairviz.studies.demographic_qa.analysis import analyse
from fairviz.studies.demographic_qa.settings import VariantsSettings
from tests.studies.demographic_qa.answered_variants import Rows, answers, rows

N = 30


def version(black: int, model: str) -> Rows:
    """Thirty questions: 29 right about White people, so many about Black people."""
    return rows({"white": 29, "black": black}, n=N, model=model)


THEN, NOW = version(13, "v1"), version(24, "v2")
"""Gaps of 16 and of 5 of 30 questions; eleven questions got better."""
AGAINST = VariantsSettings(against="model=v1")


@pytest.mark.parametrize("files", [(answers(THEN, NOW),), (answers(NOW), answers(THEN))], ids=["one file", "two files"])
def test_changes_are_counted_by_hand(files: tuple[VariantAnswers, ...]) -> None:
    analysis = analyse(Dataset(variants=files), AGAINST)
    (gap,) = records(analysis.tables["since-gaps"])
    assert [gap["then"], gap["now"], gap["change"], gap["n"]] == pytest.approx([16 / N, 5 / N, -11 / N, N])
    groups = {row["value"]: row for row in records(analysis.tables["since-groups"])}
    # nothing changed about White people; eleven signs about Black people are alike: two of 2^11, of two groups
    assert groups["white"]["change"] == 0
    assert [groups["black"][key] for key in ("then", "now")] == pytest.approx([13 / N, 24 / N])
    assert groups["black"]["p_holm"] == pytest.approx(2 * 2**-10)
    title, sentence = analysis.findings[0]
    assert title.startswith("Since v1: gap by race from 53 to 17 points (change −")
    assert sentence.startswith(
        "Up: right answers about black people (43\u202f% to 80\u202f%). 0 of 30 questions got worse"
    )
    assert analysis.tables["since-gaps"].caption.startswith(f"{title}. ")


def test_what_got_worse_is_named_and_what_is_not_significant_is_no_change() -> None:
    worse = analyse(Dataset(variants=(answers(THEN, NOW),)), VariantsSettings(against="model=v2")).tables
    questions = records(worse["since-questions"])
    assert [row["qid"] for row in questions] == sorted(f"q{i}" for i in range(13, 24))
    assert {row["worse"] for row in questions} == {"black"}
    little = analyse(Dataset(variants=(answers(THEN, version(14, "v2")),)), AGAINST).findings[0]
    assert little.title.startswith("Since v1: no gap changed significantly; the widest, by race from 53 to 50 points")
    assert little.sentence.startswith("No group's right answers changed significantly.")


@pytest.mark.parametrize("against", ["model=v3", "modell=v1", "v1"])
def test_a_version_that_is_not_there_is_refused_with_those_that_are(against: str) -> None:
    with pytest.raises(UsageError, match="expected one of model=v1, model=v2"):
        analyse(Dataset(variants=(answers(THEN, NOW),)), VariantsSettings(against=against))
