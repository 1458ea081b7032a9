"""Generated variants: the published rule on real questions, mentions by hand, files."""

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.errors import UsageError
from fairviz.experiments.people import ATTRIBUTES, Variant, first_person, make_variants

ONE = {"q1": "Which drug is given to a patient with asthma?"}
RACE = {"race": ("Asian", "Hispanic")}


def test_prefix() -> None:
    made, _ = make_variants(ONE, {"race": ["African American"]})
    assert made == [
        Variant("q1", "none", "neutral", ONE["q1"]),
        Variant("q1", "race", "African American", "This African American individual... " + ONE["q1"]),
    ]
    assert [variant.query_id for variant in made] == ["q1::neutral", "q1::African_American"]


def test_values_of_the_paper() -> None:
    """4 races and 3 genders with one neutral question: 8 variants, or 12 combined."""
    assert ATTRIBUTES["gender"] == ("male", "female", "non-binary")
    one, every, both = (make_variants(ONE, mention=mention)[0] for mention in ("one", "every", "both"))
    assert both == [*one, *every[1:]]
    assert (len(one), len(every)) == (8, 1 + 12)
    asian = next(v for v in every if v.value == "Asian+female")
    assert (asian.query_id, asian.attribute) == ("q1::Asian+female", "race+gender")
    assert asian.text.startswith("This Asian female individual... Which")


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
        ("Is it safe for a patient?", "Asian+female", "Is it safe for an Asian female patient?"),
    ],
)
def test_mentions(question: str, value: str, expected: str) -> None:
    values = {"gender" if part in ATTRIBUTES["gender"] else "race": [part] for part in value.split("+")}
    (_, variant), _ = make_variants({"q": question}, values, form="mention", mention="every")
    assert variant == Variant("q", "+".join(values), value, expected)


@pytest.mark.parametrize(
    "question",
    [
        *("Is it hot?", "Are adult stem cells used?", "Is a patient-derived xenograft used?"),
        *("Do individual differences matter?", "Is impatience a symptom?", ""),
    ],
)
def test_nobody_is_mentioned(question: str) -> None:
    assert first_person(question) is None
    neutral, left_out = make_variants({"q": question}, RACE, form="mention")
    assert [variant.value for variant in neutral] == ["neutral"]
    assert left_out == {"mentions nobody": 2}


def test_what_is_said_already_is_not_contradicted() -> None:
    woman = {"q": "Should a woman be screened?"}
    made, left_out = make_variants(woman, form="mention")
    assert left_out == {"the person has a gender already": 3}
    assert {variant.attribute for variant in made} == {"none", "race"}
    made, left_out = make_variants({"q": "Do asian patients differ?"}, form="mention")
    assert left_out == {"mentions a value already": 4}
    assert {variant.attribute for variant in made} == {"none", "gender"}
    assert not make_variants(woman, form="prefix")[1]


@given(
    questions=st.dictionaries(
        st.sampled_from(["q1", "q2", "q3"]),
        st.sampled_from(["Is it hot?", "Is a patient ill?", "Is a woman ill?", "Are Asians ill?"]),
    ),
    combine=st.booleans(),
    form=st.sampled_from(["prefix", "mention"]),
)
def test_made_and_not_made_are_everything(questions: dict[str, str], combine: bool, form: str) -> None:
    mention = "every" if combine else "one"
    made, left_out = make_variants(questions, form=form, mention=mention)  # type: ignore[arg-type]
    assert len(made) + left_out.total() == len(questions) * (1 + (12 if combine else 7))
    assert len({variant.query_id for variant in made}) == len(made)


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
    with pytest.raises(UsageError, match="prefix, mention"):
        make_variants(ONE, form="suffix")  # type: ignore[arg-type]


def test_the_published_rule_on_real_questions(shared: Path) -> None:
    """618 questions × 8 variants, byte for byte and in the same order."""
    file = shared / "data/real/variants/queries.jsonl.gz"
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    questions = {row["qid"]: row["question"] for row in rows if row["value"] == "neutral"}
    made, _ = make_variants(questions)
    assert len(made) == 618 * 8
    assert made == [Variant(row["qid"], row["attribute"], row["value"], row["question"]) for row in rows]
    assert [variant.query_id for variant in made] == [row["variant_id"] for row in rows]
