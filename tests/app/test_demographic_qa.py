"""The Demographic QA page: the example, uploads counted by hand, links, published tables."""

import json
import re

from fairviz.io.dataset import load_dataset
from fairviz.model import Dataset
from tests.app.conftest import OpenPage
from tests.app.reading import EVIL, RUN, markup, of_files, title, words

Row = dict[str, object]


def lines(rows: list[Row]) -> bytes:
    return "\n".join(json.dumps(row) for row in rows).encode()


def uploaded(**files: list[Row]) -> Dataset:
    """A dataset of files of answers, by their stems."""
    loaded = load_dataset([(f"{stem}.jsonl", lines(rows)) for stem, rows in files.items()], name="Small")
    assert not loaded.errors
    return loaded.dataset


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


def test_the_example_from_caution_to_one_question(app_test: OpenPage) -> None:
    at = app_test("demographic_qa")
    said = words(at)
    assert "not a study of people" in said
    assert said.index("not a study of people") < said.index("Same question, different person")
    assert "Combinations" in said or "combination" in said
    assert "Published: every strategy narrows both disparities" in said
    assert "Published: Majority Vote scores highest in all of 16 rows" in said
    assert "0 by construction" in said
    assert "Three estimators" in said
    assert "Published: with more documents, overlap, DP and EO fall" in said
    assert "had the right evidence" in said
    assert "notes on the published tables" in said
    assert "Table 5: the table names no dataset." in said
    assert len(at.get("plotly_chart")) >= 12


def test_the_widest_gap_is_counted_by_hand(app_test: OpenPage) -> None:
    at = app_test("demographic_qa", dataset=uploaded(m=APART))
    assert title(at) == "Answers about black are right 83 points less often than about white (59 to 100)"
    said = re.sub(r"\s+", " ", words(at))
    assert "Gap 83.3 points" in said
    assert "10 questions right only for white, 0 for black. Significant." in said
    assert "Answers: white 12, black 12" in said
    assert "EO undefined: neither an “answerable” column nor the evidence" in said
    # votes of white, black and neutral: questions 0–8 right (at least two of three), 9–11 wrong
    # mean of the variants (12 + 2) / 24 = 58.3 %, vote 9 / 12 = 75 %
    charts = " ".join(str(chart.proto.spec) for chart in at.get("plotly_chart"))
    assert "58.3" in charts
    assert "75.0" in charts
    assert "The answers to 10 of 12 questions depend on race" in said
    assert "The evidence is not known".lower() in said.lower()


def test_equal_groups_are_not_told_apart(app_test: OpenPage) -> None:
    at = app_test("demographic_qa", dataset=uploaded(m=answers({"white": 6, "black": 6})))
    assert title(at) == "No significant difference between groups (50\u202f% correct, 12 questions)"
    assert "No answer depends on race: all 12 questions are answered alike" in words(at)


def test_small_groups_are_shown_and_not_compared(app_test: OpenPage) -> None:
    few = uploaded(m=answers({"white": 4, "black": 1}, n=4))
    at = app_test("demographic_qa", dataset=few)
    assert title(at) == "Too few answers to compare groups"
    assert "the smallest has 4" in words(at)
    assert any("few: n = 4" in str(chart.proto.spec) for chart in at.get("plotly_chart"))
    again = app_test("demographic_qa", dataset=few, link={"min_size": "1"})
    assert title(again) == "Too few answers to compare groups" or "No significant"


def test_files_are_models_and_a_link_chooses_one(app_test: OpenPage) -> None:
    both = uploaded(one=APART, two=answers({"white": 3, "black": 12}))
    at = app_test("demographic_qa", dataset=both, link={"model": "two"})
    assert title(at).startswith("Answers about white are right 75 points less often")
    assert "2 of 2 gaps are significant" in words(at)
    model = next(box for box in at.selectbox if box.label == "Model")
    assert model.options == ["one", "two"]
    model.set_value("one").run()
    assert not at.exception
    assert title(at).startswith("Answers about black")
    odd = app_test("demographic_qa", dataset=both, link={"model": "three"})
    assert title(odd).startswith("Answers about black")


def test_strategies_are_compared_with_the_plain_one(app_test: OpenPage) -> None:
    rows = answers({"white": 12, "black": 2}, strategy="Plain", model="m")
    rows += answers({"white": 12, "black": 10}, strategy="COT", model="m")
    said = words(app_test("demographic_qa", dataset=uploaded(x=rows)))
    assert "With Chain-of-Thought, 0 of 1 gap is significant; without, 1" in said
    assert "every strategy narrows DP significantly" in said
    assert "Scores of 3 conditions: 58.3\u202f%" in said


def test_a_combination_that_mentions_nobody_is_no_choice(app_test: OpenPage) -> None:
    rows = answers({"white": 12, "black": 2}, strategy="Plain", retriever="bm25", k=5)
    rows += answers({"neutral": 3}, strategy="COT", retriever="bm25", k=10)
    at = app_test("demographic_qa", dataset=uploaded(x=rows), link={"strategy": "COT"})
    assert title(at).startswith("Answers about black")
    assert not [box for box in at.selectbox if box.label == "Strategy"]


def test_equal_opportunity_counts_answerable_questions(app_test: OpenPage) -> None:
    rows = [row | {"answerable": row["qid"] != "q11"} for row in APART]
    said = words(app_test("demographic_qa", dataset=uploaded(m=rows)))
    assert "EO rests on 22 answers to answerable questions (marked answerable in the file)" in said


def test_equal_opportunity_by_a_definition(app_test: OpenPage) -> None:
    at = app_test("demographic_qa", dataset=uploaded(m=APART), link={"answerable": "neutral"})
    said = words(at)
    assert "EO rests on 18 answers to answerable questions (neutral question answered right)" in said
    recorded = uploaded(m=[row | {"answerable": True} for row in APART])
    assert "marked answerable in the file" in words(app_test("demographic_qa", dataset=recorded))


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
    assert title(at).startswith("Answers about black have a mean ROUGE-L")
    assert "choose one" in words(at)  # errors need a threshold
    assert "Open answers are scored as they stand" in words(at)
    strict = app_test("demographic_qa", dataset=uploaded(m=rows), link={"rouge": "0.5"})
    assert title(strict).startswith("Answers about black reach ROUGE-L ≥ 0.5 100 points less often")


def test_without_answers_the_published_tables_are_shown(app_test: OpenPage) -> None:
    at = app_test("demographic_qa", dataset=of_files(run=RUN))
    assert title(at).startswith("Published: every strategy narrows both disparities")
    said = words(at)
    assert "qid, attribute, value, gold and prediction" in said
    assert "not a study of people" in said
    assert len(at.get("plotly_chart")) == 10  # Tables 3, 4, 2 twice, 6 twice, 5 four times


def test_runs_of_variants_bring_overlap_and_quality(app_test: OpenPage) -> None:
    lists = {"neutral": "abc", "male": "abd", "female": "abe"}
    files = {
        f"{name}.run": "".join(f"q1 Q0 {doc} {rank} {9 - rank} bm25-{name}\n" for rank, doc in enumerate(docs, 1))
        for name, docs in lists.items()
    }
    files["judged.qrels"] = "q1 0 a 1\nq1 0 e 1\n"
    loaded = load_dataset([(name, text.encode()) for name, text in files.items()], name="Small")
    at = app_test("demographic_qa", dataset=loaded.dataset)
    said = words(at)
    # a, b shared of a, b, c, d (or e): 2 of 4
    assert "With a group in the question, bm25’s top 10 overlaps 50\u202f% with the plain one" in said
    assert "gender, k = 10: all 50.0\u202f%" in said
    assert "No significant difference in ranking quality between variants" in said


def test_names_and_answers_are_text(app_test: OpenPage) -> None:
    rows = [row | {"value": EVIL if row["value"] == "black" else row["value"], "model": EVIL} for row in APART]
    at = app_test("demographic_qa", dataset=uploaded(m=rows))
    assert "<img" not in markup(at)
    charts = " ".join(str(chart.proto.spec) for chart in at.get("plotly_chart"))
    assert "<img" not in charts
    assert "onerror=alert(1)" in words(at)
    assert all("![x](" not in element.value for element in at.markdown)
