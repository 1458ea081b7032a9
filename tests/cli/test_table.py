"""One table of a page: settings are read as they are declared, refused in one line; text and JSON hold the same."""

from pathlib import Path

import pytest

from tests.cli.conftest import Command

ITEMS = (
    "category,example_id,question_index,question_polarity,context_condition,context,question,ans0,ans1,ans2,"
    "unknown_loc,target_loc,label\nAge,0,0,neg,ambig,Two people met.,Who forgets?,old man,young man,unknown,2,0,2\n"
)
AREAS = ("table", "tradeoff", "areas", "one.run", "two.run", "--qrels", "qrels")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((), "table tradeoff: give --set k=VALUE (see"),
        (("--set", "k=0"), "--set k=0: expected a whole number up to 1000"),
        (("--set", "k=1", "--set", "gain=much"), "--set gain=much: expected one of graded, binary"),
        (("--set", "k=1", "--set", "k=2"), "--set k=2: k is given twice"),
        (("--label", "my table"), "argument --label: expected letters, digits and :-_. only, got 'my table'"),
        (("--set", "K=1"), "--set K=1: expected NAME=VALUE, of k, quality, system"),
        (("--set", "k=1", "--set", "system=three"), "--set system=three: expected one of one, two"),
        (("--set", "k=1", "--set", "quality=EU"), "there are no recorded answers: give --outputs FILE"),
    ],
)
def test_settings_are_refused_in_words(files: Path, fairviz: Command, arguments: tuple[str, ...], reason: str) -> None:
    done = fairviz(*AREAS, *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.errors[-1].startswith(f"error: {reason}".removesuffix(" (see"))


@pytest.mark.parametrize(
    ("page", "arguments", "reason"),
    [
        ("social_bias", (), "questions and answers to them are needed: give --items FILE and --answers FILE"),
        ("social_bias", ("--set", "compare=mood"), "--set compare, only: 'mood': expected one of model, language"),
        ("social_bias", ("--set", "only=model=x"), "--set reference, only: model='x': expected one of 'm'"),
        ("social_bias", ("--set", "models=x"), "no answers are left: choose others of --set to, models and types"),
    ],
)
def test_what_recorded_answers_do_not_have(
    tmp_path: Path, fairviz: Command, page: str, arguments: tuple[str, ...], reason: str
) -> None:
    items, answers = tmp_path / "items.csv", tmp_path / "answers.csv"
    items.write_text(ITEMS)
    answers.write_text("category,example_id,model,pred\nAge,0,m,2\n")
    given = ("--items", str(items)) if arguments else ()
    done = fairviz("table", page, "rows", *given, "--answers", str(answers), *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.errors[-1].startswith(f"error: {reason}")


def test_the_system_that_is_named_comes_first(files: Path, fairviz: Command) -> None:
    rows = fairviz(*AREAS, "--set", "k=1", "--set", "system=two", "--format", "json").json["areas"]
    assert list(dict.fromkeys(row["system"] for row in rows)) == ["two", "one"]
    assert fairviz(*AREAS, "--set", "k=1").out.split()[:3] == ["system", "policy", "auc"]


def test_a_table_that_there_is_not_names_those_that_there_are(files: Path, fairviz: Command) -> None:
    done = fairviz("table", "tradeoff", "area", *AREAS[3:], "--set", "k=1")
    assert done.errors[-1].startswith("error: there is no table 'area' on these data; there are curves, areas")
