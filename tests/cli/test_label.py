"""``fairviz label``: what documents add to recorded answers, by hand."""

from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.lines import write_lines

ANSWERS = [
    # query, given, generator, text; the reference is "one two three four", ROUGE-L F1 = 2 LCS / (words + 4)
    ("q1", [], "g", "one two"),  # 4/6
    ("q1", ["better"], "g", "one two three"),  # 6/7
    ("q1", ["same"], "g", "two one one two"),  # 4/8
    ("q1", ["worse"], "g", "nine"),  # 0
    ("q1", ["better", "worse"], "g", "one two three four"),  # two documents: nobody's gain
    ("q2", ["better"], "g", "one"),  # nothing to compare with
    ("q1", [], "other", "nine"),  # 0
    ("q1", ["worse"], "other", "one"),  # 2/5
]


@pytest.fixture
def recorded(files: Path) -> Path:
    lines = [
        {
            "query_id": query,
            "ranking": given,
            "generator": generator,
            "system": generator,
            "sample": str(i),
            "text": text,
        }
        for i, (query, given, generator, text) in enumerate(ANSWERS)
    ]
    references = [{"query_id": query, "answers": ["one two three four"]} for query in ("q1", "q2")]
    write_lines(files, answers=lines, right=references)
    return files


@pytest.mark.usefixtures("recorded")
def test_labels_by_hand(fairviz: Command) -> None:
    done = fairviz("label", "answers.jsonl", "--references", "right.jsonl", "--generator", "g")
    assert (done.code, done.out) == (0, "q1 0 better 1\nq1 0 same 0\nq1 0 worse 0\n")
    assert done.errors == [
        "warning: g: 1 answers to several documents, or to what is not recorded: left out",
        "warning: g: 1 questions without answers both to no document and to one: left out",
    ]
    assert fairviz("label", "answers.jsonl", "--references", "right.jsonl", "--generator", "other").out == (
        "q1 0 worse 1\n"
    )


def test_several_answers_count_with_their_mean(fairviz: Command, files: Path) -> None:
    utilities = [([], 0.4), ([], 0.6), (["a"], 0.2), (["a"], 0.9), (["b"], 0.5)]  # means 0.5, 0.55, 0.5
    lines = [
        {"query_id": "q", "ranking": given, "sample": str(i), "text": "x", "utility": utility}
        for i, (given, utility) in enumerate(utilities)
    ]
    write_lines(files, told=lines)
    done = fairviz("label", "told.jsonl")
    assert (done.code, done.out, done.err) == (0, "q 0 a 1\nq 0 b 0\n", "")


@pytest.mark.usefixtures("recorded")
@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("answers.jsonl", "--references", "right.jsonl"), "label: give --generator, one of: g, other"),
        (("answers.jsonl", "--generator", "g", "--utility", "f1"), "give --references FILE"),
        (
            ("answers.jsonl", "--generator", "g", "--references", "right.jsonl", "--utility", "rouge"),
            "unknown utility 'rouge'; accepted: recorded, accuracy",
        ),
        (
            ("answers.jsonl", "--generator", "g", "--references", "right.jsonl", "--utility", "lamp-3"),
            "needs numbers as references; query q1 has 'one two three four'",
        ),
        (("answers.jsonl", "--generator", "g"), "no question has answers both without and with one document"),
    ],
)
def test_one_line_for_a_mistake(fairviz: Command, arguments: tuple[str, ...], reason: str) -> None:
    assert reason in fairviz("label", *arguments).refusal
