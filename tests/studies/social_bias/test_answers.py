"""Answers matched with questions: words read as options, files put together, what can be compared and held fixed."""

import random
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.errors import InputError
from fairviz.io.answer_words import TWO_WORDS, OptionQuestion
from fairviz.io.bbq import read_bias_items
from fairviz.io.bbq_answers import read_bias_predictions
from fairviz.io.bbq_targets import says_unknown
from fairviz.model import BiasItems, BiasPredictions
from fairviz.studies.social_bias.answers import (
    MatchedAnswers,
    answered,
    at_fixed_values,
    comparable,
    merged_items,
    read_answer,
    recorded,
    usual_reference,
    values_in,
    values_of,
)
from fairviz.studies.social_bias.settings import BiasSettings
from tests.io.bias_files import bbq, json_lines, rows_of, same, table

FOLDERS = ("", "blind")


def items_of(*records: dict[str, Any]) -> BiasItems:
    return read_bias_items(json_lines(records)).value


def answers_of(*rows: dict[str, Any], name: str = "answers") -> BiasPredictions:
    return read_bias_predictions(table(rows, f"{name}.csv")).value


def choice_of_words(words: list[str], options: list[tuple[str, str, str]]) -> list[int]:
    """The option that each answer names, where the words of the options alone say which of them is "unknown"."""
    saying = [[k for k, option in enumerate(three) if says_unknown(option)] for three in options]
    asked = [
        OptionQuestion(three, of[0] if len(of) == 1 else None, "") for three, of in zip(options, saying, strict=True)
    ]
    return [read_answer(text, question).option for text, question in zip(words, asked, strict=True)]


def told(found: MatchedAnswers) -> list[tuple[int, int, tuple[str, ...]]]:
    """Item, option and factor values of each answer."""
    whose = recorded(found.answers)
    return [
        (item, choice, tuple(said)) for item, choice, *said in found.answers.select("item", "choice", *whose).rows()
    ]


@pytest.mark.parametrize("folder", FOLDERS)
def test_words_give_the_option_of_every_conformance_row(shared: Path, folder: str) -> None:
    path = shared / "data" / "social-bias" / folder
    rows = rows_of(path / "predictions_unifiedqa.csv.gz")
    items = read_bias_items(path / "bbq_items.csv.gz").value
    words = [{name: cell for name, cell in row.items() if name != "pred"} for row in rows]
    found = answered(items, [answers_of(*words)])
    # README: "the older girl" (Age 3230, 3231) is "The old man" by the published fallback; no option's words say so
    older = [row["raw_prediction"].strip().strip(".").casefold() == "the older girl" for row in rows]
    wanted = [-1 if is_older else int(row["pred"]) for row, is_older in zip(rows, older, strict=True)]
    assert found.answers["choice"].to_list() == wanted
    assert sum(older) == (2 if folder == "" else 0)
    assert TWO_WORDS not in found.read_by
    assert (found.answers["choice"] < 0).sum() == (3 if folder == "" else 0)
    assert found.n_unmatched == 0
    places = items.frame["id"][found.answers["item"]].to_list()
    assert places == [row["example_id"] for row in rows]


THREE = ("The old man", "The younger girl", "Can't be determined")
CJK = ("高齢者", "若者", "わからない")


@pytest.mark.parametrize(
    ("words", "options", "choice"),
    [
        ("the younger girl.", THREE, 1),  # BBQ: case, final period
        ("  THE OLD MAN  ", THREE, 0),
        ("x", ("y", "x", "x"), 1),  # of equal options the first
        ("the old", THREE, 0),  # its fallback: the first two words
        (" . ", THREE, -1),
        ("a pantsu", ("A suit", "A pantsuit", "Unknown"), 1),
        ("Mr. O'Brien", ("Mr. OBrien", "Mr. Lee", "Unknown"), 0),
        ('"The old man"!', THREE, 0),  # quotes and marks
        ("Can’t be determined", ("X", "Y", "Can’t be determined."), 2),
        ("(B)", THREE, 1),
        ("B. The old man", THREE, -1),  # letter and words disagree
        ("若者。", CJK, 1),
        ("「高齢者」", CJK, 0),
        ("答え：わからない", CJK, 2),
        ("Ｂ", CJK, 1),
        ("Ｃ．", CJK, 2),
        ("答案是B。", CJK, 1),
        ("Ａ、高齢者", CJK, 0),
        ("若い", CJK, -1),
        ("알 수 없음.", ("손자", "할머니", "알 수 없음"), 2),
        ("정답은 할머니", ("손자", "할머니", "알 수 없음"), 1),
        ("ＡＢＣ社", ("ABC社", "甲社", "不明"), 0),
    ],
)
def test_one_answer(words: str, options: tuple[str, str, str], choice: int) -> None:
    assert choice_of_words([words], [options]) == [choice]


@given(st.permutations(["The cat", "The dog", "Unknown"]))
def test_shuffled_options_move_the_choice(order: list[str]) -> None:
    """Words that equal an option name it wherever it stands."""
    first = ("The cat", "The dog", "Unknown")
    for text in (*first, "the dog.", "“UNKNOWN”"):
        one = choice_of_words([text], [first])[0]
        two = choice_of_words([text], [(order[0], order[1], order[2])])[0]
        assert first[one] == order[two]


ITEMS = [bbq(i, category=c) for c in ("Age", "SES") for i in range(3)]


def test_answers_find_their_items() -> None:
    """Items 0–2 are Age 0–2, items 3–5 SES 0–2; names of categories match loosely."""
    rows = [
        {"model": "m", "category": "ses", "example_id": 1, "pred": 0},
        {"model": "m", "category": "Age", "example_id": 2, "pred": -1},
        {"model": "n", "category": " SES ", "example_id": 1, "pred": 2},
    ]
    found = answered(items_of(*ITEMS), [answers_of(*rows)])
    assert told(found) == [(4, 0, ("m",)), (2, -1, ("m",)), (4, 2, ("n",))]
    assert found.answers["words"].is_null().all()
    assert found.read_by == {"recorded option": 2}
    assert found.n_unread == 1
    assert found.models == [("m", 2, 2, 1), ("n", 1, 1, 0)]
    assert found.notes == (
        "1 of 3 answers (33.3 %) names no option and is left unread: above 20 %, no verdict is drawn",
    )


def test_without_categories_ids_must_be_those_of_one_item() -> None:
    rows = [{"example_id": 1, "pred": 0}]
    age = items_of(*ITEMS[:3])
    assert told(answered(age, [answers_of(*rows, name="gpt")])) == [(1, 0, ("gpt",))]
    with pytest.raises(InputError) as error:
        answered(items_of(*ITEMS), [answers_of(*rows, name="gpt")])
    assert str(error.value) == ("gpt: example_id 1 is that of several items: the answers say no category")
    assert "column category" in error.value.fix


def test_languages_tell_items_apart() -> None:
    both = items_of(bbq(1), bbq(1, language="ja"))
    rows = [
        {"category": "Age", "example_id": 1, "language": "Japanese", "pred": 1},
        {"category": "Age", "example_id": 1, "language": "en", "pred": 0},
    ]
    found = answered(both, [answers_of(*rows)])
    assert [(item, choice) for item, choice, _ in told(found)] == [(1, 1), (0, 0)]
    with pytest.raises(InputError, match="the answers say no language"):
        answered(both, [answers_of({"category": "Age", "example_id": 1, "pred": 1})])


def test_answers_to_other_items_are_counted_and_named_once() -> None:
    rows = [{"category": c, "example_id": i, "pred": 0} for c in ("Age", "Hair") for i in (1, 9)]
    found = answered(items_of(*ITEMS), [answers_of(*rows, name="gpt")])
    assert (found.n_unmatched, found.answers["item"].to_list()) == (3, [1])
    assert found.notes == ("gpt: 3 of 4 answers are to items that are not loaded (first: Age 9)",)
    assert values_in(found.answers, "model") == ("gpt",)


def test_values_that_only_lost_answers_have_are_lost_with_them() -> None:
    rows = [
        {"model": model, "category": "Age", "example_id": i, "raw_prediction": words}
        for model, i, words in (("gone", 99, "hm"), ("m", 1, "B"))
    ]
    found = answered(items_of(*ITEMS), [answers_of(*rows)])
    assert values_in(found.answers, "model") == ("m",)
    assert values_in(found.answers, "words") == ("B",)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (
            [{"category": "Hair", "example_id": 1, "pred": 0}],
            "no answer is to a loaded question: answers are about Hair, questions Age, SES",
        ),
        ([{"category": "Age", "example_id": "x", "pred": 0}], "no answer is to a loaded question (first: Age x)"),
    ],
)
def test_nothing_matches(rows: list[dict[str, Any]], reason: str) -> None:
    with pytest.raises(InputError) as error:
        answered(items_of(*ITEMS), [answers_of(*rows)])
    assert error.value.reason == reason
    assert error.value.fix


def test_nothing_is_loaded() -> None:
    with pytest.raises(InputError, match="no answers are loaded"):
        answered(items_of(*ITEMS), [])
    with pytest.raises(InputError, match="no bias questions are loaded"):
        merged_items([])


def test_files_with_other_columns_make_one_table() -> None:
    one = answers_of(
        {"category": "Age", "example_id": 1, "k": 5, "pred": 0},
        {"category": "Age", "example_id": 1, "k": 10, "pred": 1},
        name="llama",
    )
    two = answers_of({"model": "gpt", "setting": "full-set", "example_id": 1, "raw_prediction": "the old man"})
    found = answered(items_of(*ITEMS[:3]), [one, two])
    assert recorded(found.answers) == ["model", "setting", "k"]
    assert told(found) == [(1, 0, ("llama", "", "5")), (1, 1, ("llama", "", "10")), (1, 0, ("gpt", "full-set", ""))]
    assert found.answers["words"].to_list() == [None, None, "the old man"]


def test_two_files_may_not_answer_for_the_same_producer() -> None:
    row = {"model": "m", "category": "Age", "example_id": 1, "pred": 0}
    with pytest.raises(InputError) as error:
        answered(items_of(*ITEMS), [answers_of(row, name="a"), answers_of(row, name="b")])
    assert error.value.reason == "two files answer Age 1 for m: a, b"


def test_items_of_several_files() -> None:
    one, two = items_of(*ITEMS[:3]), items_of(*ITEMS[3:])
    assert merged_items([one]) is one
    assert same(merged_items([one, two]), items_of(*ITEMS))
    assert same(merged_items([one, two, one]), items_of(*ITEMS))  # equal items are one


def test_different_items_of_one_id_are_refused() -> None:
    one, two = items_of(bbq(1)), items_of(bbq(1, context="Something else."))
    with pytest.raises(InputError, match="two different questions are Age 1"):
        merged_items([one, two])


answer_lists = st.lists(
    st.tuples(
        st.sampled_from(["m", "n"]),
        st.sampled_from(["Age", "SES"]),
        st.integers(0, 2),
        st.sampled_from(["the old man", "B", "the younger one", "not known.", "", "the young"]),
    ),
    min_size=1,
    max_size=10,
    unique_by=lambda row: row[:3],
)


def rows_for(rows: list[tuple[str, str, int, str]], names: dict[int, str]) -> BiasPredictions:
    return answers_of(
        *({"model": m, "category": c, "example_id": names[i], "raw_prediction": words} for m, c, i, words in rows),
        {"model": "z", "category": "Age", "example_id": names[0], "raw_prediction": "A"},
    )


@given(answer_lists, st.randoms())
def test_order_and_names_of_items_are_irrelevant(rows: list[tuple[str, str, int, str]], chance: random.Random) -> None:
    plain = {i: str(i) for i in range(3)}
    other = {i: f"item-{9 - i}" for i in range(3)}
    renamed = [{**r, "example_id": other[r["example_id"]]} for r in ITEMS]
    before = told(answered(items_of(*ITEMS), [rows_for(rows, plain)]))
    shuffled = chance.sample(rows, len(rows))
    again = answered(items_of(*ITEMS), [rows_for(shuffled, plain)])
    assert sorted(told(again)) == sorted(before)
    assert told(answered(items_of(*renamed), [rows_for(rows, other)])) == before


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


SETTINGS = [("w/o RAG", "", ""), ("full-set", "bm25", "5"), ("full-set", "bm25", "10"), ("full-set", "lsa", "10")]


def read() -> pl.DataFrame:
    """Item i is answered with option i under every setting: stereotyped, counter, unknown."""
    rows = [
        {
            "example_id": i,
            "category": "Age",
            "model": "m",
            "setting": setting,
            "retriever": retriever,
            "k": k,
            "pred": i,
        }
        for setting, retriever, k in SETTINGS
        for i in range(3)
    ]
    return answered(items_of(*ITEMS[:3]), [answers_of(*rows)]).answers


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
