"""What can be compared in recorded answers, and what is held fixed."""

import polars as pl

from fairviz.io.bbq import read_bias_items
from fairviz.io.bbq_answers import read_bias_predictions
from fairviz.studies.social_bias.answers import (
    answered,
    at_fixed_values,
    comparable,
    merged_items,
    usual_reference,
    values_of,
)
from fairviz.studies.social_bias.settings import BiasSettings

HEAD = (
    "category,example_id,question_index,question_polarity,context_condition,context,question,"
    "ans0,ans1,ans2,unknown_loc,target_loc,label"
)
ITEMS = "\n".join([HEAD, *(f"Age,{i},{i},neg,ambig,c,q,old,young,unknown,2,0,2" for i in range(3))])
SETTINGS = [("w/o RAG", "", ""), ("full-set", "bm25", "5"), ("full-set", "bm25", "10"), ("full-set", "lsa", "10")]
ANSWERS = "\n".join(
    [
        "example_id,category,model,setting,retriever,k,pred",
        *(f"{i},Age,m,{s},{r},{k},{i}" for s, r, k in SETTINGS for i in range(3)),
    ]
)
"""Item i is answered with option i: stereotyped, counter, unknown."""


def read() -> pl.DataFrame:
    items = merged_items([read_bias_items(("items.csv", ITEMS.encode())).value])
    predictions = read_bias_predictions(("answers.csv", ANSWERS.encode())).value
    return answered(items, [predictions]).answers


def test_columns_values_and_what_they_are_held_against() -> None:
    answers = read()
    values = values_of(answers)
    assert values["setting"] == ("w/o RAG", "full-set")
    assert values["k"] == ("", "5", "10")
    assert comparable(values) == ("setting", "retriever", "k")
    assert usual_reference(values["setting"]) == "w/o RAG"
    assert usual_reference(values["k"]) == ""
    assert usual_reference(("b", "a")) == "b"


def test_fixing_a_retriever_keeps_answers_without_retrieval() -> None:
    """Three items w/o RAG, three with lsa; the six of bm25 go."""
    answers = read()
    part = at_fixed_values(answers, BiasSettings(compare="setting", reference="w/o RAG", only=("retriever=lsa",)))
    assert len(part) == 6
    assert values_of(part)["retriever"] == ("", "lsa")
    alone = at_fixed_values(answers, BiasSettings(compare="model", reference="m", only=("retriever=lsa",)))
    assert len(alone) == 3
