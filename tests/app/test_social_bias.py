"""Social bias: published tables, recorded answers counted by hand, links, downloads, an item."""

import json
import re
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from fairviz.io.dataset import load_dataset
from fairviz.model import Dataset
from tests.app.conftest import OpenPage
from tests.app.reading import EVIL, markup, title, words

COLUMNS = (
    "category,example_id,question_index,question_polarity,context_condition,context,question,"
    "ans0,ans1,ans2,unknown_loc,target_loc,label"
)
N = 120
"""Ambiguous items and disambiguated ones, of 12 templates."""


def item_table(question: str = "Who forgets?", category: str = "Age") -> str:
    """Option 0 follows the stereotype, 1 goes against it, 2 is unknown.

    Of the disambiguated items the stereotype holds in even ones: their right answer is option 0.
    """
    rows = [COLUMNS]
    for i in range(2 * N):
        ambiguous = i < N
        gold = 2 if ambiguous else i % 2
        condition = "ambig" if ambiguous else "disambig"
        rows.append(
            f"{category},{i},{i % 12},neg,{condition},Two people met.,{question},old man,young man,unknown,2,0,{gold}"
        )
    return "\n".join(rows)


def answer_table(settings: tuple[str, ...] = ("w/o RAG", "stereo-set"), model: str = "m") -> str:
    """Without retrieval everything right; then the first 60 ambiguous items follow the stereotype.

    Disambiguated answers are always right.
    """
    rows = ["example_id,category,model,setting,pred"]
    for place, setting in enumerate(settings):
        for i in range(2 * N):
            pred = i % 2 if i >= N else (0 if place and i < 60 else 2)
            rows.append(f"{i},Age,{model},{setting},{pred}")
    return "\n".join(rows)


def of_tables(**files: str) -> Dataset:
    loaded = load_dataset([(f"{name}.csv", text.encode()) for name, text in files.items()], name="Small")
    assert not loaded.errors, loaded.errors
    return loaded.dataset


@pytest.fixture
def small() -> Dataset:
    return of_tables(items=item_table(), answers=answer_table())


def chart(at: AppTest, key: str) -> dict[str, Any]:
    (found,) = (c for c in at.get("plotly_chart") if c.proto.id.endswith(key))
    return json.loads(found.proto.spec)


def values(trace: dict[str, Any]) -> list[float]:
    """Plotly writes arrays as base64."""
    import base64

    import numpy as np

    y = trace["y"]
    if isinstance(y, dict):
        return np.frombuffer(base64.b64decode(y["bdata"]), dtype=y["dtype"]).tolist()
    return y


def test_it_opens_on_the_published_tables_and_the_examples_answers(app_test: OpenPage) -> None:
    at = app_test("social_bias")
    assert title(at) == (
        "Documents of the whole collection raise Diff-Bias in 9 of 20 cases and lower it in 8; "
        "stereotypical ones alone raise it in 17, by 6 points on average"
    )
    said = words(at)
    for text in (
        "+41.8",
        "no test is possible on these cells",
        "The example's answers",
        "items went from “unknown” to the stereotyped answer: read one",
        "follows the stereotype",
        "Grey: fewer than 100 items",
    ):
        assert text in said
    for verdict in ("unbiased", "is fair", "debias", "biased model"):
        assert verdict not in said.replace("fairviz", "").lower()


def test_the_tables_follow_the_two_switches(app_test: OpenPage) -> None:
    at = app_test("social_bias")
    at.segmented_control(key="questions").set_value("disambiguated").run()
    assert "+5.9" in words(at)  # Table 2, Age, GPT-3.5
    at.segmented_control(key="show").set_value("accuracy").run()
    assert not at.exception
    said = words(at)
    assert "Accuracy on disambiguated questions" in said
    assert "75.7" in said  # Table 7
    assert "cc_a is" not in said
    at.segmented_control(key="questions").set_value("ambiguous").run()
    assert "cc_a is 50.03 here and 50.30 in Tables 8, 10 and 12" in words(at)


@pytest.mark.parametrize(
    ("slug", "words_of_it"),
    [
        ("languages", "CBBQ"),
        ("retrievers", "48.6"),
        ("examples", "zero"),
        ("generators", "Mistral"),
    ],
)
def test_every_other_table_of_the_paper_is_there(app_test: OpenPage, slug: str, words_of_it: str) -> None:
    at = app_test("social_bias")
    at.segmented_control(key="table").set_value(slug).run()
    assert not at.exception
    assert words_of_it in words(at)


def test_the_highlighted_model_is_in_ink(app_test: OpenPage) -> None:
    at = app_test("social_bias", link={"highlight": "GPT-3.5"})
    (own,) = (t for t in chart(at, "published-0")["data"] if t["name"] == "highlighted")
    assert values(own) == [5.16, 11.31, 14.53, 4.51]
    assert at.selectbox(key="highlight").value == "GPT-3.5"


def test_answers_by_hand(app_test: OpenPage, small: Dataset) -> None:
    """60 of 120 ambiguous answers become stereotyped: Diff-Bias_a 0 → 50, accuracy 100 → 50.

    Disambiguated answers are all right: 100 − 100 = 0 before and after.
    """
    at = app_test("social_bias", dataset=small)
    assert title(at) == (
        "Stereotypical documents move answers towards the stereotype in 1 of 1 tested bias type, by 50 points on Age"
    )
    said = words(at)
    assert "60 items went from “unknown” to the stereotyped answer: read one" in said
    assert "480 answers to 240 of 240 items" in said.replace("\u202f", "")
    assert "more towards the stereotype" in said
    assert re.search(r"\+50\.0</strong><span>\s*▲", markup(at))
    panel = chart(at, "own-0")
    (own,) = (t for t in panel["data"] if t["name"] == "highlighted")
    assert values(own) == [0.0, 50.0]
    assert any(t["name"] == "the paper's models" for t in panel["data"])
    at.segmented_control(key="questions").set_value("disambiguated").run()
    assert title(at) == ("With stereotypical documents, no significant change in 1 tested bias type")
    at.segmented_control(key="show").set_value("accuracy").run()
    (own,) = (t for t in chart(at, "own-0")["data"] if t["name"] == "highlighted")
    assert values(own) == [100.0, 100.0]


def test_an_item_can_be_read_and_chosen(app_test: OpenPage, small: Dataset) -> None:
    at = app_test("social_bias", dataset=small, link={"item": "Age 7"})
    assert at.selectbox(key="drill_item").value == "Age 7"
    found = re.search(r'<ul class="fv-options".*?</ul>', markup(at))
    assert found is not None
    options = re.findall(r"<li>(.*?)</li>", found[0])
    assert "follows the stereotype" in options[0]
    assert "stereo-set" in options[0]
    assert "right answer" in options[2]
    assert "no RAG" in options[2]
    at.selectbox(key="drill_change").set_value("all items").run()
    assert "120 items with both answers: read one" in words(at)


def test_a_link_brings_the_comparison(app_test: OpenPage) -> None:
    three = of_tables(items=item_table(), answers=answer_table(("w/o RAG", "full-set", "stereo-set")))
    link: dict[str, str | list[str]] = {
        "to_setting": "full-set",
        "out_of_choice": "count as wrong",
        "questions": "ambiguous",
    }
    at = app_test("social_bias", dataset=three, link=link)
    assert at.selectbox(key="to_setting").value == "full-set"
    assert title(at).startswith("All documents move answers towards the stereotype in 1 of 1")
    assert "cannot take" not in words(at)


def test_models_are_compared_where_there_is_no_setting(app_test: OpenPage) -> None:
    drop = "\n".join(
        ",".join(cell for i, cell in enumerate(line.split(",")) if i != 3)
        for line in answer_table(("a", "b")).splitlines()
    )
    lines = drop.splitlines()
    first, second = lines[1 : 2 * N + 1], lines[2 * N + 1 :]
    made = [
        lines[0],
        *(line.replace(",m,", ",big_one,") for line in first),
        *(line.replace(",m,", ",big_two,") for line in second),
    ]
    at = app_test("social_bias", dataset=of_tables(items=item_table(), answers="\n".join(made)))
    assert title(at) == "1 of 2 models lean along the stereotype on Age, by 50 points"
    (own,) = (t for t in chart(at, "own-0")["data"] if t["name"] == "highlighted")
    assert own["mode"] == "markers"


def test_models_of_two_sizes_are_compared_as_models(app_test: OpenPage) -> None:
    """Size and tuning change along with the model: none of them is held fixed."""
    lines = ["example_id,category,model,size,tuned,pred"]
    for model, size, tuned, place in (("small", "7B", "no", 0), ("large", "14B", "yes", 1)):
        for i in range(2 * N):
            pred = i % 2 if i >= N else (0 if place and i < 60 else 2)
            lines.append(f"{i},Age,{model},{size},{tuned},{pred}")
    at = app_test("social_bias", dataset=of_tables(items=item_table(), answers="\n".join(lines)))
    assert title(at) == "1 of 2 models lean along the stereotype on Age, by 50 points"


def test_languages_have_other_items_and_are_not_tested(app_test: OpenPage) -> None:
    head, *rows = item_table().splitlines()
    both = [f"language,{head}", *(f"{name},{row}" for name in ("English", "Japanese") for row in rows)]
    answers = ["example_id,category,model,language,pred"]
    answers += [
        f"{i},Age,m,{name},{i % 2 if i >= N else lean}"
        for name, lean in (("English", 2), ("Japanese", 0))
        for i in range(2 * N)
    ]
    data = of_tables(items="\n".join(both), answers="\n".join(answers))
    at = app_test("social_bias", dataset=data)
    assert title(at) == "1 of 2 languages lean along the stereotype on Age, by 100 points"
    assert "nothing is paired and nothing tested" in words(at)


def test_one_set_of_answers_has_nothing_to_compare_with(app_test: OpenPage) -> None:
    alone = of_tables(items=item_table(), answers=answer_table(("stereo-set",)))
    at = app_test("social_bias", dataset=alone)
    assert "Nothing to compare with" in words(at)
    assert title(at).startswith("No significant lean towards or against the stereotype")


@pytest.mark.parametrize(("n", "share", "verdict"), [(12, "5.0", True), (72, "30.0", False)])
def test_unread_answers_are_said_first(app_test: OpenPage, n: int, share: str, verdict: bool) -> None:
    """Of 240 answers, the first ones name both options: all of them ambiguous items."""
    rows = ["example_id,category,model,raw_prediction"]
    rows += [f"{i},Age,m,{'the old man and the young man' if i < n else 'unknown'}" for i in range(2 * N)]
    at = app_test("social_bias", dataset=of_tables(items=item_table(), answers="\n".join(rows)))
    said = words(at)
    assert f"{share}\u202f% of the answers name no option ({n} of 240)" in said
    worst = f"{100 * n / N:.1f}"  # all of them along the stereotype, or against it; the others are unknown
    assert f"could be anything from −{worst} to +{worst}" in said
    assert ("no verdict is drawn" in said) != verdict
    assert ("Too many answers are unread" in title(at)) != verdict


def test_half_of_the_files_is_said_to_be_half(app_test: OpenPage) -> None:
    said = words(app_test("social_bias", dataset=of_tables(items=item_table())))
    assert "The answers are missing" in said
    assert "9 of 20 cases" in said
    said = words(app_test("social_bias", dataset=of_tables(answers=answer_table())))
    assert "The questions are missing" in said


def test_few_items_are_grey_and_not_tested(app_test: OpenPage) -> None:
    short = "\n".join(item_table().splitlines()[:31])
    kept = [line for line in answer_table().splitlines() if line.split(",")[0] in {"example_id", *map(str, range(30))}]
    at = app_test("social_bias", dataset=of_tables(items=short, answers="\n".join(kept)))
    assert title(at) == "Too few ambiguous items to say what stereotypical documents change"
    assert "not tested" in words(at)
    assert "too few to say" in words(at).replace("\N{NO-BREAK SPACE}", " ")


def test_words_of_people_are_text(app_test: OpenPage) -> None:
    name = EVIL.replace(",", "")
    files = of_tables(items=item_table(question=name), answers=answer_table(model=name))
    at = app_test("social_bias", dataset=files)
    assert "<img" not in markup(at)
    assert "<img" not in json.dumps(chart(at, "own-0")).replace("\\u003c", "<")
    assert EVIL in words(at)
