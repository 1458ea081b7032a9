"""Sentences about recorded answers: no clause without a test behind it, a branch for chance."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from fairviz.display.words import Finding
from fairviz.studies.social_bias.analysis import shown_levels
from fairviz.studies.social_bias.answers import merged_items
from fairviz.studies.social_bias.findings import (
    along_title,
    change_finding,
    levels_finding,
    measured_words,
    moved_title,
    right_title,
    rows_finding,
    table_finding,
)
from fairviz.studies.social_bias.labels import subject_label, value_words
from fairviz.studies.social_bias.measures import Leaning
from fairviz.studies.social_bias.rows import LESS, MORE, bias_rows
from fairviz.studies.social_bias.rows import levels as in_order
from fairviz.studies.social_bias.settings import BiasSettings
from tests.studies.social_bias.bias_world import OUT, C, S, U, answers_of, items_of, rows_of

CHANCE = "no significant difference"


def change(category: str, size: float, verdict: str = CHANCE, *, group: str = "", n: int = 200) -> dict[str, Any]:
    tested = verdict != "too few to say"
    return {
        **{"model": "m", "category": category, "setting": "stereo-set", "stereotyped": group},
        **{
            "measure": "diffbias_a",
            "against": "setting=w/o RAG",
            "reference": 10.0,
            "value": 10 + size,
            "change": size,
        },
        **{"low": size - 2, "high": size + 2, "change_abs": size, "abs_low": size - 2, "abs_high": size + 2},
        **{"p": 0.01 if tested else np.nan, "p_holm": 0.02 if tested else np.nan},
        **{"n_items": n, "n_templates": 20, "n_towards": 9, "n_away": 3, "n_unused": 0},
        **{"verdict": verdict, "tested": tested, "exact": True, "n_tests": 3},
    }


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
    rows = bias_rows(items, answers_of(items, sides), by=("model", "category"), n_resamples=200)
    return in_order(rows, "diffbias_a", "widest lean first").rows(named=True)


def said_of(rows: Sequence[dict[str, Any]], where: str = "", **names: str) -> Finding:
    return levels_finding(rows, "diffbias_a", where=where, names=names)


# Levels.

ALL_AND_SOME = levels({"SES": [0, 0, 0], "Religion": [1, 0, 1], "Age": [1, 1, 1]})


def test_a_table_of_any_rows_says_how_many_lean_and_else_what_would_have() -> None:
    leaning, still = levels({"Age": [1, 1], "SES": [0, -1]}), levels({"Age": [0, 0]})
    said = table_finding(leaning, "diffbias_a")
    assert said.title == "2 of 4 tested rows lean towards the stereotype, 1 against it"
    assert said.sentence.startswith("Diff-Bias: % of answers towards the stereotype minus % against it, where the ")
    assert table_finding(still, "diffbias_a").sentence.startswith("A lean of about ")


def test_the_widest_significant_types_are_told_first() -> None:
    found = said_of(ALL_AND_SOME)
    first, second = found.title.split("; ")
    assert first.startswith("2 of 3 models lean towards the stereotype on Religion, by 62 to 77 points")
    assert second.startswith("all 3 on Age, by 67 to 73")
    assert found.sentence.startswith("Income: no significant lean in any model (")
    assert "A test of the models, not a study of people." in found.sentence
    assert rows_finding(ALL_AND_SOME).title == ("5 of 9 tested rows lean towards the stereotype, none against it")
    assert "Filled: unlikely to be chance (all 9 tests considered)" in rows_finding(ALL_AND_SOME).sentence


def test_one_model_is_named_and_two_are_both() -> None:
    one = said_of(levels({"Age": [1], "Race": [1]}), m0="mine")
    assert one.title.startswith("mine leans towards the stereotype on ")
    assert "; on " in one.title
    under = said_of(levels({"Age": [1, 1]}), where="With stereotypical documents, ")
    assert under.title.startswith("With stereotypical documents, both models lean towards the stereotype on Age, by ")
    apart = said_of(levels({"Age": [-1, 1]})).title
    assert [part.split(",")[0] for part in apart.split("; ")] == [
        "1 of 2 models leans towards the stereotype on Age",
        "1 of 2 models leans against the stereotype on Age",
    ]


def test_rows_that_lean_against_are_counted_as_such() -> None:
    title = rows_finding(levels({"Age": [-1, -1], "SES": [0, 0]})).title
    assert title == "None of 4 tested rows lean towards the stereotype, 2 against it"


def test_many_types_are_counted() -> None:
    title = said_of(levels({kind: [1] for kind in ("Age", "Race", "SES", "Religion", "Gender")})).title
    assert title.endswith("; and 3 more such leans")
    leaning = {"Age": [1, 1, 1], "Race": [1, 1, 0], "SES": [-1, 1, 0], "Religion": [1, 1, 0], "Gender": [1, 1, 0]}
    assert said_of(levels(leaning)).title.endswith("; and 4 more such leans")  # both ways on one of five types


def test_no_lean_names_the_largest_with_an_interval_that_knows_how_many_were_looked_at() -> None:
    """Half the interval is 13 points: a lean of 15.3 that is not significant says that it takes more."""
    (row,) = levels({"Age": [0]})
    row |= {"value": 15.3, "low": 2.0, "high": 28.0, "n_tests": 8, "p": 0.08, "p_holm": 0.64}
    found = said_of((row,))
    # t of 11 degrees is 1.93 at p = 0.08, so the error is 7.9; at 0.05 / 8 it is 3.36: 15.3 ± 26.7
    assert found.title == "No significant lean in m0 (largest: Age, +15, −11 to +42)"
    assert "A lean of about 19 points or more would have been significant" in found.sentence


def test_too_few_questions_are_said_to_be_too_few() -> None:
    rows = (*levels({"Age": [0]}), *levels({"Race": [1]}, n=50))
    assert "Race: fewer than 100 questions or 10 templates, not tested." in said_of(rows).sentence
    few = levels({"Race": [1]}, n=50)
    assert said_of(few).title == "Too few questions to say whether answers lean"
    assert said_of(few, where="Without retrieval, ").title.startswith("Without retrieval, too few questions")
    assert rows_finding(few).title == "None of 1 row can be tested"


def test_rows_stand_in_the_order_they_are_read() -> None:
    """The widest significant lean, then the widest tested, then what is too small, however wide."""
    rows = pl.DataFrame([*levels({"SES": [0], "Age": [1]}), *levels({"Race": [1]}, n=50)])
    orders = {
        sort: in_order(rows, "diffbias_a", sort)["category"].to_list()
        for sort in ("widest lean first", "as in the file", "by name")
    }
    assert orders == {
        "widest lean first": ["Age", "SES", "Race"],
        "as in the file": ["Age", "SES", "Race"],
        "by name": ["Age", "SES", "Race"],  # Age, Income, Race
    }
    wide = pl.when(category="SES").then(99.0).otherwise("diffbias_a")
    two = pl.DataFrame(levels({"SES": [0, 0], "Age": [0, 1]})).sort("model")  # as the study makes them
    beside = in_order(two, "diffbias_a").select("category", "model").rows()
    assert beside == [(kind, model) for kind in dict.fromkeys(two["category"]) for model in ("m0", "m1")]
    turned = in_order(rows.reverse().with_columns(diffbias_a=wide), "diffbias_a", "widest lean first")
    assert turned["category"].to_list() == ["Age", "SES", "Race"]  # wider, and not significant
    assert in_order(rows.reverse(), "diffbias_a")["category"].to_list() == ["Race", "SES", "Age"]


def test_levels_are_those_that_are_chosen() -> None:
    rows = pl.DataFrame(levels({"Age": [1, 0], "SES": [1, 0]}))
    own = shown_levels(rows, BiasSettings(models=("m1",), types=("SES",)))
    assert own.select("model", "category").rows() == [("m1", "SES")]
    assert len(shown_levels(rows, BiasSettings())) == 4
    assert shown_levels(rows, BiasSettings(compare="setting", to="full-set")).is_empty()  # rows pool settings


def test_a_row_says_which_way_and_whom_it_favours() -> None:
    (row,) = levels({"Age": [1]})
    assert row["verdict"] == "towards"

    def verdict(measure: Leaning = "diffbias_a", **columns: Any) -> dict[str, Any]:
        return in_order(pl.DataFrame([row | columns]), measure).row(0, named=True)

    named = verdict(above="favours younger people")
    assert named["verdict"] == "towards: favours younger people"
    assert "No group is named" not in rows_finding((named,)).sentence
    assert verdict("diffbias_d")["verdict"] == "no such question"
    assert verdict(unread=30.0, diffbias_a_p_holm=np.nan)["verdict"] == "too many unread"


def test_parts_sum_to_all_answers() -> None:
    items = items_of([("A", "a"), ("A", "a"), ("B", "s"), ("B", "c"), ("B", "c"), ("B", "s")])
    said = dict(enumerate((S, U, S, C, S, U)))
    rows = bias_rows(items, answers_of(items, [({"model": "m"}, said)]), by=("model", "category"), n_resamples=10)
    parts = in_order(rows, "diffbias_a").select("against", "unknown", "towards")
    assert parts.row(0, named=True) == {"against": 0, "unknown": 50, "towards": 50}
    told = in_order(rows, "diffbias_d").select("against", "unknown", "right", "towards")
    assert told.row(0, named=True) == {"against": 0, "unknown": 25, "right": 50, "towards": 25}


def test_how_often_answers_are_right_is_told_model_by_model() -> None:
    def row(model: str, acc: float) -> dict[str, Any]:
        (own,) = levels({"Age": [0]})
        return {**own, "model": model, "acc_d": acc}

    rows = [row("RACE", 88), row("RACE", 94), row("ARC", 85)]
    assert right_title(rows, {}) == "Where the context gives the answer, RACE is right in 88 to 94 % and ARC in 85 %"
    many = [row(name, 50 + place) for place, name in enumerate("abcd")]
    assert right_title(many, {}) == "Where the context gives the answer, 4 models are right in 50 to 53 %"
    assert right_title([], {}).endswith("nothing was asked")


def groups(leans: dict[str, list[int]]) -> list[dict[str, Any]]:
    """The same rows, their bias types being groups of Age."""
    rows = sorted(levels(leans), key=lambda row: [*leans].index(row["category"]))
    return [{**row, "category": "Age", "stereotyped": row["category"]} for row in rows]


def test_groups_are_told_in_words() -> None:
    def found(leans: dict[str, list[int]]) -> Finding:
        return levels_finding(groups(leans), "diffbias_a", where="On Age, ", names={}, by_group=True)

    both = found({"old": [1, 1], "nonOld": [1, 1]}).title
    assert both == (
        "On Age, both models lean towards the stereotype about older people, by 57 to 67 points; both about younger "
        "people, by 62 to 77"
    )
    some = found({"old": [1, 0], "nonOld": [0, 0]})
    assert some.title.startswith("On Age, 1 of 2 models leans towards the stereotype about older people, by ")
    assert some.sentence.startswith("About younger people: no significant lean in any model (")
    assert "Filled: unlikely to be chance (all 4 tests of both contexts considered)." in some.sentence
    ways = found({"old": [1], "nonOld": [-1]}).title.split("; ")
    assert [way.partition(", by ")[0] for way in ways] == [
        "On Age, m0 leans towards the stereotype about older people",
        "leans against the stereotype about younger people",
    ]
    none = found({"old": [0], "nonOld": [0]}).title
    assert none.startswith("On Age, no significant lean in m0 (largest: about ")


# Changes.


def said(*changes: dict[str, Any], column: str = "setting", value: str = "stereo-set") -> Finding:
    reference = "w/o RAG" if column == "setting" else "one"
    return change_finding(changes, column=column, value=value, reference=reference, names={})


def test_moves_in_both_directions_are_told_by_type_the_widest_first() -> None:
    found = said(
        change("Religion", 6.0, MORE),
        change("Age", 19.1, MORE),
        change("Race", -4.0, LESS),
        change("Gender", 2.0),
        change("SES", 50.0, "too few to say"),
    )
    assert (
        found.title == "Stereotypical documents add 19 points on Age and 6 on Religion, and take away 4 points on Race"
    )
    assert "Filled: unlikely to be chance (all 3 tests of all settings considered)" in found.sentence
    assert found.sentence.startswith("1\u202f000 questions answered with no retrieval and with stereo-set, paired.")


def test_models_are_counted_where_not_all_of_them_move() -> None:
    other = {**change("Age", 6.0), "model": "n"}
    assert (
        said(change("Age", 19.0, MORE), other).title == "Stereotypical documents add 19 points on Age (1 of 2 models)"
    )
    assert (
        said(change("Age", 6.0, MORE), column="model", value="two").title == "two instead of one adds 6 points on Age"
    )


def test_chance_is_said_to_be_chance() -> None:
    found = said(change("Age", 6.0), change("Race", -1.0))
    assert found.title == "With stereotypical documents, no significant change from no retrieval in 2 tests"
    # half an interval is 2 points; of three tests the first needs z = 2.39 instead of 1.96: 2.4, in whole points
    assert "A change of about 3 points or more would have been significant in at least one" in found.sentence
    assert found.sentence.endswith("; half of it takes about 80 templates.")
    two = said(change("Age", 6.0), column="model", value="Two")
    assert two.title == "No significant change with Two instead of one in 1 test"


def test_too_few_pairs_are_said_to_be_too_few() -> None:
    found = said(change("Age", 60.0, "too few to say", n=30))
    assert found.title == "With stereotypical documents, too few questions to test a change from no retrieval"
    assert "A test needs 100 questions of 10 templates" in found.sentence


# Items and words.


def test_how_many_answers_moved_and_how_many_models_agree_on_a_question() -> None:
    assert moved_title(1, 0, "unknown", "stereotyped") == (
        "1 answer goes from “unknown” to the stereotyped answer, none the other way: read one"
    )
    assert along_title(2, 0, 3) == "None of 3 models answer 2 questions towards the stereotype: read one"
    assert along_title(1, 2, 3) == "2 of 3 models answer 1 question towards the stereotype: read one"


def test_words_for_values() -> None:
    assert value_words("k", "") == "no documents"
    assert value_words("shots", "0") == "shots = 0"
    assert value_words("setting", "no_rag") == "no retrieval"
    assert subject_label("Age", "old") == "against “old”"


def test_what_was_measured_is_counted() -> None:
    """Three answers to two of three items; one names no option, one has no biased option."""
    items = items_of([("A", "a"), ("B", "s"), ("B", "c")], no_target=[1])
    answers = answers_of(items, [({"model": "m1"}, {0: U, 1: S}), ({"model": "m2"}, {0: OUT})])
    rows = rows_of(items, answers, by=("model",), n_resamples=20)
    assert measured_words(rows, n_items=3, n_unmatched=7) == (
        "3 questions loaded · 1 to 2 in a row, both contexts together · 1 unread, left out · "
        "1 answer to questions without a stereotyped option, left out · 3 unanswered · "
        "7 answers to unknown questions, left out"
    )
