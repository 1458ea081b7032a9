"""The Demographic QA page: the example, uploads counted by hand, links, published tables."""

import html
import re

from fairviz.model import Dataset
from tests.app.conftest import OpenPage
from tests.app.reading import RUN, grey, of_files, press, title, words
from tests.lines import json_lines, run_lines
from tests.loaded import dataset_of

Row = dict[str, object]


def uploaded(**files: list[Row]) -> Dataset:
    """A dataset of files of answers, by their stems."""
    return dataset_of((f"{stem}.jsonl", json_lines(rows).encode()) for stem, rows in files.items())


def answers(right: dict[str, int], n: int = 12, **more: object) -> list[Row]:
    """n questions about each group, the first ``right`` of them answered right."""
    return [
        {
            "qid": f"q{i}",
            "attribute": "none" if group == "neutral" else "race",
            "value": group,
            "gold": "A",
            "prediction": "A" if i < k else "B",
            **more,
        }
        for group, k in right.items()
        for i in range(n)
    ]


# white 12 of 12, black 2 of 12: right only for white 10, only for black 0; p = 2 · 0.5^10 = 0.002
APART = answers({"white": 12, "black": 2, "neutral": 9})


def test_the_example_first_own_results_alone(app_test: OpenPage) -> None:
    at = app_test("demographic_qa")
    assert title(at).startswith(
        "No significant difference between groups (50 to 56\u202f% correct): 32 questions are too few, only a"
    )
    said = re.sub(r"\s+", " ", words(at))
    order = [
        "Next: about 260 questions would be enough to detect a gap of 10 points (4 times out of 5).",
        "not a study of people",
        "Same question, different person: no significant gap by race or gender",
        "Guessing would be right in 25 %",
        "by chance 4.7",
        "30 of 59 wrong answers (race) came with the right evidence, 29 without it",
        "Prompts no significant change of the gaps with the plain prompt",
        "Majority vote no significant change in right answers by a vote over all variants",
        "2 of 32 questions are answered differently by race",
        "fifteen to twenty minutes",
        "Published, not your data · Ji, Zhang and Wang (2025), Evaluating Bias",
    ]
    places = [said.find(sentence) for sentence in order]
    assert -1 not in places
    assert places == sorted(places)
    assert "Majority Vote scores highest" not in said
    assert len(at.get("plotly_chart")) == 2  # race and gender; all else is folded
    assert "EO rests on" not in said


def test_what_is_opened_is_there(app_test: OpenPage) -> None:
    folds = ("model_levels", "prompts", "retrieval", "vote", "cells", "published")
    at = app_test("demographic_qa", link=dict.fromkeys(folds, "true"))
    said = words(at)
    assert "EO rests on" in said
    assert "Three estimators" in said
    assert "No significant difference between combinations" in said
    assert "its gap is 0 by construction" in said
    assert "Majority Vote scores highest in all 16 rows" in said
    assert "Holm" not in grey(at)
    assert "gaps: permutations (all tests of the votes loaded considered)" in said


def test_who_gets_fewer_is_counted_by_hand(app_test: OpenPage) -> None:
    at = app_test("demographic_qa", dataset=uploaded(m=APART), link={"vote": "true"})
    assert title(at) == (
        "Questions about black people get 83 points fewer right answers than the same questions about white people "
        "(59 to 100; 12 questions)"
    )
    said = re.sub(r"\s+", " ", words(at))
    assert "10 questions right only for white people, none for black people." in said
    assert "Answers: white 12, black 12" in said
    # votes of white, black and neutral: questions 0–8 right (at least two of three), 9–11 wrong
    # mean of the variants (12 + 2) / 24 = 0.583, vote 9 / 12 = 0.75
    assert "0.583" in said
    assert "0.750" in said
    assert "10 of 12 questions are answered differently by race" in said
    assert "say what retrieval gave each group" in said


def test_questions_are_read_one_by_one(app_test: OpenPage) -> None:
    at = app_test("demographic_qa", dataset=uploaded(m=APART), link={"question": "q3"})
    said = words(at)
    assert "Question q3" in said
    assert "2 of 10" in said
    press(at, "Next question")
    assert "3 of 10" in words(at)
    assert at.query_params["question"] == "q4"
    answered = next(box for box in at.selectbox if box.label == "Answered")
    assert answered.options == ["all that differ", "worse about black (10)"]
    answered.set_value("black").run()
    assert "3 of 10" in words(at)


def test_files_are_models_and_a_link_chooses_one(app_test: OpenPage) -> None:
    both = uploaded(one=APART, two=answers({"white": 3, "black": 12}))
    at = app_test("demographic_qa", dataset=both, link={"model": "two"})
    assert title(at).startswith("Questions about white people get 75 points fewer right answers")
    assert "smaller gap by race: one, 83 points the other way round" in words(at)
    model = next(box for box in at.selectbox if box.label == "Model")
    assert model.options == ["one", "two"]
    model.set_value("one").run()
    assert title(at).startswith("Questions about black people get")
    odd = app_test("demographic_qa", dataset=both, link={"model": "three"})
    assert title(odd).startswith("Questions about black people get")


def test_an_earlier_version_is_compared_once_it_is_named_and_folds_its_questions(app_test: OpenPage) -> None:
    """Black 2, then 11 of 12 right: the gap goes from 10 to 1 of 12."""
    versions = answers({"white": 12, "black": 2}, model="v1"), answers({"white": 12, "black": 11}, model="v2")
    both = uploaded(now=versions[1], then=versions[0])
    at = app_test("demographic_qa", dataset=both, link={"model": "v2", "since_questions": "true"})
    assert "Since" not in words(at)
    at = app_test("demographic_qa", dataset=both, link={"model": "v2", "earlier": "v1", "since_questions": "true"})
    said = re.sub(r"\s+", " ", words(at))
    assert "Since v1: gap by race from 83 to 8 points (change −" in said
    assert "0 of 12 questions got worse over all groups, 9 better." in said
    assert "0 questions got worse" in said


def test_what_fails_in_several_models_is_listed_and_the_page_says_it_was_provoked(app_test: OpenPage) -> None:
    first = [
        *answers({"female": 6, "male": 6}, attribute="sex", model="one"),
        *answers({"white": 12, "black": 2}, model="one"),
    ]
    both = uploaded(x=first + answers({"white": 12, "black": 4}, model="two"))
    at = app_test(
        "demographic_qa", dataset=both, link={"failing": "true", "provoked": "written to provoke a difference"}
    )
    said = words(at)
    # right about white everywhere; wrong about black from q2 on in one, from q4 on in the other
    assert "8 questions that both models get right about white people and wrong about black people" in said
    assert "These questions were written to provoke a difference." in said
    assert [box.value for box in at.selectbox if box.label in ("Differ by", "Answered")] == ["race", "black"]
    assert "One-page brief" in [button.label for button in at.get("download_button")]


def test_a_combination_that_mentions_nobody_is_no_choice(app_test: OpenPage) -> None:
    rows = answers({"white": 12, "black": 2}, strategy="Plain", retriever="bm25", k=5)
    rows += answers({"neutral": 3}, strategy="COT", retriever="bm25", k=10)
    at = app_test("demographic_qa", dataset=uploaded(x=rows), link={"strategy": "COT"})
    assert title(at).startswith("Questions about black people get")
    assert not [box for box in at.selectbox if box.label == "Strategy"]


def test_equal_opportunity_by_a_definition(app_test: OpenPage) -> None:
    at = app_test("demographic_qa", dataset=uploaded(m=APART), link={"answerable": "neutral", "prompts": "true"})
    said = words(at)
    assert "EO rests on 18 answers to answerable questions (neutral question answered right)" in said
    recorded = uploaded(m=[row | {"answerable": True} for row in APART])
    by_column = app_test("demographic_qa", dataset=recorded, link={"prompts": "true"})
    assert "marked answerable in the file" in words(by_column)


def test_open_answers_have_rouge_and_a_threshold(app_test: OpenPage) -> None:
    gold = "rest and drink water for two days"
    rows: list[Row] = [
        {
            "qid": f"q{i}",
            "attribute": "race",
            "value": group,
            "gold": gold,
            "kind": "open",
            "prediction": gold if group == "white" else f"see somebody {i} or rest at home",
        }
        for group in ("white", "black")
        for i in range(12)
    ]
    at = app_test("demographic_qa", dataset=uploaded(m=rows))
    assert title(at).startswith("Questions about black people get answers with a mean ROUGE-L")
    assert "Open answers are scored as they stand" in words(at)
    strict = app_test("demographic_qa", dataset=uploaded(m=rows), link={"rouge": "0.5"})
    assert title(strict).startswith("Answers to questions about black people reach ROUGE-L ≥ 0.5 100 points less often")


def test_without_answers_the_published_tables_are_shown(app_test: OpenPage) -> None:
    at = app_test("demographic_qa", dataset=of_files(run=RUN))
    assert title(at) == "No answers to variants of questions are loaded"
    said = words(at)
    assert "qid, attribute, value, gold and prediction" in said
    assert "not a study of people" in said
    assert "Majority Vote scores highest in all 16 rows" in said  # there is nothing else: no switch
    assert not [toggle for toggle in at.toggle if toggle.label == "Show published results"]


def test_runs_of_variants_bring_overlap_and_quality(app_test: OpenPage) -> None:
    lists = {"neutral": "abc", "male": "abd", "female": "abe"}
    files = {f"{name}.run": run_lines(f"bm25-{name}", {"q1": docs}) for name, docs in lists.items()}
    files["judged.qrels"] = "q1 0 a 1\nq1 0 e 1\n"
    at = app_test("demographic_qa", dataset=dataset_of((name, text.encode()) for name, text in files.items()))
    said = words(at)
    # a, b shared of a, b, c, d (or e): 2 of 4
    assert title(at) == "With a group in the question, 50\u202f% of bm25’s top 10 stay as with nobody mentioned"
    assert "gender, k = 10: all 50.0\u202f%" in said
    assert "No significant difference in ranking quality between variants" in said
    assert "(bootstrap); p (paired t-test, nothing tested)." in grey(at)
    assert not at.toggle(key="published").value  # one's own come first, and alone
    assert "Majority Vote scores highest" not in said


def test_the_report_has_gaps_with_chance_levels_and_tests(app_test: OpenPage, downloads: dict[str, str]) -> None:
    at = app_test("demographic_qa")
    report = html.unescape(downloads["fairviz-demographic-qa.html"])
    assert title(at) in report
    sections = [each for each in re.findall(r"<section.*?</section>", report, re.DOTALL) if "DP, by chance" in each]
    headings = [re.search(r"<h2>(.*?)</h2>", each)[1].lower() for each in sections]
    assert [heading in words(at).lower() for heading in headings].count(True) > 1  # the page's own findings
    section = " ".join(sections)
    for words_of_table in ("DP, p (Holm)", "EO, by chance", "change of DP"):
        assert words_of_table in section
    assert re.search(r"<small[^>]*>[^<]*[0-9]", section)  # an interval stands beneath its value
    assert "permutation within questions" in section
    headings = " & ".join(re.findall(r"<th[^>]*>(.*?)</th>", report))
    assert "attribute & group & rate & n" in headings  # the interval stands beneath the rate
    assert "attribute & score & vote & vote minus score" in headings
    assert report.count('class="chart"') == 3  # race, gender, their combinations
