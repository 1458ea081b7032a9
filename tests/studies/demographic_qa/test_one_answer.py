"""A model that gives one answer whatever is asked gets no verdict; one that reads the questions always does."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from fairviz.studies.demographic_qa.answers import Record
from fairviz.studies.demographic_qa.columns import rows_table
from fairviz.studies.demographic_qa.findings import (
    change_finding,
    gap_words,
    headline,
    next_step,
    panels_title,
    verdict_words,
)
from tests.studies.demographic_qa.answered_variants import Said, variant_answers, variant_rows

GROUPS = ("white", "black")


def rows_of(golds: Sequence[str], **answers: Callable[[int, str], str]) -> tuple[Record, ...]:
    """Each strategy's answers to a question of each right option, asked about two groups."""
    said = [
        Said(f"q{q}", {"race": group}, gold, answer(q, group), by={"strategy": strategy})
        for strategy, answer in answers.items()
        for q, gold in enumerate(golds)
        for group in GROUPS
    ]
    return variant_rows(variant_answers(said), by=("strategy",), n_resamples=1, n_permutations=99)


@pytest.mark.parametrize(
    ("options", "chances", "right"), [("ABCD", None, 0.6), ("ABC", (0.55, 0.34, 0.11), 0.05), ("AB", (0.9, 0.1), 1.0)]
)
def test_a_model_that_reads_is_never_said_to_give_one_answer(
    options: str, chances: tuple[float, ...] | None, right: float
) -> None:
    """Of 80 worlds of 15 questions, also where one option is mostly right, or mostly wrong, at most four: α."""
    rng, said = np.random.default_rng(1), list[Said]()
    for world in range(80):
        golds = [options[i] for i in rng.choice(len(options), 15, p=chances)]
        for q, gold in enumerate(golds if len(set(golds)) > 1 else ()):
            answer = gold if rng.random() < right else str(rng.choice([o for o in options if o != gold]))
            own = f"w{world}"
            said += [Said(f"{own} q{q}", {"race": group}, gold, answer, by={"strategy": own}) for group in GROUPS]
    rows = variant_rows(variant_answers(said), by=("strategy",), n_resamples=1, n_permutations=99)
    assert len(rows) > 40
    assert sum(row["one_answer"] is not None for row in rows) <= 4


def test_one_answer_whatever_is_asked_is_counted_and_has_no_verdict() -> None:
    """Of 40 questions with four options each a quarter is A; one answer of eighty is another."""
    (row,) = rows_of("ABCD" * 10, plain=lambda q, group: "B" if (q, group) == (5, "black") else "A")
    assert verdict_words(row) == "no verdict: 79 of 80 answers are A"
    title = "One answer is given whatever is asked: 79 of 80 answers are A"
    assert headline([row], who="m").title == title
    assert panels_title([row]) == f"Same question, different person: {title[:1].lower()}{title[1:]}"
    assert gap_words(row).endswith("No verdict: 79 of 80 answers are A.")
    assert next_step([row]).startswith("Next: find out why the model gives one answer")
    assert (row["dp_n_tests"], np.isnan(row["gaps"][0]["p"])) == (0, True)
    table = rows_table([row])
    assert table.rows[0][table.keys.index("one_answer")] == "79 of 80 answers are A"


def test_few_questions_asked_about_many_groups_are_few() -> None:
    """Seven questions and fourteen answers: ten of them are the least of which anything is said."""
    (row,) = rows_of("ABCDABC", plain=lambda q, group: "A")
    assert row["one_answer"] is None


def test_a_remedy_of_one_answer_narrows_nothing() -> None:
    """Of 40 questions the plain prompt is right about one group alone; the other strategy answers A."""
    golds = "ABCD" * 10
    other = {"A": "B", "B": "C", "C": "D", "D": "A"}
    rows = rows_of(
        golds, plain=lambda q, group: golds[q] if group == "white" else other[golds[q]], COT=lambda q, group: "A"
    )
    said = change_finding(rows, without="with the plain prompt")
    assert "narrows" not in said
    assert "one answer whatever is asked" in said
