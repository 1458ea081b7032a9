"""``fairviz bias``: what it pools and compares, what it refuses, real answers."""

import csv
from pathlib import Path
from typing import Any

import pytest

from fairviz.io.bbq import write_bias_items
from fairviz.studies.social_bias.columns import COUNTS
from fairviz.studies.social_bias.measures import MEASURES
from tests.cli.conftest import Command
from tests.studies.social_bias.bias_world import items_of


@pytest.fixture
def asked(files: Path) -> tuple[str, ...]:
    """Two ambiguous items and one of each disambiguated kind; one model, with and without RAG.

    Without RAG: unknown, counter, both right. With RAG: stereotyped, unknown; right, unknown.
    """
    items = items_of([("A 1", "a"), ("A 2", "a"), ("A 1", "s"), ("A 2", "c")])
    with (files / "items.csv").open("w", encoding="utf-8") as file:
        write_bias_items(items, file)
    lines = ["model,setting,category,example_id,pred"]
    for setting, picks in (("w/o RAG", (2, 1, 0, 1)), ("full-set", (0, 2, 0, 2))):
        lines += [f"m,{setting},Age,{i},{pick}" for i, pick in enumerate(picks)]
    (files / "answers.csv").write_text("\n".join(lines) + "\n")
    return ("bias", "answers.csv", "--items", "items.csv")


def test_rows_are_pooled_over_columns_that_are_not_named_which_is_said(
    fairviz: Command, asked: tuple[str, ...]
) -> None:
    assert fairviz(*asked).err == ""
    done = fairviz(*asked, "--by", "model", "--format", "json")
    (row,) = done.json["tables"]["rows"]
    assert (row["n_a"], row["acc_a"], row["diffbias_a"]) == (4, 50, 0)
    assert "rows pool setting (2 values): name them in --by to part them" in done.err


def test_levels_are_of_one_compared_value_and_of_none_that_is_not_named(
    fairviz: Command, asked: tuple[str, ...]
) -> None:
    """Not of all values, a row for each, which nothing tells apart."""
    compared = (*asked, "--compare", "setting", "--format", "json")
    assert "levels" not in fairviz(*compared).json["tables"]
    (level,) = fairviz(*compared, "--to", "w/o RAG").json["tables"]["levels"]
    assert (level["unknown"], level["against"]) == (50, 50)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--by", "colour"), "no column 'colour'"),
        (("--against", "setting"), "expected COLUMN=VALUE"),
        (("--against", "setting=nothing"), "has no value 'nothing'"),
        (("--compare", "mood"), "--compare, --only: 'mood': expected one of setting, model"),
        (("--only", "model=x"), "--reference, --only: model='x': expected one of 'm'"),
        (
            ("--compare", "setting", "--model", "m"),
            "levels are of one setting: give it by --to, one of 'w/o RAG', 'full",
        ),
        (
            ("--compare", "setting", "--to", "full-set", "--model", "x"),
            "no answers are left: choose others of --to, --model and --type",
        ),
        (("--type", "mood"), "no answers are left: choose others of --to, --model and --type"),
        (("--ooc", "guess"), "expected one of drop, count"),
    ],
)
def test_what_it_refuses_is_one_line(
    fairviz: Command, asked: tuple[str, ...], options: tuple[str, ...], said: str
) -> None:
    assert said in fairviz(*asked, *options).refusal


def test_real_answers_to_real_questions(fairviz: Command, shared: Path) -> None:
    """UnifiedQA on BBQ, and the three categories without expected values."""
    folder = shared / "data" / "social-bias"
    with (folder / "expected.csv").open(encoding="utf-8") as lines:
        wanted = {(row["category"], row["model"]): row for row in csv.DictReader(lines)}

    def asked(where: Path, *more: str) -> list[dict[str, Any]]:
        files = (where / "predictions_unifiedqa.csv.gz", "--items", where / "bbq_items.csv.gz")
        return fairviz("bias", *files, *more, "--format", "json").json["tables"]["rows"]

    rows = asked(folder, "--by", "category,model")
    assert len(rows) == 9
    for row in rows:
        numbers = wanted[row["category"], row["model"]]
        assert [row[name] for name in COUNTS] == [int(numbers[name]) for name in COUNTS]
        values = [float(numbers[name]) for name in MEASURES]
        assert [row[name] for name in MEASURES] == pytest.approx(values, abs=1e-6)
    blind = asked(folder / "blind")
    assert {row["category"] for row in blind} == {"Disability_status", "Nationality", "Physical_appearance"}
    for row in blind:
        low, high = row["bound_d_low"], row["bound_d_high"]
        assert low - 1e-9 <= row["diffbias_d"] <= high + 1e-9


def test_settings_without_a_reference_are_hinted_at(fairviz: Command, asked: tuple[str, ...], files: Path) -> None:
    text = (files / "answers.csv").read_text().replace("w/o RAG", "vanilla")
    (files / "answers.csv").write_text(text)
    done = fairviz(*asked, "--format", "json")
    assert "changes" not in done.json["tables"]
    assert "no setting says that it is without retrieval (vanilla, full-set)" in done.err
    named = fairviz(*asked, "--against", "setting=vanilla", "--format", "json")
    assert len(named.json["tables"]["changes"]) == 2
    assert named.err == ""


def test_answers_to_no_loaded_item_name_their_file(fairviz: Command, asked: tuple[str, ...], files: Path) -> None:
    (files / "answers.csv").write_text("model,category,example_id,pred\nm,Age,77,0\n")
    assert fairviz(*asked).refusal.startswith("error: answers.csv: ")


def test_files_of_questions_that_are_named_one_by_one_are_all_read(
    fairviz: Command, asked: tuple[str, ...], files: Path
) -> None:
    """``--items a --items b`` is ``--items a b``: the second replaced the first."""
    header, *rows = (files / "items.csv").read_text().splitlines(keepends=True)
    for name, half in (("one.csv", rows[:2]), ("two.csv", rows[2:])):
        (files / name).write_text(header + "".join(half))
    together = fairviz(*asked[:2], "--items", "one.csv", "two.csv", "--format", "json")
    apart = fairviz(*asked[:2], "--items", "one.csv", "--items", "two.csv", "--format", "json")
    assert (apart.code, apart.out) == (0, together.out)
    assert apart.json["tables"]["rows"] == fairviz(*asked, "--format", "json").json["tables"]["rows"]
