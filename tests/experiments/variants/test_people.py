"""Generated variants: the published rule on real questions, mentions by hand, files."""

import gzip
import json
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.errors import UsageError
from fairviz.experiments.people import (
    ATTRIBUTES,
    Variant,
    first_person,
    make_variants,
    not_made,
    write_variant_questions,
)
from fairviz.io.corpus import read_queries

ONE = {"q1": "Which drug is given to a patient with asthma?"}
RACE = {"race": ("Asian", "Hispanic")}


def texts(question: str, values: dict[str, list[str]], *, combine: bool = False) -> list[str]:
    made = make_variants({"q": question}, values, form="mention", combine=combine, neutral=False)
    return [variant.text for variant in made]


def test_prefix() -> None:
    made = make_variants(ONE, {"race": ["African American"]})
    assert [(v.query_id, v.question_id, v.attribute, v.value) for v in made] == [
        ("q1::neutral", "q1", "none", "neutral"),
        ("q1::African_American", "q1", "race", "African American"),
    ]
    assert made[0].text == ONE["q1"]
    assert made[1].text == "This African American individual... " + ONE["q1"]


def test_both_attributes() -> None:
    made = make_variants(ONE, combine=True)
    assert len(made) == 1 + 4 * 3
    asian = next(v for v in made if v.value == "Asian+female")
    assert (asian.query_id, asian.attribute) == ("q1::Asian+female", "race+gender")
    assert asian.text.startswith("This Asian female individual... Which")


def test_values_of_the_paper() -> None:
    """4 races and 3 genders with one neutral question: 8 variants, or 12 combined."""
    assert len(make_variants(ONE)) == 8
    assert ATTRIBUTES["gender"] == ("male", "female", "non-binary")
    assert len(make_variants(ONE, combine=True, neutral=False)) == 12


@pytest.mark.parametrize(
    ("question", "value", "expected"),
    [
        ("Is it safe for a patient?", "Asian", "Is it safe for an Asian patient?"),
        ("Is it safe for an adult?", "Hispanic", "Is it safe for a Hispanic adult?"),
        ("A patient coughs.", "African American", "An African American patient coughs."),
        ("An adolescent coughs.", "non-binary", "A non-binary adolescent coughs."),
        ("An infant coughs.", "European", "A European infant coughs."),
        ("Patients cough. Why?", "female", "Female patients cough. Why?"),
        ("A 45-year-old patient coughs.", "male", "A 45-year-old male patient coughs."),
        ("Why does the patient's arm hurt?", "Asian", "Why does the Asian patient's arm hurt?"),
        ("Should a woman be screened?", "Asian", "Should an Asian woman be screened?"),
        ("In this adult or child?", "Asian", "In this Asian adult or child?"),
    ],
)
def test_mentions(question: str, value: str, expected: str) -> None:
    attribute = "gender" if value in ATTRIBUTES["gender"] else "race"
    assert texts(question, {attribute: [value]}) == [expected]


def test_mention_of_both() -> None:
    values = {"race": ["Asian"], "gender": ["female"]}
    assert texts("Is it safe for a patient?", values, combine=True) == ["Is it safe for an Asian female patient?"]


@pytest.mark.parametrize(
    "question",
    [
        "Is it hot?",
        "Are adult stem cells used?",
        "Is a patient-derived xenograft used?",
        "Do individual differences matter?",
        "Is impatience a symptom?",
        "",
    ],
)
def test_nobody_is_mentioned(question: str) -> None:
    assert first_person(question) is None
    assert not texts(question, {"race": ["Asian"]})
    left_out = not_made({"q": question}, RACE)
    assert [(v.value, reason) for v, reason in left_out] == [
        ("Asian", "mentions nobody"),
        ("Hispanic", "mentions nobody"),
    ]


def test_what_is_said_already_is_not_contradicted() -> None:
    woman = {"q": "Should a woman be screened?"}
    assert {reason for _, reason in not_made(woman)} == {"the person has a gender already"}
    assert {v.attribute for v, _ in not_made(woman)} == {"gender"}
    asian = {"q": "Do asian patients differ?"}
    assert {(v.attribute, reason) for v, reason in not_made(asian)} == {("race", "mentions a value already")}
    assert not not_made(woman, form="prefix")
    neutral = make_variants({"q": "Is it hot?"}, RACE, form="mention")
    assert [v.value for v in neutral] == ["neutral"]


@given(
    questions=st.dictionaries(
        st.sampled_from(["q1", "q2", "q3"]),
        st.sampled_from(["Is it hot?", "Is a patient ill?", "Is a woman ill?", "Are Asians ill?"]),
    ),
    combine=st.booleans(),
    form=st.sampled_from(["prefix", "mention"]),
)
def test_made_and_not_made_are_everything(questions: dict[str, str], combine: bool, form: str) -> None:
    made = make_variants(questions, form=form, combine=combine, neutral=False)  # pyright: ignore[reportArgumentType]
    left_out = not_made(questions, form=form, combine=combine)  # pyright: ignore[reportArgumentType]
    assert len(made) + len(left_out) == len(questions) * (12 if combine else 7)
    assert len({v.query_id for v in made}) == len(made)
    pairs = {(v.question_id, v.value) for v in made}
    assert not pairs & {(v.question_id, v.value) for v, _ in left_out}


@pytest.mark.parametrize(
    ("attributes", "reason"),
    [
        ({}, "at least one attribute"),
        ({"race": ()}, "no values"),
        ({"race": ("",)}, "not empty"),
        ({"race": ("a+b",)}, "without +"),
        ({"race": ("x", "x")}, "stands twice"),
        ({"race": ("x y",), "sex": ("x_y",)}, "stands twice"),
        ({"race": ("neutral",)}, "the question as it is"),
        ({"none": ("x",)}, "the question as it is"),
    ],
)
def test_refused_attributes(attributes: dict[str, tuple[str, ...]], reason: str) -> None:
    with pytest.raises(UsageError, match=reason.replace("+", r"\+")):
        make_variants(ONE, attributes)
    with pytest.raises(UsageError, match=reason.replace("+", r"\+")):
        not_made(ONE, attributes)


def test_an_unknown_form() -> None:
    with pytest.raises(UsageError, match="prefix, mention"):
        make_variants(ONE, form="suffix")  # pyright: ignore[reportArgumentType]


def test_files_come_back() -> None:
    made = make_variants({**ONE, "q2": "Ist es »heiß«?"})
    file = StringIO()
    write_variant_questions(made, file)
    first = json.loads(file.getvalue().splitlines()[0])
    assert first == {
        "query_id": made[0].query_id,
        "qid": "q1",
        "attribute": "none",
        "value": "neutral",
        "text": ONE["q1"],
    }
    read = read_queries(("q.jsonl", file.getvalue().encode())).value
    assert read == {variant.query_id: variant.text for variant in made}


def test_the_published_rule_on_real_questions(shared: Path) -> None:
    """618 questions × 8 variants, byte for byte and in the same order."""
    file = shared / "data/real/variants/queries.jsonl.gz"
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    questions = {row["qid"]: row["question"] for row in rows if row["value"] == "neutral"}
    made = make_variants(questions)
    assert len(made) == 618 * 8
    assert made == tuple(Variant(row["qid"], row["attribute"], row["value"], row["question"]) for row in rows)
    assert [variant.query_id for variant in made] == [row["variant_id"] for row in rows]
