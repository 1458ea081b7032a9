"""Sentences about recorded answers: no clause without a test behind it, a branch for chance."""

from dataclasses import replace

import numpy as np
import pytest

from fairviz.stats.bootstrap import Interval
from fairviz.studies.social_bias.changes import BiasChange, ChangeVerdict
from fairviz.studies.social_bias.findings import (
    LESS,
    MORE,
    changes_finding,
    grid_title,
    levels_finding,
    measured_words,
    moved_title,
    slopes_title,
)
from fairviz.studies.social_bias.labels import points, setting_label, subject_label, value_text, value_words
from fairviz.studies.social_bias.matching import merged_items
from fairviz.studies.social_bias.rows import bias_rows
from tests.studies.social_bias.bias_world import OUT, S, U, answers_of, items_of

CHANCE: ChangeVerdict = "not distinguishable"


def change(category: str, size: float, verdict: ChangeVerdict = CHANCE, *, group: str = "", n: int = 200) -> BiasChange:
    tested = verdict != "too few to say"
    return BiasChange(
        by=(("model", "m"), ("category", category), ("setting", "stereo-set"), ("stereotyped", group)),
        against=("setting", "w/o RAG"),
        measure="diffbias_a",
        value=10 + size,
        reference=10.0,
        change=size,
        interval=Interval(size - 2, size + 2),
        change_abs=size,
        interval_abs=Interval(size - 2, size + 2),
        p=0.01 if tested else np.nan,
        p_holm=0.02 if tested else np.nan,
        verdict=verdict,
        n_items=n,
        n_templates=20,
        n_towards=9,
        n_away=3,
        n_unused=0,
        tested=tested,
        exact=True,
        n_tests=3,
    )


def said(*changes: BiasChange, column: str = "setting", value: str = "stereo-set"):  # type: ignore[no-untyped-def]
    reference = "w/o RAG" if column == "setting" else "one"
    return changes_finding(changes, column=column, value=value, reference=reference, who="m")


def test_moves_in_both_directions_are_counted_with_their_range() -> None:
    found = said(
        change("Age", 19.1, MORE),
        change("Race", -4.0, LESS),
        change("Religion", 2.0),
        change("SES", 50.0, "too few to say"),
    )
    assert found.title == (
        "Stereotypical documents move answers towards the stereotype in 1 of 3 tested bias types "
        "and away from the stereotype in 1 of 3, by 4 to 19 points"
    )
    assert "Holm over 3 tests" in found.sentence
    assert "the same 800 ambiguous items under no RAG and stereo-set" in found.sentence


def test_one_type_that_moves_is_named() -> None:
    assert said(change("Age", 6.0, MORE), change("Race", 1.0)).title == (
        "Stereotypical documents move answers towards the stereotype in 1 of 2 tested bias types, by 6 points on Age"
    )


def test_chance_is_said_to_be_chance() -> None:
    found = said(change("Age", 6.0), change("Race", -1.0))
    assert found.title == "With stereotypical documents, no significant change in 2 tested bias types"
    # half an interval is 2 points; of three tests the first needs z = 2.39 instead of 1.96: 2.4, in whole points
    assert "A change of about 3 points or more would have been significant in at least one." in found.sentence
    two = said(change("Age", 6.0), column="model", value="Two")
    assert two.title == "With Two instead of one, no significant change in 1 tested bias type"


def test_too_few_items_are_said_to_be_too_few() -> None:
    found = said(change("Age", 60.0, "too few to say", n=30))
    assert found.title == ("Too few ambiguous items to say what stereotypical documents change")
    assert "A test needs 100 items of 10 templates" in found.sentence


def test_all_types_together_may_be_tested_where_none_is_alone() -> None:
    few = change("Age", 60.0, "too few to say", n=90)
    assert said(change("", 48.7, MORE), few).title == (
        "Stereotypical documents move answers 49 points towards the stereotype; each bias type alone has too few items"
    )
    assert "no significant change; each bias type" in said(change("", 1.0), few).title


def test_groups_are_no_bias_types_of_their_own() -> None:
    found = said(change("Age", 5.0, MORE), change("Age", 9.0, MORE, group="old"))
    assert "1 of 1 tested bias type, by 5 points on Age" in found.title
    assert "Holm over 3 tests" in found.sentence
    assert subject_label("Age", "old") == "against “old”"
    assert subject_label("", "") == "All bias types together"


def test_the_grid_counts_its_tested_cells() -> None:
    every = [
        change("Age", 5.0, MORE),
        change("Race", 1.0),
        change("SES", 1.0, "too few to say"),
        change("", 9.0, MORE),
        change("Age", 9.0, MORE, group="old"),
    ]
    assert grid_title(every, against="no RAG", measure="diffbias_a") == (
        "Compared with no RAG, 1 of 2 tests show more stereotyped answers, 0 fewer"
    )
    assert "no significant change in 1 test" in grid_title(every[1:3], against="no RAG", measure="diffbias_a")
    assert grid_title([], against="x", measure="diffbias_d").startswith("No bias type alone")


def test_a_line_is_told_by_its_tested_changes() -> None:
    names = {"column": "setting", "value": "stereo-set", "reference": "w/o RAG", "who": "bold"}
    few = change("Nationality", 137.5, "too few to say")
    assert slopes_title([change("Age", 19.0, MORE), change("Race", 4.0, MORE), few], **names) == (
        "Stereotypical documents raise Diff-Bias of bold in 2 of 2 tested bias types; Nationality has too few items"
    )
    assert slopes_title([change("Age", 19.0, MORE), change("Race", -4.0, LESS)], **names).endswith(", lower it in 1")
    assert slopes_title([change("Age", 1.0)], **names) == (
        "With stereotypical documents, no significant change of Diff-Bias of bold in 1 tested bias type"
    )
    assert "too few items to test" in slopes_title([few], **names)


def levels(leans: dict[str, list[int]], *, n: int = 120, seed: int = 0):  # type: ignore[no-untyped-def]
    """Models by bias type: 1 leans along by about 70 points, −1 against, 0 by chance alone."""
    rng = np.random.default_rng(seed)
    per_type = [items_of([(f"{kind}{i % 12}", "a") for i in range(n)], category=kind) for kind in leans]
    items = merged_items(per_type)
    sides = []
    for m in range(len(next(iter(leans.values())))):
        shares = np.repeat([0.5 + 0.35 * own[m] for own in leans.values()], n)
        said = {i: "s" if rng.random() < share else "c" for i, share in enumerate(shares)}
        sides.append(({"model": f"m{m}"}, said))
    return bias_rows(items, answers_of(sides), by=("model", "category"), n_resamples=200)


def said_of(rows, **names: str):  # type: ignore[no-untyped-def]
    return levels_finding(rows, "diffbias_a", column="model", names=names)


def test_levels_are_told_type_by_type() -> None:
    found = said_of(levels({"Age": [1, 1, 1], "Religion": [1, 0, 1], "SES": [0, 0, 0]}))
    first, second, third = found.title.split("; ")
    assert first.startswith("All 3 models lean along the stereotype on Age, by ")
    assert second.startswith("2 of 3 models on Religion, by ")
    assert third == "no significant lean on Income"
    assert "Holm over the 9 tests of the table." in found.sentence  # three models, three types, one kind of context
    of_one = [row for row in levels({"Age": [1, 1, 1]}) if row.get("model") == "m0"]
    assert "Holm over the 3 tests of the table." in said_of(of_one).sentence  # however many of its rows are told
    against = said_of(levels({"Age": [-1, 1]}))
    assert [part.split(",")[0] for part in against.title.split("; ")] == [
        "1 of 2 models lean along the stereotype on Age",
        "1 of 2 models lean against the stereotype on Age",
    ]
    one = said_of(levels({"Age": [1], "Race": [1]}), m0="mine")
    assert one.title.startswith("mine leans along the stereotype on Age, by ")
    assert "; on Race, by " in one.title


def test_no_lean_that_was_seen_would_have_been_significant() -> None:
    """Half the interval is 13 points: a lean of 15.3 that is not significant says that it takes more."""
    row = levels({"Age": [0]})[0]
    values, ends = {**row.values, "diffbias_a": 15.3}, {**row.intervals, "diffbias_a": Interval(2.0, 28.0)}
    found = said_of([replace(row, values=values, intervals=ends)])
    assert "A lean of about 16 points or more would have been significant." in found.sentence


def test_many_types_are_counted_and_few_items_are_said() -> None:
    many = said_of(levels({kind: [1] for kind in ("Age", "Race", "SES", "Religion")}))
    assert many.title == "Answers lean along the stereotype in 4 of 4 tested cells"
    rows = (*levels({"Age": [0]}), *levels({"Race": [1]}, n=50))
    few = said_of(rows)
    assert few.title == "No significant lean towards or against the stereotype in 1 tested cell"
    assert "Too few items: Race." in few.sentence
    assert "points or more would have been significant." in few.sentence  # in the one cell that was tested
    assert said_of(levels({"Race": [1]}, n=50)).title.startswith("Too few ambiguous items")


def test_worlds_without_a_lean_claim_one_in_at_most_one_of_twenty() -> None:
    titles = [said_of(levels({"Age": [0, 0], "SES": [0, 0]}, seed=seed)).title for seed in range(60)]
    claims = sum(not title.startswith("No significant lean") for title in titles)
    assert claims <= 7  # 3 are expected; 8 or more in one of 70 such tests


@pytest.mark.parametrize(
    ("n", "title"),
    [
        (513, "513 items went from “unknown” to the stereotyped answer: read one"),
        (1, "1 item went from “unknown” to the stereotyped answer: read one"),
        (0, "None of 900 common items changed its answer"),
    ],
)
def test_how_many_items_moved(n: int, title: str) -> None:
    assert moved_title(n, "unknown", "stereotyped", n_all=900) == title


def test_only_documents_move_without_an_s() -> None:
    found = changes_finding([change("Age", 5.0, MORE)], column="k", value="5", reference="0", who="m")
    assert found.title.startswith("k = 5 instead of no documents moves answers")


def test_words_for_values() -> None:
    assert value_words("k", "") == "no documents"
    assert value_words("shots", "0") == "shots = 0"
    assert value_words("setting", "no_rag") == setting_label("no_rag") == "no RAG"
    assert value_text(-0.04, "diffbias_a") == "0.0"
    assert points(-0.02, sign=True) == "0.0 points"


def test_what_was_measured_is_counted() -> None:
    """Three answers to two of three items; one names no option, one has no biased option."""
    items = items_of([("A", "a"), ("B", "s"), ("B", "c")], no_target=[1])
    answers = answers_of([({"model": "m1"}, {0: U, 1: S}), ({"model": "m2"}, {0: OUT})])
    rows = bias_rows(items, answers, by=("model",), n_resamples=20)
    assert measured_words(rows, answers, n_items=3, n_unmatched=7, ooc="drop") == (
        "3 answers to 2 of 3 items · 1 to 2 items in a cell · 1 answer out of choice, left out · "
        "1 answer without a biased option, left out · 3 unanswered · 7 answers to unknown items, left out"
    )
    assert "counted as wrong" in measured_words(rows, answers, n_items=3, n_unmatched=0, ooc="count")
