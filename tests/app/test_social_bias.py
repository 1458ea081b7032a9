"""Social bias: recorded answers counted by hand, what was not read, links, an item, published tables on request."""

import re

import pytest

from fairviz.model import Dataset
from pages._kit.link import name_mark
from tests.app.conftest import OpenPage
from tests.app.reading import markup, title, words
from tests.loaded import dataset_of

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
    return dataset_of((f"{name}.csv", text.encode()) for name, text in files.items())


@pytest.fixture
def small() -> Dataset:
    return of_tables(items=item_table(), answers=answer_table())


def test_the_example_has_its_own_answers_first_and_alone(app_test: OpenPage) -> None:
    at = app_test("social_bias")
    assert title(at).startswith("With stereotypical documents, both models lean towards the stereotype on Age, by ")
    said = words(at)
    for text in (
        "Answers read: all",
        "5 of 6 tested rows lean towards the stereotype, none against it",
        "Nationality: fewer than 100 questions or 10 templates, not tested",
        "about older people",
        "Stereotypical documents add 33 to 56 points on Income and 33 to 48 on Age",
        "For each stereotypical document “bold” leans ",
        "Where the context gives the answer, bold is right in ",
        "answers go from “unknown” to the stereotyped answer, none the other way: read one",
        "Published, not your data",
    ):
        assert text in said
    assert "41.79" not in said  # GPT-3.5 of the paper's Table 2
    for verdict in ("unbiased", "is fair", "debias", "biased model", "nonOld", "highSES"):
        assert verdict not in said.replace("fairviz", "")
    at.toggle(key="published").set_value(True).run()
    said = words(at)
    assert "41.79" in said
    assert "no test is possible on these cells" in said
    at.selectbox(key="published_rag-social-biases").set_value("Table 7").run()
    assert "cc_a is 50.03 here and 50.30 in Tables 8, 10 and 12" in words(at)
    at.segmented_control(key="context").set_value("gives the answer").run()
    assert "No significant" in title(at) or "no significant" in title(at)


def test_retrievers_are_compared_with_each_other_and_with_no_retrieval(app_test: OpenPage) -> None:
    """What no retriever gave is a value like the others, with levels of its own."""
    at = app_test("social_bias", link={"compared_by": name_mark("retriever"), "only_setting": name_mark("stereo-set")})
    assert title(at).startswith("With bm25, both models lean towards the stereotype on Age, by 33 to 71 points")
    assert "bm25 instead of no retrieval adds" in words(at)
    at.selectbox(key="to").set_value("").run()
    assert title(at).startswith("Without retrieval, no significant lean")


def test_answers_by_hand(app_test: OpenPage, small: Dataset) -> None:
    """60 of 120 ambiguous answers become stereotyped: Diff-Bias_a 0 → 50, half of them right.

    Disambiguated answers are all right: 100 − 100 = 0 before and after.
    """
    at = app_test("social_bias", dataset=small)
    assert title(at) == "With stereotypical documents, m leans towards the stereotype on Age, by 50 points"
    said = words(at)
    for text in (
        "Stereotypical documents add 50 points on Age",
        "120 questions answered with no retrieval and with stereo-set",
        "60 answers go from “unknown” to the stereotyped answer, none the other way: read one",
        "Where the context gives the answer, m is right in 100 %",
        "Load two more files to see this",
    ):
        assert text in said
    bar = re.search(r'aria-label="(against[^"]*)"', markup(at))
    assert bar[1] == "against 0 %, unknown 50 %, towards 50 %"
    at.segmented_control(key="context").set_value("gives the answer").run()
    assert title(at).startswith("With stereotypical documents, no significant lean in m (largest: Age, ±0")
    assert "unknown 0 %, right 100 %" in markup(at)


def test_a_question_can_be_read_and_the_next_one(app_test: OpenPage, small: Dataset) -> None:
    at = app_test("social_bias", dataset=small, link={"item": "Age 7"})
    assert "Age 7, template 7" in words(at)
    found = re.search(r'<ul class="fv-options".*?</ul>', markup(at))
    options = re.findall(r"<li>(.*?)</li>", found[0])
    assert "towards the stereotype" in options[0]
    assert "stereo-set" in options[0]
    assert "right answer" in options[2]
    assert "no retrieval" in options[2]
    at.button(key="item_next").click().run()
    assert "Age 8, template 8" in words(at)
    assert at.query_params["item"] == "Age 8"
    at.selectbox(key="kind").set_value("all questions").run()
    assert "Read a question" in words(at)
    assert " of 120" in words(at)


def test_a_link_brings_the_comparison(app_test: OpenPage) -> None:
    three = of_tables(items=item_table(), answers=answer_table(("w/o RAG", "full-set", "stereo-set")))
    at = app_test("social_bias", dataset=three, link={"to": "full-set", "from": "stereo-set", "sort_types": "by name"})
    assert at.selectbox(key="to").value == "full-set"
    assert title(at).startswith("With all documents, m leans towards the stereotype on Age, by 50")
    assert "no significant change from stereo-set in 1 test" in words(at)
    assert "cannot take" not in words(at)
    assert at.query_params["to"] == name_mark("full-set")  # the address says no name of people


MODELS = {"big_one": 2, "big_two": 0}
"""What two models answer to the first 60 ambiguous questions."""


def of_models(**columns: tuple[str, str]) -> Dataset:
    """Answers of two models without a setting."""
    lines = [",".join(["example_id,category,model", *columns, "pred"])]
    for place, (model, lean) in enumerate(MODELS.items()):
        own = [values[place] for values in columns.values()]
        picks = [i % 2 if i >= N else (lean if i < 60 else 2) for i in range(2 * N)]
        lines += [",".join([str(i), "Age", model, *own, str(pick)]) for i, pick in enumerate(picks)]
    return of_tables(items=item_table(), answers="\n".join(lines))


def test_models_have_no_natural_baseline_and_are_compared_on_request(app_test: OpenPage) -> None:
    at = app_test("social_bias", dataset=of_models(size=("7B", "14B"), tuned=("no", "yes")))
    assert title(at) == "1 of 2 models leans towards the stereotype on Age, by 50 points"
    said = words(at)
    assert "Choose a model to compare with, to see what differs" in said
    assert "1 of 2 models answers 60 questions towards the stereotype: read one" in said
    at.selectbox(key="from").set_value("big_one").run()
    assert "two instead of one adds 50 points on Age" in words(at)
    at.multiselect(key="models_chosen").set_value(["big_one"]).run()
    assert title(at).startswith("No significant lean in one (largest: Age, ±0")
    assert at.query_params["models"] == name_mark("big_one")


def test_languages_have_other_questions_and_are_not_compared(app_test: OpenPage) -> None:
    head, *rows = item_table().splitlines()
    both = [f"language,{head}", *(f"{name},{row}" for name in ("English", "Japanese") for row in rows)]
    answers = ["example_id,category,model,language,pred"]
    answers += [
        f"{i},Age,m,{name},{i % 2 if i >= N else lean}"
        for name, lean in (("English", 2), ("Japanese", 0))
        for i in range(2 * N)
    ]
    data = of_tables(items="\n".join(both), answers="\n".join(answers))
    at = app_test("social_bias", dataset=data, link={"to": "Japanese"})
    assert title(at) == "In Japanese, m leans towards the stereotype on Age, by 100 points"
    assert "Changes between languages are not shown" in words(at)


def unread_answers(n: int) -> Dataset:
    """Of 240 answers, the first ones name both options: all of them ambiguous items."""
    rows = ["example_id,category,model,raw_prediction"]
    rows += [f"{i},Age,m,{'the old man and the young man' if i < n else 'unknown'}" for i in range(2 * N)]
    return of_tables(items=item_table(), answers="\n".join(rows))


def test_some_unread_answers_are_said_first_with_their_worst_case(app_test: OpenPage) -> None:
    said = words(app_test("social_bias", dataset=unread_answers(12)))
    assert "5.0\u202f% of the answers name no option (12 of 240)" in said
    assert "could be anything from −10.0 to +10.0" in said  # 12 of 120; the others are unknown


def test_many_unread_answers_have_no_verdict_until_a_person_reads_them(app_test: OpenPage) -> None:
    """72 of 120 ambiguous answers: −60 to +60; all of them one wording, which a person may read as “unknown”."""
    at = app_test("social_bias", dataset=unread_answers(72))
    assert title(at) == "30\u202f% of answers could not be read"
    assert "could be anything from −60.0 to +60.0 if they were known" in words(at)
    said = words(at)
    assert (
        "72 of 240 answers name none of their options; 72 of them belong to questions where “unknown” is right" in said
    )
    assert "Worst case: all unread answers on one side" in said
    assert "0 unread left out; ±0 unread read as “unknown”" in said
    assert "tested rows" not in said
    at.button(key="read_these").click().run()
    said = words(at)
    assert "72 answers in 1 wording read as “unknown”, as you chose." in said
    assert title(at).startswith("No significant lean in m")
    assert at.query_params["read"] == f"unknown-{name_mark('the old man and the young man')}"
    at.button(key="read_undo").click().run()
    assert title(at).startswith("30\u202f% of answers")


def test_half_of_the_files_is_said_to_be_half(app_test: OpenPage) -> None:
    at = app_test("social_bias", dataset=of_tables(items=item_table()), link={"published": "true"})
    assert title(at) == "The answers are missing"
    assert "9 of 20 cases" in words(at)
    assert title(app_test("social_bias", dataset=of_tables(answers=answer_table()))) == "The questions are missing"
