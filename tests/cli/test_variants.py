"""``fairviz variants``: its tables, runs, generated variants, one-line errors."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command, Done
from tests.lines import write_lines, write_run

DEMO = Path(__file__).parents[2] / "tests/small/data/demo/variants"

PEOPLE = (("none", "neutral"), ("race", "Asian"), ("race", "Hispanic"))


@pytest.fixture
def answers(files: Path) -> str:
    """Two strategies, four questions with gold A; neutral, Asian, Hispanic answer as written.

    Plain: Asian 2/4, Hispanic 3/4: dp 1/4, score 5/8. Answerable (q1, q2): 1/2 − 1/2 = 0.
    Vote: q1 A, q2 B, q3 B, q4 A: 1/2. Filtered: 3/4 each; vote A A B A: 3/4.
    Documents of Asian and Hispanic share one of three; of neutral and each, one of two.
    """
    said = {"Plain": ("ABA", "BAB", "BBA", "AAA"), "Filtered": ("AAA", "AAB", "BBA", "AAA")}
    docs = {"neutral": ["x", "y"], "Asian": ["x", "a"], "Hispanic": ["x", "h"]}
    write_lines(
        files,
        answers=[
            {
                "strategy": strategy,
                "qid": f"q{i}",
                "attribute": attribute,
                "value": value,
                "gold": "A",
                "prediction": word,
                "answerable": i < 3,
                "evidence": i == 1,
                "retrieved": docs[value],
            }
            for strategy, words in said.items()
            for i, three in enumerate(words, 1)
            for (attribute, value), word in zip(PEOPLE, three, strict=True)
        ],
    )
    return "answers.jsonl"


def tables(fairviz: Command, *arguments: object) -> dict[str, Any]:
    """Every table, as programs get them."""
    done = fairviz("variants", *arguments, "--format", "json")
    assert done.code == 0, done.err
    return done.json["tables"]


def test_recorded_columns_are_the_default(fairviz: Command, answers: str) -> None:
    assert [row["strategy"] for row in tables(fairviz, answers)["rows"]] == ["Plain", "Filtered"]
    pooled = tables(fairviz, answers, "--by", "model")["groups"]
    assert [(row["model"], row["n"]) for row in pooled if row["value"] == "Asian"] == [("answers", 8)]


def test_undefined_is_null_and_said(fairviz: Command, files: Path) -> None:
    rows: list[dict[str, object]] = [
        {"qid": "q1", "attribute": a, "value": v, "gold": "A", "prediction": "A"} for a, v in PEOPLE
    ]
    write_lines(files, bare=rows)
    done = fairviz("variants", "bare.jsonl", "--format", "json")
    row, groups = done.json["tables"]["rows"][0], done.json["tables"]["groups"]
    assert not {"eo", "overlap_all"} & row.keys()  # columns that say nothing are left out
    assert not {"low", "high"} & groups[0].keys()
    assert [group["value"] for group in groups if group["small"]] == ["Asian", "Hispanic", "neutral"]
    said = [warning["message"] for warning in done.json["warnings"]]
    assert any("eo is undefined" in message for message in said)
    assert any("minimum" in message for message in said)
    assert not done.json["tables"]["errors"]


def table_of(done: Done) -> list[dict[str, str]]:
    """The only table of a CSV output."""
    assert done.code == 0
    return done.csv


def test_one_table_for_programs(fairviz: Command, answers: str, runs: tuple[str, ...]) -> None:
    def asked(*more: object) -> list[dict[str, str]]:
        return table_of(fairviz("variants", *more, "--format", "csv"))

    rows = asked(answers, "-k", "1,2")
    assert len(rows) == 4  # two strategies, two depths
    assert rows[0]["overlap_k"] == "1"
    widths = {len(line.split(",")) for line in fairviz("variants", answers, "--format", "csv").out.splitlines()}
    assert len(widths) == 1
    assert asked(answers, "--table", "gaps")[0]["first_only"] == "1"
    assert asked(answers, "--table", "groups")[0]["rate"] == "0.5"
    assert "vote_within_dp" in asked(answers, "--table", "strategies")[0]
    assert "evidence_right_answer_right" in asked(answers, "--table", "errors")[0]
    assert len(asked(answers, *runs)) == 2  # the answers' rows come first
    assert asked(*runs)[0]["n_questions"] == "2"  # overlap: what runs alone say
    assert asked(answers, *runs, "--table", "overlap_values")[0]["value"] == "Asian"


@pytest.fixture(scope="module")
def eight_questions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A quarter of the example's questions, with all its models, strategies and depths."""
    file = tmp_path_factory.mktemp("eight") / "eight.jsonl"
    with gzip.open(DEMO / "answers.jsonl.gz", "rt", encoding="utf-8") as lines:
        file.write_text("".join(line for line in lines if json.loads(line)["qid"] <= "v08"))
    return file


def test_a_terminal_has_room(fairviz: Command, eight_questions: Path) -> None:
    first = fairviz("variants", eight_questions).out.split("\n\n")[0].splitlines()
    assert max(map(len, first)) <= 200
    assert first[0].split()[:4] == ["model", "dataset", "strategy", "retriever"]


def test_pooled_columns_are_said_once(fairviz: Command, answers: str, eight_questions: Path) -> None:
    done = fairviz("variants", eight_questions, "--by", "strategy")
    assert [error for error in done.errors if "rows pool" in error or "left out" in error] == [
        f"warning: {eight_questions}: rows pool model, retriever, k: rates are over all "
        "of them, the overlap is of the first list of each question and value; add them to --by"
    ]
    assert not any("pool" in error for error in fairviz("variants", answers).errors)
    (said,) = [e for e in fairviz("variants", answers, "--by", "model").errors if "pool" in e]
    assert "rows pool strategy: rates" in said
    assert said.endswith("add it to --by")


def test_without_golds_nothing_is_small(fairviz: Command, files: Path) -> None:
    rows: list[dict[str, object]] = [{"qid": "q1", "attribute": a, "value": v, "prediction": "A"} for a, v in PEOPLE]
    write_lines(files, open=rows)
    done = fairviz("variants", "open.jsonl", "--format", "json")
    said = " ".join(warning["message"] for warning in done.json["warnings"])
    assert "eo" not in done.json["tables"]["rows"][0]
    assert "no gold answers" in said
    assert "minimum" not in said


@pytest.mark.parametrize(
    ("answerable", "eo", "said"),
    [
        ((False, False), None, "no question is answerable: eo is undefined (null)"),
        ((True, None), None, "race: no answerable question about Hispanic: eo is undefined (null)"),
    ],
)
def test_why_eo_is_undefined(
    fairviz: Command, files: Path, answerable: tuple[bool | None, ...], eo: float | None, said: str
) -> None:
    rows = [
        {
            "qid": f"q{i}",
            "attribute": a,
            "value": v,
            "gold": "A",
            "answerable": able,
            "prediction": "B" if i and v == "Hispanic" else "A",
        }
        for i in range(2)
        for (a, v), able in zip(PEOPLE[1:], answerable, strict=True)
    ]
    write_lines(files, able=rows)
    done = fairviz("variants", "able.jsonl", "--format", "json")
    assert done.json["tables"]["rows"][0].get("eo") == eo
    assert said in [warning["message"] for warning in done.json["warnings"]]


@pytest.fixture
def runs(files: Path) -> tuple[str, ...]:
    """Two questions. Asian and Hispanic at 2: q1 a b / a c (1/3), q2 a b / a b (1). Their names do not end in it."""
    ranks = {
        "neutral": {"q1": "abc", "q2": "abc"},
        "Asian": {"q1": "abc", "q2": "abc"},
        "Hispanic": {"q1": "acb", "q2": "abc"},
    }
    for name, of_name in ranks.items():
        write_run(files, name, of_name)
    values = (part for name in ranks for part in ("--value", f"{name}={name}"))
    return *(f"{name}.run" for name in ranks), *values


def test_values_stand_at_the_end_of_names(fairviz: Command, runs: tuple[str, ...], files: Path) -> None:
    named = {name: f"bm25.{name}.run" for name in ("neutral", "Asian", "Hispanic")}
    for name, file in named.items():
        (files / file).write_text((files / f"{name}.run").read_text().replace(f" {name}\n", f" bm25.{name}\n"))
    assert tables(fairviz, *named.values())["overlap"] == tables(fairviz, *runs)["overlap"]


@pytest.fixture
def questions(files: Path) -> str:
    write_lines(
        files,
        questions=[
            {"query_id": "q1", "text": "Which drug for a patient with pain?"},
            {"query_id": "q2", "text": "Is it hot?"},
        ],
    )
    return "questions.jsonl"


def test_generated_mentions_say_what_could_not_be_made(fairviz: Command, questions: str) -> None:
    more = ("--form", "mention", "--attribute", "age=old, young", "--attribute", "sex=male")
    done = fairviz("vary", questions, *more, "--combine")
    made = [json.loads(line) for line in done.out.splitlines()]
    assert [(one["attribute"], one["value"]) for one in made] == [
        ("none", "neutral"),
        ("age+sex", "old+male"),
        ("age+sex", "young+male"),
        ("none", "neutral"),
    ]
    assert done.errors == ["warning: questions.jsonl: 2 variants not made: mentions nobody"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("variants",), "there are no answers to variants of questions, and no runs"),
        (("variants", "answers.jsonl", "--by", "colour"), "colour"),
        (("variants", "answers.jsonl", "--threshold", "0.5"), "open answers"),
        (("variants", "answers.jsonl", "--threshold", "2"), "at most 1"),
        (("variants", "answers.jsonl", "-k", "ten"), "whole number"),
        (("variants", "answers.jsonl", "--table", "quality"), "there are rows, groups, gaps"),
        (("variants", "answers.jsonl", "--only", "mood=x"), "expected one of model"),
        (("variants", "answers.jsonl", "--only", "strategy=x"), "expected strategy=Plain"),
        (("variants", "answers.jsonl", "--only", "strategy=Plain", "--attribute", "x"), "expected one of race"),
        (("variants", "one.run", "--value", "one"), "SYSTEM=VALUE"),
        (("variants", "one.run", "--value", "one="), "SYSTEM=VALUE"),
        (("variants", "one.run", "--value", "uno=Asian"), "expected one of one"),
        (("variants", "one.run", "--value", "one=neutral"), "besides neutral"),
        (("variants", "one.run", "two.run", "--value", "one=Asian", "--value", "two=race:Asian"), "has a run already"),
        (("vary", "questions.jsonl", "--attribute", "race"), "NAME=VALUE"),
    ],
)
@pytest.mark.usefixtures("answers", "questions")
def test_errors_are_one_line(fairviz: Command, arguments: tuple[str, ...], said: str) -> None:
    assert said in fairviz(*arguments).refusal
