"""Limits: what is said of them, by which interval, and what a command ends with."""

import json
import math
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

import fairviz as fv
from fairviz.errors import FairvizError, InputError, UsageError
from fairviz.io.limit_statements import limit_of, read_limits
from fairviz.io.source import Options
from fairviz.points.limits import QUERIES, LimitValue, judge, measured_by
from fairviz.points.shares import corrected_intervals
from fairviz.reporting.study_file import StudyContents, StudyPart, write_study
from fairviz.resources import recorded_folder
from fairviz.stats.bootstrap import Interval, widened
from fairviz.studies.check.measured import group_of, limits_file, proposed_limits
from fairviz.studies.check.settings import CheckSettings
from tests.app.conftest import OpenPage, app_test
from tests.app.reading import words
from tests.cli.conftest import Command, fairviz

__all__ = ["app_test", "fairviz"]

pytestmark = pytest.mark.filterwarnings("ignore::fairviz.DataWarning")
EXAMPLE = Path(__file__).parents[3] / "tests" / "small" / "data" / "demo"
RUN, QRELS, REGION = (str(EXAMPLE / name) for name in ("bm25.run", "usefulness.qrels", "region.tsv"))
LIMITS = 'limits = ["nDCG@10 >= 0.4", "nDCG@10 >= 0.95", "AP >= 0.8"]\n'


def measured(value: float, low: float, high: float, n: int = 50) -> LimitValue:
    return measured_by("s", value, Interval(low, high), n, QUERIES)


@pytest.mark.parametrize(
    ("statement", "outcome"),
    [
        ("AP >= 0.25", "holds"),
        ("AP >= 0.26", "cannot tell"),
        ("AP >= 0.34", "cannot tell"),
        ("AP >= 0.36", "broken"),
        ("AP <= 0.35", "holds"),
        ("AP <= 0.3", "cannot tell"),
        ("AP <= 0.24", "broken"),
    ],
)
def test_the_whole_interval_decides(statement: str, outcome: str) -> None:
    assert judge(limit_of(statement), measured(0.3, 0.25, 0.35), 1).outcome == outcome


def test_of_few_queries_and_without_an_interval_nobody_can_tell() -> None:
    assert judge(limit_of("AP >= 0.9"), measured(0.3, 0.25, 0.35, n=9), 1).outcome == "cannot tell"
    assert judge(limit_of("AP >= 0.9"), measured(0.3, math.nan, math.nan), 1).outcome == "cannot tell"


def test_more_limits_widen_the_interval_as_students_t_does() -> None:
    # t of 49 degrees at 1 − .025 / 10: 2.940, at 1 − .025: 2.010, so that ±.05 becomes ±.0731
    told = judge(limit_of("AP >= 0.36"), measured(0.3, 0.25, 0.35), 10)
    assert told.interval == (pytest.approx(0.3 - 0.0731, abs=1e-4), pytest.approx(0.3 + 0.0731, abs=1e-4))
    assert told.outcome == "cannot tell"


def test_how_many_would_tell_finds_it_with_the_chance_asked_for() -> None:
    rng, limit = np.random.default_rng(0), limit_of("AP >= 0.5")
    for power in (0.8, 0.95):
        told = judge(limit, measured(0.48, 0.43, 0.53), 1, power=power)
        n = int(told.n_to_tell)
        error = 0.05 / 2.01 * math.sqrt(50 / n)  # of a mean over n of them
        means = rng.normal(0.48, error, size=4_000)
        assert np.mean(means + 1.96 * error < 0.5) == pytest.approx(power, abs=0.03)


@pytest.mark.parametrize("text", ["AP = 3", "AP >= ", ">= 3", "AP >= x", "AP >= baseline 3", "AP >= 1.2.3", ""])
def test_what_is_no_limit_is_refused_with_the_form_of_one(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected QUANTITY >= NUMBER"):
        limit_of(text)


def test_bias_is_in_percent_and_shares_are_parts_of_1() -> None:
    assert [limit_of(f"acc_a.Age >= 80{unit}").bound for unit in ("", "%")] == [80, 80]
    assert [limit_of(f"dp.race <= {bound}").bound for bound in ("5%", "0.05", "5")] == [0.05, 0.05, 0.05]
    with pytest.raises(ValueError, match=r"share is a part of 1: write 5% or 0\.05"):
        limit_of("share.region.Africa >= 5")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("limits = [", "is no TOML"),
        ("limits = []", "there are no limits"),
        ("limit = ['AP >= 1']", "is no key of a file of limits"),
        ("limits = [\n'AP >= 1',\n'AP']", "limits.toml:3: limit 2: expected QUANTITY"),
    ],
)
def test_a_file_that_is_none_is_one_line(content: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as caught:
        read_limits(("limits.toml", content.encode()))
    assert caught.value.file == "limits.toml"


@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        ("nDGC >= 0", "unknown measure 'nDGC'; did you mean nDCG"),
        ("dp.race >= 0", "a gap between groups is kept small"),
    ],
)
def test_a_limit_of_a_file_that_nothing_is_held_to_is_told_on_its_own_line(
    fairviz: Command, tmp_path: Path, limit: str, reason: str
) -> None:
    limits = tmp_path / "limits.toml"
    limits.write_text(f'# "{limit}"\nlimits = ["AP >= 0", # "{limit}"\n"AP >= 0", "{limit}",\n]\n')
    wrong = fairviz("check", RUN, QRELS, "-l", limits)
    assert wrong.err.startswith(f"error: {limits}:3: limit 3: {reason}")


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ("nDGC@10 >= 0.4", "unknown measure 'nDGC'"),
        ("AWRF >= 0.4", "AWRF: group labels are needed"),
        ("share.region.Africa >= 0.1", "there are no group labels"),
    ],
)
def test_an_error_names_the_limit_of_several_that_it_is_of(wrong: str, reason: str) -> None:
    with pytest.raises(FairvizError) as caught:
        fv.check(RUN, QRELS, limits=["nDCG@10 >= 0.4", wrong, "AP >= 0.2"])
    assert str(caught.value).startswith(f"{wrong}: {reason}")


def test_a_command_ends_as_the_limits_do(fairviz: Command, tmp_path: Path) -> None:
    limits = tmp_path / "limits.toml"
    limits.write_text(LIMITS)
    files = (limits, RUN, QRELS)
    done = fairviz("check", *files, "--format", "csv")
    assert [line.split(",")[:2] for line in done.out.splitlines()[1:]] == [
        ["holds", "nDCG@10 >= 0.4"],
        ["broken", "nDCG@10 >= 0.95"],
        ["cannot tell", "AP >= 0.8"],
    ]
    assert done.code == 1
    assert fairviz("check", RUN, QRELS, "--limits", limits, "--format", "csv").out == done.out
    assert fairviz("check", RUN, QRELS, "-l", "AP >= 0.8").code == 0
    assert fairviz("check", RUN, QRELS, "-l", "AP >= 0.8", "--strict").code == 3
    suite = ElementTree.fromstring(fairviz("check", *files, "--format", "junit").out)
    assert suite.attrib == {"name": "fairviz check", "tests": "3", "failures": "1", "skipped": "1"}
    assert [[part.tag for part in case] for case in suite] == [[], ["failure"], ["skipped"]]
    assert "broken for bm25: 0.812" in suite[1][0].attrib["message"]


def test_a_limit_rests_on_the_queries_that_have_a_value() -> None:
    """A judged query is not ranked: the others are the number that evaluate, agreement and groups print, too."""
    ranked = fv.run(RUN).frame()
    queries = ranked["query_id"].unique()
    run = fv.run(ranked[ranked["query_id"] != queries[0]])
    groups = fv.groups(run, QRELS, groups=REGION).to_polars("measures")
    found = {
        "check": fv.check(run, QRELS, limits="nDCG@10 >= 0.1").to_polars()["n"],
        "evaluate": fv.evaluate(run, QRELS, ["nDCG@10"]).to_polars()["n_queries"],
        "agreement": fv.agreement(run, QRELS, measures=["nDCG@10"]).to_polars("values")["n_queries"],
        "groups": groups.filter(pl.col("measure").str.starts_with("FAIR(irm='nDCG'"))["n_queries"],
    }
    assert {name: values.to_list() for name, values in found.items()} == {name: [len(queries) - 1] for name in found}


def test_values_are_those_of_the_studies() -> None:
    by_group = fv.check(RUN, QRELS, groups=REGION, limits="share.region.Africa >= 10%").to_polars().row(0, named=True)
    shares = fv.groups(RUN, QRELS, groups=REGION)
    page = {row["group"]: row["share"] for row in shares.to_polars("shares").iter_rows(named=True)}
    assert by_group["value"] == page["Africa"]
    low, high = corrected_intervals(shares.analysis.unknown, n_tests=1)[0]
    place = shares.analysis.unknown.groups.index("Africa")
    assert (by_group["low"], by_group["high"]) == (low[place], high[place])
    mean = fv.evaluate(RUN, QRELS, ["AP"]).to_polars().row(0, named=True)
    limited = fv.check(RUN, QRELS, limits="AP >= 0.5").to_polars().row(0, named=True)
    assert [limited[name] for name in ("value", "low", "high")] == [mean[name] for name in ("value", "low", "high")]


def test_beside_a_baseline_the_paired_difference_decides() -> None:
    runs = {"old": RUN, "new": str(recorded_folder() / "rankings" / "minilm.run")}
    compared = fv.compare(runs, QRELS, ["AP"], baseline="old").to_polars().row(0, named=True)
    row = fv.check(runs, QRELS, limits="AP >= baseline - 0.2", baseline="old").to_polars().row(0, named=True)
    assert (row["outcome"], row["system"], row["value"]) == ("holds", "new", compared["difference"])


def test_without_a_baseline_the_limit_that_needs_it_is_named() -> None:
    with pytest.raises(UsageError, match=r"^bm25: AP >= baseline - 0\.02: there is no baseline: give its run, too"):
        fv.check(RUN, QRELS, limits="bm25: AP >= baseline - 0.02")
    with pytest.raises(UsageError, match=r"bm25 is the baseline, as the first run: name another with baseline="):
        fv.check([RUN, recorded_folder() / "rankings" / "minilm.run"], QRELS, limits="bm25: AP >= baseline - 0.02")


def turned(folder: Path) -> Path:
    """A run of the same name with every list the other way round."""
    rows = [line.split() for line in Path(RUN).read_text().splitlines()]
    file = folder / "new.run"
    file.write_text("".join(f"{row[0]} Q0 {row[2]} 1 {-float(row[4])} bm25\n" for row in rows))
    return file


def test_a_run_of_a_study_file_is_the_baseline_and_is_not_judged_itself(fairviz: Command, tmp_path: Path) -> None:
    minilm = recorded_folder() / "rankings" / "minilm.run"
    last = tmp_path / "last.fairviz"

    def save(**files: Path) -> None:
        parts = tuple(StudyPart(name, "", Options(), path.read_bytes()) for name, path in files.items())
        last.write_bytes(write_study(StudyContents(name="last", files=parts)))

    save(first=minilm, second=Path(RUN), judged=Path(QRELS))
    new = turned(tmp_path)
    by_hand = fv.compare({"old": RUN, "bm25": new}, QRELS, ["AP"]).to_polars().row(0, named=True)
    done = fairviz("check", new, QRELS, "--baseline", last, "-f", "json", "-l", "AP >= baseline - 0.1; AP <= 1")
    told = json.loads(done.out)["tables"]["limits"]
    assert [(row["outcome"], row["system"]) for row in told] == [("broken", "bm25"), ("holds", "bm25")]
    compared = fv.compare(new, QRELS, ["AP"], baseline=str(last)).to_polars().row(0, named=True)
    assert told[0]["value"] == compared["difference"] == by_hand["difference"]
    assert compared["reference"] == "last.fairviz"
    alpha = {part: EXAMPLE / f"outputs.alpha-{part}.jsonl.gz" for part in "18"}
    save(first=Path(RUN), second=alpha["8"])
    both = ["AP >= baseline - 0.1", "EAR@5 >= baseline - 1", "EAR@5 >= 0"]
    rows = fv.check(new, QRELS, outputs=alpha["1"], limits=both, baseline=str(last)).to_polars()["system"].to_list()
    answers = fv.outputs(alpha["1"])[0].system
    assert rows == ["bm25", answers, answers]
    limits = ("check", minilm, QRELS, "--baseline", last, "-l", "AP >= baseline")
    save(first=Path(RUN), second=Path(RUN))
    assert "last.fairviz: it holds first, second, and none is called minilm. Save a study of" in fairviz(*limits).err
    save(judged=Path(QRELS))
    assert "last.fairviz: it holds no system that what is given could be compared with" in fairviz(*limits).err


def test_a_comparison_fails_where_a_limit_beside_the_baseline_is_broken(fairviz: Command, tmp_path: Path) -> None:
    runs = [RUN, str(turned(tmp_path))]
    result = fv.compare(runs, QRELS, "nDCG@10", fail_if=["AP worse by 0.01", "EED@5 worse by 0.02"])
    limits = ["AP >= baseline - 0.01", "EED@5 <= baseline + 0.02"]
    assert result.to_polars("limits").equals(fv.check(runs, QRELS, limits=limits).to_polars())
    assert result.to_polars("compared")["measure"].to_list() == ["nDCG@10", "AP", "EED@5"]
    assert fairviz("compare", *runs, QRELS, "--fail-if", "AP worse by 0.01").code == 1
    assert fairviz("compare", *runs, QRELS, "--fail-if", "AP worse by 90%").code == 0
    assert "expected MEASURE worse by NUMBER" in fairviz("compare", *runs, QRELS, "--fail-if", "AP >= 0.01").err
    with pytest.raises(UsageError, match="logDP is better closest to 0"):
        fv.compare(runs, QRELS, groups=REGION, fail_if="logDP worse by 1")


@pytest.mark.parametrize(
    ("quantity", "share"), [("a.b.c", (1, "c")), ("a.d", (0, "d")), ("a.b.e", (0, "b.e")), ("a.b.x", (1, "x"))]
)
def test_of_two_attributes_a_share_is_of_the_longer_that_has_the_group(quantity: str, share: tuple[int, str]) -> None:
    attributes = [fv.labels({"d1": "b.e", "d2": "d", "d3": "b.c"}, name="a"), fv.labels({"d1": "c"}, name="a.b")]
    assert group_of(quantity, attributes) == share
    assert group_of("a+b.c × d", [fv.labels({"d1": "c × d"}, name="a × b")]) == (0, "c × d")


def test_groups_that_were_asked_different_questions_have_one_gap_in_check_and_on_the_page() -> None:
    """b was asked q0 to q19 alone, which a gets wrong as often: no gap on these, 25 points over the questions of each.

    c, with two answers, is too small for either.
    """
    asked = {"a": range(40), "b": range(20), "c": range(2)}
    right = {"a": range(10, 40), "b": range(10, 20), "c": range(0)}
    rows = [
        {"qid": f"q{q:02}", "attribute": "race", "value": value, "gold": "A", "prediction": "A" if q in own else "B"}
        for value, own in right.items()
        for q in asked[value]
    ]
    answers = fv.variants(answers=pl.DataFrame(rows))
    row = answers.to_polars("rows").row(0, named=True)
    (gap,) = answers.to_polars("gaps").filter(small="").to_dicts()
    judged = fv.check(answers=pl.DataFrame(rows), limits="dp.race <= 0.2").to_polars()
    assert (row["dp"], gap["gap"], judged["value"].to_list(), judged["n"].to_list()) == (0.25, 0.0, [0.0], [20])
    (note,) = [text for text in answers.analysis.notes if "different questions" in str(text)]
    assert "dp is 25.0 points over each group's own" in str(note)
    assert "0.0 (a minus b, 20 of 40 questions)" in str(note)


def test_the_largest_gap_is_judged_by_every_gap() -> None:
    answers = str(EXAMPLE / "variants" / "answers.jsonl.gz")
    gaps = fv.variants(answers).to_polars("gaps").filter(attribute="race", model="chooser-thorough", strategy="plain")
    result = fv.check(answers=answers, limits="dp.race <= 0.2").to_polars()
    row = result.filter(result["system"] == "chooser-thorough, closed, plain, bm25, 15").row(0, named=True)
    of_list = gaps.filter(retriever="bm25", dataset="closed", k="15")
    assert row["value"] == of_list["gap"].abs().max()
    n_tests = result.height * of_list.height
    ends = [
        widened(gap, Interval(gap if low is None else low, gap if high is None else high), 32, n_tests)
        for gap, low, high in of_list.select("gap", "low", "high").rows()
    ]
    assert row["high"] == pytest.approx(max(max(high, -low) for low, high in ends))
    assert row["low"] == pytest.approx(max(max(0, low, -high) for low, high in ends))


@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        ("share.regio.Africa >= 0.1", "'regio' is none of region"),
        ("share.region.Afrika >= 0.1", "'Afrika' is none of North America"),
        ("share.region.Africa >= baseline", "measures alone are compared with a baseline"),
        ("other: AP >= 0.1", "'other' is none of bm25"),
        ("foo@3 >= 0.1", "unknown measure 'foo'"),
    ],
)
def test_what_is_not_there_is_named(limit: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        fv.check(RUN, QRELS, groups=REGION, limits=limit)


def test_a_test_fails_with_a_line_for_each_broken_limit() -> None:
    fv.assert_within("nDCG@10 >= 0.4", RUN, QRELS)
    with pytest.raises(AssertionError, match=r"^nDCG@10 >= 0.95 is broken for bm25: 0.812, 0.7\d+ to 0.8\d+, over 14"):
        fv.assert_within(["nDCG@10 >= 0.4", "nDCG@10 >= 0.95"], RUN, QRELS)
    with pytest.raises(AssertionError, match="cannot be told"):
        fv.assert_within("AP >= 0.8", RUN, QRELS, strict=True)


def test_pytest_says_what_became_of_every_limit_and_loads_nothing_before(tmp_path: Path) -> None:
    tests = f"""
import sys

def test_light():
    assert "numpy" not in sys.modules

def test_within(fairviz_check):
    assert fairviz_check(["nDCG@10 >= 0.4", "AP >= 0.8"], {RUN!r}, {QRELS!r}).frame()["n"].tolist() == [14, 14]

def test_broken(fairviz_check):
    fairviz_check("nDCG@10 >= 0.95", {RUN!r}, {QRELS!r})
"""
    (tmp_path / "test_limits.py").write_text(tests)
    root = Path(__file__).parents[3]
    points = tomllib.loads((root / "pyproject.toml").read_text())["project"]["entry-points"]["pytest11"]
    options = ["-p", points["fairviz"], "-p", "no:cacheprovider", "-c", os.devnull, "--junitxml", "out.xml"]
    alone = {**os.environ, "PYTHONPATH": str(root), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", *options, "test_limits.py"]
    done = subprocess.run(command, cwd=tmp_path, env=alone, capture_output=True, text=True, check=False)
    summary = done.stdout.partition("limits of fairviz")[2]
    assert "1 failed, 2 passed" in summary
    begun = ["nDCG@10 >= 0.4 holds for bm25", "AP >= 0.8 cannot be told for bm25", "nDCG@10 >= 0.95 is broken for bm25"]
    assert [line.partition(":")[0] for line in summary.splitlines()[1:4]] == begun
    cases = ElementTree.parse(tmp_path / "out.xml").iter("testcase")
    assert [len(list(case.iter("property"))) for case in cases] == [0, 2, 1]


def test_limits_made_of_what_is_measured_hold_of_it_or_cannot_be_told() -> None:
    data = fv.load(RUN, QRELS, REGION)
    limits = proposed_limits(data, ("nDCG@10", "AP", "EEL@5", "EED@5"), CheckSettings())
    rows = fv.check(data, limits=limits).to_polars()
    assert rows.height == len(limits) == 8  # EE-D of a list is the same in every query: it has no interval
    assert set(rows["outcome"]) == {"holds"}
    assert [limit.split(" ")[2] for limit in limits[:3]] == [">=", ">=", "<="]
    assert read_limits(("limits.toml", limits_file(limits).encode())).value == limits


def test_a_page_opens_no_file_that_somebody_types(app_test: OpenPage, tmp_path: Path) -> None:
    file = tmp_path / "limits.toml"
    file.write_text(LIMITS)
    at = app_test("studies", link={"question": "Limits", "check-limits": str(file)})
    assert "expected QUANTITY >= NUMBER" in words(at)
    at = app_test("studies", link={"question": "Limits", "check-limits": "nDCG@10 >= 0.4; nDCG@10 >= 0.95"})
    assert "7 of 10 limits are broken" in words(at)
    assert "2 statements, of each system that it is about" in words(at)


def test_values_that_are_all_equal_are_not_called_too_few() -> None:
    titles = [each.title for each in fv.check(RUN, QRELS, limits="EED@5 <= 0.7").findings]
    assert titles == [
        "Nobody can tell whether the limit holds",
        "No limit can be judged: no value has an interval, as where all are equal",
    ]


def test_breaches_of_several_quantities_have_no_size_in_common() -> None:
    alike = fv.check(RUN, QRELS, limits=["AP >= 0.5", "AP <= 0.95"]).findings[1].title
    assert alike.startswith("A breach of any limit by 0.")
    apart = fv.check(RUN, QRELS, limits=["AP >= 0.5", "nDCG@10 >= 0.5"], breach=0.05).findings[1]
    assert apart.title.endswith("stands limit by limit in the table plan")
    assert "The breach asked about takes about" in apart.sentence
