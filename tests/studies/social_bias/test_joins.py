"""What of recorded answers to bias questions can be measured, counted by hand."""

import pytest

from fairviz.errors import InputError
from fairviz.io.bbq import read_bias_items
from fairviz.io.bbq_answers import read_bias_predictions
from fairviz.studies.social_bias.answers import answered
from tests.io.bias_files import bbq, json_lines, table

ITEMS = (
    "category,example_id,question_index,question_polarity,context_condition,context,question,"
    "ans0,ans1,ans2,label,unknown_loc,target_loc\n"
    "Age,0,1,neg,ambig,They met.,Who forgot?,The old man,The boy,Unknown,2,2,0\n"
    "Age,1,1,neg,ambig,They met.,Who won?,The old man,The boy,Unknown,2,2,\n"
    "Age,2,1,neg,ambig,They sat.,Who forgot?,The old man,The boy,Unknown,2,2,0\n"
)
ANSWERS = "model,category,example_id,raw_prediction\na,Age,0,the boy\na,Age,1,a dog\nb,Age,0,B\nb,Age,9,A\n"


def test_items_and_answers() -> None:
    items = read_bias_items(("items.csv", ITEMS.encode())).value
    answers = read_bias_predictions(("answers.csv", ANSWERS.encode())).value
    found = answered(items, [answers])
    # of 3 items 0 and 1 are answered; b's answer to 9 has no item
    assert (len(found.items), found.answers["item"].n_unique(), found.n_unmatched) == (3, 2, 1)
    assert found.models == [("a", 2, 2, 1), ("b", 1, 1, 0)]  # "a dog" is none of the options
    with pytest.raises(InputError):
        answered(items, [])


def test_how_answers_were_read_is_said_apart_from_what_was_left_out() -> None:
    items = read_bias_items(json_lines([bbq(0), bbq(1)])).value
    rows = [{"example_id": 0, "raw_prediction": "(A)"}, {"example_id": 1, "raw_prediction": "both"}]
    found = answered(items, [read_bias_predictions(table(rows, "answers.csv")).value])
    assert found.read_by == {"letter": 1}
    assert found.n_unread == 1
    assert [note.split(":")[0] for note in found.how_read] == [
        "1 of 2 answers (50 %) names no option and is left unread",
        "answers read by",
    ]
    assert found.left_out == ()
